package tokenizer

// Tokenizer encodes and decodes with a Vocab.
type Tokenizer struct {
	v *Vocab
}

// Options of Encode.
type Options struct {
	AddSpecial   bool // the tokens that the tokenizer adds by itself: BOS, [CLS], [SEP]
	ParseSpecial bool // text such as "</s>" means the special token; otherwise it is plain text
}

// New prepares a tokenizer.
func New(v *Vocab) (*Tokenizer, error) { panic("skeleton") }

// Warning says what the tokenizer could only guess, "" if nothing: a
// pre-tokenizer that it does not know.
func (t *Tokenizer) Warning() string { panic("skeleton") }

// Encode returns the tokens of text.
func (t *Tokenizer) Encode(text string, opt Options) []uint32 { panic("skeleton") }

// Piece returns the bytes of a token, nothing for special tokens and for ids
// beyond the vocabulary.
func (t *Tokenizer) Piece(id uint32) []byte { panic("skeleton") }

// Decode returns the text of tokens.
func (t *Tokenizer) Decode(ids []uint32) []byte { panic("skeleton") }
