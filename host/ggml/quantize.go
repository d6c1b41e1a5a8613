package ggml

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Quantize turns src into blocks of t, one of F32, F16, BF16, Q8_0 and Q4_0,
// with the very bytes of the hardware's own converter. dst must be exactly as
// long as that many elements are.
//
// A NaN, an infinity, or a value whose magnitude makes F16 (or the half float
// scale of a block) infinite gives a *ValueError that names the first one. All
// of dst is written even then, but what stands for a NaN is unspecified.
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
		for i, f := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(f))
		}
	case F16:
		return quantizeF16(dst, src)
	case BF16:
		return quantizeBF16(dst, src)
	case Q8_0:
		return quantizeQ8_0(dst, src)
	case Q4_0:
		return quantizeQ4_0(dst, src)
	default:
		return fmt.Errorf("weights cannot be quantised to %s", t)
	}
	return CheckFinite(src)
}

// CanQuantize reports whether Quantize makes the format.
func (t Type) CanQuantize() bool {
	return t == F32 || t == F16 || t == BF16 || t == Q8_0 || t == Q4_0
}

func quantizeF16(dst []byte, src []float32) error {
	bad := -1
	for i, f := range src {
		h := F32ToF16(f)
		if h&0x7c00 == 0x7c00 && bad < 0 {
			bad = i
		}
		binary.LittleEndian.PutUint16(dst[2*i:], h)
	}
	return tooLarge(F16, src, bad)
}

func quantizeBF16(dst []byte, src []float32) error {
	bad := -1
	for i, f := range src {
		h := F32ToBF16(f)
		if h&0x7f80 == 0x7f80 && bad < 0 {
			bad = i
		}
		binary.LittleEndian.PutUint16(dst[2*i:], h)
	}
	return tooLarge(BF16, src, bad)
}

// tooLarge makes the error for element bad, which is not finite in t; none if
// bad is negative.
func tooLarge(t Type, src []float32, bad int) error {
	if bad < 0 {
		return nil
	}
	if err := checkValue(src[bad]); err != "" {
		return &ValueError{bad, src[bad], err}
	}
	return &ValueError{bad, src[bad], "is too large for " + t.String()}
}

// magnitude holds the bits of a float without its sign: as whole numbers they
// are in the order of the magnitudes, with infinity and then the NaNs on top.
const (
	magnitude = 1<<31 - 1
	infinity  = 0xff << 23
)

func quantizeQ8_0(dst []byte, src []float32) error {
	var first error
	for b := 0; len(src) > 0; b++ {
		x, out := src[:32:32], dst[:34:34]
		src, dst = src[32:], dst[34:]
		var top uint32
		for _, f := range x {
			top = max(top, math.Float32bits(f)&magnitude)
		}
		d := math.Float32frombits(top) / 127
		id := float32(0)
		if d != 0 {
			id = 1 / d
		}
		h := F32ToF16(d)
		binary.LittleEndian.PutUint16(out, h)
		if h&0x7c00 == 0x7c00 && first == nil {
			first = blockError(Q8_0, x, 32*b, top)
		}
		// 1/d overflows for denormal blocks: these become zeros, their scale
		// stays.
		if id > math.MaxFloat32 {
			clear(out[2:])
			continue
		}
		for i, f := range x {
			// The conversion keeps compilers from fusing the product with the sum.
			out[2+i] = byte(roundHalfAway(float32(f * id)))
		}
	}
	return first
}

// roundHalfAway is C's roundf for magnitudes below 2^22. The addend is the
// float below a half, so that 0.49999997 stays below 1 while 0.5, which lies
// between two floats then, is rounded up to 1.
func roundHalfAway(f float32) int32 {
	half := math.Float32frombits(0x3effffff | math.Float32bits(f)&^magnitude)
	return int32(f + half)
}

func quantizeQ4_0(dst []byte, src []float32) error {
	var first error
	for b := 0; len(src) > 0; b++ {
		x, out := src[:32:32], dst[:18:18]
		src, dst = src[32:], dst[18:]
		var top uint32
		for _, f := range x {
			top = max(top, math.Float32bits(f)&magnitude)
		}
		i := 0
		for math.Float32bits(x[i])&magnitude != top {
			i++
		}
		d := x[i] / -8
		id := float32(0)
		if d != 0 {
			id = 1 / d
		}
		h := F32ToF16(d)
		binary.LittleEndian.PutUint16(out, h)
		if h&0x7c00 == 0x7c00 && first == nil {
			first = blockError(Q4_0, x, 32*b, top)
		}
		if id > math.MaxFloat32 || id < -math.MaxFloat32 {
			clear(out[2:])
			continue
		}
		wide := float64(id)
		lo, hi := x[:16], x[16:]
		for i := range lo {
			out[2+i] = nibble(lo[i], wide) | nibble(hi[i], wide)<<4
		}
	}
	return first
}

// nibble rounds twice, to double and to single, as the converter does.
func nibble(f float32, id float64) byte {
	return byte(min(15, int32(float32(float64(float64(f)*id)+8.5))))
}

// blockError names the culprit of a block x whose scale is not finite: the
// first NaN or infinity, else the first of the magnitude top.
func blockError(t Type, x []float32, at int, top uint32) error {
	if err, ok := CheckFinite(x).(*ValueError); ok {
		err.Index += at
		return err
	}
	for i, f := range x {
		if math.Float32bits(f)&magnitude == top {
			return &ValueError{at + i, f, "is too large for the scales of " + t.String()}
		}
	}
	return nil
}
