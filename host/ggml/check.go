package ggml

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ValueError is a weight that has no place in a model.
type ValueError struct {
	Index  int     // element, counted from the start of what was given
	Value  float32 // the weight
	Reason string  // "is not a number", "is too large for F16" ...
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("element %d (%v) %s", e.Index, e.Value, e.Reason)
}

// CheckFinite looks for the first NaN or infinity and returns it as a
// *ValueError, or nil.
func CheckFinite(v []float32) error {
	for i, f := range v {
		if math.Float32bits(f)&magnitude >= infinity {
			return &ValueError{i, f, checkValue(f)}
		}
	}
	return nil
}

func checkValue(f float32) string {
	switch b := math.Float32bits(f) & magnitude; {
	case b < infinity:
		return ""
	case b > infinity:
		return "is not a number"
	}
	return "is infinite"
}

// Check looks for the first element of blocks that is NaN or infinite, as
// CheckFinite does in what Dequantize makes of them, but faster. A scale that
// is not finite counts against the first element of its block. len(src) must
// be a multiple of the block's size.
func Check(t Type, src []byte) error {
	f := t.format()
	if f.decode == nil {
		return fmt.Errorf("%s cannot be dequantised", t.Describe())
	}
	if len(src)%f.bytes != 0 {
		return fmt.Errorf("%d bytes are no whole number of %d byte blocks of %s", len(src), f.bytes, t)
	}
	switch t {
	case F32:
		return checkF32(src)
	case F64:
		for i := 0; i < len(src); i += 8 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(src[i:]))
			if s := checkValue(float32(v)); s != "" {
				return &ValueError{i / 8, float32(v), s}
			}
		}
		return nil
	case BF16:
		if !anyHalf(src, 0x7f80) {
			return nil
		}
		for i := 0; i < len(src); i += 2 {
			if src[i+1]&0x7f == 0x7f && src[i]&0x80 != 0 {
				v := BF16ToF32(binary.LittleEndian.Uint16(src[i:]))
				return &ValueError{i / 2, v, checkValue(v)}
			}
		}
		return nil
	case IQ1_M:
		// The exponent of the scale is spread over the top nibbles of two words.
		for i := 0; i < len(src); i += f.bytes {
			if src[i+55]&0x70 == 0x70 && src[i+53]&0xc0 == 0xc0 {
				h := uint16(src[i+49]>>4) | uint16(src[i+51]>>4)<<4 | uint16(src[i+53]>>4)<<8 | uint16(src[i+55]>>4)<<12
				return scaleError(t, i/f.bytes, h)
			}
		}
		return nil
	}
	if t == F16 && !anyHalf(src, 0x7c00) {
		return nil
	}
	for i := 0; i < len(src); i += f.bytes {
		for _, s := range f.scales {
			if src[i+s+1]&0x7c == 0x7c {
				return scaleError(t, i/f.bytes, binary.LittleEndian.Uint16(src[i+s:]))
			}
		}
	}
	return nil
}

func scaleError(t Type, block int, h uint16) error {
	v := F16ToF32(h)
	s := checkValue(v)
	if t != F16 {
		s = "is the scale of its block and " + s
	}
	return &ValueError{block * t.BlockSize(), v, s}
}

func checkF32(src []byte) error {
	const exponents = 0x7f800000_7f800000
	const ones = 0x00800000_00800000
	const carry = 0x80000000_80000000
	// Adding 1 to an exponent of all ones carries into the sign.
	full := func(b []byte) uint64 { return binary.LittleEndian.Uint64(b)&exponents + ones }
	i := 0
	for ; i+32 <= len(src); i += 32 {
		b := src[i:][:32]
		if (full(b)|full(b[8:])|full(b[16:])|full(b[24:]))&carry != 0 {
			break
		}
	}
	for ; i < len(src); i += 4 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(src[i:]))
		if s := checkValue(v); s != "" {
			return &ValueError{i / 4, v, s}
		}
	}
	return nil
}

// anyHalf reports whether any 16-bit value has all bits of an exponent set.
// Four are looked at together: adding the exponent's lowest bit to one that is
// all ones carries into the place of the sign.
func anyHalf(src []byte, exponent uint64) bool {
	const each = 0x0001_0001_0001_0001
	mask, one := exponent*each, exponent&-exponent*each
	var carries uint64
	for ; len(src) >= 16; src = src[16:] {
		carries |= binary.LittleEndian.Uint64(src)&mask + one
		carries |= binary.LittleEndian.Uint64(src[8:])&mask + one
	}
	for ; len(src) >= 2; src = src[2:] {
		carries |= uint64(binary.LittleEndian.Uint16(src))&mask + one&0xffff
	}
	return carries&(0x8000*each) != 0
}
