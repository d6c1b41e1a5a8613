// Package screen shows the emulated MEGA65's text screen: as plain text, drawn
// in place on a terminal, as a PNG picture and as an animated GIF.
//
// A Text is one picture of the screen, taken by emu/machine from screen RAM,
// colour RAM, the charset in memory and the palette. It is a copy: nothing in
// it changes when the machine runs on.
package screen

import (
	"image/color"
	"strings"
)

// Attr holds a cell's attribute bits, as VIC-III colour bytes have them.
type Attr uint8

// The attributes. Bold and Reverse together select the alternate palette.
const (
	Blink     Attr = 1 << 4
	Reverse   Attr = 1 << 5
	Bold      Attr = 1 << 6
	Underline Attr = 1 << 7
)

// Cell is one character position.
type Cell struct {
	Code   uint16 // screen code; bit 7 of a 256 character set usually is reverse
	Colour uint8  // foreground, palette index
	Attr   Attr
}

// Text is a text screen: Rows x Cols cells, row by row.
type Text struct {
	Cols, Rows int
	Cells      []Cell
	Border     uint8 // palette index
	Background uint8 // palette index
	Palette    [256]color.RGBA
	AltPalette [256]color.RGBA // of cells that are both Reverse and Bold
	// Font is the charset: 8 bytes a glyph, the leftmost pixel in bit 7. A
	// code beyond it shows as blank.
	Font []byte
	// Rune gives the character that a screen code shows, for text output.
	Rune func(code uint16) rune
	// CursorX and CursorY are the place of the first blinking cell, -1 if none.
	CursorX, CursorY int
}

// At returns the cell at column x of row y.
func (t *Text) At(x, y int) Cell { return t.Cells[y*t.Cols+x] }

// Line returns row y as text without trailing blanks.
func (t *Text) Line(y int) string {
	var b strings.Builder
	for _, c := range t.Cells[y*t.Cols : (y+1)*t.Cols] {
		b.WriteRune(t.runeOf(c))
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *Text) runeOf(c Cell) rune {
	if t.Rune == nil {
		return '?'
	}
	return t.Rune(c.Code)
}

// String returns the screen one line a row, trailing blanks cut; blank rows at
// the bottom are cut too, every line ends with a newline.
func (t *Text) String() string {
	var b strings.Builder
	blank := 0
	for y := range t.Rows {
		l := t.Line(y)
		if l == "" {
			blank++
			continue
		}
		for ; blank > 0; blank-- {
			b.WriteByte('\n')
		}
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}
