package ggml

import (
	"math/rand/v2"
	"testing"
)

const benchElements = 25 << 20 // 100 MB of float32

func benchInput() []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	v := make([]float32, benchElements)
	for i := range v {
		v[i] = float32(r.NormFloat64()) * 0.02
	}
	return v
}

func benchQuantize(b *testing.B, t Type) {
	in := benchInput()
	n, _ := RowBytes(t, len(in))
	out := make([]byte, n)
	b.SetBytes(4 * benchElements)
	for b.Loop() {
		if err := Quantize(t, out, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkF32ToQ8_0(b *testing.B) { benchQuantize(b, Q8_0) }
func BenchmarkF32ToQ4_0(b *testing.B) { benchQuantize(b, Q4_0) }
func BenchmarkF32ToF16(b *testing.B)  { benchQuantize(b, F16) }
func BenchmarkF32ToBF16(b *testing.B) { benchQuantize(b, BF16) }

// BenchmarkQ4_KToQ8_0 counts the bytes of the float32 between the two.
func BenchmarkQ4_KToQ8_0(b *testing.B) {
	n, _ := RowBytes(Q4_K, benchElements)
	in := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range in {
		in[i] = byte(r.Uint32())
		if i%144 < 4 && i%2 == 1 {
			in[i] = 0x20 // scales stay finite
		}
	}
	const chunk = 1 << 14
	row := make([]float32, chunk)
	inBytes, _ := RowBytes(Q4_K, chunk)
	outBytes, _ := RowBytes(Q8_0, chunk)
	out := make([]byte, benchElements/chunk*outBytes)
	b.SetBytes(4 * benchElements)
	for b.Loop() {
		for i := range benchElements / chunk {
			if err := Dequantize(Q4_K, row, in[i*inBytes:][:inBytes]); err != nil {
				b.Fatal(err)
			}
			if err := Quantize(Q8_0, out[i*outBytes:][:outBytes], row); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkDequantize counts the bytes of the float32 that come out.
func BenchmarkDequantize(b *testing.B) {
	for t := range Type(len(formats)) {
		if !t.Known() {
			continue
		}
		b.Run(t.String(), func(b *testing.B) {
			const elements = 1 << 16
			n, _ := RowBytes(t, elements)
			in, out := make([]byte, n), make([]float32, elements)
			b.SetBytes(4 * elements)
			for b.Loop() {
				if err := Dequantize(t, out, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck is what copying blocks unchanged costs besides the copy.
func BenchmarkCheck(b *testing.B) {
	for _, t := range []Type{F32, F16, BF16, Q8_0, Q4_0, Q4_K} {
		b.Run(t.String(), func(b *testing.B) {
			in := make([]byte, 1<<20/t.BlockBytes()*t.BlockBytes())
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if err := Check(t, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("values", func(b *testing.B) {
		v := make([]float32, 1<<18)
		b.SetBytes(1 << 20)
		for b.Loop() {
			if err := CheckFinite(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
