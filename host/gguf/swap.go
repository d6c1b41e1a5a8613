package gguf

import (
	"io"

	"ssnail-kit/host/ggml"
)

// swapper reads a tensor of a big-endian file and turns whole blocks into
// little-endian ones.
type swapper struct{ t *Tensor }

func (s *swapper) ReadAt(p []byte, off int64) (int, error) {
	size := int64(s.t.Size)
	if off < 0 || off >= size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), size-off)
	block := int64(s.t.Type.BlockBytes())
	buf := make([]byte, min(want+2*block, max(32<<10, 2*block))/block*block)
	done := int64(0)
	for done < want {
		start := (off + done) / block * block
		b := buf[:min(int64(len(buf)), size-start)]
		if n, err := readFull(s.t.data, b, int64(s.t.Offset)+start); err != nil {
			// Blocks that came whole are good.
			b = b[:int64(n)/block*block]
			if len(b) == 0 {
				return int(done), err
			}
		}
		if err := ggml.SwapBytes(s.t.Type, b); err != nil {
			return int(done), err
		}
		skip := off + done - start
		if skip >= int64(len(b)) {
			return int(done), io.ErrUnexpectedEOF
		}
		done += int64(copy(p[done:want], b[skip:]))
	}
	if want < int64(len(p)) {
		return int(done), io.EOF
	}
	return int(done), nil
}
