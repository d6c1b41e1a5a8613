package firmware

import (
	"bytes"
	"fmt"

	"ssnail-kit/mega65/hw"
)

// The include files that hold data of the screen.
const (
	FontFile        = "font.inc"
	ScreenCodesFile = "screencodes.inc"
)

// fontInclude writes the first 128 glyphs of the program's charset, 8 bytes
// each, without a label; the other 128 are their inverse.
func fontInclude() []byte {
	font := hw.Font()
	var b bytes.Buffer
	b.WriteString("; Glyphs of screen codes $00-$7f, 8 rows each, leftmost pixel in bit 7.\n; Made from the kit's drawing, do not edit.\n")
	for code := range hw.FontSize / 16 {
		fmt.Fprintf(&b, "  !byte %s ; $%02x %c\n", byteList(font[code*8:code*8+8]), code, hw.RuneOf(byte(code)))
	}
	return asciiComments(b.Bytes())
}

// screenCodesInclude writes the screen codes of the characters $20-$7f,
// without a label.
func screenCodesInclude() []byte {
	codes := hw.ScreenCodes()
	var b bytes.Buffer
	b.WriteString("; Screen codes of the characters $20-$7f. Made from the kit's tables, do not edit.\n")
	for c := 0x20; c < 0x80; c += 8 {
		fmt.Fprintf(&b, "  !byte %s ; $%02x\n", byteList(codes[c:c+8]), c)
	}
	return b.Bytes()
}

func byteList(v []byte) string {
	var b bytes.Buffer
	for i, x := range v {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%02x", x)
	}
	return b.String()
}

// asciiComments replaces runes that old assemblers' source viewers cannot
// show.
func asciiComments(src []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r > '~' {
			return '*'
		}
		return r
	}, src)
}
