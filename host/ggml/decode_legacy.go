package ggml

import (
	"encoding/binary"
	"math"
)

// The formats with blocks of 32 and plain scales. In each, the low nibbles of
// 16 bytes are elements 0-15 and the high ones 16-31.

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

func decodeQ4_1(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[20:] {
		d, m := f16at(src), f16at(src[2:])
		lo, hi := dst[:16], dst[16:32]
		for i, q := range src[4:20] {
			lo[i] = float32(float32(q&15)*d) + m
			hi[i] = float32(float32(q>>4)*d) + m
		}
	}
}

// Q5 formats keep the fifth bits of all elements in one 32-bit word.
func decodeQ5_0(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[22:] {
		d := f16at(src)
		high := binary.LittleEndian.Uint32(src[2:])
		lo, hi := dst[:16], dst[16:32]
		for i, q := range src[6:22] {
			lo[i] = float32(int(q&15)|int(high>>i&1)<<4-16) * d
			hi[i] = float32(int(q>>4)|int(high>>(i+16)&1)<<4-16) * d
		}
	}
}

func decodeQ5_1(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[24:] {
		d, m := f16at(src), f16at(src[2:])
		high := binary.LittleEndian.Uint32(src[4:])
		lo, hi := dst[:16], dst[16:32]
		for i, q := range src[8:24] {
			lo[i] = float32(float32(int(q&15)|int(high>>i&1)<<4)*d) + m
			hi[i] = float32(float32(int(q>>4)|int(high>>(i+16)&1)<<4)*d) + m
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
