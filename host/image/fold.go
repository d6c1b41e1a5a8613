package image

// Folder is the AsciiFolder: a state machine over a stream of UTF-8, of which
// it makes 9, 10 and 32..126. The zero value is ready. It keeps its state
// between calls, so characters may be split across tokens.
type Folder struct {
	code uint32
	need uint8
}

// Fold appends the folded src to dst and returns it.
func (f *Folder) Fold(dst, src []byte) []byte { panic("skeleton") }

// Reset forgets an unfinished character.
func (f *Folder) Reset() { *f = Folder{} }
