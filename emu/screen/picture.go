package screen

import (
	"image"
	"image/color"
	"image/png"
	"io"
)

// Border around the text, in pixels.
const (
	borderX = 32
	borderY = 24
)

const glyph = 8 // pixels a side

// cellSize is how many pixels a font's pixel takes: the picture has the shape of
// a monitor's, so 80x25 characters are 8x16 each, 40 columns 16 wide, 50 rows 8
// high.
func (t *Text) cellSize() (sx, sy int) {
	sx, sy = 1, 1
	if t.Cols <= 40 {
		sx = 2
	}
	if t.Rows <= 30 {
		sy = 2
	}
	return sx, sy
}

// Bounds is the size of the picture: 704x448 for 80x25 and for 80x50.
func (t *Text) Bounds() image.Rectangle {
	sx, sy := t.cellSize()
	return image.Rect(0, 0, t.Cols*glyph*sx+2*borderX, t.Rows*glyph*sy+2*borderY)
}

// canvas is a picture whose palette grows with the colours that are used.
type canvas struct {
	*image.Paletted
	index map[color.RGBA]uint8
}

func (c *canvas) ink(rgb color.RGBA) uint8 {
	i, ok := c.index[rgb]
	if !ok {
		if len(c.Palette) == 256 { // more than that only a palette of 512 could need
			return uint8(c.Palette.Index(rgb))
		}
		i = uint8(len(c.Palette))
		c.index[rgb] = i
		c.Palette = append(c.Palette, rgb)
	}
	return i
}

func (c *canvas) fill(r image.Rectangle, ink uint8) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		for i := range row {
			row[i] = ink
		}
	}
}

// Image renders the screen with its own font, blinking cells as they look when
// they are on.
func (t *Text) Image() *image.Paletted {
	c := &canvas{image.NewPaletted(t.Bounds(), nil), map[color.RGBA]uint8{}}
	c.fill(c.Rect, c.ink(t.Palette[t.Border]))
	sx, sy := t.cellSize()
	for y := range t.Rows {
		for x := range t.Cols {
			t.drawCell(c, t.At(x, y), borderX+x*glyph*sx, borderY+y*glyph*sy, sx, sy)
		}
	}
	return c.Paletted
}

// colours gives a cell's foreground and background.
func (t *Text) colours(c Cell) (fg, bg color.RGBA) {
	bg = t.Palette[t.Background]
	switch c.Attr & (Reverse | Bold) {
	case Reverse | Bold:
		return t.AltPalette[c.Colour], bg
	case Bold:
		return t.Palette[c.Colour|0x10], bg
	case Reverse:
		return bg, t.Palette[c.Colour]
	}
	return t.Palette[c.Colour], bg
}

func (t *Text) drawCell(c *canvas, cell Cell, px, py, sx, sy int) {
	fg, bg := t.colours(cell)
	on, off := c.ink(fg), c.ink(bg)
	c.fill(image.Rect(px, py, px+glyph*sx, py+glyph*sy), off)
	for row := range glyph {
		var bits byte
		if i := int(cell.Code)*glyph + row; i < len(t.Font) {
			bits = t.Font[i]
		}
		if row == glyph-1 && cell.Attr&Underline != 0 {
			bits = 0xFF
		}
		for col := range glyph {
			if bits<<col&0x80 != 0 {
				x, y := px+col*sx, py+row*sy
				c.fill(image.Rect(x, y, x+sx, y+sy), on)
			}
		}
	}
}

// PNG writes the picture of the screen.
func (t *Text) PNG(w io.Writer) error {
	e := png.Encoder{CompressionLevel: png.BestCompression}
	return e.Encode(w, t.Image())
}
