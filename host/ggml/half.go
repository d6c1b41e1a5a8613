package ggml

import (
	"math"

	"github.com/x448/float16"
)

// F16ToF32 widens the bits of an IEEE half float; exact.
func F16ToF32(h uint16) float32 {
	if e := h & 0x7c00; e == 0 || e == 0x7c00 {
		return float16.Frombits(h).Float32()
	}
	// A normal number: the fraction moves up, the exponent's bias from 15 to 127.
	return math.Float32frombits(uint32(h&0x8000)<<16 | uint32(h&0x7fff)<<13 + 112<<23)
}

// F32ToF16 rounds to the nearest IEEE half float, ties to even. What is too
// large becomes an infinity, a NaN stays a NaN and becomes quiet.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	if m := b & magnitude; m-113<<23 < 30<<23 {
		// A normal half float before rounding: the carry of the rounding may
		// go into the exponent, up to infinity.
		return uint16(b>>16&0x8000 | (m-112<<23+0xfff+m>>13&1)>>13)
	}
	return float16.Fromfloat32(f).Bits()
}

// BF16ToF32 widens the bits of a bfloat16; exact.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even; a NaN stays a NaN
// and becomes quiet.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
