package machine

import "ssnail-kit/mega65/hw"

// readIO reads from $FFD0000-$FFF7FFF.
func (m *Machine) readIO(addr uint32) byte {
	off := addr & 0xFFF
	switch addr >> 12 {
	case 0xFFD0, 0xFFD1, 0xFFD2, 0xFFD3:
		return m.readChip(byte(addr>>12&3), off)
	case 0xFFD6:
		return m.sectorBuffer()[off&0x1FF]
	case 0xFFD7:
		if off>>5 == hw.SSNAIL>>5&0x7F && !m.opt.NoSSNAIL {
			return m.ssn.read(off & 0x1F)
		}
		if off>>8 != 5 {
			m.warn("I2C devices ($FFD7%03X): read as $FF", off&0xF00)
		}
		return 0xFF
	}
	m.warn("I/O at $%07X: reads as $FF", addr&^0xFFF)
	return 0xFF
}

// writeIO writes there.
func (m *Machine) writeIO(addr uint32, v byte) {
	off := addr & 0xFFF
	switch addr >> 12 {
	case 0xFFD0, 0xFFD1, 0xFFD2, 0xFFD3:
		m.writeChip(byte(addr>>12&3), off, v)
	case 0xFFD6:
		m.sectorBuffer()[off&0x1FF] = v
	case 0xFFD7:
		if off>>5 == hw.SSNAIL>>5&0x7F && !m.opt.NoSSNAIL {
			m.ssn.write(off&0x1F, v)
		} else if off>>8 != 5 {
			m.warn("I2C devices ($FFD7%03X): writes are dropped", off&0xF00)
		}
	default:
		m.warn("I/O at $%07X: writes are dropped", addr&^0xFFF)
	}
}

// The I/O personalities.
const (
	personC64 = iota
	personC65
	personEthernet
	personMEGA65
)

// readChip reads offset off of the I/O area $D000-$DFFF as a personality shows
// it.
func (m *Machine) readChip(p byte, off uint32) byte {
	switch {
	case off < 0x400:
		switch {
		case p == personC64:
			if r := off & 0x3F; r < 0x30 {
				return m.readVIC(r)
			}
			return 0xFF
		case off < 0x80:
			return m.readVIC(off)
		case off < 0xA0:
			return m.readFloppy(off - 0x80)
		case off < 0x100:
			return 0xFF
		}
		return m.readPalette(off)
	case off < 0x800:
		if p == personC64 || off < 0x600 {
			return 0 // SID, silent
		}
		if off < 0x640 {
			return m.readUART(off)
		}
		if off < 0x700 {
			return m.readSD(off)
		}
		return m.readCPURegister(off)
	case off < 0xC00, m.vic.reg[0x30]&1 != 0:
		return m.colour[off-0x800]
	case off < 0xD00:
		return m.readCIA(0, off)
	case off < 0xE00:
		return m.readCIA(1, off)
	case m.sd.mapped && p != personC64:
		return m.sectorBuffer()[off-0xE00]
	}
	return 0xFF
}

// writeChip writes there.
func (m *Machine) writeChip(p byte, off uint32, v byte) {
	switch {
	case off < 0x400:
		switch {
		case p == personC64:
			switch r := off & 0x3F; {
			case r < 0x30:
				m.writeVIC(r, v)
			case r == 0x30:
				m.vic.c128fast = v&1 != 0
				m.setSpeed()
			}
		case off < 0x80:
			m.writeVIC(off, v)
		case off < 0xA0:
			m.writeFloppy(off-0x80, v)
		case off >= 0x100:
			m.writePalette(off, v)
		}
	case off < 0x800:
		switch {
		case p == personC64, off < 0x600:
			if v != 0 {
				m.warn("sound: the SIDs are silent")
			}
		case off < 0x640:
			m.writeUART(off, v)
		case off < 0x680:
			if p == personMEGA65 {
				m.hypervisor(off-0x640, v)
			}
		case off < 0x700:
			m.writeSD(off, v)
		default:
			m.writeCPURegister(off, v)
		}
	case off < 0xC00, m.vic.reg[0x30]&1 != 0:
		m.colour[off-0x800] = v
	case off < 0xD00:
		m.writeCIA(0, off, v)
	case off < 0xE00:
		m.writeCIA(1, off, v)
	case m.sd.mapped && p != personC64:
		m.sectorBuffer()[off-0xE00] = v
	}
}

// readCPURegister reads $D700-$D7FF, which the CPU decodes itself.
func (m *Machine) readCPURegister(off uint32) byte {
	switch r := off - 0x700; {
	case r < 0x0F:
		return m.readDMA(r)
	case r == 0x0F:
		if m.now() < m.math.busy {
			return 0x80
		}
		return 0
	case r >= 0x68 && r < 0x80:
		return m.math.read(r - 0x68)
	case r == 0xFA:
		m.idle.look(m.now())
		return byte(m.frame(m.now()))
	case r == 0xFE:
		var v byte = 0x04 // slow device cache on
		if m.sdramSelected {
			v |= 0x10
		}
		return v
	case r >= 0x10 && r < 0x20:
		return 0
	}
	m.warn("CPU register $D%03X: reads as $FF", off)
	return 0xFF
}

// writeCPURegister writes there.
func (m *Machine) writeCPURegister(off uint32, v byte) {
	switch r := off - 0x700; {
	case r < 0x0F:
		m.writeDMA(r, v)
	case r >= 0x70 && r < 0x78:
		m.math.write(r-0x70, v, m.now())
	case r == 0xFE:
		m.selectSDRAM(v&0x10 != 0)
	default:
		m.warn("CPU register $D%03X: writes are dropped", off)
	}
}

// selectSDRAM is $D7FE bit 4: which RAM stands at $8000000.
func (m *Machine) selectSDRAM(on bool) {
	if on && m.sdram == nil {
		m.warn("$D7FE bit 4 asks for SDRAM: board %v has none", m.opt.Board)
		on = false
	}
	if on != m.sdramSelected {
		m.sdramSelected = on
		m.MapChanged()
	}
}

// exitRegister is $D6CF, by which test programs end a run (Options.TestExit).
type exitRegister struct {
	last   byte
	status int
	done   bool
}

func (m *Machine) writeExit(v byte) {
	if !m.opt.TestExit {
		m.warn("$D6CF: on a board this starts an FPGA reconfiguration; dropped")
		return
	}
	if v == 0x42 {
		m.exit.status, m.exit.done = int(m.exit.last), true
		m.stop = HasExited
		m.cpu.Stop()
	}
	m.exit.last = v
}

// Exited returns the status that a test program ended with (Options.TestExit).
func (m *Machine) Exited() (status int, ok bool) { return m.exit.status, m.exit.done }
