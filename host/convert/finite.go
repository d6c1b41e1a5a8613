package convert

import (
	"encoding/binary"

	"ssnail-kit/host/ggml"
)

// finite reports whether weights in a format that the core reads hold neither
// NaN nor infinity. It works on the stored bytes, so that what is only copied
// can be checked at the speed of copying. Adding one to an exponent that is
// all ones carries into the place of the sign.
func finite(t ggml.Type, b []byte) bool {
	switch t {
	case ggml.F32:
		return lanes(b, 0x7f800000_7f800000, 0x00800000_00800000, 0x80000000_80000000)
	case ggml.F16:
		return lanes(b, 0x7c00_7c00_7c00_7c00, 0x0400_0400_0400_0400, 0x8000_8000_8000_8000)
	case ggml.BF16:
		return lanes(b, 0x7f80_7f80_7f80_7f80, 0x0080_0080_0080_0080, 0x8000_8000_8000_8000)
	}
	// The quantised formats begin a block with its scale in F16.
	var bad uint16
	for n := t.BlockBytes(); len(b) >= n; b = b[n:] {
		bad |= binary.LittleEndian.Uint16(b)&0x7c00 + 0x0400
	}
	return bad&0x8000 == 0
}

func lanes(b []byte, mask, one, carry uint64) bool {
	var bad uint64
	for len(b) >= 32 {
		bad |= binary.LittleEndian.Uint64(b)&mask + one
		bad |= binary.LittleEndian.Uint64(b[8:])&mask + one
		bad |= binary.LittleEndian.Uint64(b[16:])&mask + one
		bad |= binary.LittleEndian.Uint64(b[24:])&mask + one
		b = b[32:]
	}
	for len(b) >= 8 {
		bad |= binary.LittleEndian.Uint64(b)&mask + one
		b = b[8:]
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		bad |= binary.LittleEndian.Uint64(last[:])&mask + one
	}
	return bad&carry == 0
}
