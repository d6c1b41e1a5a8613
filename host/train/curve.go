package train

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"

	"ssnail-kit/mega65/hw"
)

// WriteCSV writes a loss curve: step, loss, norm of the gradient, rate.
func WriteCSV(w io.Writer, curve []Progress) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"step", "loss", "norm", "rate"}); err != nil {
		return err
	}
	for _, p := range curve {
		err := c.Write([]string{strconv.Itoa(p.Step), fmt.Sprintf("%.5f", p.Loss), fmt.Sprintf("%.4f", p.Norm), fmt.Sprintf("%.3e", p.Rate)})
		if err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ReadCSV reads what WriteCSV wrote, up to a line that is not whole.
func ReadCSV(r io.Reader) []Progress {
	var out []Progress
	c := csv.NewReader(r)
	for {
		f, err := c.Read()
		if err != nil {
			return out
		}
		if len(f) != 4 || f[0] == "step" {
			continue
		}
		var p Progress
		var errs [4]error
		p.Step, errs[0] = strconv.Atoi(f[0])
		p.Loss, errs[1] = strconv.ParseFloat(f[1], 64)
		p.Norm, errs[2] = strconv.ParseFloat(f[2], 64)
		p.Rate, errs[3] = strconv.ParseFloat(f[3], 64)
		for _, err := range errs {
			if err != nil {
				return out
			}
		}
		out = append(out, p)
	}
}

// WritePNG draws a loss curve: the loss on a logarithmic axis over the steps,
// averaged over a hundredth of the run.
func WritePNG(w io.Writer, title string, curve []Progress) error {
	const width, height, left, right, bottom, top = 720, 400, 64, 32, 32, 28
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.White, color.Black, color.RGBA{0xDD, 0xDD, 0xDD, 0xFF}, color.RGBA{0x20, 0x60, 0xC0, 0xFF},
	})
	text := textPainter(img)
	text(left, 8, title)
	lo, hi, last := math.Inf(1), 0.0, 1
	for _, p := range curve {
		lo, hi, last = min(lo, p.Loss), max(hi, p.Loss), max(last, p.Step+1)
	}
	if len(curve) == 0 || lo <= 0 {
		lo, hi = 0.1, max(hi, 1)
	}
	lo, hi = lo*0.9, hi*1.1
	px := func(step float64) int { return left + int(step/float64(last)*(width-left-right)) }
	py := func(loss float64) int {
		return top + int((math.Log(hi)-math.Log(loss))/(math.Log(hi)-math.Log(lo))*(height-top-bottom))
	}
	for _, v := range []float64{0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 6, 7, 8} {
		if v > lo && v < hi {
			line(img, px(0), py(v), width-right, py(v), 2)
			text(8, py(v)-4, fmt.Sprintf("%5.1f", v))
		}
	}
	for s := 0; s <= last; s += roundStep(last / 8) {
		line(img, px(float64(s)), top, px(float64(s)), height-bottom, 2)
		text(px(float64(s))-24, height-bottom+8, fmt.Sprintf("%6d", s))
	}
	line(img, left, top, left, height-bottom, 1)
	line(img, left, height-bottom, width-right, height-bottom, 1)
	n := max(len(curve)/100, 1)
	x0, y0 := -1, 0
	for i := 0; i+n <= len(curve); i += n {
		sum := 0.0
		for _, p := range curve[i : i+n] {
			sum += p.Loss
		}
		x, y := px(float64(curve[i].Step)+float64(n)/2), py(max(sum/float64(n), lo))
		if x0 >= 0 {
			line(img, x0, y0, x, y, 3)
			line(img, x0, y0+1, x, y+1, 3)
		}
		x0, y0 = x, y
	}
	return png.Encode(w, img)
}

// roundStep is the next of 1, 2, 5, 10, 20 ... that is at least n.
func roundStep(n int) int {
	for unit := 1; ; unit *= 10 {
		for _, m := range []int{1, 2, 5} {
			if m*unit >= n {
				return m * unit
			}
		}
	}
}

// textPainter writes with the program's own font.
func textPainter(img *image.Paletted) func(x, y int, s string) {
	font := hw.Font()
	return func(x, y int, s string) {
		for _, c := range []byte(s) {
			for r, bits := range font[int(hw.ScreenCode(c))*8:][:8] {
				for b := range 8 {
					if bits&(0x80>>b) != 0 {
						img.SetColorIndex(x+b, y+r, 1)
					}
				}
			}
			x += 8
		}
	}
}

func line(img *image.Paletted, x0, y0, x1, y1 int, c uint8) {
	n := max(x1-x0, x0-x1, y1-y0, y0-y1, 1)
	for i := range n + 1 {
		img.SetColorIndex(x0+(x1-x0)*i/n, y0+(y1-y0)*i/n, c)
	}
}
