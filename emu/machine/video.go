package machine

import (
	"bytes"
	"image/color"

	"ssnail-kit/emu/screen"
	"ssnail-kit/mega65/hw"
)

// layout is where the VIC-IV takes a text screen from.
type layout struct {
	cols, rows int
	step       uint32 // bytes a row
	cell       uint32 // bytes a cell, 1 or 2
	screen     uint32
	colour     uint32
	charset    uint32
}

func (m *Machine) layout() layout {
	r := &m.vic.reg
	l := layout{cols: m.textCols(), rows: m.textRows(), cell: 1}
	if r[0x54]&1 != 0 {
		l.cell = 2
	}
	l.step = uint32(r[0x58]) | uint32(r[0x59])<<8
	l.screen = uint32(r[0x60]) | uint32(r[0x61])<<8 | uint32(r[0x62])<<16 | uint32(r[0x63]&15)<<24
	l.colour = uint32(r[0x64]) | uint32(r[0x65])<<8
	l.charset = uint32(r[0x68]) | uint32(r[0x69])<<8 | uint32(r[0x6A])<<16
	return l
}

// picture reads the text screen. Only chip RAM can be shown.
func (m *Machine) picture() *screen.Text {
	l := m.layout()
	r := &m.vic.reg
	t := &screen.Text{Cols: l.cols, Rows: l.rows, Border: r[0x20], Background: r[0x21], CursorX: -1, CursorY: -1}
	t.Cells = make([]screen.Cell, l.cols*l.rows)
	attributes := r[0x31]&0x20 != 0
	for y := range l.rows {
		for x := range l.cols {
			off := uint32(y)*l.step + uint32(x)*l.cell
			at := (l.screen + off) % hw.ChipRAMSize
			at2 := (l.colour + off) % hw.ColourRAMSize
			c := &t.Cells[y*l.cols+x]
			c.Code = uint16(m.videoByte(at))
			colour := m.colour[at2]
			if l.cell == 2 {
				c.Code |= uint16(m.videoByte((at+1)%hw.ChipRAMSize)&0x1F) << 8
				colour = m.colour[(at2+1)%hw.ColourRAMSize]
			}
			c.Colour = colour & 0x0F
			if attributes {
				c.Attr = screen.Attr(colour & 0xF0)
			}
			if c.Attr&screen.Blink != 0 && t.CursorX < 0 {
				t.CursorX, t.CursorY = x, y
			}
		}
	}
	if m.kernal.atReady {
		t.CursorX, t.CursorY = m.kernal.x, m.kernal.y
		if i := m.kernal.y*l.cols + m.kernal.x; i < len(t.Cells) {
			t.Cells[i].Attr ^= screen.Reverse | screen.Blink
		}
	}
	t.Palette = m.rgb(m.vic.reg[0x70] >> 4 & 3)
	t.AltPalette = m.rgb(m.vic.reg[0x70] & 3)
	font := m.readable(l.charset % hw.ChipRAMSize)
	t.Font = bytes.Clone(font[:min(len(font), hw.FontSize)])
	upper := l.charset == fontUpper
	t.Rune = func(code uint16) rune {
		if code > 0xFF {
			return ' '
		}
		if c := byte(code) & 0x7F; upper && c >= 1 && c <= 26 {
			return rune('A' + c - 1)
		}
		return hw.RuneOf(byte(code))
	}
	return t
}

// videoByte reads chip RAM as the VIC-IV does.
func (m *Machine) videoByte(addr uint32) byte {
	if addr >= colourAlias && addr < bank2 {
		return m.colour[addr-colourAlias]
	}
	return m.chip[addr]
}

// rgb is a palette bank in the usual form.
func (m *Machine) rgb(bank byte) (p [256]color.RGBA) {
	for i, c := range m.vic.palette[bank] {
		swap := func(v byte) byte { return v<<4 | v>>4 }
		p[i] = color.RGBA{swap(c[0]), swap(c[1]), swap(c[2]), 0xFF}
	}
	return p
}
