package screen

import (
	"errors"
	"image"
	"io"
)

// Image renders the screen with its own font: every character 8x16 pixels (8x8
// in 50-row screens), with a border.
func (t *Text) Image() *image.Paletted { return nil }

// PNG writes the picture of the screen.
func (t *Text) PNG(w io.Writer) error { return errors.New("not written yet") }

// GIF collects screens into an animation.
type GIF struct{}

// Add appends a screen shown for centiseconds/100 s; a screen equal to the last
// one lengthens that.
func (g *GIF) Add(t *Text, centiseconds int) {}

// Write writes the animation; it loops for ever.
func (g *GIF) Write(w io.Writer) error { return errors.New("not written yet") }
