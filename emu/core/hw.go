package core

import "math"

// This file: hw numerics. Every value an IEEE single, every operation rounded to nearest
// even, sums in order. A product that is added to something is converted
// explicitly, which keeps compilers from fusing the two.

func recip(x float32) float32 { return float32(1 / float64(x)) }

func rsqrt(x float32) float32 { return recip(float32(math.Sqrt(float64(x)))) }

// sumSquares is the sequential sum of x*x.
func sumSquares(x []float32) float32 {
	var s float32
	for _, v := range x {
		s += float32(v * v)
	}
	return s
}

func sum(x []float32) float32 {
	var s float32
	for _, v := range x {
		s += v
	}
	return s
}

// rmsScale is 1/sqrt(mean(x^2)+eps).
func rmsScale(x []float32, eps float32) float32 {
	m := float32(sumSquares(x) * recip(float32(len(x))))
	return rsqrt(m + eps)
}

func layerNorm(dst, x, g, b []float32, eps float32) {
	rn := recip(float32(len(x)))
	mu := float32(sum(x) * rn)
	var ss float32
	for _, v := range x {
		d := v - mu
		ss += float32(d * d)
	}
	r := rsqrt(float32(ss*rn) + eps)
	for i, v := range x {
		d := v - mu
		t := float32(d * r)
		dst[i] = float32(t*g[i]) + b[i]
	}
}

// meanRows is the mean of rows of len(y) values: column sums in order.
func (c *Core) meanRows(y, x []float32, rows int) {
	clear(y)
	for r := range rows {
		c.k.add(y, y, x[r*len(y):(r+1)*len(y)])
	}
	rn := recip(float32(rows))
	for i := range y {
		y[i] *= rn
	}
}

// quantized is a vector as the hardware sees it beside Q8_0 and Q4_0 weights:
// blocks of 32 with a scale each.
type quantized struct {
	q   []int8
	d   []float32 // f32(f16(scale)), one per block
	sum []int32   // of a block's q, times -128 for Q8_0's kernels
}

func (q *quantized) resize(n int) {
	grow(&q.q, n)
	grow(&q.d, n/32)
	grow(&q.sum, n/32)
	q.q, q.d, q.sum = q.q[:n], q.d[:n/32], q.sum[:n/32]
}

// quantizeGo fills q from x, whole blocks.
func quantizeGo(q *quantized, x []float32) {
	for b := range q.d {
		xb := x[32*b : 32*b+32]
		qb := q.q[32*b : 32*b+32]
		var amax float32
		for _, v := range xb {
			if a := abs32(v); a > amax {
				amax = a
			}
		}
		d := amax / 127
		var id float32
		if d != 0 {
			id = 1 / d
		}
		var s int32
		for i, v := range xb {
			r := roundAway(float32(v * id))
			qb[i] = int8(r)
			s += r
		}
		q.d[b] = fromHalf(toHalf(d))
		q.sum[b] = s
	}
}

// roundAway is C's roundf for what x*id can be: halves away from zero; 0 when
// it is not finite.
func roundAway(v float32) int32 {
	if v-v != 0 {
		return 0
	}
	t := int32(v)
	f := v - float32(t) // exact
	if f >= 0.5 {
		t++
	} else if f <= -0.5 {
		t--
	}
	return t
}

func abs32(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// dotQ8Go is one row of Q8_0 weights times a quantised vector.
func dotQ8Go(w []byte, x *quantized) float32 {
	var acc float32
	for b, dx := range x.d {
		wb := (*[34]byte)(w[34*b:])
		xb := (*[32]int8)(x.q[32*b:])
		var s0, s1, s2, s3 int32
		for i := 0; i < 32; i += 4 {
			s0 += int32(xb[i]) * int32(int8(wb[2+i]))
			s1 += int32(xb[i+1]) * int32(int8(wb[3+i]))
			s2 += int32(xb[i+2]) * int32(int8(wb[4+i]))
			s3 += int32(xb[i+3]) * int32(int8(wb[5+i]))
		}
		s := s0 + s1 + s2 + s3
		acc += float32(float32(s) * float32(fromHalf(u16(wb[:], 0))*dx))
	}
	return acc
}

// dotQ4Go is one row of Q4_0 weights times a quantised vector.
func dotQ4Go(w []byte, x *quantized) float32 {
	var acc float32
	for b, dx := range x.d {
		wb := (*[18]byte)(w[18*b:])
		xb := (*[32]int8)(x.q[32*b:])
		var s int32
		for i := range 16 {
			v := wb[2+i]
			s += int32(xb[i])*(int32(v&15)-8) + int32(xb[16+i])*(int32(v>>4)-8)
		}
		acc += float32(float32(s) * float32(fromHalf(u16(wb[:], 0))*dx))
	}
	return acc
}

// attnHeadHW computes one head in hw numerics into out. s holds steps
// singles. It reports whether a score was not finite.
func attnHeadHW(j *attnJob, h int, s []float32, out []float32) bool {
	hd := j.hd
	q := j.q[h*hd : (h+1)*hd]
	kvDim := j.kvHeads * hd
	at := h / j.group * hd
	scale := rsqrt(float32(hd))
	bad := false
	top := float32(math.Inf(-1))
	for t := range s {
		row := t*kvDim + at
		var dot float32
		if j.half {
			k := j.k[2*row : 2*(row+hd)]
			for i, v := range q {
				dot += float32(v * fromHalf(u16(k, i)))
			}
		} else {
			k := j.k[4*row : 4*(row+hd)]
			for i, v := range q {
				dot += float32(v * single(k, i))
			}
		}
		dot = float32(dot * scale)
		s[t] = dot
		bad = bad || dot-dot != 0
		if dot > top {
			top = dot
		}
	}
	var total float32
	for t, v := range s {
		e := expNeg(v - top)
		s[t] = e
		total += e
	}
	r := recip(total)
	clear(out)
	for t, e := range s {
		w := float32(e * r)
		row := t*kvDim + at
		if j.half {
			v := j.v[2*row : 2*(row+hd)]
			for i := range out {
				out[i] += float32(w * fromHalf(u16(v, i)))
			}
		} else {
			v := j.v[4*row : 4*(row+hd)]
			for i := range out {
				out[i] += float32(w * single(v, i))
			}
		}
	}
	return bad
}

func single(b []byte, i int) float32 {
	return math.Float32frombits(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24)
}
