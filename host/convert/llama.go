package convert

import "fmt"

// llama is the forward pass of llama and, with other biases and another order
// of the rotated pairs, of qwen2. Names are those of llama2.c.
type llama struct {
	p *Params

	embd   *weight
	layers []llamaLayer
	norm   *weight
	out    *weight // embd if the model has no output.weight

	x, xb, q, att, k, v, hb, hb2, logits *buffer
}

// llamaLayer holds a layer's weights; biases are nil if the model has none.
type llamaLayer struct {
	attnNorm, ffnNorm *weight
	wq, wk, wv, wo    *weight
	bq, bk, bv, bo    *weight
	gate, up, down    *weight
	bGate, bUp, bDown *weight
}

func (m *llama) collect(c *collector) {
	p := m.p
	qd, kvd := p.QDim(), p.KVDim()
	vocab := c.rowsOf("token_embd.weight")
	m.embd = c.matrix("token_embd", p.Dim, vocab)
	m.layers = make([]llamaLayer, p.Layers)
	for i := range m.layers {
		l, blk := &m.layers[i], fmt.Sprintf("blk.%d.", i)
		l.attnNorm = c.vector(p.Dim, blk+"attn_norm.weight")
		l.ffnNorm = c.vector(p.Dim, blk+"ffn_norm.weight")
		l.wq = c.matrix(blk+"attn_q", p.Dim, qd)
		l.bq = c.biasIf(blk+"attn_q", qd)
		l.wk = c.matrix(blk+"attn_k", p.Dim, kvd)
		l.bk = c.biasIf(blk+"attn_k", kvd)
		if p.Neox {
			for _, w := range []*weight{l.wq, l.bq, l.wk, l.bk} {
				if w != nil {
					w.neox = p.HeadDim
				}
			}
		}
		l.wv = c.matrix(blk+"attn_v", p.Dim, kvd)
		l.bv = c.biasIf(blk+"attn_v", kvd)
		l.wo = c.matrix(blk+"attn_output", qd, p.Dim)
		l.bo = c.biasIf(blk+"attn_output", p.Dim)
		l.gate = c.matrix(blk+"ffn_gate", p.Dim, p.Hidden)
		l.bGate = c.biasIf(blk+"ffn_gate", p.Hidden)
		l.up = c.matrix(blk+"ffn_up", p.Dim, p.Hidden)
		l.bUp = c.biasIf(blk+"ffn_up", p.Hidden)
		l.down = c.matrix(blk+"ffn_down", p.Hidden, p.Dim)
		l.bDown = c.biasIf(blk+"ffn_down", p.Dim)
	}
	m.norm = c.vector(p.Dim, "output_norm.weight")
	m.out = m.embd
	if c.has("output.weight") {
		m.out = c.matrix("output", p.Dim, vocab)
	}
}

func (m *llama) vocab() int { return m.embd.rows }

// biased reports whether keys or values have a bias: then both pass through
// scratch as f32 on their way into the cache.
func (m *llama) biased() bool {
	for i := range m.layers {
		if m.layers[i].bv != nil {
			return true
		}
	}
	return false
}

func (m *llama) scratch(l *layout) {
	p := m.p
	m.x = l.add(floats("x", p.Dim))
	m.xb = l.add(floats("xb", p.Dim))
	m.q = l.add(floats("q", p.QDim()))
	m.att = l.add(floats("att", p.QDim()))
	m.k = l.add(floats("k", p.KVDim()))
	if l.kv16 && m.biased() {
		m.v = l.add(floats("v", p.KVDim()))
	}
	m.hb = l.add(floats("hb", p.Hidden))
	m.hb2 = l.add(floats("hb2", p.Hidden))
	m.logits = l.add(floats("logits", m.vocab()))
	l.caches(p.Layers, p.KVDim())
}

func (m *llama) output(*layout) (addr uint32, n int) { return m.logits.addr, m.vocab() }

func (m *llama) emit(s *script, pl *Plan) {
	p, l := m.p, pl.layout
	s.decoder(pl, m.logits, func() {
		s.n(p.Dim, 0, 0)
		s.row(m.embd, rToken, m.x.addr)
		s.lea(aRope, l.rope, rPos, l.ropeRow)
		for i := range m.layers {
			m.attention(s, l, i)
			m.feedForward(s, i)
		}
		s.neps(p.Dim, p.Eps)
		s.rmsnorm(m.x.addr, m.norm, m.xb.addr)
		s.n(p.Dim, m.vocab(), 0)
		s.gemv(m.out, m.xb.addr, m.logits.addr, 0)
	})
}

func (m *llama) attention(s *script, l *layout, layer int) {
	p, w := m.p, &m.layers[layer]
	qd, kvd := p.QDim(), p.KVDim()
	kCache, vCache := l.cache(layer)
	stride := uint32(kvd * l.kvBytes())

	s.neps(p.Dim, p.Eps)
	s.rmsnorm(m.x.addr, w.attnNorm, m.xb.addr)
	s.n(p.Dim, qd, 0)
	s.gemv(w.wq, m.xb.addr, m.q.addr, 0)
	s.n(p.Dim, kvd, 0)
	s.lea(aK, kCache.addr, rPos, stride)
	s.lea(aV, vCache.addr, rPos, stride)

	// k is rotated before it is rounded to F16; v can go straight into the
	// cache unless a bias has to be added.
	k, v := rel(aK), rel(aV)
	var vFlags byte
	if l.kv16 {
		k = m.k.addr
		if w.bv != nil {
			v = m.v.addr
		} else {
			vFlags = gemvF16
		}
	}
	s.gemv(w.wk, m.xb.addr, k, 0)
	s.gemv(w.wv, m.xb.addr, v, vFlags)
	if w.bq != nil {
		s.n(qd, 0, 0)
		s.addBias(m.q.addr, w.bq)
	}
	if w.bk != nil || w.bv != nil {
		s.n(kvd, 0, 0)
	}
	if w.bk != nil {
		s.addBias(k, w.bk)
	}
	if w.bv != nil {
		s.addBias(v, w.bv)
		if l.kv16 {
			s.cvt16(v, rel(aV))
		}
	}
	s.n(qd, p.HeadDim, 0)
	s.rope(m.q.addr)
	s.n(kvd, p.HeadDim, 0)
	s.rope(k)
	if l.kv16 {
		s.cvt16(k, rel(aK))
	}
	s.attn(rPos, l.attn[layer], m.q.addr, m.att.addr)
	s.n(qd, p.Dim, 0)
	s.gemv(w.wo, m.att.addr, m.x.addr, gemvAdd)
	if w.bo != nil {
		s.n(p.Dim, 0, 0)
		s.addBias(m.x.addr, w.bo)
	}
}

func (m *llama) feedForward(s *script, layer int) {
	p, w := m.p, &m.layers[layer]
	s.neps(p.Dim, p.Eps)
	s.rmsnorm(m.x.addr, w.ffnNorm, m.xb.addr)
	s.n(p.Dim, p.Hidden, 0)
	s.gemv(w.gate, m.xb.addr, m.hb.addr, 0)
	s.gemv(w.up, m.xb.addr, m.hb2.addr, 0)
	s.n(p.Hidden, 0, 0)
	if w.bGate != nil {
		s.addBias(m.hb.addr, w.bGate)
	}
	if w.bUp != nil {
		s.addBias(m.hb2.addr, w.bUp)
	}
	s.silumul(m.hb.addr, m.hb2.addr, m.hb.addr)
	s.n(p.Hidden, p.Dim, 0)
	s.gemv(w.down, m.hb.addr, m.x.addr, gemvAdd)
	if w.bDown != nil {
		s.n(p.Dim, 0, 0)
		s.addBias(m.x.addr, w.bDown)
	}
}
