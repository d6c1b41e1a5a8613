package screen

import (
	"bytes"
	"fmt"
	"io"
)

// Terminal draws screens in place on an ANSI terminal with 24-bit colour, only
// what changed.
type Terminal struct {
	// Size tells how large the terminal is now, 0 for what is not known; nil is
	// one that is always large enough. What does not fit is cut off: at the
	// right, and at the top or bottom, so that the cursor stays in sight.
	Size func() (cols, rows int)

	w     io.Writer
	last  *Text
	view  view
	begun bool
	buf   bytes.Buffer
}

// NewTerminal draws from the terminal's top left corner; the first Draw clears
// it.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{w: w} }

// view is the part of a screen that the terminal shows.
type view struct{ top, cols, rows int }

// viewOf is the part of t that fits the terminal.
func (d *Terminal) viewOf(t *Text) view {
	v := view{0, t.Cols, t.Rows}
	if d.Size == nil {
		return v
	}
	cols, rows := d.Size()
	if cols > 0 {
		v.cols = min(v.cols, cols)
	}
	if rows > 0 && rows < t.Rows {
		v.rows = rows
		v.top = min(d.view.top, t.Rows-rows)
		if y := t.CursorY; y >= 0 {
			v.top = min(max(v.top, y-rows+1), y)
		}
	}
	return v
}

// Draw shows t, writing only the cells that differ from the last one drawn;
// all of them when the terminal has another size now.
func (d *Terminal) Draw(t *Text) error {
	d.buf.Reset()
	v := d.viewOf(t)
	whole := d.last == nil || v != d.view || d.last.Cols != t.Cols || d.last.Rows != t.Rows || d.last.Background != t.Background ||
		d.last.Palette != t.Palette || d.last.AltPalette != t.AltPalette
	if !d.begun {
		d.begun = true
		d.buf.WriteString("\x1b[?25l")
	}
	if whole {
		d.buf.WriteString("\x1b[0m\x1b[2J")
	}
	style := ""
	for row := range v.rows {
		y := v.top + row
		next := -1 // column at which the terminal's cursor stands in this row
		for x := range v.cols {
			c := t.At(x, y)
			if !whole && c == d.last.At(x, y) {
				continue
			}
			if x != next {
				fmt.Fprintf(&d.buf, "\x1b[%d;%dH", row+1, x+1)
			}
			next = x + 1
			if s := t.style(c); s != style {
				d.buf.WriteString(s)
				style = s
			}
			d.buf.WriteRune(t.runeOf(c))
		}
	}
	d.last, d.view = t, v
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
		rows = d.view.rows + 1
	}
	_, err := fmt.Fprintf(d.w, "\x1b[0m\x1b[%d;1H\x1b[?25h\n", rows)
	return err
}
