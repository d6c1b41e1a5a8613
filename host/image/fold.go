package image

// Folder is the AsciiFolder: a state machine over a stream of UTF-8, of which
// it makes the characters 9, 10 and 32..126. The zero value is ready. It keeps
// its state between calls, so a character may be split across tokens; one that
// is unfinished when the stream ends gives nothing.
type Folder struct {
	code uint32 // bits of the character so far
	need uint8  // continuation bytes still to come
}

// Reset forgets an unfinished character.
func (f *Folder) Reset() { *f = Folder{} }

// Fold appends the folded src to dst and returns it. Every byte of src adds at
// most three bytes, and an unfinished character that breaks off a '?'.
func (f *Folder) Fold(dst, src []byte) []byte {
	for _, b := range src {
		if f.need > 0 {
			if b&0xC0 == 0x80 {
				f.code = f.code<<6 | uint32(b&0x3F)
				f.need--
				if f.need == 0 {
					dst = append(dst, foldRune(f.code)...)
				}
				continue
			}
			dst = append(dst, '?') // broken off; b is read afresh
			f.need = 0
		}
		switch {
		case b < 0x80:
			dst = append(dst, foldASCII(b))
		case b < 0xC0, b >= 0xF8:
			dst = append(dst, '?')
		case b < 0xE0:
			f.code, f.need = uint32(b&0x1F), 1
		case b < 0xF0:
			f.code, f.need = uint32(b&0x0F), 2
		default:
			f.code, f.need = uint32(b&0x07), 3
		}
	}
	return dst
}

// latin1 holds the base letters of U+00C0..U+00FF one by one; the spaces are
// the characters that foldRune spells with two letters or names itself.
const latin1 = "AAAAAA CEEEEIIIIDNOOOOOxOUUUUYT aaaaaa ceeeeiiiidnooooo/ouuuuyty"

func foldASCII(b byte) byte {
	if b == 9 || b == 10 || b >= 32 && b <= 126 {
		return b
	}
	return '?'
}

// foldRune spells a character of two or more bytes. There is no check for
// overlong forms: what decodes to an ASCII character is one.
func foldRune(c uint32) string {
	switch c {
	case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032:
		return "'"
	case 0x201C, 0x201D, 0x201E, 0x2033, 0xAB, 0xBB:
		return "\""
	case 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212:
		return "-"
	case 0x2026:
		return "..."
	case 0xA0:
		return " "
	case 0xDF:
		return "ss"
	case 0xC6:
		return "AE"
	case 0xE6:
		return "ae"
	case 0x152:
		return "OE"
	case 0x153:
		return "oe"
	case 0x2022:
		return "*"
	case 0xB7:
		return "."
	case 0x2122:
		return "(TM)"
	case 0xA9:
		return "(c)"
	case 0xAE:
		return "(R)"
	}
	if c < 0x80 {
		return string(rune(foldASCII(byte(c))))
	}
	if c >= 0xC0 && c <= 0xFF {
		return latin1[c-0xC0 : c-0xBF]
	}
	return "?"
}
