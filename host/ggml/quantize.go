package ggml

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ValueError is a weight that has no place in a format.
type ValueError struct {
	Index  int     // element, counted from the start of what was given
	Value  float32 // the weight
	Reason string  // "is not a number", "does not fit F16" ...
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("element %d (%v) %s", e.Index, e.Value, e.Reason)
}

// CheckFinite looks for the first NaN or infinity and returns it as a
// *ValueError, or nil.
func CheckFinite(v []float32) error {
	for i, f := range v {
		if math.Float32bits(f)&0x7f800000 == 0x7f800000 {
			return &ValueError{i, f, notFinite(f)}
		}
	}
	return nil
}

func notFinite(f float32) string {
	if f != f {
		return "is not a number"
	}
	return "is infinite"
}

// Quantize turns src into blocks of t, one of F32, F16, BF16, Q8_0 and Q4_0.
// dst must be exactly as long as len(src) elements are. The bytes are those
// of the hardware's own converter. A NaN, an infinity, or a value or block
// scale too large for the format gives a *ValueError with the element's
// index; dst is then not usable.
func Quantize(t Type, dst []byte, src []float32) error {
	n, err := RowBytes(t, len(src))
	if err != nil {
		return err
	}
	if len(dst) != n {
		return fmt.Errorf("%d elements of %s are %d bytes, not %d", len(src), t, n, len(dst))
	}
	switch t {
	case F32:
		return quantizeF32(dst, src)
	}
	return fmt.Errorf("weights cannot be quantised to %s", t)
}

func quantizeF32(dst []byte, src []float32) error {
	if err := CheckFinite(src); err != nil {
		return err
	}
	for i, f := range src {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(f))
	}
	return nil
}
