package core

import (
	"encoding/binary"
	"math"
	"unsafe"

	"ssnail-kit/host/image"
)

// Weight formats, as ggml numbers them.
const (
	fmtF32  = 0
	fmtF16  = 1
	fmtQ4   = 2
	fmtQ8   = 8
	fmtBF16 = 30
)

// A format is how many bytes hold how many elements.
type format struct{ elems, bytes uint32 }

func formatOf(f byte) (format, bool) {
	switch f {
	case fmtF32:
		return format{1, 4}, true
	case fmtF16, fmtBF16:
		return format{1, 2}, true
	case fmtQ4:
		return format{32, 18}, true
	case fmtQ8:
		return format{32, 34}, true
	}
	return format{}, false
}

// view32 looks at memory as little-endian singles. Unaligned memory cannot be
// looked at: ok is false.
func view32(b []byte) (v []float32, ok bool) {
	if len(b) == 0 {
		return nil, true
	}
	p := unsafe.Pointer(&b[0])
	if uintptr(p)%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(p), len(b)/4), true
}

func load32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func store32(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
	}
}

func store16(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], toHalf(v))
	}
}

// fromHalf converts an IEEE half, exactly. Its exponent and mantissa, read as
// a single's, are 2^-112 times its value, subnormals too.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	f := math.Float32frombits(uint32(h&0x7FFF)<<13) * 0x1p112
	if h&0x7C00 == 0x7C00 { // infinity, or a NaN, made quiet
		f = math.Float32frombits(0x7F800000 | uint32(h&0x3FF)<<13)
		if h&0x3FF != 0 {
			sign |= 0x400000
		}
	}
	return math.Float32frombits(math.Float32bits(f) | sign)
}

// toHalf rounds to the nearest IEEE half, ties to even; a NaN stays one.
func toHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7FFFFFFF
	switch {
	case b > 0x7F800000:
		return sign | 0x7E00 | uint16(b>>13&0x3FF)
	case b >= 0x477FF000: // 65520 and up
		return sign | 0x7C00
	case b < 0x38800000: // below 2^-14: a multiple of 2^-24
		// Adding 0.5 leaves that multiple, rounded to even, in the low bits.
		r := math.Float32bits(math.Float32frombits(b) + 0.5)
		return sign | uint16(r-0x3F000000)
	}
	b += 0xFFF + b>>13&1
	return sign | uint16((b-0x38000000)>>13)
}

func fromBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

func u16(b []byte, i int) uint16 { return uint16(b[2*i]) | uint16(b[2*i+1])<<8 }

// dequantize expands len(dst) elements of format f, whole blocks; every
// product is rounded to single (and is exact for Q8_0 and Q4_0).
func dequantize(f byte, dst []float32, src []byte) {
	switch f {
	case fmtF32:
		load32(dst, src)
	case fmtF16:
		for i := range dst {
			dst[i] = fromHalf(u16(src, i))
		}
	case fmtBF16:
		for i := range dst {
			dst[i] = fromBF16(u16(src, i))
		}
	case fmtQ8:
		for len(dst) >= 32 {
			d := fromHalf(u16(src, 0))
			for i := range 32 {
				dst[i] = d * float32(int8(src[2+i]))
			}
			dst, src = dst[32:], src[34:]
		}
	case fmtQ4:
		for len(dst) >= 32 {
			d := fromHalf(u16(src, 0))
			for i := range 16 {
				b := src[2+i]
				dst[i] = d * float32(int(b&15)-8)
				dst[16+i] = d * float32(int(b>>4)-8)
			}
			dst, src = dst[32:], src[18:]
		}
	}
}

// decode is image.Decode without leaving the package's hot path.
func decode(b []byte) image.Instruction {
	return image.Instruction{
		Op: image.Op(b[0]), A: b[1], B: b[2],
		X: binary.LittleEndian.Uint32(b[4:]),
		Y: binary.LittleEndian.Uint32(b[8:]),
		Z: binary.LittleEndian.Uint32(b[12:]),
	}
}
