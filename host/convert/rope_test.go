package convert

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

// sincos is as good as math.Sincos at the angles that tables have.
func TestSincos(t *testing.T) {
	worst := 0.0
	check := func(x float64) {
		s, c := sincos(x)
		ws, wc := math.Sincos(x)
		worst = max(worst, math.Abs(s-ws), math.Abs(c-wc))
	}
	for i := range 200000 {
		check(float64(i) * 0.0213)
		check(math.Ldexp(1, -i%60))
	}
	for k := range 2700 { // near multiples of pi/2
		x := float64(k) * math.Pi / 2
		for _, x := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, 1e9), x + 1e-9} {
			if x >= 0 {
				check(x)
			}
		}
	}
	if worst > 3e-16 {
		t.Errorf("off by %g", worst)
	}
}

// pow is base^(n/d), checked by raising it to d again.
func TestPow(t *testing.T) {
	for _, base := range []float64{10000, 500000, 1e6, 10000.5} {
		for _, d := range []int{2, 8, 48, 64, 80, 96, 128, 256} {
			for n := 0; n < d; n += 2 {
				v := pow(base, n, d)
				if w := math.Pow(base, float64(n)/float64(d)); math.Abs(v-w) > 1e-15*w {
					t.Fatalf("%g^(%d/%d) = %v, math.Pow has %v", base, n, d, v, w)
				}
				if d&(d-1) != 0 {
					continue // the rounded exponent is not n/d
				}
				// The exact root lies between the neighbours' midpoints.
				a := ipow(new(big.Float).SetPrec(4000).SetFloat64(base), n)
				for _, side := range []float64{0, math.Inf(1)} {
					mid := new(big.Float).SetPrec(4000).SetFloat64(v)
					mid.Add(mid, new(big.Float).SetFloat64(math.Nextafter(v, side)))
					mid.Quo(mid, big.NewFloat(2))
					got := ipow(mid, d).Cmp(a)
					if want := 2*b2i(side != 0) - 1; got != want && n != 0 {
						t.Fatalf("%g^(%d/%d) = %v is not rounded to nearest", base, n, d, v)
					}
				}
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// With the exponent rounded to f64, as C libraries compute it.
func TestPowRoundedExponent(t *testing.T) {
	if v := pow(10000, 16, 48); v != 21.544346900318832 {
		t.Errorf("10000^(16/48) = %v", v)
	}
}

// The table's rows, by the formula.
func TestRopeTable(t *testing.T) {
	for _, c := range []struct {
		p       Params
		factors []float32
	}{
		{Params{HeadDim: 8, RopeBase: 10000, RopeScale: 1}, nil},
		{Params{HeadDim: 48, RopeBase: 10000, RopeScale: 1}, nil},
		{Params{HeadDim: 8, RopeBase: 500000, RopeScale: 1}, []float32{1, 1.5, 8, 32}},
		{Params{HeadDim: 8, RopeBase: 10000, RopeScale: 4}, nil},
	} {
		table := newRopeTable(&c.p, c.factors)
		for _, pos := range []int{0, 1, 2, 100, 255, 4094} {
			row := table.row(nil, pos)
			if len(row) != 4*c.p.HeadDim {
				t.Fatalf("a row of %d bytes", len(row))
			}
			for j := range c.p.HeadDim / 2 {
				angle := float64(pos) / c.p.RopeScale / math.Pow(c.p.RopeBase, 2*float64(j)/float64(c.p.HeadDim))
				if c.factors != nil {
					angle /= float64(c.factors[j])
				}
				for i, want := range []float64{math.Cos(angle), math.Sin(angle)} {
					got := math.Float32frombits(binary.LittleEndian.Uint32(row[8*j+4*i:]))
					if math.Abs(float64(got)-want) > 7e-8 {
						t.Errorf("position %d, pair %d: %v, want %v", pos, j, got, want)
					}
				}
			}
		}
	}
}
