package tokenizer

import "ssnail-kit/host/image"

// Decoder turns tokens into text one by one. The zero value is of no use; a
// Tokenizer makes one.
type Decoder struct {
	t     *Tokenizer
	first bool // the next piece loses the space that encoding put before it
}

// Decoder returns a decoder at the beginning of a text.
func (t *Tokenizer) Decoder() *Decoder { return &Decoder{t: t, first: true} }

// Next returns what token id adds to the text. The space that SentencePiece
// puts before a text is dropped again, at the beginning and after a special
// token.
func (d *Decoder) Next(id uint32) []byte {
	text := d.t.Piece(id)
	v := d.t.v
	switch d.t.typeOf(id) {
	case image.TypeControl, image.TypeUserDefined:
		d.first = true
		return text
	}
	if len(text) == 0 {
		return nil
	}
	strip := d.first && (v.Kind == image.WordPiece || v.Kind == image.SentencePiece && v.AddSpacePrefix)
	d.first = false
	if strip && text[0] == ' ' {
		return text[1:]
	}
	return text
}

// Decode returns the text of tokens; special tokens give nothing.
func (t *Tokenizer) Decode(ids []uint32) []byte {
	d := t.Decoder()
	var text []byte
	for _, id := range ids {
		text = append(text, d.Next(id)...)
	}
	return text
}
