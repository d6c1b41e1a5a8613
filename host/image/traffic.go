package image

// State is what an instruction's traffic depends on besides itself.
type State struct {
	N    [3]uint32 // N0, N1, N2
	R    uint32    // R[a]: rows of MEANROWS, last row of ATTN
	Attn AttnBlock // ATTN
}

// FetchBytes is what fetching one instruction reads.
const FetchBytes = InstructionBytes

// Traffic returns the bytes of RAM that the instruction reads and writes, the
// fetch not included.
func (in Instruction) Traffic(s State) (read, written uint64) { panic("skeleton") }

// RowBytes returns the bytes of a row of cols values in weight format f (a
// ggml type number that the core knows), false for other formats or if the
// format's block does not divide cols.
func RowBytes(f byte, cols uint32) (uint64, bool) { panic("skeleton") }
