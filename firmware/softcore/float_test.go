package softcore

import (
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/ggml"
)

var f = math.Float32frombits
var bits = math.Float32bits

// edges are singles at which something changes.
var edges = []uint32{
	0, 0x80000000, 1, 2, 3, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00400000, 0x00800000, 0x00800001, 0x80800000,
	0x00FFFFFF, 0x01000000, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x3F800001, 0x40000000, 0x3F000000, 0x3EFFFFFF,
	0x7F7FFFFF, 0xFF7FFFFF, 0x7F000000, 0x7E800000, 0x4B000000, 0x4B800000, 0x4B7FFFFF, 0x33800000, 0x34000000,
	0x33000000, 0x41800000, 0x41400000, 0xC1400000, 0xC1800000, 0x40C00000, 0xC0C00000, 0x477FE000, 0x477FF000, 0x38800000,
	0x387FFFFF, 0x33000001, 0x5F000000, 0x1F800000, 0x20000000, 0x1FFFFFFF,
}

// pairs are random pairs of singles with all kinds of distances between their
// exponents, behind all pairs of edges.
func pairs(n int) [][2]uint32 {
	var p [][2]uint32
	for _, a := range edges {
		for _, b := range edges {
			p = append(p, [2]uint32{a, b})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	finite := func() uint32 {
		for {
			if v := rng.Uint32(); v>>23&255 != 255 {
				return v
			}
		}
	}
	for len(p) < n {
		a := finite()
		b := finite()
		switch rng.IntN(4) {
		case 0:
		case 1: // exponents near each other
			e := int(a>>23&255) + rng.IntN(60) - 30
			b = b&0x807FFFFF | uint32(min(max(e, 0), 254))<<23
		case 2: // few bits
			a &= 0xFFFF0000 << rng.IntN(6)
			b = b&0x807FFFFF | a&0x7F800000
			b &= 0xFFFFFFFF << rng.IntN(23)
		case 3: // products near 1, and near the ends
			e := 254 - int(a>>23&255) + rng.IntN(5) - 2
			if rng.IntN(3) == 0 {
				e -= 127 + rng.IntN(30) - 5
			}
			b = b&0x807FFFFF | uint32(min(max(e, 0), 254))<<23
		}
		p = append(p, [2]uint32{a, b})
	}
	return p
}

// test runs a routine on cases and compares with Go; results that are not
// finite must have been noticed.
func (r *rig) test(routine string, cases [][2]uint32, want func(a, b uint32) uint32) {
	r.t.Helper()
	got, bad := r.batch(routine, cases)
	fails := 0
	for i, c := range cases {
		w := want(c[0], c[1])
		if w>>23&255 == 255 && routine != "t_half" && routine != "t_tohalf" {
			if bad[i] {
				continue
			}
			r.t.Errorf("%s(%08x, %08x) = %08x unnoticed, want %08x", routine, c[0], c[1], got[i], w)
		} else if got[i] != w || bad[i] != (routine == "t_tohalf" && w&0x7C00 == 0x7C00) {
			r.t.Errorf("%s(%08x, %08x) = %08x (err %v), want %08x", routine, c[0], c[1], got[i], bad[i], w)
		} else {
			continue
		}
		if fails++; fails == 12 {
			r.t.FailNow()
		}
	}
}

func TestFloat(t *testing.T) {
	r := newRig(t, machine.Options{})
	cases := pairs(20000)
	one := cases[:0:0]
	for _, c := range cases {
		one = append(one, [2]uint32{c[0]})
	}
	t.Run("add", func(t *testing.T) {
		r.t = t
		r.test("t_add", cases, func(a, b uint32) uint32 { return bits(f(a) + f(b)) })
	})
	t.Run("mul", func(t *testing.T) {
		r.t = t
		r.test("t_mul", cases, func(a, b uint32) uint32 { return bits(f(a) * f(b)) })
	})
	positive := one[:0:0]
	for _, c := range one[:8000] {
		positive = append(positive, [2]uint32{c[0] &^ (1 << 31)})
	}
	positive = append(positive, [2]uint32{0x00400000}, [2]uint32{0x00200000}, [2]uint32{0x003FFFFF}, [2]uint32{0x00200001}, [2]uint32{0x7E800001}, [2]uint32{0x7F000001})
	t.Run("recip", func(t *testing.T) {
		r.t = t
		r.test("t_recip", positive, func(a, _ uint32) uint32 { return bits(float32(1 / float64(f(a)))) })
	})
	t.Run("sqrt", func(t *testing.T) {
		r.t = t
		r.test("t_sqrt", positive, func(a, _ uint32) uint32 { return bits(float32(math.Sqrt(float64(f(a))))) })
	})
	t.Run("int", func(t *testing.T) {
		r.t = t
		c := append(one[:3000:3000], [2]uint32{0x80000000}, [2]uint32{0x7FFFFFFF}, [2]uint32{0xFFFFFFFF})
		r.test("t_int", c, func(a, _ uint32) uint32 { return bits(float32(int32(a))) })
	})
	t.Run("compare", func(t *testing.T) {
		r.t = t
		r.test("t_compare", cases[:4000], func(a, b uint32) uint32 {
			switch {
			case f(a) > f(b):
				return 1
			case f(a) < f(b):
				return 255
			}
			return 0
		})
	})
	t.Run("half", func(t *testing.T) {
		r.t = t
		var c [][2]uint32
		for h := range uint32(0x10000) {
			if h%7 == 0 || h&0x7C00 == 0 || h&0x7C00 == 0x7C00 {
				c = append(c, [2]uint32{h})
			}
		}
		r.test("t_half", c, func(a, _ uint32) uint32 { return bits(ggml.F16ToF32(uint16(a))) })
	})
	t.Run("tohalf", func(t *testing.T) {
		r.t = t
		c := append(one[:10000:10000], [2]uint32{0x7F800000}, [2]uint32{0xFF800000}, [2]uint32{0x7FC00000}, [2]uint32{0xFFD12345}, [2]uint32{0x7F812345})
		rng := rand.New(rand.NewPCG(3, 4))
		for range 10000 { // around what halves can hold
			c = append(c, [2]uint32{rng.Uint32()&0x807FFFFF | uint32(100+rng.IntN(45))<<23})
		}
		for i := range uint32(200) {
			c = append(c, [2]uint32{0x477FE000 + i<<9}, [2]uint32{0x33000000 - 3 + i}, [2]uint32{0x38800000 - 0x8000 + i<<9})
		}
		r.test("t_tohalf", c, func(a, _ uint32) uint32 { return uint32(ggml.F32ToF16(f(a))) })
	})
}
