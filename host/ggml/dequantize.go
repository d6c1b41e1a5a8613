package ggml

import (
	"encoding/binary"
	"fmt"
	"math"
)

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

func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

func decodeF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = f16at(src[2*i:])
	}
}

func decodeBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = BF16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func decodeQ4_0(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[18:] {
		d := f16at(src)
		lo, hi := dst[:16], dst[16:32]
		for i, q := range src[2:18] {
			lo[i] = float32(int(q&15)-8) * d
			hi[i] = float32(int(q>>4)-8) * d
		}
	}
}

func decodeQ8_0(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[34:] {
		d := f16at(src)
		y := dst[:32]
		for i, q := range src[2:34] {
			y[i] = float32(int8(q)) * d
		}
	}
}

// f16at reads the half float at the start of b.
func f16at(b []byte) float32 { return F16ToF32(binary.LittleEndian.Uint16(b)) }
