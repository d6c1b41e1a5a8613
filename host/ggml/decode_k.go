package ggml

import "encoding/binary"

// The K formats: 256 elements in a block, in groups with scales of their own,
// which are themselves integers times the block's half floats. Products that
// are added to are converted to float32, so that no compiler fuses the two.

func decodeQ2_K(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[84:] {
		scales, qs := src[:16], src[16:80]
		d, dmin := f16at(src[80:]), f16at(src[82:])
		for g, sc := range scales { // groups of 16 elements
			dl, ml := d*float32(sc&15), float32(dmin*float32(sc>>4))
			q := qs[g/8*32+g%2*16:][:16]
			shift := g / 2 % 4 * 2
			for i, y := 0, dst[g*16:][:16]; i < 16; i++ {
				y[i] = float32(dl*float32(q[i]>>shift&3)) - ml
			}
		}
	}
}

// Q3_K's scales have 6 bits: 16 low nibbles in 8 bytes, then 16 pairs of high
// bits in 4. The third bits of the elements are inverted: 0 takes 4 away.
func decodeQ3_K(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[110:] {
		high, qs, scales := src[:32], src[32:96], src[96:108]
		d := f16at(src[108:])
		for g := range 16 {
			sc := int(scales[g%8]>>(g/8*4)&15) | int(scales[8+g%4]>>(g/4*2)&3)<<4
			dl := d * float32(sc-32)
			q, h := qs[g/8*32+g%2*16:][:16], high[g%2*16:][:16]
			shift, bit := g/2%4*2, g/2
			for i, y := 0, dst[g*16:][:16]; i < 16; i++ {
				v := int(q[i]>>shift&3) - 4 + int(h[i]>>bit&1)*4
				y[i] = dl * float32(v)
			}
		}
	}
}

// scaleMin unpacks the scale and minimum of group j of Q4_K and Q5_K: 6 bits
// each, those of groups 0-3 in the low bits of bytes 0-7, those of groups 4-7
// as nibbles in bytes 8-11 with the top bits of bytes 0-7 above them.
func scaleMin(s []byte, j int) (scale, least float32) {
	if j < 4 {
		return float32(s[j] & 63), float32(s[j+4] & 63)
	}
	return float32(s[j+4]&15 | s[j-4]>>6<<4), float32(s[j+4]>>4 | s[j]>>6<<4)
}

func decodeQ4_K(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[144:] {
		d, dmin := f16at(src), f16at(src[2:])
		for p := range 4 { // pairs of groups: low nibbles, high nibbles
			s0, m0 := scaleMin(src[4:16], 2*p)
			s1, m1 := scaleMin(src[4:16], 2*p+1)
			s0, m0, s1, m1 = d*s0, float32(dmin*m0), d*s1, float32(dmin*m1)
			lo, hi := dst[64*p:][:32], dst[64*p+32:][:32]
			for i, q := range src[16+32*p:][:32] {
				lo[i] = float32(s0*float32(q&15)) - m0
				hi[i] = float32(s1*float32(q>>4)) - m1
			}
		}
	}
}

func decodeQ5_K(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[176:] {
		d, dmin := f16at(src), f16at(src[2:])
		high := src[16:48]
		for p := range 4 {
			s0, m0 := scaleMin(src[4:16], 2*p)
			s1, m1 := scaleMin(src[4:16], 2*p+1)
			s0, m0, s1, m1 = d*s0, float32(dmin*m0), d*s1, float32(dmin*m1)
			lo, hi := dst[64*p:][:32], dst[64*p+32:][:32]
			for i, q := range src[48+32*p:][:32] {
				h := high[i] >> (2 * p)
				lo[i] = float32(s0*float32(q&15|h&1<<4)) - m0
				hi[i] = float32(s1*float32(q>>4|h>>1&1<<4)) - m1
			}
		}
	}
}

// Q6_K: nibbles, then pairs of high bits, then 16 signed scales.
func decodeQ6_K(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[210:] {
		low, high, scales := src[:128], src[128:192], src[192:208]
		d := f16at(src[208:])
		for g, sc := range scales {
			dl := d * float32(int8(sc))
			half, k := g/8, g%8 // of 128 elements; group in it
			q := low[64*half+k%4*16:][:16]
			h := high[32*half+k%2*16:][:16]
			for i, y := 0, dst[g*16:][:16]; i < 16; i++ {
				v := int(q[i]>>(k/4*4)&15) | int(h[i]>>(k/2*2)&3)<<4
				y[i] = dl * float32(v-32)
			}
		}
	}
}

// TQ1_0: five elements of -1, 0, 1 in a byte, as a fraction in base 3 whose
// digits come out at the top when it is multiplied by powers of 3: 32 bytes
// for 160 elements, 16 bytes for 80, and 4 bytes for four elements each.
func decodeTQ1_0(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[54:] {
		d := f16at(src[52:])
		y := dst
		for _, run := range []struct{ off, n, digits int }{{0, 32, 5}, {32, 16, 5}, {48, 4, 4}} {
			pow := byte(1)
			for range run.digits {
				for i, q := range src[run.off:][:run.n] {
					y[i] = float32(int(uint16(q*pow)*3>>8)-1) * d
				}
				y = y[run.n:]
				pow *= 3
			}
		}
	}
}

// TQ2_0: four elements of -1, 0, 1 in a byte, two bits each.
func decodeTQ2_0(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[66:] {
		d := f16at(src[64:])
		for g := range 8 {
			for i, q := range src[g/4*32:][:32] {
				dst[g*32+i] = float32(int(q>>(g%4*2)&3)-1) * d
			}
		}
	}
}

// The levels of the IQ4 formats.
var levelsIQ4 = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

func decodeIQ4_NL(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[32:], src[18:] {
		decodeIQ4(dst[:32], src[2:18], f16at(src))
	}
}

func decodeIQ4_XS(dst []float32, src []byte) {
	for ; len(dst) > 0; dst, src = dst[256:], src[136:] {
		d := f16at(src)
		high := binary.LittleEndian.Uint16(src[2:])
		for g := range 8 {
			sc := int(src[4+g/2]>>(g%2*4)&15) | int(high>>(2*g)&3)<<4
			decodeIQ4(dst[32*g:][:32], src[8+16*g:][:16], d*float32(sc-32))
		}
	}
}

func decodeIQ4(dst []float32, src []byte, d float32) {
	lo, hi := dst[:16], dst[16:32]
	for i, q := range src[:16] {
		lo[i] = d * levelsIQ4[q&15]
		hi[i] = d * levelsIQ4[q>>4]
	}
}
