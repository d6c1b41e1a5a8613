package machine

import "ssnail-kit/mega65/hw"

// The screen editor of our KERNAL: a cursor, scrolling, the control codes that
// programs use. It writes where the VIC-IV's registers point.

func (m *Machine) textCols() int { return max(1, min(int(m.vic.reg[0x5E]), 255)) }
func (m *Machine) textRows() int { return int(m.vic.reg[0x7B]) + 1 }

// cellAddr gives the chip RAM and colour RAM places of a cell.
func (m *Machine) cellAddr(x, y int) (screen, colour uint32) {
	l := m.layout()
	off := uint32(y)*l.step + uint32(x)*l.cell
	return (l.screen + off) % hw.ChipRAMSize, (l.colour + off) % hw.ColourRAMSize
}

func (m *Machine) putCell(x, y int, code, colour byte) {
	s, c := m.cellAddr(x, y)
	m.chip[s] = code
	m.colour[c] = colour
}

func (m *Machine) clearScreen() {
	for y := range m.textRows() {
		m.clearRow(y)
	}
	m.kernal.x, m.kernal.y = 0, 0
}

func (m *Machine) clearRow(y int) {
	for x := range m.textCols() {
		m.putCell(x, y, ' ', m.kernal.colour)
	}
}

func (m *Machine) newLine() {
	k := &m.kernal
	k.x, k.reverse = 0, false
	if k.y++; k.y < m.textRows() {
		return
	}
	k.y = m.textRows() - 1
	for y := range k.y {
		for x := range m.textCols() {
			s, c := m.cellAddr(x, y+1)
			m.putCell(x, y, m.chip[s], m.colour[c])
		}
	}
	m.clearRow(k.y)
}

// petsciiColours are the control codes that choose colours 0-15.
var petsciiColours = map[byte]byte{
	0x90: 0, 0x05: 1, 0x1C: 2, 0x9F: 3, 0x9C: 4, 0x1E: 5, 0x1F: 6, 0x9E: 7,
	0x81: 8, 0x95: 9, 0x96: 10, 0x97: 11, 0x98: 12, 0x99: 13, 0x9A: 14, 0x9B: 15,
}

// chrout prints a PETSCII byte at the cursor.
func (m *Machine) chrout(v byte) {
	k := &m.kernal
	k.x, k.y = min(k.x, m.textCols()-1), min(k.y, m.textRows()-1)
	if c, ok := petsciiColours[v]; ok {
		k.colour = c
		return
	}
	switch v {
	case hw.KeyReturn, 0x8D:
		m.newLine()
	case hw.KeyClear:
		m.clearScreen()
	case hw.KeyHome:
		k.x, k.y = 0, 0
	case hw.KeyDown:
		x := k.x
		m.newLine()
		k.x = x
	case hw.KeyUp:
		k.y = max(0, k.y-1)
	case hw.KeyRight:
		if k.x++; k.x >= m.textCols() {
			m.newLine()
		}
	case hw.KeyLeft:
		k.x = max(0, k.x-1)
	case hw.KeyDel:
		if k.x > 0 {
			k.x--
			m.putCell(k.x, k.y, ' ', k.colour)
		}
	case 0x12:
		k.reverse = true
	case 0x92:
		k.reverse = false
	case 0x0E:
		m.setCharset(fontLower)
	case 0x8E:
		m.setCharset(fontUpper)
	default:
		if v&0x7F < 0x20 {
			return
		}
		code := screenCodeOf(v)
		if k.reverse {
			code |= 0x80
		}
		m.putCell(k.x, k.y, code, k.colour)
		if k.x++; k.x >= m.textCols() {
			m.newLine()
		}
	}
}

func (m *Machine) setCharset(addr uint32) {
	r := &m.vic.reg
	r[0x68], r[0x69], r[0x6A] = byte(addr), byte(addr>>8), byte(addr>>16)
}

// screenCodeOf is the screen code of a printable PETSCII byte.
func screenCodeOf(v byte) byte {
	switch {
	case v < 0x40:
		return v
	case v < 0x60:
		return v - 0x40
	case v < 0x80:
		return v - 0x20
	case v < 0xC0:
		return v - 0x40
	}
	return v - 0x80
}

// print writes text given in ASCII in the upper-case charset: both cases of a
// letter show alike.
func (m *Machine) print(text string) {
	for _, c := range []byte(text) {
		switch {
		case c == '\n':
			c = hw.KeyReturn
		case 'a' <= c && c <= 'z':
			c -= 0x20
		}
		m.chrout(c)
	}
}
