package ggml

import "fmt"

// Dequantize turns the blocks in src into len(dst) elements, just as ggml's
// reference routines do, bit for bit. src must be exactly as long as that
// many elements are. NaN and infinities pass through: see CheckFinite.
// F64 is rounded to float32.
func Dequantize(t Type, dst []float32, src []byte) error {
	f := t.format()
	if f.decode == nil {
		return fmt.Errorf("%s cannot be dequantised", t.Describe())
	}
	n, err := RowBytes(t, len(dst))
	if err != nil {
		return err
	}
	if len(src) != n {
		return fmt.Errorf("%d elements of %s are %d bytes, not %d", len(dst), t, n, len(src))
	}
	f.decode(dst, src)
	return nil
}
