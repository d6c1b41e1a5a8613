package ggml

import (
	"encoding/binary"
	"math/bits"
)

// The IQ1, IQ2 and IQ3 formats: numbers of grid points, with signs apart.

// signs7 turns a number of 7 bits into 8 sign bits: the eighth makes the
// count of minus signs even.
func signs7(n uint32) byte {
	n &= 127
	return byte(n) | byte(bits.OnesCount32(n)&1)<<7
}

// signed writes d times each value of the point, negated where signs has
// a 1; bit i belongs to element i.
func signed(dst, point []float32, d float32, signs byte) {
	for i, v := range point {
		v *= d
		if signs>>i&1 != 0 {
			v = -v
		}
		dst[i] = v
	}
}

// IQ2_XXS: per 32 elements four bytes that number points, then four times 7
// bits of signs and 4 bits of scale.
func decodeIQ2_XXS(dst []float32, src []byte) {
	grid := gridIQ2_XXS()
	for ; len(dst) > 0; dst, src = dst[256:], src[66:] {
		d := f16at(src)
		for g := range 8 {
			q := src[2+8*g:][:8]
			word := binary.LittleEndian.Uint32(q[4:])
			dl := d * (0.5 + float32(word>>28)) * 0.25
			for k := range 4 {
				signed(dst[32*g+8*k:][:8], grid[q[k]][:], dl, signs7(word>>(7*k)))
			}
		}
	}
}

// IQ2_XS: per 8 elements 9 bits of point and 7 bits of signs; a scale nibble
// for each 16.
func decodeIQ2_XS(dst []float32, src []byte) {
	grid := gridIQ2_XS()
	for ; len(dst) > 0; dst, src = dst[256:], src[74:] {
		d := f16at(src)
		for k := range 32 {
			q := binary.LittleEndian.Uint16(src[2+2*k:])
			sc := src[66+k/4] >> (k / 2 % 2 * 4) & 15
			dl := d * (0.5 + float32(sc)) * 0.25
			signed(dst[8*k:][:8], grid[q&511][:], dl, signs7(uint32(q>>9)))
		}
	}
}

// IQ2_S: per 8 elements a byte and two high bits of point, a byte of signs;
// a scale nibble for each 16.
func decodeIQ2_S(dst []float32, src []byte) {
	grid := gridIQ2_S()
	for ; len(dst) > 0; dst, src = dst[256:], src[82:] {
		d := f16at(src)
		for k := range 32 {
			point := int(src[2+k]) | int(src[66+k/4]>>(k%4*2)&3)<<8
			sc := src[74+k/4] >> (k / 2 % 2 * 4) & 15
			dl := d * (0.5 + float32(sc)) * 0.25
			signed(dst[8*k:][:8], grid[point][:], dl, src[34+k])
		}
	}
}

// IQ3_XXS: a byte of point per 4 elements; behind them per 32 elements four
// times 7 bits of signs and 4 bits of scale.
func decodeIQ3_XXS(dst []float32, src []byte) {
	grid := gridIQ3_XXS()
	for ; len(dst) > 0; dst, src = dst[256:], src[98:] {
		d := f16at(src)
		for g := range 8 {
			word := binary.LittleEndian.Uint32(src[66+4*g:])
			dl := d * (0.5 + float32(word>>28)) * 0.5
			for k := range 8 {
				signs := signs7(word>>(k/2*7)) >> (k % 2 * 4)
				signed(dst[32*g+4*k:][:4], grid[src[2+8*g+k]][:], dl, signs)
			}
		}
	}
}

// IQ3_S: a byte and one high bit of point per 4 elements, a byte of signs per
// 8, a scale nibble per 32.
func decodeIQ3_S(dst []float32, src []byte) {
	grid := gridIQ3_S()
	for ; len(dst) > 0; dst, src = dst[256:], src[110:] {
		d := f16at(src)
		for k := range 64 {
			point := int(src[2+k]) | int(src[66+k/8]>>(k%8)&1)<<8
			sc := src[106+k/16] >> (k / 8 % 2 * 4) & 15
			signs := src[74+k/2] >> (k % 2 * 4)
			signed(dst[4*k:][:4], grid[point][:], d*float32(1+2*int(sc)), signs)
		}
	}
}

// iq1Delta moves the points of the IQ1 formats off zero.
const iq1Delta = 0.125

func shifted(dst []float32, point *[8]float32, d, delta float32) {
	for i, v := range point {
		dst[i] = d * (v + delta)
	}
}

// IQ1_S: a byte of point per 8 elements; per 32 elements four times 3 high
// bits, 3 bits of scale and the sign of the delta.
func decodeIQ1_S(dst []float32, src []byte) {
	grid := gridIQ1()
	for ; len(dst) > 0; dst, src = dst[256:], src[50:] {
		d := f16at(src)
		for k := range 32 {
			h := binary.LittleEndian.Uint16(src[34+k/4*2:])
			dl := d * float32(2*(h>>12&7)+1)
			delta := float32(iq1Delta)
			if h&0x8000 != 0 {
				delta = -delta
			}
			point := int(src[2+k]) | int(h>>(k%4*3)&7)<<8
			shifted(dst[8*k:][:8], &grid[point], dl, delta)
		}
	}
}

// IQ1_M: a byte of point per 8 elements with a nibble of 3 high bits and the
// sign of the delta; 3 bits of scale per 16 elements. The top nibbles of the
// four words of scales make the block's half float.
func decodeIQ1_M(dst []float32, src []byte) {
	grid := gridIQ1()
	for ; len(dst) > 0; dst, src = dst[256:], src[56:] {
		var scales [4]uint16
		var half uint16
		for i := range scales {
			scales[i] = binary.LittleEndian.Uint16(src[48+2*i:])
			half |= scales[i] >> 12 << (4 * i)
		}
		d := F16ToF32(half)
		for k := range 32 {
			h := src[32+k/2] >> (k % 2 * 4)
			sc := scales[k/8] >> (k / 2 % 4 * 3) & 7
			delta := float32(iq1Delta)
			if h&8 != 0 {
				delta = -delta
			}
			point := int(src[k]) | int(h&7)<<8
			shifted(dst[8*k:][:8], &grid[point], d*float32(2*sc+1), delta)
		}
	}
}
