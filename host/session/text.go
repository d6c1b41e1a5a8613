package session

import (
	"unicode/utf8"

	"ssnail-kit/host/image"
)

// Printer makes printable text of a stream of pieces, whose characters may be
// split across tokens. It keeps its state between pieces and turns; the zero
// value folds to ASCII as the MEGA65 does.
type Printer struct {
	// UTF8 passes real characters, holding back half ones, instead of
	// folding.
	UTF8 bool

	folder image.Folder
	half   []byte
}

// Append appends what piece makes printable to dst.
func (p *Printer) Append(dst, piece []byte) []byte {
	if !p.UTF8 {
		return p.folder.Fold(dst, piece)
	}
	p.half = append(p.half, piece...)
	b := p.half
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(b) {
			break // half a character
		}
		if r >= 32 && r != 127 || r == '\n' || r == '\t' || r == utf8.RuneError {
			dst = utf8.AppendRune(dst, r)
		}
		b = b[n:]
	}
	p.half = append(p.half[:0], b...)
	return dst
}

// Reset forgets half a character.
func (p *Printer) Reset() {
	p.folder.Reset()
	p.half = p.half[:0]
}
