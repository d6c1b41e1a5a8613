package machine

import "time"

// Stats counts what the machine did since it was built.
type Stats struct {
	Cycles       uint64        // ticks of the 40.5 MHz clock
	Time         time.Duration // the same as time
	Frames       uint64
	Instructions uint64 // of the 45GS02, prefixes not counted
	DMABytes     uint64
	DiskSectors  uint64 // 512-byte sectors that the F011 read
	SDSectors    uint64 // 512-byte sectors that HDOS read
	LoadBytes    uint64 // bytes that went through SSNAIL's load port
	LostBytes    uint64 // bytes that found its ring full
	Jobs         uint64 // GOs
	CoreInstr    uint64 // SSNAIL instructions
	CoreRead     uint64 // bytes
	CoreWritten  uint64
	CoreTime     time.Duration // emulated, busy
	Tokens       uint64        // positions that decoders processed, of prompts and replies
}

// Stats returns the counters so far.
func (m *Machine) Stats() Stats {
	s := m.stats
	s.Cycles = m.now()
	s.Time = m.Time()
	s.Frames = m.frame(m.now())
	s.Instructions = m.cpu.Instructions
	s.CoreInstr = m.ssn.core.Instructions
	s.CoreRead = m.ssn.core.BytesRead
	s.CoreWritten = m.ssn.core.BytesWritten
	s.LostBytes = m.ssn.port.Lost
	return s
}
