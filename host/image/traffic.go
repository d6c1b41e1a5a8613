package image

import "ssnail-kit/host/ggml"

// State is what an instruction's traffic depends on besides itself.
type State struct {
	N    [3]uint32 // N0, N1, N2
	R    uint32    // R[a]: rows of MEANROWS, last row of ATTN
	Attn AttnBlock // ATTN
}

// FetchBytes is what fetching one instruction reads.
const FetchBytes = InstructionBytes

// Traffic returns the bytes of RAM that the instruction reads and writes; the
// fetch is not included. A weight format that the core lacks counts nothing.
func (in Instruction) Traffic(s State) (read, written uint64) {
	n0, n1 := uint64(s.N[0]), uint64(s.N[1])
	switch in.Op {
	case COPY:
		n := uint64(in.Z & 0xFFFF)
		return n, n
	case LDR:
		return 4, 0
	case STR:
		return 0, 4
	case GEMV:
		row, _ := RowBytes(in.A, s.N[0])
		read, written = row*n1+4*n0, 4*n1
		if in.B&GemvAdd != 0 {
			read += 4 * n1
		}
		if in.B&GemvF16 != 0 {
			written = 2 * n1
		}
		return read, written
	case DEQROW:
		row, _ := RowBytes(in.A, s.N[0])
		return row, 4 * n0
	case ARGMAX:
		return 4 * n0, 0
	case VADD, VMUL, RMSNORM, SILUMUL:
		return 8 * n0, 4 * n0
	case ROPE:
		return 4*n0 + 4*n1, 4 * n0
	case ATTN:
		a := s.Attn
		width := uint64(4)
		if a.KVFormat == 1 {
			width = 2
		}
		q := 4 * uint64(a.Heads) * uint64(a.HeadDim)
		return AttnBlockBytes + q + 2*(uint64(s.R)+1)*uint64(a.KVHeads)*uint64(a.HeadDim)*width, q
	case LAYERNORM:
		return 12 * n0, 4 * n0
	case GELU:
		return 4 * n0, 4 * n0
	case MEANROWS:
		return 4 * uint64(s.R) * n0, 4 * n0
	case CVT16:
		return 4 * n0, 2 * n0
	}
	return 0, 0
}

// KnownFormat reports whether the core computes with weights of format f.
func KnownFormat(f ggml.Type) bool {
	switch f {
	case ggml.F32, ggml.F16, ggml.BF16, ggml.Q4_0, ggml.Q8_0:
		return true
	}
	return false
}

// RowBytes returns the bytes of a row of cols values in weight format f, a
// ggml type number as GEMV and DEQROW hold it; false for a format that the
// core lacks, or if the format's block does not divide cols.
func RowBytes(f byte, cols uint32) (uint64, bool) {
	t := ggml.Type(f)
	if !KnownFormat(t) {
		return 0, false
	}
	n := uint64(t.BlockSize())
	return uint64(cols) / n * uint64(t.BlockBytes()), uint64(cols)%n == 0
}
