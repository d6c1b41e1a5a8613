package image

// Tokenizer turns text into tokens with nothing but an image's tables, read
// through Memory as the 45GS02 reads them.
type Tokenizer struct {
	m Memory
	h Header
}

// NewTokenizer reads and checks the tokenizer block.
func NewTokenizer(m Memory, h Header) (*Tokenizer, error) { panic("skeleton") }

// Encode returns the tokens of text. cont says that the text follows earlier
// tokens in the context: no begin token (an encoder's text always gets its
// begin and end tokens).
func (t *Tokenizer) Encode(text []byte, cont bool) ([]uint32, error) { panic("skeleton") }

// Kind, Begin, End and Unknown are the tokenizer block's.
func (t *Tokenizer) Kind() Kind      { panic("skeleton") }
func (t *Tokenizer) Begin() uint32   { panic("skeleton") }
func (t *Tokenizer) End() uint32     { panic("skeleton") }
func (t *Tokenizer) Unknown() uint32 { panic("skeleton") }

// Piece returns the text of token id; empty for ids beyond the vocab table.
func (t *Tokenizer) Piece(id uint32) ([]byte, error) { panic("skeleton") }

// Probes returns the index probes (comparisons with an index entry) since the
// tokenizer was made.
func (t *Tokenizer) Probes() uint64 { panic("skeleton") }
