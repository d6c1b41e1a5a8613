package hw

import "testing"

// Every printable character has a glyph and a code of its own, and the code
// shows that character again.
func TestScreenCodesAreDistinctAndDrawn(t *testing.T) {
	font := Font()
	seen := map[byte]byte{}
	for c := byte(' '); c <= '~'; c++ {
		code := ScreenCode(c)
		if prev, ok := seen[code]; ok {
			t.Errorf("%q and %q share screen code $%02X", prev, c, code)
		}
		seen[code] = c
		if RuneOf(code) != rune(c) || RuneOf(code|0x80) != rune(c) {
			t.Errorf("RuneOf(ScreenCode(%q)) = %q", c, RuneOf(code))
		}
		var ink byte
		for _, row := range font[int(code)*8:][:8] {
			ink |= row
		}
		if (ink == 0) != (c == ' ') {
			t.Errorf("glyph of %q: ink %08b", c, ink)
		}
	}
	glyphs := map[[8]byte]rune{}
	for c := byte('!'); c <= '~'; c++ {
		g := [8]byte(font[int(ScreenCode(c))*8:])
		if other, ok := glyphs[g]; ok {
			t.Errorf("%q and %q look the same", other, c)
		}
		glyphs[g] = rune(c)
	}
	for code := range graphicRunes {
		if _, ok := seen[code]; ok {
			t.Errorf("graphic code $%02X is a character too", code)
		}
	}
	for i := range FontSize / 2 {
		if font[i] != ^font[i+FontSize/2] {
			t.Fatalf("reverse glyph row %d is not the inverse", i)
		}
	}
}

func TestFontErrorsNameTheLine(t *testing.T) {
	for _, art := range []string{"zz bad\n", "01 a\n........\n", "01 a\n......\n.\n.\n.\n.\n.\n.\n.\n", "80 high\n"} {
		if _, err := parseFont(art); err == nil {
			t.Errorf("parseFont(%q) took it", art)
		}
	}
}

func TestPETSCIINames(t *testing.T) {
	for c := 0; c < 256; c++ {
		b, ok := PETSCIIName(byte(c))
		switch {
		case 'a' <= c && c <= 'z':
			if !ok || b != byte(c-32) {
				t.Errorf("%#x -> $%02X %v", c, b, ok)
			}
		case c == '"' || c == '*' || c == '?' || c == ',' || c == ':' || c == '=' || c == '@' || c == '$' || c == '/' || c > 126:
			if ok {
				t.Errorf("byte %#x is allowed in a name", c)
			}
		}
		if ok && ASCIIOfPETSCII(b) != b {
			t.Errorf("name byte $%02X shows as %q", b, ASCIIOfPETSCII(b))
		}
	}
}

func TestBoards(t *testing.T) {
	if BoardR3.HasSDRAM() || !BoardR6.HasSDRAM() || BoardNexys4.HasSDRAM() {
		t.Error("only R4 to R6 have SDRAM")
	}
	if Board(0x77).String() != "unknown board $77" || BoardR6.String() != "MEGA65 R6" {
		t.Error("board names")
	}
}

// Every printable character can be typed, but for five that need other modifiers or do not exist.
func TestMatrixTypesASCII(t *testing.T) {
	for c := byte(' '); c <= '~'; c++ {
		key, shift, ok := MatrixKey(c)
		if !ok {
			if c != '^' && c != '\\' && c != '|' && c != '}' && c != '~' {
				t.Errorf("no key for %q", c)
			}
			continue
		}
		pair := MatrixKeys()[key]
		if shift && pair[1] != c || !shift && pair[0] != c {
			t.Errorf("key %d gives %q, want %q", key, pair, c)
		}
	}
}
