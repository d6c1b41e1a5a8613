package machine

// vic is the VIC-IV as far as text programs use it: registers, personality
// knock, raster, palette. video.go makes the picture.
type vic struct {
	reg         [0x80]byte
	knock       byte // last byte stored at $D02F
	personality byte // 0 C64, 1 C65, 2 ethernet, 3 MEGA65
	c128fast    bool // $D030 bit 0 in the C64 personality
	irq         byte // $D019 bits 0-3
	compare     uint64
	lastLine    uint64
	palette     [4][256][3]byte // as the registers hold it: nibbles swapped
}

// defaultPalette is the system palette, one hex digit each of red, green, blue.
var defaultPalette = [32]uint16{
	0x000, 0xFFF, 0xF00, 0x0FF, 0xF0F, 0x0F0, 0x00F, 0xFF0, 0xF60, 0xA40, 0xF77, 0x555, 0x888, 0x9F9, 0x99F, 0xBBB,
	0xE00, 0xF50, 0xFB0, 0xEE0, 0x7F0, 0x6E6, 0x0E3, 0x0F9, 0x0DD, 0x09F, 0x03F, 0x00E, 0x70F, 0xC0F, 0xF0B, 0xF36,
}

func (v *vic) reset() {
	*v = vic{}
	r := &v.reg
	r[0x11], r[0x16], r[0x18] = 0x1B, 0xC9, 0x24
	r[0x20], r[0x21] = 6, 6
	r[0x30] = 0x64 // C65: ROM at $C000
	r[0x31] = 0xE0 // 80 columns, fast, attributes
	r[0x54] = 0x40 // VFAST
	r[0x5D] = 0x80 // HOTREG
	r[0x70] = 0xFF &^ 0xC0
	r[0x19] = 0
	v.hotRegisters(3)
	for bank := range v.palette {
		for i, rgb := range defaultPalette {
			for c := range 3 {
				d := byte(rgb >> (8 - 4*c) & 15)
				v.palette[bank][i][c] = d<<4 | d
			}
		}
	}
	v.reg[0x70] = 0
}

// hotRegisters derives the VIC-IV's layout from the old registers, as a write
// to one of them does while $D05D bit 7 is set. bank is the VIC-II's 16 KB
// bank.
func (v *vic) hotRegisters(bank byte) {
	r := &v.reg
	cols, rows := byte(40), byte(25)
	if r[0x31]&0x80 != 0 {
		cols = 80
	}
	if r[0x31]&0x08 != 0 {
		rows = 50
	}
	step := uint16(cols)
	if r[0x54]&1 != 0 {
		step *= 2
	}
	r[0x58], r[0x59] = byte(step), byte(step>>8)
	r[0x5E] = cols
	r[0x63] &^= 0x30
	r[0x7B] = rows - 1
	r[0x5B] = 1
	if rows == 50 {
		r[0x5B] = 0
	}
	screen := uint32(r[0x18]>>4) << 10
	if cols == 80 {
		screen &^= 1 << 10
	}
	base := uint32(^bank&3) << 14
	screen += base
	r[0x60], r[0x61], r[0x62] = byte(screen), byte(screen>>8), byte(screen>>16)
	r[0x63] &^= 0x0F
	r[0x64], r[0x65] = 0, 0
	charset := base + uint32(r[0x18]&0x0E)<<10
	if set := charset & 0x7800; set == 0x1000 || set == 0x1800 { // the ROM's charsets show through there
		charset = 0x2D000 + charset&0x800
	}
	r[0x68], r[0x69], r[0x6A] = byte(charset), byte(charset>>8), byte(charset>>16)
}

func (m *Machine) readVIC(r uint32) byte {
	v := &m.vic
	switch r {
	case 0x11:
		m.idle.look(m.now())
		return v.reg[0x11]&0x7F | byte(m.raster(m.now())>>8)<<7
	case 0x12:
		m.idle.look(m.now())
		return byte(m.raster(m.now()))
	case 0x19:
		f := v.irq
		if f&v.reg[0x1A]&0x0F != 0 {
			f |= 0x80
		}
		return f | 0x70
	case 0x1A:
		return v.reg[r] | 0xF0
	case 0x2F:
		return v.knock
	case 0x52:
		m.idle.look(m.now())
		return byte(m.fineRaster(m.now()))
	case 0x53:
		return byte(m.fineRaster(m.now()) >> 8)
	case 0x6F:
		v := m.vic.reg[r] & 0x7F
		if m.opt.NTSC {
			v |= 0x80
		}
		return v
	}
	return v.reg[r]
}

func (m *Machine) writeVIC(r uint32, v byte) {
	c := &m.vic
	old := c.reg[r]
	c.reg[r] = v
	switch r {
	case 0x11, 0x12:
		c.compare = uint64(c.reg[0x12]) | uint64(c.reg[0x11]>>7)<<8
	case 0x19:
		c.irq &^= v
		m.updateIRQ()
	case 0x1A:
		m.updateIRQ()
	case 0x2F:
		m.knock(v)
	case 0x30:
		if (old^v)&0xB9 != 0 {
			m.MapChanged()
		}
	case 0x31, 0x54:
		m.setSpeed()
		if r == 0x54 && v&0x06 != 0 {
			m.warn("full-colour characters ($D054 bits 1 and 2): shown as text")
		}
		if v&0x10 != 0 && r == 0x31 {
			m.warn("bitplane modes ($D031 bit 4): not shown")
		}
	case 0x15:
		if v != 0 {
			m.warn("sprites ($D015): not shown")
		}
	}
	if r == 0x11 && v&0x60 != 0 {
		m.warn("bitmap and extended colour modes ($D011 bits 5 and 6): shown as text")
	}
	if c.reg[0x5D]&0x80 != 0 && (r == 0x11 || r == 0x16 || r == 0x18 || r == 0x31) {
		c.hotRegisters(m.vicBank())
	}
}

// vicBank is the VIC-II's bank as $DD00 gives it.
func (m *Machine) vicBank() byte { return m.cia[1].port(0) & 3 }

// knock takes a byte of the sequences that choose the I/O personality.
func (m *Machine) knock(v byte) {
	c := &m.vic
	p := byte(0)
	switch {
	case c.knock == 0x47 && v == 0x53:
		p = 3
	case c.knock == 0xA5 && v == 0x96:
		p = 1
	case c.knock == 0x45 && v == 0x54:
		p = 2
	}
	c.knock = v
	if p != c.personality {
		c.personality = p
		m.MapChanged()
	}
}

// rasterIRQ sets the raster flag if the compare line began since the last call.
func (m *Machine) rasterIRQ(t uint64) {
	line := t / m.lineTicks
	v := &m.vic
	for l := max(v.lastLine+1, line-min(line, m.lines)); l <= line; l++ {
		if l%m.lines == v.compare {
			v.irq |= 1
		}
	}
	v.lastLine = line
}

// updateIRQ drives the CPU's interrupt line.
func (m *Machine) updateIRQ() {
	level := m.vic.irq&m.vic.reg[0x1A]&0x0F != 0 || m.cia[0].pending()
	if level != m.irqLevel {
		m.irqLevel = level
		m.cpu.SetIRQ(level)
	}
}

// Palette registers $D100-$D3FF: red, green, blue of the bank that $D070 bits
// 6-7 choose.
func (m *Machine) readPalette(off uint32) byte {
	return m.vic.palette[m.vic.reg[0x70]>>6][off&0xFF][off>>8-1]
}

func (m *Machine) writePalette(off uint32, v byte) {
	m.vic.palette[m.vic.reg[0x70]>>6][off&0xFF][off>>8-1] = v
}
