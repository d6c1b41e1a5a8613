package core

import "math"

// This file: float numerics. Vectors are stored as singles; norms, functions
// and attention are computed in double. The order of every sum is fixed, in as
// many lanes as a vector unit likes, so that all kernels give the same bits.
// Products of two singles are exact in double; fusing those changes nothing.

func (c *Core) rmsScaleFloat(x []float32, eps float32) float32 {
	s := c.k.dot64(x, x)
	return float32(1 / math.Sqrt(s/float64(len(x))+float64(eps)))
}

// dot64 is the sum of x*y in eight lanes.
func dot64(x, y []float32) float64 {
	var l [8]float64
	for len(x) >= 8 && len(y) >= 8 {
		for i := range l {
			l[i] += float64(x[i]) * float64(y[i])
		}
		x, y = x[8:], y[8:]
	}
	for i := range x {
		l[i] += float64(x[i]) * float64(y[i])
	}
	return fold8(&l)
}

// fold8 adds eight lanes as a vector unit halves them.
func fold8(l *[8]float64) float64 {
	a, b, c, d := l[0]+l[4], l[1]+l[5], l[2]+l[6], l[3]+l[7]
	return (a + c) + (b + d)
}

func layerNormFloat(dst, x, g, b []float32, eps float32) {
	n := float64(len(x))
	var s float64
	for _, v := range x {
		s += float64(v)
	}
	mu := s / n
	var ss float64
	for _, v := range x {
		d := float64(v) - mu
		ss += float64(d * d)
	}
	r := 1 / math.Sqrt(ss/n+float64(eps))
	for i, v := range x {
		t := float64((float64(v) - mu) * r)
		dst[i] = float32(float64(t*float64(g[i])) + float64(b[i]))
	}
}

func (c *Core) meanRowsFloat(y, x []float32, rows int) {
	n := len(y)
	for i := range y {
		var s float64
		for r := range rows {
			s += float64(x[r*n+i])
		}
		y[i] = float32(s / float64(rows))
	}
}

func siluMulFloatGo(dst, x, y []float32) {
	for i, v := range x {
		f := float64(v)
		dst[i] = float32(float64(f/(1+exp64(-f))) * float64(y[i]))
	}
}

func geluFloatGo(dst, x []float32) {
	for i, v := range x {
		f := float64(v)
		cube := float64(float64(f*f) * f)
		u := float64(1.5957691216057307118 * (f + float64(0.044715*cube))) // 2*sqrt(2/pi)
		// 0.5*f*(1+tanh(u/2)) = f/(1+exp(-u))
		dst[i] = float32(f / (1 + exp64(-u)))
	}
}

// exp64 is exp(x) to about 1e-13, by the same few operations in every kernel:
// x = k*ln2 + r, a polynomial in r, and k added to the exponent. Above 700 it
// is what it is at 700, below -700 likewise; a NaN gives some number, which
// the caller's other factor turns into a NaN again.
func exp64(x float64) float64 {
	if !(x < 700) {
		x = 700
	}
	if x < -700 {
		x = -700
	}
	const magic = 0x1.8p52 // adding it rounds to an integer in the low bits
	t := float64(x*math.Log2E) + magic
	k := t - magic
	r := x - float64(k*0x1.62e42fee00000p-1)
	r -= float64(k * 0x1.a39ef35793c76p-33)
	p := expPoly[0]
	for _, c := range expPoly[1:] {
		p = float64(p*r) + c
	}
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(t)<<52)
}

// expPoly are the Taylor coefficients 1/11! ... 1/0!; |r| < 0.3466 makes the
// remainder less than 7e-15.
var expPoly = [12]float64{
	1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
	1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1,
}

// dotQ8FloatGo is a row of Q8_0 weights times a vector of singles, in 16 lanes
// of singles: per block two products, added, times the scale. Models stay
// well within 1e-6 of a double precision forward pass with it.
func dotQ8FloatGo(w []byte, x []float32) float32 {
	var acc [16]float32
	for len(x) >= 32 {
		d := fromHalf(u16(w, 0))
		wb, xb := (*[34]byte)(w), (*[32]float32)(x)
		for i := range acc {
			t := float32(float32(int8(wb[2+i])) * xb[i])
			t += float32(float32(int8(wb[18+i])) * xb[16+i])
			acc[i] += float32(t * d)
		}
		x, w = x[32:], w[34:]
	}
	return fold16(&acc)
}

// dotQ4FloatGo is the same for Q4_0.
func dotQ4FloatGo(w []byte, x []float32) float32 {
	var acc [16]float32
	for len(x) >= 32 {
		d := fromHalf(u16(w, 0))
		wb, xb := (*[18]byte)(w), (*[32]float32)(x)
		for i := range acc {
			b := wb[2+i]
			t := float32(float32(int32(b&15)-8) * xb[i])
			t += float32(float32(int32(b>>4)-8) * xb[16+i])
			acc[i] += float32(t * d)
		}
		x, w = x[32:], w[18:]
	}
	return fold16(&acc)
}

// fold16 adds 16 lanes in the order in which rows of them are turned.
func fold16(l *[16]float32) float32 {
	var q [4]float32
	for i := range q {
		q[i] = (l[4*i] + l[4*i+2]) + (l[4*i+1] + l[4*i+3])
	}
	return (q[0] + q[1]) + (q[2] + q[3])
}

// attnHeadFloat computes one head in float numerics into out. s holds steps
// doubles, acc two per value of the head.
func attnHeadFloat(j *attnJob, h int, s, acc []float64, out []float32) bool {
	hd := j.hd
	q := j.q[h*hd : (h+1)*hd]
	kvDim := j.kvHeads * hd
	at := h / j.group * hd
	scale := 1 / math.Sqrt(float64(hd))
	bad := false
	top := math.Inf(-1)
	for t := range s {
		row := t*kvDim + at
		var dot float64
		if j.half {
			k := j.k[2*row : 2*(row+hd)]
			for i, v := range q {
				dot += float64(v) * float64(fromHalf(u16(k, i)))
			}
		} else {
			k := j.k[4*row : 4*(row+hd)]
			for i, v := range q {
				dot += float64(v) * float64(single(k, i))
			}
		}
		dot = float64(dot * scale)
		s[t] = dot
		bad = bad || dot-dot != 0
		if dot > top {
			top = dot
		}
	}
	// The sum in eight lanes; the mix of values in two, even and odd rows.
	var lanes [8]float64
	for t, v := range s {
		// Rounded to single, a weight's products are exact.
		e := float64(float32(exp64(v - top)))
		s[t] = e
		lanes[t%8] += e
	}
	total := fold8(&lanes)
	clear(acc)
	for t, w := range s {
		row := t*kvDim + at
		a := acc[t%2*hd:][:hd]
		if j.half {
			v := j.v[2*row : 2*(row+hd)]
			for i := range a {
				a[i] += w * float64(fromHalf(u16(v, i)))
			}
		} else {
			v := j.v[4*row : 4*(row+hd)]
			for i := range a {
				a[i] += w * float64(single(v, i))
			}
		}
	}
	for i := range out {
		out[i] = float32((acc[i] + acc[hd+i]) / total)
	}
	return bad
}
