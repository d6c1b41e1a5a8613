package reference

// Embed runs an encoder over the tokens of a text, begin and end tokens
// included, and returns the pooled embedding.
func (m *Model) Embed(tokens []uint32) ([]float64, error) {
	if !m.Encoder() {
		return nil, &TokenError{"a decoder has no embedding of a text"}
	}
	if len(tokens) == 0 {
		return nil, &TokenError{"no tokens"}
	}
	rows := make([][]float64, len(tokens))
	for i, t := range tokens {
		if err := m.check(t, i); err != nil {
			return nil, err
		}
		x := widen(m.tokens.row(int(t)))
		add(x, widen(m.positions.row(i)))
		if m.types != nil {
			add(x, widen(m.types))
		}
		rows[i] = m.embNorm.layer(x, m.eps)
	}
	for i := range m.layers {
		l := &m.layers[i]
		keys, values := make([][]float64, len(rows)), make([][]float64, len(rows))
		for r, x := range rows {
			keys[r], values[r] = m.cached(l.k.times(x)), m.cached(l.v.times(x))
		}
		for r, x := range rows {
			y := l.out.times(m.attention(l.q.times(x), keys, values))
			add(y, x)
			x = l.attnNorm.layer(y, m.eps)
			y = m.feedForward(l, x)
			add(y, x)
			rows[r] = l.ffnNorm.layer(y, m.eps)
		}
	}
	if m.cls {
		return rows[0], nil
	}
	mean := make([]float64, m.dim)
	for _, x := range rows {
		add(mean, x)
	}
	for i := range mean {
		mean[i] /= float64(len(rows))
	}
	return mean, nil
}
