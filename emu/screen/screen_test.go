package screen

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ssnail-kit/mega65/hw"
)

var update = flag.Bool("update", false, "write testdata/*.png anew; look at them")

// sample is a screen with text in colours and attributes, in the program's font.
func sample(cols, rows int) *Text {
	font := hw.Font()
	t := &Text{Cols: cols, Rows: rows, Cells: make([]Cell, cols*rows), Border: 6, Background: 0, Font: font[:], CursorX: -1, CursorY: -1}
	t.Rune = func(c uint16) rune { return hw.RuneOf(byte(c)) }
	for i := range 16 {
		v := uint8(i * 17)
		t.Palette[i] = color.RGBA{v, 255 - v, v / 2, 255}
		t.Palette[i+16] = color.RGBA{255, v, 0, 255}
		t.AltPalette[i] = color.RGBA{0, 0, 128 + v/2, 255}
	}
	for i := range t.Cells {
		t.Cells[i] = Cell{Code: ' ', Colour: 1}
	}
	t.Palette[0] = color.RGBA{0, 0, 0, 255}
	put := func(y int, text string, colour uint8, attr Attr) {
		for x, c := range []byte(text) {
			t.Cells[y*cols+x] = Cell{Code: uint16(hw.ScreenCode(c)), Colour: colour, Attr: attr}
		}
	}
	put(0, "Plain text, {braces} ~tilde~", 1, 0)
	put(1, "Reverse", 2, Reverse)
	put(2, "Bold: colours 16 to 31", 3, Bold)
	put(3, "Underlined", 4, Underline)
	put(4, "Alternate palette", 5, Reverse|Bold)
	put(5, "Blink", 6, Blink)
	for x := range cols {
		t.Cells[(rows-1)*cols+x] = Cell{Code: uint16(x + 64), Colour: uint8(x % 16)}
	}
	return t
}

func TestString(t *testing.T) {
	s := sample(80, 25)
	for i := 24 * 80; i < 25*80; i++ {
		s.Cells[i].Code = ' '
	}
	want := "Plain text, {braces} ~tilde~\nReverse\nBold: colours 16 to 31\nUnderlined\nAlternate palette\nBlink\n"
	if got := s.String(); got != want {
		t.Errorf("%q", got)
	}
	s.Cells[8*80].Code = uint16(hw.ScreenCode('x'))
	if got := s.String(); got != want+"\n\nx\n" {
		t.Errorf("with a gap: %q", got)
	}
}

// The pictures under testdata were looked at: what renders must stay the same.
func TestPicture(t *testing.T) {
	for name, c := range map[string]struct{ cols, rows int }{
		"80x25.png": {80, 25}, "80x50.png": {80, 50}, "40x25.png": {40, 25},
	} {
		t.Run(name, func(t *testing.T) {
			s := sample(c.cols, c.rows)
			var b bytes.Buffer
			if err := s.PNG(&b); err != nil {
				t.Fatal(err)
			}
			file := "testdata/" + name
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want, err := png.Decode(f)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds() != want.Bounds() || got.Bounds() != image.Rect(0, 0, 704, 448) {
				t.Fatalf("size %v, want %v", got.Bounds(), want.Bounds())
			}
			for y := range 448 {
				for x := range 704 {
					if got.At(x, y) != want.At(x, y) {
						t.Fatalf("pixel %d,%d is %v, want %v", x, y, got.At(x, y), want.At(x, y))
					}
				}
			}
		})
	}
}

// Pixel by pixel what an attribute does, from the font's own bytes.
func TestAttributes(t *testing.T) {
	s := sample(80, 25)
	img := s.Image()
	for _, c := range []struct {
		y      int
		fg, bg color.RGBA
	}{
		{0, s.Palette[1], s.Palette[0]},
		{1, s.Palette[0], s.Palette[2]},
		{2, s.Palette[19], s.Palette[0]},
		{4, s.AltPalette[5], s.Palette[0]},
	} {
		glyph := s.Font[int(s.At(0, c.y).Code)*8:][:8]
		for py := range 16 {
			for px := range 8 {
				want := c.bg
				if glyph[py/2]<<px&0x80 != 0 {
					want = c.fg
				}
				if got := img.At(borderX+px, borderY+c.y*16+py); got != want {
					t.Fatalf("row %d, pixel %d,%d: %v, want %v", c.y, px, py, got, want)
				}
			}
		}
	}
	for px := range 80 {
		if got := img.At(borderX+px, borderY+3*16+15); got != s.Palette[4] {
			t.Fatalf("underline, pixel %d: %v", px, got)
		}
	}
	if img.At(0, 0) != s.Palette[6] || img.At(703, 447) != s.Palette[6] {
		t.Error("border")
	}
}

func TestGIF(t *testing.T) {
	var g GIF
	if err := g.Write(&bytes.Buffer{}); err == nil {
		t.Error("an empty animation was written")
	}
	a, b := sample(80, 25), sample(80, 25)
	b.Cells[10*80+5] = Cell{Code: 1, Colour: 7}
	g.Add(a, 10)
	g.Add(a, 10)
	g.Add(b, 5)
	g.Add(sample(30, 25), 5) // of another size
	var out bytes.Buffer
	if err := g.Write(&out); err != nil {
		t.Fatal(err)
	}
	d, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Image) != 2 || d.Delay[0] != 20 || d.Delay[1] != 5 {
		t.Fatalf("%d images, delays %v", len(d.Image), d.Delay)
	}
	if r := d.Image[1].Rect; !r.In(image.Rect(borderX+40, borderY+160, borderX+48, borderY+176)) {
		t.Errorf("the second image redraws %v, only a cell changed", r)
	}
	whole := image.NewRGBA(d.Image[0].Rect)
	want := b.Image()
	for _, f := range d.Image {
		for y := f.Rect.Min.Y; y < f.Rect.Max.Y; y++ {
			for x := f.Rect.Min.X; x < f.Rect.Max.X; x++ {
				whole.Set(x, y, f.At(x, y))
			}
		}
	}
	for y := range 448 {
		for x := range 704 {
			if whole.At(x, y) != want.At(x, y) {
				t.Fatalf("pixel %d,%d", x, y)
			}
		}
	}
}

func TestTerminalWritesChangesOnly(t *testing.T) {
	var out strings.Builder
	d := NewTerminal(&out)
	a, b := sample(80, 25), sample(80, 25)
	if err := d.Draw(a); err != nil {
		t.Fatal(err)
	}
	if n := out.Len(); n < 2000 || !strings.Contains(out.String(), "Plain text, {braces}") {
		t.Errorf("first screen: %d bytes", n)
	}
	out.Reset()
	d.Draw(a)
	if out.Len() != 0 {
		t.Errorf("the same screen again: %q", out.String())
	}
	b.Cells[2*80+10].Code = 'X'
	b.Cells[2*80+11].Code = 'Y'
	d.Draw(b)
	if got := out.String(); !strings.HasPrefix(got, "\x1b[3;11H\x1b[0;38;2;255;51;0;") || !strings.HasSuffix(got, "mXY") {
		t.Errorf("two cells changed: %q", got)
	}
	out.Reset()
	d.Close()
	if got := out.String(); got != "\x1b[0m\x1b[26;1H\x1b[?25h\n" {
		t.Errorf("close: %q", got)
	}
}

// drawn gives the rows that a terminal shows which was sent s, by their number
// on the terminal.
func drawn(s string) map[string]string {
	rows := map[string]string{}
	for _, part := range regexp.MustCompile("\x1b\\[(\\d+);1H([^\x1b]|\x1b\\[[0-9;]*m)*").FindAllStringSubmatch(s, -1) {
		text := regexp.MustCompile("\x1b\\[[0-9;]*[mH]").ReplaceAllString(part[0], "")
		rows[part[1]] = strings.TrimRight(text, " ")
	}
	return rows
}

// TestTerminalSize: what does not fit is cut off with the cursor in sight, and
// another size draws all of it again.
func TestTerminalSize(t *testing.T) {
	var out strings.Builder
	cols, rows := 0, 0
	d := NewTerminal(&out)
	d.Size = func() (int, int) { return cols, rows }
	for _, step := range []struct {
		what                string
		cols, rows, cursorY int
		shown               int // rows
		first, last         string
	}{
		{"size not known", 0, 0, 24, 25, "Plain text, {braces} ~tilde~", "Last row"},
		{"a row too few", 80, 24, 24, 24, "Reverse", "Last row"},
		{"no cursor", 80, 24, -1, 0, "", ""}, // stays as it is
		{"the cursor at the top", 80, 24, 0, 24, "Plain text, {braces} ~tilde~", ""},
		{"small", 10, 5, 6, 5, "Bold: colo", ""},
		{"large again", 100, 50, 24, 25, "Plain text, {braces} ~tilde~", "Last row"},
	} {
		s := sample(80, 25)
		for x := range 80 {
			s.Cells[24*80+x] = Cell{Code: ' '}
			if x < len("Last row") {
				s.Cells[24*80+x].Code = uint16(hw.ScreenCode("Last row"[x]))
			}
		}
		s.CursorY = step.cursorY
		cols, rows = step.cols, step.rows
		out.Reset()
		if err := d.Draw(s); err != nil {
			t.Fatal(err)
		}
		got := drawn(out.String())
		if len(got) != step.shown || got["1"] != step.first || got[strconv.Itoa(step.shown)] != step.last {
			t.Errorf("%s: %d rows, first %q, last %q; want %d, %q, %q", step.what,
				len(got), got["1"], got[strconv.Itoa(step.shown)], step.shown, step.first, step.last)
		}
	}
}

func BenchmarkImage(b *testing.B) {
	s := sample(80, 25)
	for b.Loop() {
		s.Image()
	}
}
