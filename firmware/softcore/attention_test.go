package softcore

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// encode makes the hexadecimal form of an instruction.
func encode(in image.Instruction) string {
	b := in.Encode()
	return hex.EncodeToString(b[:])
}

// singles is n random values of a scale, some of them odd.
func singles(rng *rand.Rand, n int, scale float64, odd bool) []byte {
	var b []byte
	for range n {
		v := float32(rng.NormFloat64() * scale)
		if odd {
			switch rng.IntN(40) {
			case 0:
				v = 0
			case 1:
				v = float32(math.Copysign(0, -1))
			case 2:
				v *= 1e-7
			case 3:
				v *= 300
			case 4:
				v = float32(int(v*4)) / 4
			}
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// halves is the same as F16, subnormal ones among them.
func halves(rng *rand.Rand, n int, scale float64) []byte {
	var b []byte
	for range n {
		h := ggml.F32ToF16(float32(rng.NormFloat64() * scale))
		switch rng.IntN(30) {
		case 0:
			h = uint16(rng.IntN(0x400)) | h&0x8000
		case 1:
			h &= 0x8000
		}
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b
}

func TestAttention(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	r := newRig(t, machine.Options{})
	type shape struct {
		heads, kv, hd, steps int
		half                 bool
		scale                float64
	}
	shapes := []shape{
		{2, 1, 8, 5, true, 1}, {8, 4, 8, 40, true, 1}, {4, 4, 16, 17, true, 0.3}, {3, 3, 8, 1, true, 1}, {4, 2, 64, 9, true, 1},
		{2, 2, 6, 7, true, 1}, {2, 1, 8, 6, false, 1}, {1, 1, 8, 33, true, 40}, {1, 1, 8, 20, true, 1e-5}, {1, 1, 8, 4, true, 1e-30}, {2, 2, 256, 2, true, 0.1},
		{255, 255, 8, 9, true, 1}, {256, 256, 8, 2, true, 1}, // rows just below 4 KB, and of 4 KB
	}
	if full() {
		for range 60 {
			s := shape{heads: 1 + rng.IntN(6), hd: 8 * (1 + rng.IntN(5)), steps: 1 + rng.IntN(60), half: true, scale: math.Pow(10, rng.Float64()*6-4)}
			s.kv = 1
			if s.heads%2 == 0 {
				s.kv = s.heads / 2
			}
			shapes = append(shapes, s)
		}
		shapes = append(shapes, shape{1, 1, 8, 1024, true, 1})
	}
	for i, s := range shapes {
		t.Run(fmt.Sprint(i, s), func(t *testing.T) {
			r.t = t
			// Rows on both sides of a megabyte's end and of a 64 KB bank's, and
			// working space as other instructions leave it.
			const block, k, v, q, out = 0x8010000, 0x80FFF00, 0x81FFE80, 0x8020000, 0x8030000
			dirt := make([]byte, 0x1000)
			for i := range dirt {
				dirt[i] = byte(rng.Uint32())
			}
			r.m.Poke(r.at("BUF_X"), dirt)
			r.m.Poke(r.at("SCORES"), dirt)
			r.m.Poke(r.at("KV_BUF"), dirt[:0x800])
			format := uint32(0)
			if s.half {
				format = 1
			}
			var b []byte
			for _, x := range []uint32{k, v, uint32(s.heads), uint32(s.kv), uint32(s.hd), format, 0, 0} {
				b = binary.LittleEndian.AppendUint32(b, x)
			}
			n := s.steps * s.kv * s.hd
			kc, vc := singles(rng, n, 1, true), singles(rng, n, 1, true)
			if s.half {
				kc, vc = halves(rng, n, 1), halves(rng, n, 1)
			}
			c := step{Name: fmt.Sprint(s), Ins: encode(image.Instruction{Op: image.ATTN, A: 3, X: block, Y: q, Z: out}),
				Mem: []memBytes{{block, b}, {k, kc}, {v, vc}, {q, singles(rng, s.heads*s.hd, s.scale, true)}}}
			c.R[3] = uint32(s.steps - 1)
			r.both(&c, out, 4*s.heads*s.hd)
		})
	}
}

// TestAttentionNotFinite puts an infinity or a NaN into one value of a cache.
func TestAttentionNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	r := newRig(t, machine.Options{})
	for i := range 40 {
		const block, k, v, q, out = 0x8010000, 0x8100000, 0x8200000, 0x8020000, 0x8030000
		heads, hd, steps := 2, 8*(1+rng.IntN(2)), 1+rng.IntN(20)
		var b []byte
		for _, x := range []uint32{k, v, uint32(heads), uint32(heads), uint32(hd), 1, 0, 0} {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		n := steps * heads * hd
		kc, vc := halves(rng, n, 1), halves(rng, n, 1)
		odd := []uint16{0x7C00, 0xFC00, 0x7E00, 0x7C01}[rng.IntN(4)]
		cache, at := kc, rng.IntN(n)
		if i%4 == 3 {
			cache, at = vc, n-1-rng.IntN(hd) // the last step, whose weight is not 0
		}
		binary.LittleEndian.PutUint16(cache[2*at:], odd)
		qs := singles(rng, heads*hd, 0.5, true)
		if i%8 == 0 {
			clear(qs[4*(at/hd%heads*hd+at%hd):][:4]) // 0 times infinity is no number either
		}
		c := step{Name: fmt.Sprintf("%d: %04x at %d", i, odd, at), Ins: encode(image.Instruction{Op: image.ATTN, A: 3, X: block, Y: q, Z: out}),
			Mem: []memBytes{{block, b}, {k, kc}, {v, vc}, {q, qs}}}
		c.R[3] = uint32(steps - 1)
		r.both(&c, out, 4*heads*hd)
	}
}
