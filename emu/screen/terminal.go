package screen

import (
	"bytes"
	"fmt"
	"io"
)

// Terminal draws screens in place on an ANSI terminal with 24-bit colour, only
// what changed.
type Terminal struct {
	w     io.Writer
	last  *Text
	begun bool
	buf   bytes.Buffer
}

// NewTerminal draws from the terminal's top left corner; the first Draw clears
// it.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{w: w} }

// Draw shows t, writing only the cells that differ from the last one drawn.
func (d *Terminal) Draw(t *Text) error {
	d.buf.Reset()
	whole := d.last == nil || d.last.Cols != t.Cols || d.last.Rows != t.Rows || d.last.Background != t.Background ||
		d.last.Palette != t.Palette || d.last.AltPalette != t.AltPalette
	if !d.begun {
		d.begun = true
		d.buf.WriteString("\x1b[?25l")
	}
	if whole {
		d.buf.WriteString("\x1b[0m\x1b[2J")
	}
	style := ""
	for y := range t.Rows {
		next := -1 // column at which the terminal's cursor stands in this row
		for x := range t.Cols {
			c := t.At(x, y)
			if !whole && c == d.last.At(x, y) {
				continue
			}
			if x != next {
				fmt.Fprintf(&d.buf, "\x1b[%d;%dH", y+1, x+1)
			}
			next = x + 1
			if s := t.style(c); s != style {
				d.buf.WriteString(s)
				style = s
			}
			d.buf.WriteRune(t.runeOf(c))
		}
	}
	d.last = t
	if d.buf.Len() == 0 {
		return nil
	}
	_, err := d.w.Write(d.buf.Bytes())
	return err
}

// style is the escape sequence of a cell's look.
func (t *Text) style(c Cell) string {
	fg, bg := t.colours(c)
	if c.Code >= 0x80 && c.Code < 0x100 { // the upper half of a charset is reverse
		fg, bg = bg, fg
	}
	s := fmt.Sprintf("\x1b[0;38;2;%d;%d;%d;48;2;%d;%d;%d", fg.R, fg.G, fg.B, bg.R, bg.G, bg.B)
	if c.Attr&Underline != 0 {
		s += ";4"
	}
	if c.Attr&Blink != 0 {
		s += ";5"
	}
	return s + "m"
}

// Close puts the cursor below the screen and resets colours.
func (d *Terminal) Close() error {
	if !d.begun {
		return nil
	}
	rows := 1
	if d.last != nil {
		rows = d.last.Rows + 1
	}
	_, err := fmt.Fprintf(d.w, "\x1b[0m\x1b[%d;1H\x1b[?25h\n", rows)
	return err
}
