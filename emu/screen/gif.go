package screen

import (
	"errors"
	"image"
	"image/gif"
	"io"
	"slices"
)

// GIF collects screens into an animation. Of each screen only the part that
// changed is kept.
type GIF struct {
	anim gif.GIF
	last *Text
	prev *image.Paletted
}

// Add appends a screen shown for centiseconds/100 s; a screen equal to the last
// one lengthens that. A screen of another size than the first is left out.
func (g *GIF) Add(t *Text, centiseconds int) {
	n := len(g.anim.Image)
	if n > 0 && t.equal(g.last) {
		g.anim.Delay[n-1] = min(g.anim.Delay[n-1]+centiseconds, 0xFFFF)
		return
	}
	img := t.Image()
	frame := img
	if n > 0 {
		if img.Rect != g.prev.Rect {
			return
		}
		r := changed(g.prev, img)
		if r.Empty() {
			r = image.Rect(0, 0, 1, 1)
		}
		frame = crop(img, r)
	}
	g.anim.Image = append(g.anim.Image, frame)
	g.anim.Delay = append(g.anim.Delay, centiseconds)
	g.anim.Disposal = append(g.anim.Disposal, gif.DisposalNone)
	g.last, g.prev = t, img
}

// Len is how many different screens there are.
func (g *GIF) Len() int { return len(g.anim.Image) }

// Write writes the animation; it loops for ever.
func (g *GIF) Write(w io.Writer) error {
	if len(g.anim.Image) == 0 {
		return errors.New("animation without a single screen")
	}
	return gif.EncodeAll(w, &g.anim)
}

// equal tells whether two screens look the same.
func (t *Text) equal(o *Text) bool {
	return o != nil && t.Cols == o.Cols && t.Rows == o.Rows && t.Border == o.Border && t.Background == o.Background &&
		slices.Equal(t.Cells, o.Cells) && t.Palette == o.Palette && t.AltPalette == o.AltPalette &&
		slices.Equal(t.Font, o.Font)
}

// changed is the smallest rectangle that holds all pixels in which two pictures
// of one size differ.
func changed(a, b *image.Paletted) image.Rectangle {
	var r image.Rectangle
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		first, last := -1, -1
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			if a.Palette[a.Pix[a.PixOffset(x, y)]] != b.Palette[b.Pix[b.PixOffset(x, y)]] {
				if first < 0 {
					first = x
				}
				last = x
			}
		}
		if first >= 0 {
			r = r.Union(image.Rect(first, y, last+1, y+1))
		}
	}
	return r
}

// crop copies a part of a picture, so that the whole need not be kept.
func crop(img *image.Paletted, r image.Rectangle) *image.Paletted {
	out := image.NewPaletted(r, img.Palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(out.Pix[out.PixOffset(r.Min.X, y):], img.Pix[img.PixOffset(r.Min.X, y):img.PixOffset(r.Max.X-1, y)+1])
	}
	return out
}
