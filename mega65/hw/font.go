package hw

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed font.txt
var fontArt string

// FontSize is the length of a text mode charset in bytes: 256 glyphs of 8
// rows, the leftmost pixel in bit 7.
const FontSize = 2048

// Font returns the program's charset, drawn in font.txt. The upper 128 glyphs
// are the lower ones in reverse, as the ROM's charsets have them.
func Font() [FontSize]byte {
	f, err := parseFont(fontArt)
	if err != nil {
		panic("hw: font.txt: " + err.Error()) // embedded at build time, tested
	}
	return f
}

// parseFont reads the drawing: a line "CODE NAME", then eight rows of eight
// '#' (set) or '.' (clear).
func parseFont(art string) (font [FontSize]byte, err error) {
	lines := strings.Split(art, "\n")
	for i := 0; i < len(lines); i++ {
		l := strings.TrimRight(lines[i], "\r")
		if l == "" || strings.HasPrefix(l, "# ") {
			continue
		}
		code, _, _ := strings.Cut(l, " ")
		c, err := strconv.ParseUint(code, 16, 7)
		if err != nil {
			return font, fmt.Errorf("line %d: %q is no screen code 00-7f", i+1, code)
		}
		if i+8 >= len(lines) {
			return font, fmt.Errorf("line %d: glyph %02x has fewer than 8 rows", i+1, c)
		}
		for r := range 8 {
			row := strings.TrimRight(lines[i+1+r], "\r")
			if len(row) != 8 || strings.Trim(row, ".#") != "" {
				return font, fmt.Errorf("line %d: row %q is not eight of '.' and '#'", i+2+r, row)
			}
			for x := range 8 {
				if row[x] == '#' {
					font[int(c)*8+r] |= 0x80 >> x
				}
			}
		}
		i += 8
	}
	for i := range FontSize / 2 {
		font[FontSize/2+i] = ^font[i]
	}
	return font, nil
}
