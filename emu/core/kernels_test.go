package core

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// special are values that kernels are apt to treat differently.
var special = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 12, -12, 6, -6, -16, 127, 1e-40, -1e-45, 3e38, -3e38, 0.49999997, 11.999999, -11.999999}

// values makes n singles of mixed magnitude, some of them special.
func values(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	scale := math.Exp(r.NormFloat64() * 3)
	for i := range v {
		v[i] = float32(r.NormFloat64() * scale)
		if r.IntN(40) == 0 {
			v[i] = special[r.IntN(len(special))]
		}
	}
	return v
}

// weights makes rows of random bytes of a format whose scales and values are
// finite.
func weights(r *rand.Rand, f byte, rows, n int) []byte {
	form, _ := formatOf(f)
	b := make([]byte, rows*n/int(form.elems)*int(form.bytes))
	switch f {
	case fmtF32:
		store32(b, values(r, rows*n))
	case fmtF16:
		for i := range rows * n {
			h := toHalf(float32(r.NormFloat64()))
			b[2*i], b[2*i+1] = byte(h), byte(h>>8)
		}
	case fmtBF16:
		for i := range rows * n {
			h := math.Float32bits(float32(r.NormFloat64()))
			b[2*i], b[2*i+1] = byte(h>>16), byte(h>>24)
		}
	default:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for i := 0; i < len(b); i += int(form.bytes) {
			h := toHalf(float32(r.NormFloat64()) * 0.01)
			b[i], b[i+1] = byte(h), byte(h>>8)
		}
	}
	return b
}

func same(a, b []float32) error {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && !(a[i] != a[i] && b[i] != b[i]) {
			return fmt.Errorf("value %d of %d is %v (%08x), plain Go has %v (%08x)", i, len(a), a[i], math.Float32bits(a[i]), b[i], math.Float32bits(b[i]))
		}
	}
	return nil
}

// otherKernels calls f with each kernel set besides plain Go.
func otherKernels(t *testing.T, f func(t *testing.T, k, plain kernels)) {
	all := allKernels()
	if len(all) == 1 {
		t.Skip("skipped: this CPU has plain Go kernels only")
	}
	for _, k := range all[1:] {
		t.Run(k.name, func(t *testing.T) { f(t, k, all[0]) })
	}
}

// TestKernelsVectors compares the element by element kernels with plain Go.
func TestKernelsVectors(t *testing.T) {
	otherKernels(t, func(t *testing.T, k, plain kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		for n := range 100 {
			x, y := values(r, n), values(r, n)
			if n > 2 && n%7 == 0 {
				x[n/2] = float32(math.Inf(1 - n%2*2))
				x[1] = float32(math.NaN())
			}
			got, want := make([]float32, n), make([]float32, n)
			check := func(name string, run func(k kernels, dst []float32)) {
				t.Helper()
				run(k, got)
				run(plain, want)
				if err := same(got, want); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			check("add", func(k kernels, d []float32) { k.add(d, x, y) })
			check("mul", func(k kernels, d []float32) { k.mul(d, x, y) })
			check("scaleMul", func(k kernels, d []float32) { k.scaleMul(d, x, 0.37, y) })
			check("siluMul", func(k kernels, d []float32) { k.siluMul(d, x, y) })
			check("siluMulFloat", func(k kernels, d []float32) { k.siluMulFloat(d, x, y) })
			check("gelu", func(k kernels, d []float32) { k.gelu(d, x) })
			check("geluFloat", func(k kernels, d []float32) { k.geluFloat(d, x) })
			check("dot64", func(k kernels, d []float32) {
				if n > 0 {
					s := k.dot64(y, y)
					d[0] = float32(s)
					if n > 1 {
						d[1] = float32(s - float64(d[0]))
					}
				}
			})
			if n > 0 {
				b1, bad1 := k.argmax(x)
				b2, bad2 := plain.argmax(x)
				if b1 != b2 || bad1 != bad2 {
					t.Fatalf("argmax of %d: %d %d, plain Go has %d %d", n, b1, bad1, b2, bad2)
				}
			}
			for _, hd := range []int{2, 6, 8, 24, 64} {
				check("rope", func(k kernels, d []float32) {
					v := make([]float32, 3*hd)
					copy(v, y)
					cs := make([]float32, hd)
					copy(cs, x)
					k.rope(v, cs)
					copy(d, v)
				})
			}
		}
	})
}

// TestKernelsFirstMaximum: ties go to the lowest index wherever they lie.
func TestKernelsFirstMaximum(t *testing.T) {
	for _, k := range allKernels() {
		for n := 1; n < 70; n++ {
			for i := range n {
				for _, j := range []int{i, n - 1, min(i+16, n-1)} {
					x := make([]float32, n)
					for m := range x {
						x[m] = -3
					}
					x[i], x[j] = 0, float32(math.Copysign(0, -1))
					if best, _ := k.argmax(x); best != i {
						t.Fatalf("%s: maximum of %d values at %d and %d found at %d", k.name, n, i, j, best)
					}
				}
			}
		}
	}
}

// TestKernelsQuantize compares the quantising of vectors, not finite ones
// among them.
func TestKernelsQuantize(t *testing.T) {
	otherKernels(t, func(t *testing.T, k, plain kernels) {
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 3000 {
			x := values(r, 32*(1+i%4))
			switch i % 9 {
			case 1:
				clear(x[:32])
			case 2:
				x[5] = float32(math.Inf(1))
			case 3:
				x[7] = float32(math.NaN())
			case 4: // halves
				for j := range x {
					x[j] = (float32(r.IntN(253)) - 126) / 2
				}
				x[0] = 127
			case 5: // a scale whose inverse is infinite
				for j := range x {
					x[j] *= 1e-42
				}
			}
			var a, b quantized
			a.resize(len(x))
			b.resize(len(x))
			k.quantize(&a, x)
			plain.quantize(&b, x)
			if fmt.Sprint(a.q, a.sum) != fmt.Sprint(b.q, b.sum) {
				t.Fatalf("%v:\n%v %v, plain Go has\n%v %v", x, a.q, a.sum, b.q, b.sum)
			}
			if err := same(a.d, b.d); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestKernelsProducts compares the matrix products.
func TestKernelsProducts(t *testing.T) {
	otherKernels(t, func(t *testing.T, k, plain kernels) {
		r := rand.New(rand.NewPCG(5, 6))
		var buf wideBuf
		for _, f := range []byte{fmtQ8, fmtQ4, fmtF32, fmtF16, fmtBF16} {
			for i := range 60 {
				rows, n := 1+r.IntN(70), 32*(1+r.IntN(10))
				if form, _ := formatOf(f); form.elems == 1 {
					n -= r.IntN(31)
				}
				w, x := weights(r, f, rows, n), values(r, n)
				if i%3 == 0 { // sums that cancel, which only the exact sum gets right
					for j := 1; j < n; j += 2 {
						x[j] = -x[j-1]
					}
					if form, _ := formatOf(f); form.elems == 1 {
						size := int(form.bytes)
						for j := size; j+size <= len(w); j += 2 * size {
							if i%2 == 0 && j/size%n == n/2 {
								continue
							}
							copy(w[j:j+size], w[j-size:j])
						}
					}
				}
				got, want := make([]float32, rows), make([]float32, rows)
				run := func(name string, do func(k kernels, y []float32)) {
					t.Helper()
					do(k, got)
					do(plain, want)
					if err := same(got, want); err != nil {
						t.Fatalf("%s, format %d, %d x %d: %v", name, f, rows, n, err)
					}
				}
				switch f {
				case fmtQ8, fmtQ4:
					var q quantized
					q.resize(n)
					plain.quantize(&q, x)
					run("hw", func(k kernels, y []float32) {
						if f == fmtQ8 {
							k.gemvQ8(y, w, &q)
						} else {
							k.gemvQ4(y, w, &q)
						}
					})
					run("float", func(k kernels, y []float32) {
						if f == fmtQ8 {
							k.gemvQ8Float(y, w, x, &buf)
						} else {
							k.gemvQ4Float(y, w, x, &buf)
						}
					})
				default:
					run("exact", func(k kernels, y []float32) {
						switch f {
						case fmtF32:
							k.gemvF32(y, w, x, &buf)
						case fmtF16:
							k.gemvF16(y, w, x, &buf)
						case fmtBF16:
							k.gemvBF16(y, w, x, &buf)
						}
					})
				}
			}
		}
	})
}

// TestKernelsAttention compares attention over many shapes.
func TestKernelsAttention(t *testing.T) {
	otherKernels(t, func(t *testing.T, k, plain kernels) {
		r := rand.New(rand.NewPCG(7, 8))
		for i := range 150 {
			j := attnJob{kvHeads: 1 + r.IntN(3), group: 1 + r.IntN(3), hd: 1 + r.IntN(100), steps: 1 + r.IntN(50), half: i%2 == 0}
			if i%3 == 0 {
				j.hd = max(8, j.hd&^7)
			}
			j.heads = j.kvHeads * j.group
			cells := j.steps * j.kvHeads * j.hd
			f := byte(fmtF32)
			if j.half {
				f = fmtF16
				j.hd = max(j.hd&^1, 1+i%5)
				cells = j.steps * j.kvHeads * j.hd
			}
			j.k, j.v = weights(r, f, 1, cells), weights(r, f, 1, cells)
			j.q = make([]float32, j.heads*j.hd)
			for m := range j.q {
				j.q[m] = float32(r.NormFloat64())
			}
			if i%10 == 9 {
				j.q[0] = float32(math.Inf(1))
			}
			a, b := j, j
			for _, float := range []bool{false, true} {
				a.out, b.out = make([]float32, len(j.q)), make([]float32, len(j.q))
				run, ref := k.attn, plain.attn
				if float {
					run, ref = k.attnFloat, plain.attnFloat
				}
				x, y := run(&a, 0, j.heads, new(attnBuf)), ref(&b, 0, j.heads, new(attnBuf))
				if err := same(a.out, b.out); err != nil || x != y {
					t.Fatalf("heads %d/%d of %d, %d steps, half %v, float %v: %v; bad head %d, plain Go has %d", j.heads, j.kvHeads, j.hd, j.steps, j.half, float, err, x, y)
				}
			}
		}
	})
}

// TestExactSum holds the exact sum against sums whose value is known.
func TestExactSum(t *testing.T) {
	var e exactSum
	for _, c := range []struct {
		in   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{1e300, 1, -1e300}, 1},
		{[]float64{1, 0x1p-53}, 1},                                // a tie, to even
		{[]float64{1, 0x1p-53, 0x1p-200}, 1 + 0x1p-52},            // just above it
		{[]float64{1 + 0x1p-52, 0x1p-53, -0x1p-200}, 1 + 0x1p-52}, // just below
		{[]float64{0x1p-53, 0x1p-300, 1, -0x1p-300}, 1},
		{[]float64{1e16, 1, 1e-16}, 1e16 + 2},
		{[]float64{1e16, 1}, 1e16},
	} {
		e.reset()
		for _, v := range c.in {
			e.add(v)
		}
		if got := e.value(); got != c.want {
			t.Errorf("sum of %v is %v, want %v", c.in, got, c.want)
		}
	}
	// Double rounding: the sum is rounded to double first, to single then.
	w, x := make([]byte, 12), []float32{1, 0x1p-12, 0x1p-30}
	store32(w, []float32{1, 0x1p-12, 0x1p-30})
	y := make([]float32, 1)
	for _, k := range allKernels() {
		k.gemvF32(y, w, x, new(wideBuf))
		// 1 + 2^-24 + 2^-60 rounds to 1 + 2^-24 in double, a tie in single.
		if y[0] != 1 {
			t.Errorf("%s: %v, want 1", k.name, y[0])
		}
	}
}

// TestHalf goes through all halves, and through singles around the borders
// between them.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := fromHalf(uint16(h))
		if f == f {
			if got := toHalf(f); got != uint16(h) {
				t.Fatalf("half %04x is %v and comes back as %04x", h, f, got)
			}
		} else if got := fromHalf(toHalf(f)); got == got {
			t.Fatalf("NaN %04x comes back as %v", h, got)
		}
	}
	for h := range 0x7BFF {
		a, b := float64(fromHalf(uint16(h))), float64(fromHalf(uint16(h+1)))
		mid := float32((a + b) / 2) // exact
		even := uint16(h) + uint16(h&1)
		for _, c := range []struct {
			f    float32
			want uint16
		}{{mid, even}, {math.Nextafter32(mid, 0), uint16(h)}, {math.Nextafter32(mid, 1e9), uint16(h + 1)}} {
			if got := toHalf(c.f); got != c.want {
				t.Fatalf("%v becomes half %04x, want %04x", c.f, got, c.want)
			}
		}
	}
}

func BenchmarkGEMV(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	const rows, n = 768, 288
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	mem := NewMemory(R3)
	for _, f := range []struct {
		name string
		f    byte
	}{{"q8_0", fmtQ8}, {"q4_0", fmtQ4}, {"f16", fmtF16}, {"f32", fmtF32}, {"bf16", fmtBF16}} {
		w := weights(r, f.f, rows, n)
		y := make([]float32, rows)
		for _, num := range []Numerics{HW, Float} {
			for _, kern := range Kernels() {
				b.Run(fmt.Sprintf("%s/%v/%s", f.name, num, kern), func(b *testing.B) {
					c := New(mem, Options{Numerics: num, Kernels: kern})
					b.SetBytes(int64(len(w)))
					for b.Loop() {
						c.product(f.f, y, w, x)
					}
				})
			}
		}
	}
}
