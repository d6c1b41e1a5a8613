package image

// TableSpec is a vocabulary as its GGUF states it, from which the tables of an
// image are made.
type TableSpec struct {
	Kind      Kind
	Pieces    []string  // tokenizer.ggml.tokens
	Types     []int32   // tokenizer.ggml.token_type, empty if the file has none
	Scores    []float32 // SentencePiece
	Merges    []string  // BPE: "left right" in rank order
	Lowercase bool      // WordPiece
	Begin     uint32    // NoToken: none
	End       uint32
	Unknown   uint32
}

// Tables are the blocks that follow the script, in the order of the layout.
type Tables struct {
	Addr       uint32 // of the vocab table, the first block
	Bytes      []byte // all blocks, from Addr to End, padding between them included
	Vocab      uint32
	Index      uint32
	NIndex     uint32
	Priorities uint32
	ByteTable  uint32
	Tokenizer  uint32
	End        uint32 // the tokenizer block's end, not padded
}

// BuildTables lays the vocabulary and tokenizer tables out from addr on.
// Shapes are checked; an error names the entry that is wrong.
func BuildTables(spec TableSpec, addr uint32) (*Tables, error) { panic("skeleton") }

// PieceText returns the bytes that token id prints: nothing for special
// tokens, the byte of <0xNN>, the mapped-back bytes of byte-level BPE.
func (spec *TableSpec) PieceText(id int) []byte { panic("skeleton") }
