package reference

import "math"

// Run is a text being processed by a decoder, token by token.
type Run struct {
	m            *Model
	pos          int
	keys, values [][][]float64 // [layer][position]
}

// NewRun begins a text.
func (m *Model) NewRun() *Run {
	return &Run{m: m, keys: make([][][]float64, m.layerCount), values: make([][][]float64, m.layerCount)}
}

// Next processes the next token and returns the logits behind it.
func (r *Run) Next(token uint32) ([]float64, error) {
	m := r.m
	if m.Encoder() {
		return nil, &TokenError{"an encoder has no logits"}
	}
	if err := m.check(token, r.pos); err != nil {
		return nil, err
	}
	x := widen(m.tokens.row(int(token)))
	if m.positions != nil {
		add(x, widen(m.positions.row(r.pos)))
	}
	for i := range m.layers {
		l := &m.layers[i]
		n := m.normed(l.attnNorm, x)
		q, k, v := l.q.times(n), l.k.times(n), l.v.times(n)
		if m.rotates() {
			m.rotate(q, r.pos)
			m.rotate(k, r.pos)
		}
		r.keys[i] = append(r.keys[i], m.cached(k))
		r.values[i] = append(r.values[i], m.cached(v))
		add(x, l.out.times(m.attention(q, r.keys[i], r.values[i])))
		add(x, m.feedForward(l, m.normed(l.ffnNorm, x)))
	}
	r.pos++
	return m.output.times(m.normed(m.outNorm, x), nil), nil
}

// normed is the architecture's norm.
func (m *Model) normed(n norm, x []float64) []float64 {
	if m.rotates() {
		return n.rms(x, m.eps)
	}
	return n.layer(x, m.eps)
}

func (m *Model) feedForward(l *layer, x []float64) []float64 {
	h := l.up.times(x)
	if !m.rotates() {
		gelu(h)
		return l.down.times(h)
	}
	for i, g := range l.gate.times(x) {
		h[i] *= g / (1 + math.Exp(-g))
	}
	return l.down.times(h)
}

// rotate turns the pairs of each head: neighbours in llama files, values half
// a head apart in qwen2's.
func (m *Model) rotate(x []float64, pos int) {
	half := m.headDim / 2
	for h := 0; h+m.headDim <= len(x); h += m.headDim {
		for j, f := range m.ropeFreq {
			a, b := h+2*j, h+2*j+1
			if m.arch == "qwen2" {
				a, b = h+j, h+j+half
			}
			sin, cos := math.Sincos(float64(pos) * f)
			x[a], x[b] = x[a]*cos-x[b]*sin, x[a]*sin+x[b]*cos
		}
	}
}
