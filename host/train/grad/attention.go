package grad

import "math"

// Attention is softmax(q k^T / sqrt(headDim)) v for each head: q is T x
// heads*headDim, k and v T x kvHeads*headDim; head h uses KV head
// h/(heads/kvHeads). Causal rows see themselves and what is before them.
func (t *Tape) Attention(q, k, v *Matrix, heads, kvHeads int, causal bool) *Matrix {
	n, hd := q.Rows, q.Cols/heads
	group := heads / kvHeads
	kd := kvHeads * hd
	y := t.Matrix(n, q.Cols)
	scale := float32(1 / math.Sqrt(float64(hd)))
	// Rows of the score matrices are padded so that the kernel has whole tiles.
	w := (n + 15) &^ 15
	probs := make([][]float32, heads)
	var kt, vt []float32
	for h := range heads {
		kv := h / group
		if h%group == 0 {
			kt = t.headT(k.V, kv, hd, kd, n, w)
		}
		p := t.floats(n * w)
		gemm(n, w, hd, q.V[h*hd:], q.Cols, 1, kt, w, p, w)
		for i := range n {
			m := n
			if causal {
				m = i + 1
			}
			softmax(p[i*w:][:w], m, scale)
		}
		probs[h] = p
		gemm(n, hd, n, p, w, 1, v.V[kv*hd:], kd, y.V[h*hd:], y.Cols)
	}
	t.record(func() {
		for h := range heads {
			kv := h / group
			if h%group == 0 {
				vt = t.headT(v.V, kv, hd, kd, n, w)
			}
			p := probs[h]
			dp := t.floats(n * w)
			gemm(n, w, hd, y.G[h*hd:], y.Cols, 1, vt, w, dp, w)
			gemm(n, hd, n, p, 1, w, y.G[h*hd:], y.Cols, v.G[kv*hd:], kd)
			for i := range n {
				m := n
				if causal {
					m = i + 1
				}
				softmaxBack(dp[i*w:][:w], p[i*w:][:w], m, scale)
			}
			gemm(n, hd, n, dp, w, 1, k.V[kv*hd:], kd, q.G[h*hd:], q.Cols)
			gemm(n, hd, n, dp, 1, w, q.V[h*hd:], q.Cols, k.G[kv*hd:], kd)
		}
	})
	return y
}

// headT gives one head of a T x kd matrix transposed: hd rows of w, of which
// the first n are used.
func (t *Tape) headT(x []float32, head, hd, kd, n, w int) []float32 {
	out := t.floats(hd * w)
	for i := range n {
		for j := range hd {
			out[j*w+i] = x[i*kd+head*hd+j]
		}
	}
	return out
}

// softmax turns the first m scores of row into weights and clears the rest.
func softmax(row []float32, m int, scale float32) {
	top := row[0]
	for _, v := range row[1:m] {
		top = max(top, v)
	}
	for j, v := range row[:m] {
		row[j] = (v - top) * scale
	}
	expAll(row[:m])
	var sum float32
	for _, e := range row[:m] {
		sum += e
	}
	f := 1 / sum
	for j := range row[:m] {
		row[j] *= f
	}
	clear(row[m:])
}

// softmaxBack turns the gradient of the weights p into that of the scores.
func softmaxBack(dp, p []float32, m int, scale float32) {
	var dot float32
	for j, v := range p[:m] {
		dot += float32(v * dp[j])
	}
	for j, v := range p[:m] {
		dp[j] = v * (dp[j] - dot) * scale
	}
	clear(dp[m:])
}
