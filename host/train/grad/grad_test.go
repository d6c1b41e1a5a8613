package grad

import (
	"fmt"
	"math"
	"math/rand"
	"testing"
)

func randomMatrix(r *rand.Rand, rows, cols int) *Matrix {
	m := NewMatrix(rows, cols)
	for i := range m.V {
		m.V[i] = float32(r.NormFloat64())
	}
	return m
}

// The kernel gives the plain loop's bits for every shape and stride.
func TestKernelEqualsPlain(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		m, n, k := r.Intn(14), r.Intn(40), r.Intn(20)
		for _, trans := range []bool{false, true} {
			ai, ap := k, 1
			if trans {
				ai, ap = 1, m
			}
			a, b := randomMatrix(r, max(m, 1), max(k, 1)), randomMatrix(r, max(k, 1), max(n, 1))
			c := randomMatrix(r, max(m, 1), max(n, 1))
			want := append([]float32(nil), c.V...)
			gemmPlain(m, n, k, a.V, ai, ap, b.V, n, want, n)
			gemm(m, n, k, a.V, ai, ap, b.V, n, c.V, n)
			for i := range want {
				if math.Float32bits(want[i]) != math.Float32bits(c.V[i]) {
					t.Fatalf("%dx%dx%d transposed %v: element %d is %v, want %v", m, n, k, trans, i, c.V[i], want[i])
				}
			}
		}
	}
}

// Every operation's derivative against central differences.
func TestGradients(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	targets := []int{3, 0, -1, 6, 2}
	ids := []int{1, 4, 4, 0, 2}
	type net struct {
		name   string
		params []*Matrix
		f      func(tp *Tape, p []*Matrix) *Matrix // 5 x 7 logits, or 1 x 7
	}
	x := func() *Matrix { return randomMatrix(r, 5, 8) }
	out := randomMatrix(r, 7, 8)
	for _, c := range []net{
		{"embed", []*Matrix{randomMatrix(r, 6, 8)}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.Embed(p[0], ids), out, nil) }},
		{"linear", []*Matrix{x(), randomMatrix(r, 7, 8), randomMatrix(r, 1, 7)}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(p[0], p[1], p[2]) }},
		{"add", []*Matrix{x(), x(), randomMatrix(r, 1, 8)}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Linear(tp.AddRow(tp.Add(p[0], p[1]), p[2]), out, nil)
		}},
		{"rmsnorm", []*Matrix{x(), randomMatrix(r, 1, 8)}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.RMSNorm(p[0], p[1], 1e-5), out, nil) }},
		{"layernorm", []*Matrix{x(), randomMatrix(r, 1, 8), randomMatrix(r, 1, 8)}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Linear(tp.LayerNorm(p[0], p[1], p[2], 1e-5), out, nil)
		}},
		{"silumul", []*Matrix{x(), x()}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.SiLUMul(p[0], p[1]), out, nil) }},
		{"gelu", []*Matrix{x()}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.GELU(p[0]), out, nil) }},
		{"rope", []*Matrix{x()}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.RoPE(p[0], 4, 100), out, nil) }},
		{"mean", []*Matrix{x()}, func(tp *Tape, p []*Matrix) *Matrix { return tp.Linear(tp.MeanRows(p[0]), out, nil) }},
		{"columns", []*Matrix{x(), randomMatrix(r, 5, 12)}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Linear(tp.Add(p[0], tp.Columns(p[1], 3, 8)), out, nil)
		}},
		{"cosines", []*Matrix{randomMatrix(r, 1, 8), randomMatrix(r, 1, 8), randomMatrix(r, 1, 8)}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Scale(tp.Linear(tp.Stack(p), out, nil), 3)
		}},
		{"causal attention", []*Matrix{x(), randomMatrix(r, 5, 4), randomMatrix(r, 5, 4)}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Linear(tp.Attention(p[0], p[1], p[2], 4, 2, true), out, nil)
		}},
		{"full attention", []*Matrix{x(), x(), x()}, func(tp *Tape, p []*Matrix) *Matrix {
			return tp.Linear(tp.Attention(p[0], p[1], p[2], 2, 2, false), out, nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			loss := func() float64 {
				tp := NewTape()
				y := c.f(tp, c.params)
				l, _ := tp.CrossEntropy(y, targets[:y.Rows], 1)
				return l
			}
			tp := NewTape()
			y := c.f(tp, c.params)
			if _, n := tp.CrossEntropy(y, targets[:y.Rows], 1); n == 0 {
				t.Fatal("no targets")
			}
			tp.Backward()
			for pi, p := range c.params {
				for i := range p.V {
					const h = 1e-2
					old := p.V[i]
					p.V[i] = old + h
					up := loss()
					p.V[i] = old - h
					down := loss()
					p.V[i] = old
					want := (up - down) / (2 * h)
					if got := float64(p.G[i]); math.Abs(got-want) > 2e-3+0.02*math.Abs(want) {
						t.Errorf("parameter %d element %d: gradient %v, differences say %v", pi, i, got, want)
					}
				}
			}
		})
	}
}

func TestExp(t *testing.T) {
	for x := -86.0; x < 87; x += 0.0137 {
		want := math.Exp(float64(float32(x)))
		if got := float64(exp(float32(x))); math.Abs(got/want-1) > 3e-7 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if exp(-200) != 0 || math.IsInf(float64(exp(200)), 0) {
		t.Error("exp does not saturate")
	}
}

// Eight at a time give the same bits as one.
func TestExpAll(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	x := []float32{0, -87, -87.01, 88, 88.01, -1e30, 1e30, 1e-30, -0.5}
	for range 20000 {
		x = append(x, float32(r.NormFloat64()*30))
	}
	got := append([]float32(nil), x...)
	expAll(got)
	for i, v := range x {
		if math.Float32bits(exp(v)) != math.Float32bits(got[i]) {
			t.Fatalf("exp(%v) = %v alone, %v among others", v, exp(v), got[i])
		}
	}
}

// AdamW finds the minimum of a bowl, and clipping limits the norm.
func TestAdamW(t *testing.T) {
	p := []*Matrix{NewMatrix(1, 3)}
	o := NewAdamW(p, 0)
	want := []float32{1, -2, 3}
	for range 2000 {
		for i := range want {
			p[0].G[i] = p[0].V[i] - want[i]
		}
		o.Update(p, 0.01)
	}
	for i, w := range want {
		if math.Abs(float64(p[0].V[i]-w)) > 1e-3 {
			t.Errorf("element %d: %v, want %v", i, p[0].V[i], w)
		}
	}
	p[0].G = []float32{3, 0, 4}
	if n := ClipNorm(p, 1); math.Abs(n-5) > 1e-6 || math.Abs(float64(p[0].G[2])-0.8) > 1e-6 {
		t.Errorf("norm %v, clipped %v", n, p[0].G)
	}
}

func BenchmarkGemm(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, s := range [][3]int{{150, 192, 64}, {150, 512, 64}, {64, 192, 150}} {
		m, n, k := s[0], s[1], s[2]
		x, y, z := randomMatrix(r, m, k), randomMatrix(r, k, n), NewMatrix(m, n)
		b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
			for range b.N {
				gemm(m, n, k, x.V, k, 1, y.V, n, z.V, n)
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkAttention(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	q, k, v := randomMatrix(r, 150, 64), randomMatrix(r, 150, 32), randomMatrix(r, 150, 32)
	tp := NewTape()
	for range b.N {
		tp.Reset()
		tp.Attention(q, k, v, 8, 4, true)
		tp.Backward()
	}
}
