package hw

// Screen codes of the program's font. ASCII's letters, digits and most signs
// stand where the ROM's lower-case set has them; the signs that it lacks stand
// on codes that are graphics there.
const (
	CodeBackslash  = 0x1C // the pound sign in the ROM's set
	CodeCaret      = 0x1E // the up arrow
	CodeArrowLeft  = 0x1F
	CodeLine       = 0x40
	CodeBraceOpen  = 0x5B
	CodeBar        = 0x5C
	CodeBraceClose = 0x5D
	CodeTilde      = 0x5E
	CodeBackquote  = 0x5F
	CodeUnderscore = 0x64
	CodeBlock1     = 0x61 // one eighth of a cell, from the left
	CodeBlock2     = 0x62
	CodeBlock3     = 0x63
	CodeBlock4     = 0x65
	CodeShade      = 0x66
	CodeBlock5     = 0x67
	CodeBlock6     = 0x68
	CodeBlock7     = 0x69
	CodeBlock8     = 0x6A
	CodeVertical   = 0x6B
	CodeCornerTL   = 0x6C
	CodeCornerTR   = 0x6D
	CodeCornerBL   = 0x6E
	CodeCornerBR   = 0x6F
	CodeArrowRight = 0x70
	CodeArrowUp    = 0x71
	CodeArrowDown  = 0x72
	CodeSnailLeft  = 0x73
	CodeSnailRight = 0x74
	CodeBullet     = 0x75
)

// ScreenCode gives the screen code of a printable ASCII character in the
// program's font; any other byte gives that of a question mark.
func ScreenCode(c byte) byte {
	switch {
	case c == '@':
		return 0
	case 'a' <= c && c <= 'z':
		return c - 'a' + 1
	case 'A' <= c && c <= 'Z', ' ' <= c && c <= '?':
		return c
	}
	switch c {
	case '[':
		return 0x1B
	case '\\':
		return CodeBackslash
	case ']':
		return 0x1D
	case '^':
		return CodeCaret
	case '_':
		return CodeUnderscore
	case '`':
		return CodeBackquote
	case '{':
		return CodeBraceOpen
	case '|':
		return CodeBar
	case '}':
		return CodeBraceClose
	case '~':
		return CodeTilde
	}
	return '?'
}

// ScreenCodes is ScreenCode as a table for all 256 bytes, for the program's
// own look-up.
func ScreenCodes() [256]byte {
	var t [256]byte
	for i := range t {
		t[i] = ScreenCode(byte(i))
	}
	return t
}

// RuneOf gives the character that a screen code shows in the program's font;
// bit 7 (reverse) is ignored. Codes without a glyph give a space.
func RuneOf(code byte) rune {
	code &= 0x7F
	if r, ok := graphicRunes[code]; ok {
		return r
	}
	for c := byte(' '); c <= '~'; c++ {
		if ScreenCode(c) == code {
			return rune(c)
		}
	}
	return ' '
}

var graphicRunes = map[byte]rune{
	CodeArrowLeft: '←', CodeLine: '─', CodeBlock1: '▏', CodeBlock2: '▎', CodeBlock3: '▍', CodeBlock4: '▌',
	CodeShade: '▒', CodeBlock5: '▋', CodeBlock6: '▊', CodeBlock7: '▉', CodeBlock8: '█', CodeVertical: '│',
	CodeCornerTL: '┌', CodeCornerTR: '┐', CodeCornerBL: '└', CodeCornerBR: '┘', CodeArrowRight: '→',
	CodeArrowUp: '↑', CodeArrowDown: '↓', CodeSnailLeft: '_', CodeSnailRight: '@', CodeBullet: '•',
}

// PETSCIIName maps an ASCII character to the byte that a D81 directory holds:
// both cases of a letter become unshifted $41-$5A. ok is false for what a
// file name cannot hold.
func PETSCIIName(c byte) (b byte, ok bool) {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a' + 0x41, true
	case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return c, true
	}
	switch c {
	case ' ', '!', '#', '%', '&', '\'', '(', ')', '+', '-', '.', ';', '<', '>', '[', ']':
		return c, true
	}
	return 0, false
}

// ASCIIOfPETSCII shows a byte of a directory name: $41-$5A and $C1-$DA as
// upper-case letters, other printable bytes as they are, the rest as '?'.
func ASCIIOfPETSCII(b byte) byte {
	switch {
	case 0xC1 <= b && b <= 0xDA:
		return b - 0x80
	case ' ' <= b && b <= ']':
		return b
	}
	return '?'
}
