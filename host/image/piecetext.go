package image

import "strings"

// Token types as GGUF numbers them (tokenizer.ggml.token_type).
const (
	TypeNormal      = 1
	TypeUnknown     = 2
	TypeControl     = 3
	TypeUserDefined = 4
	TypeUnused      = 5
	TypeByte        = 6
)

// Special reports whether token id stands for no text: by its type, or by a
// name that every vocabulary gives to such tokens.
func (spec *TableSpec) Special(id int) bool {
	if id < len(spec.Types) {
		switch spec.Types[id] {
		case TypeUnknown, TypeControl, TypeUnused:
			return true
		}
	}
	switch spec.Pieces[id] {
	case "<s>", "</s>", "<unk>", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]":
		return true
	}
	return false
}

// PieceText returns the bytes that token id prints: nothing for special
// tokens, the byte of SentencePiece's <0xNN>, the bytes that byte-level BPE's
// letters stand for, and otherwise the piece with U+2581 as a space.
func (spec *TableSpec) PieceText(id int) []byte {
	if spec.Special(id) {
		return nil
	}
	piece := spec.Pieces[id]
	switch spec.Kind {
	case BPE:
		return UnmapBytes(piece)
	case SentencePiece:
		if b, ok := ByteToken(piece); ok {
			return []byte{b}
		}
	}
	return []byte(strings.ReplaceAll(piece, "\u2581", " "))
}

// ByteToken returns the byte of a piece spelled <0xNN>.
func ByteToken(piece string) (byte, bool) {
	if len(piece) != 6 || piece[:3] != "<0x" || piece[5] != '>' {
		return 0, false
	}
	hi, ok1 := hexDigit(piece[3])
	lo, ok2 := hexDigit(piece[4])
	return hi<<4 | lo, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// ByteRune returns the letter that byte-level BPE writes for a byte: printable
// Latin-1 characters stand for themselves, the 68 others for U+0100 and up.
func ByteRune(b byte) rune {
	switch {
	case b >= 33 && b <= 126, b >= 161 && b <= 172, b >= 174:
		return rune(b)
	case b <= 32:
		return 0x100 + rune(b)
	case b <= 160: // 127..160
		return 0x100 + 33 + rune(b-127)
	}
	return 0x100 + 67 // 173
}

// RuneByte is the inverse of ByteRune; false for a letter outside the map.
func RuneByte(r rune) (byte, bool) {
	switch {
	case r >= 33 && r <= 126, r >= 161 && r <= 172, r >= 174 && r <= 255:
		return byte(r), true
	case r >= 0x100 && r <= 0x120:
		return byte(r - 0x100), true
	case r >= 0x121 && r <= 0x142:
		return byte(r-0x121) + 127, true
	case r == 0x143:
		return 173, true
	}
	return 0, false
}

// UnmapBytes turns a byte-level BPE piece back into the bytes it stands for. A
// piece with any character outside the byte map keeps its UTF-8.
func UnmapBytes(piece string) []byte {
	out := make([]byte, 0, len(piece))
	for _, r := range piece {
		b, ok := RuneByte(r)
		if !ok {
			return []byte(piece)
		}
		out = append(out, b)
	}
	return out
}
