package machine

import (
	"ssnail-kit/mega65/hw"
)

// Read serves the CPU's pages that are no plain memory.
func (m *Machine) Read(addr uint16) byte {
	p := m.readBase[addr>>8] | uint32(addr&0xFF)
	if p>>14 == hw.IOC64>>14 { // I/O, which programs poll
		return m.readChip(byte(p>>12&3), p&0xFFF)
	}
	return m.readPhys(p)
}

// Write does so for writing; page 0 is among them for the sake of the CPU port.
func (m *Machine) Write(addr uint16, v byte) {
	p := m.writeBase[addr>>8] | uint32(addr&0xFF)
	switch {
	case p < 0x100:
		if p < 2 {
			m.writePort(p, v)
			return
		}
		m.chip[p] = v
	case p >= hookBase && p < hookBase+hooks && m.cpu.PC >= 0xE000:
		m.hook(int(p - hookBase))
	default:
		m.writePhys(p, v)
	}
}

// ReadFlat serves loads through four-byte pointers.
func (m *Machine) ReadFlat(addr uint32) byte { return m.readPhys(addr) }

// WriteFlat serves stores through four-byte pointers.
func (m *Machine) WriteFlat(addr uint32, v byte) { m.writePhys(addr, v) }

// MapChanged rebuilds the page tables from MAP, the CPU port and $D030.
func (m *Machine) MapChanged() {
	for page := range 256 {
		addr := uint16(page) << 8
		r, mapped := m.cpu.Physical(addr)
		w := r
		if !mapped {
			r, w = m.banked(addr)
		}
		m.readBase[page], m.writeBase[page] = r, w
		m.cpu.RPage[page], m.cpu.WPage[page] = nil, nil
		attic := r >= hw.AtticStart && m.opt.StrictCache
		if s := m.readable(r); len(s) >= 256 && !attic {
			m.cpu.RPage[page] = (*[256]byte)(s)
		}
		if s := m.writable(w); len(s) >= 256 && w != 0 && !attic {
			m.cpu.WPage[page] = (*[256]byte)(s)
		}
	}
}

// banked gives what an address means where MAP does not say it: the C64's
// banking by the CPU port and the C65's by $D030. Writes under ROM go to RAM.
func (m *Machine) banked(addr uint16) (read, write uint32) {
	a := uint32(addr)
	loram, hiram, charen := m.portBits()
	d030 := m.vic.reg[0x30]
	read, write = a, a
	rom := func(bit byte, base uint32) bool {
		if d030&bit == 0 {
			return false
		}
		read = base + a&0x1FFF
		return true
	}
	switch addr >> 12 {
	case 0x8, 0x9:
		rom(0x08, 0x38000)
	case 0xA, 0xB:
		if !rom(0x10, 0x3A000) && loram && hiram {
			read = 0x2A000 + a&0x1FFF
		}
	case 0xC:
		rom(0x20, 0x2C000)
	case 0xD:
		switch {
		case !loram && !hiram:
		case charen:
			read = m.ioBase() + a&0xFFF
			write = read
		default:
			read = 0x2D000 + a&0xFFF
		}
	case 0xE, 0xF:
		if !rom(0x80, 0x3E000) && hiram {
			read = 0x2E000 + a&0x1FFF
		}
	}
	return read, write
}

// portBits are the three banking bits of the CPU port; inputs read high.
func (m *Machine) portBits() (loram, hiram, charen bool) {
	v := m.chip[1] | ^m.chip[0]
	return v&1 != 0, v&2 != 0, v&4 != 0
}

// writePort stores into the CPU port. 65 and 64 at $0000 are the speed switch
// and do not reach the direction register.
func (m *Machine) writePort(addr uint32, v byte) {
	switch {
	case addr == 0 && v == 65, addr == 0 && v == 64:
		m.forceFast = v == 65
		m.setSpeed()
	default:
		m.chip[addr] = v
		m.MapChanged()
	}
}

// ioBase is where the I/O personality that the CPU has chosen lies.
func (m *Machine) ioBase() uint32 { return hw.IOC64 + uint32(m.vic.personality)<<12 }
