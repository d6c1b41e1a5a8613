package machine

import (
	"encoding/binary"
	"errors"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

const loadDataAddr = hw.SSNAIL + hw.SSNLoadData

// ssnail is SSNAIL's register block over emu/core. The core's time is the RAM
// traffic of its instructions divided by the bandwidth.
type ssnail struct {
	m    *Machine
	core *core.Core
	port *core.Port

	job     [4]byte
	err     byte
	running bool   // the script has not halted yet
	held    bool   // the port was told of a job
	until   uint64 // tick up to which the core is occupied
	rest    uint64 // of until: traffic * ticks not yet a whole tick
	rate    uint64 // bytes/s
	started uint64
	pos     uint32 // the runtime block's position when the job began
}

func (s *ssnail) init(m *Machine) {
	n := core.HW
	if m.opt.Float {
		n = core.Float
	}
	*s = ssnail{m: m, rate: uint64(m.opt.Bandwidth)}
	s.core = core.New(m.ram, core.Options{Numerics: n, Threads: m.opt.Threads})
	s.port = core.NewPort(m.ram, s.rate, hw.ClockHz)
	if m.opt.StrictCache {
		s.core.OnStep = m.keepStale
		s.core.OnSync = m.dropStale
		s.port.OnWrite = func(uint32, int) { m.dropStale() }
	}
}

// busy tells whether a job runs at tick t.
func (s *ssnail) busy(t uint64) bool {
	s.advance(t)
	return s.held
}

// advance lets the core run until tick t. An instruction's effects appear when
// it starts.
func (s *ssnail) advance(t uint64) {
	if !s.held {
		return
	}
	for s.running && s.until <= t {
		before := s.core.BytesRead + s.core.BytesWritten
		done, err := s.core.Step()
		n := s.core.BytesRead + s.core.BytesWritten - before
		// A faulting instruction may have moved nothing; it takes time all the same.
		s.rest += max(n, image.FetchBytes) * hw.ClockHz
		s.until += s.rest / s.rate
		s.rest %= s.rate
		var f *core.Fault
		switch {
		case errors.As(err, &f):
			s.err, s.running = byte(f.Code), false
			s.m.warn("SSNAIL job stopped: %s", f.Error())
		case err != nil:
			s.err, s.running = hw.SSNErrAddress, false
			s.m.warn("SSNAIL job stopped: %s", err.Error())
		case done:
			s.running = false
		}
	}
	if !s.running && s.until <= t {
		s.held = false
		s.m.stats.CoreTime += ticksToTime(s.until - s.started)
		s.port.SetBusy(false)
		s.countTokens()
	}
}

// position is the runtime block's, if the job is the image's own script.
func (s *ssnail) position() (pos uint32, ok bool) {
	var h [image.HeaderSize]byte
	if s.m.ram.Read(image.Base, h[:]) != nil || string(h[:4]) != image.Magic {
		return 0, false
	}
	ok = binary.LittleEndian.Uint32(h[image.OffScript:]) == binary.LittleEndian.Uint32(s.job[:])
	return binary.LittleEndian.Uint32(h[image.OffPos:]), ok
}

// countTokens adds the positions that the job has processed. What it generated
// says less: a program may have the prompt processed a token a job, and then
// replaces what each of these jobs generates.
func (s *ssnail) countTokens() {
	if pos, ok := s.position(); ok && pos > s.pos {
		s.m.stats.Tokens += uint64(pos - s.pos)
	}
}

// read reads register r.
func (s *ssnail) read(r uint32) byte {
	t := s.m.now()
	sdram := s.m.sdram != nil
	switch r {
	case hw.SSNID:
		return hw.SSNPresent
	case hw.SSNVersion:
		return 1
	case hw.SSNCaps:
		if sdram {
			return hw.SSNCapSDRAM
		}
		return 0
	case hw.SSNStatus:
		if s.busy(t) {
			return hw.SSNBusy
		}
		return 0
	case hw.SSNError:
		s.advance(t)
		if s.held {
			return 0
		}
		return s.err
	case hw.SSNJob, hw.SSNJob + 1, hw.SSNJob + 2, hw.SSNJob + 3:
		return s.job[r-hw.SSNJob]
	case hw.SSNHyperSize:
		return byte(len(s.m.hyper) >> 20)
	case hw.SSNSDRAMBase:
		return 0x80
	case hw.SSNSDRAMSize:
		return byte(len(s.m.sdram) >> 20)
	case hw.SSNLoadCommit:
		s.advance(t)
		return s.port.ReadReg(byte(r), t)
	}
	return 0
}

// write stores into register r.
func (s *ssnail) write(r uint32, v byte) {
	t := s.m.now()
	s.m.idle.work()
	switch {
	case r == hw.SSNControl:
		if v&hw.SSNGo != 0 {
			s.start(t)
		}
	case r >= hw.SSNJob && r < hw.SSNJob+4:
		s.job[r-hw.SSNJob] = v
	case r >= hw.SSNHyperSize && r <= hw.SSNSDRAMSize:
		s.m.warn("SSNAIL's region registers ($%02X): they keep their defaults", r)
	case r >= hw.SSNLoadPointer && r <= hw.SSNLoadData:
		s.advance(t)
		s.port.WriteReg(byte(r), v, t)
		if r == hw.SSNLoadData {
			s.m.stats.LoadBytes++
		}
		s.checkPort()
	}
}

// load stores bytes into the data register, one every copyTicks from tick t on.
func (s *ssnail) load(data []byte, t uint64) {
	s.m.idle.work()
	s.advance(t)
	for _, v := range data {
		s.port.WriteReg(hw.SSNLoadData, v, t)
		t += copyTicks
	}
	s.m.stats.LoadBytes += uint64(len(data))
	s.checkPort()
}

func (s *ssnail) checkPort() {
	if s.port.Dropped > 0 {
		s.m.warn("the load port was written while an SSNAIL job ran: dropped (PC $%04X)", s.m.cpu.PC)
	}
	if s.port.Lost > 0 {
		s.m.warn("the load port lost bytes: its ring was full (PC $%04X); READY promises room for 512", s.m.cpu.PC)
	}
}

func (s *ssnail) start(t uint64) {
	if s.busy(t) {
		s.m.warn("GO while SSNAIL is busy: ignored (PC $%04X)", s.m.cpu.PC)
		return
	}
	s.err = hw.SSNErrNone
	s.running, s.held = true, true
	s.until, s.started, s.rest = t, t, 0
	s.port.SetBusy(true)
	s.pos, _ = s.position()
	s.core.Start(binary.LittleEndian.Uint32(s.job[:]))
	s.m.stats.Jobs++
}

// reset stops a job and forgets what waits in the port.
func (s *ssnail) reset() {
	s.init(s.m)
}
