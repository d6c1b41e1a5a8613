package grad

import (
	"math"
)

// Embed gathers rows of table: one for each id.
func (t *Tape) Embed(table *Matrix, ids []int) *Matrix {
	d := table.Cols
	y := t.Matrix(len(ids), d)
	for i, id := range ids {
		copy(y.V[i*d:][:d], table.V[id*d:][:d])
	}
	t.record(func() {
		for i, id := range ids {
			axpy(table.G[id*d:][:d], y.G[i*d:][:d])
		}
	})
	return y
}

// Linear is x W^T + bias: x is T x in, w is out x in (rows as in a GGUF
// tensor), bias is one row of out values or nil.
func (t *Tape) Linear(x, w, bias *Matrix) *Matrix {
	in, out, n := w.Cols, w.Rows, x.Rows
	y := t.Matrix(n, out)
	if bias != nil {
		for i := range n {
			copy(y.V[i*out:][:out], bias.V)
		}
	}
	wt := t.floats(in * out)
	transpose(wt, w.V, out, in)
	gemm(n, out, in, x.V, in, 1, wt, out, y.V, out)
	t.record(func() {
		gemm(n, in, out, y.G, out, 1, w.V, in, x.G, in) // dx = dy W
		gemm(out, in, n, y.G, 1, out, x.V, in, w.G, in) // dW = dy^T x
		if bias != nil {
			for i := range n {
				axpy(bias.G, y.G[i*out:][:out])
			}
		}
	})
	return y
}

// Add is a + b, of the same shape.
func (t *Tape) Add(a, b *Matrix) *Matrix {
	y := t.Matrix(a.Rows, a.Cols)
	copy(y.V, a.V)
	axpy(y.V, b.V)
	t.record(func() {
		axpy(a.G, y.G)
		axpy(b.G, y.G)
	})
	return y
}

// AddRow adds the one row of b to every row of a.
func (t *Tape) AddRow(a, b *Matrix) *Matrix {
	y := t.Matrix(a.Rows, a.Cols)
	copy(y.V, a.V)
	for i := range a.Rows {
		axpy(y.V[i*a.Cols:][:a.Cols], b.V)
	}
	t.record(func() {
		axpy(a.G, y.G)
		for i := range a.Rows {
			axpy(b.G, y.G[i*a.Cols:][:a.Cols])
		}
	})
	return y
}

// RMSNorm is each row of x over its root mean square, times gain.
func (t *Tape) RMSNorm(x, gain *Matrix, eps float32) *Matrix {
	d := x.Cols
	y := t.Matrix(x.Rows, d)
	inv := t.floats(x.Rows)
	for i := range x.Rows {
		row := x.V[i*d:][:d]
		var ss float32
		for _, v := range row {
			ss += float32(v * v)
		}
		inv[i] = float32(1 / math.Sqrt(float64(ss/float32(d)+eps)))
		out := y.V[i*d:][:d]
		for j, v := range row {
			out[j] = v * inv[i] * gain.V[j]
		}
	}
	t.record(func() {
		for i := range x.Rows {
			row, dy, dx := x.V[i*d:][:d], y.G[i*d:][:d], x.G[i*d:][:d]
			var dot float32
			for j, v := range row {
				gain.G[j] += float32(dy[j] * v * inv[i])
				dot += float32(dy[j] * gain.V[j] * v)
			}
			f := dot * inv[i] * inv[i] * inv[i] / float32(d)
			for j, v := range row {
				dx[j] += float32(dy[j]*gain.V[j]*inv[i]) - float32(v*f)
			}
		}
	})
	return y
}

// LayerNorm is each row of x with mean 0 and variance 1, times gain plus bias.
func (t *Tape) LayerNorm(x, gain, bias *Matrix, eps float32) *Matrix {
	d := x.Cols
	y := t.Matrix(x.Rows, d)
	hat := t.Matrix(x.Rows, d) // its V is the normalised x
	inv := t.floats(x.Rows)
	for i := range x.Rows {
		row := x.V[i*d:][:d]
		var mean, variance float32
		for _, v := range row {
			mean += v
		}
		mean /= float32(d)
		for _, v := range row {
			variance += float32((v - mean) * (v - mean))
		}
		inv[i] = float32(1 / math.Sqrt(float64(variance/float32(d)+eps)))
		for j, v := range row {
			h := (v - mean) * inv[i]
			hat.V[i*d+j] = h
			y.V[i*d+j] = float32(h*gain.V[j]) + bias.V[j]
		}
	}
	t.record(func() {
		for i := range x.Rows {
			h, dy, dx := hat.V[i*d:][:d], y.G[i*d:][:d], x.G[i*d:][:d]
			var sum, dot float32
			for j := range h {
				g := float32(dy[j] * gain.V[j])
				sum += g
				dot += float32(g * h[j])
				gain.G[j] += float32(dy[j] * h[j])
				bias.G[j] += dy[j]
			}
			sum /= float32(d)
			dot /= float32(d)
			for j := range h {
				dx[j] += float32((float32(dy[j]*gain.V[j]) - sum - float32(h[j]*dot)) * inv[i])
			}
		}
	})
	return y
}

// SiLUMul is silu(a) * b, element by element.
func (t *Tape) SiLUMul(a, b *Matrix) *Matrix {
	y := t.Matrix(a.Rows, a.Cols)
	sig := t.floats(len(a.V))
	for i, v := range a.V {
		sig[i] = -v
	}
	expAll(sig)
	for i, v := range a.V {
		sig[i] = 1 / (1 + sig[i])
		y.V[i] = v * sig[i] * b.V[i]
	}
	t.record(func() {
		for i, v := range a.V {
			s, dy := sig[i], y.G[i]
			b.G[i] += float32(dy * v * s)
			a.G[i] += float32(dy * b.V[i] * (s + float32(v*s*(1-s))))
		}
	})
	return y
}

// GELU is the tanh approximation.
func (t *Tape) GELU(a *Matrix) *Matrix {
	const c, k = 0.7978845608028654, 0.044715 // sqrt(2/pi)
	y := t.Matrix(a.Rows, a.Cols)
	th := t.floats(len(a.V))
	for i, v := range a.V {
		th[i] = 2 * c * (v + float32(k*v*v*v))
	}
	expAll(th)
	for i, v := range a.V {
		th[i] = 1 - 2/(th[i]+1)
		y.V[i] = 0.5 * v * (1 + th[i])
	}
	t.record(func() {
		for i, v := range a.V {
			h := th[i]
			d := 0.5*(1+h) + float32(0.5*v*(1-float32(h*h))*c*(1+float32(3*k*v*v)))
			a.G[i] += float32(y.G[i] * d)
		}
	})
	return y
}

// RoPE turns adjacent pairs of each head in place of x by position times
// base^(-2j/headDim), as llama.cpp's llama models do.
func (t *Tape) RoPE(x *Matrix, headDim int, base float64) *Matrix {
	y := t.Matrix(x.Rows, x.Cols)
	half := headDim / 2
	cs := t.floats(x.Rows * half * 2)
	for pos := range x.Rows {
		for j := range half {
			s, c := math.Sincos(float64(pos) / math.Pow(base, float64(2*j)/float64(headDim)))
			cs[(pos*half+j)*2], cs[(pos*half+j)*2+1] = float32(c), float32(s)
		}
	}
	turn := func(dst, src []float32, sign float32) {
		for pos := range x.Rows {
			for i := 0; i < x.Cols; i += 2 {
				k := (pos*half + (i%headDim)/2) * 2
				c, s := cs[k], sign*cs[k+1]
				a, b := src[pos*x.Cols+i], src[pos*x.Cols+i+1]
				dst[pos*x.Cols+i] += float32(a*c) - float32(b*s)
				dst[pos*x.Cols+i+1] += float32(a*s) + float32(b*c)
			}
		}
	}
	turn(y.V, x.V, 1)
	t.record(func() { turn(x.G, y.G, -1) })
	return y
}

// MeanRows is the mean of x's rows: one row.
func (t *Tape) MeanRows(x *Matrix) *Matrix {
	y := t.Matrix(1, x.Cols)
	f := 1 / float32(x.Rows)
	for i := range x.Rows {
		axpy(y.V, x.V[i*x.Cols:][:x.Cols])
	}
	for j := range y.V {
		y.V[j] *= f
	}
	t.record(func() {
		for i := range x.Rows {
			for j, g := range y.G {
				x.G[i*x.Cols+j] += float32(g * f)
			}
		}
	})
	return y
}

// CrossEntropy is the mean of -log softmax(logits)[target] over the rows whose
// target is not negative, times weight; it sets the gradient of logits to that
// of the result. count is the number of such rows.
func (t *Tape) CrossEntropy(logits *Matrix, targets []int, weight float32) (loss float64, count int) {
	n := logits.Cols
	for _, id := range targets {
		if id >= 0 {
			count++
		}
	}
	if count == 0 {
		return 0, 0
	}
	f := weight / float32(count)
	for i, id := range targets {
		if id < 0 {
			continue
		}
		row, g := logits.V[i*n:][:n], logits.G[i*n:][:n]
		top := row[0]
		for _, v := range row {
			top = max(top, v)
		}
		for j, v := range row {
			g[j] = v - top
		}
		expAll(g)
		var sum float32
		for _, e := range g {
			sum += e
		}
		loss += math.Log(float64(sum)) - float64(row[id]-top)
		k := f / sum
		for j := range g {
			g[j] *= k
		}
		g[id] -= f
	}
	return loss / float64(count), count
}

// axpy adds x to y.
func axpy(y, x []float32) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += v
	}
}

// transpose puts the cols x rows transpose of w into out.
func transpose(out, w []float32, rows, cols int) {
	for i := range rows {
		for j, v := range w[i*cols:][:cols] {
			out[j*rows+i] = v
		}
	}
}

// Columns is the columns [from, from+n) of x.
func (t *Tape) Columns(x *Matrix, from, n int) *Matrix {
	y := t.Matrix(x.Rows, n)
	for i := range x.Rows {
		copy(y.V[i*n:][:n], x.V[i*x.Cols+from:])
	}
	t.record(func() {
		for i := range x.Rows {
			axpy(x.G[i*x.Cols+from:][:n], y.G[i*n:][:n])
		}
	})
	return y
}

// Stack puts one-row matrices of the same length under each other, each over
// its own length, so that products of rows are cosines.
func (t *Tape) Stack(rows []*Matrix) *Matrix {
	d := rows[0].Cols
	y := t.Matrix(len(rows), d)
	inv := t.floats(len(rows))
	for i, r := range rows {
		var ss float32
		for _, v := range r.V {
			ss += float32(v * v)
		}
		inv[i] = float32(1 / math.Sqrt(float64(ss)+1e-12))
		for j, v := range r.V {
			y.V[i*d+j] = v * inv[i]
		}
	}
	t.record(func() {
		for i, r := range rows {
			u, dy := y.V[i*d:][:d], y.G[i*d:][:d]
			var dot float32
			for j := range u {
				dot += float32(u[j] * dy[j])
			}
			for j := range u {
				r.G[j] += float32((dy[j] - float32(u[j]*dot)) * inv[i])
			}
		}
	})
	return y
}

// Scale is x times f.
func (t *Tape) Scale(x *Matrix, f float32) *Matrix {
	y := t.Matrix(x.Rows, x.Cols)
	for i, v := range x.V {
		y.V[i] = v * f
	}
	t.record(func() {
		for i, g := range y.G {
			x.G[i] += float32(g * f)
		}
	})
	return y
}
