package convert

import "fmt"

// gpt2 is the forward pass of GPT-2.
type gpt2 struct {
	p *Params

	embd, pos *weight
	layers    []gpt2Layer
	norm      *weight
	out       *weight // embd if the model has no output.weight

	x, xb, q, att, tmp, k, v, hb, logits *buffer
}

type gpt2Layer struct {
	attnNorm, ffnNorm    *weight
	qkv, bqkv            *weight
	wo, bo               *weight
	up, bUp, down, bDown *weight
}

func (m *gpt2) collect(c *collector) {
	p := m.p
	vocab := c.rowsOf("token_embd.weight")
	m.embd = c.matrix("token_embd", p.Dim, vocab)
	m.pos = c.matrix("position_embd", p.Dim, c.rowsOf("position_embd.weight"))
	m.layers = make([]gpt2Layer, p.Layers)
	for i := range m.layers {
		l, blk := &m.layers[i], fmt.Sprintf("blk.%d.", i)
		l.attnNorm = c.norm(blk+"attn_norm", p.Dim)
		l.ffnNorm = c.norm(blk+"ffn_norm", p.Dim)
		l.qkv = c.matrix(blk+"attn_qkv", p.Dim, 3*p.Dim)
		l.bqkv = c.bias(blk+"attn_qkv", 3*p.Dim)
		l.wo = c.matrix(blk+"attn_output", p.Dim, p.Dim)
		l.bo = c.bias(blk+"attn_output", p.Dim)
		l.up = c.matrix(blk+"ffn_up", p.Dim, p.Hidden)
		l.bUp = c.bias(blk+"ffn_up", p.Hidden)
		l.down = c.matrix(blk+"ffn_down", p.Hidden, p.Dim)
		l.bDown = c.bias(blk+"ffn_down", p.Dim)
	}
	m.norm = c.norm("output_norm", p.Dim)
	m.out = m.embd
	if c.has("output.weight") {
		m.out = c.matrix("output", p.Dim, vocab)
	}
}

func (m *gpt2) vocab() int     { return m.embd.rows }
func (m *gpt2) positions() int { return m.pos.rows }

func (m *gpt2) scratch(l *layout) {
	p := m.p
	m.x = l.add(floats("x", p.Dim))
	m.xb = l.add(floats("xb", p.Dim))
	m.q = l.add(floats("q", p.Dim))
	m.att = l.add(floats("att", p.Dim))
	m.tmp = l.add(floats("tmp", p.Dim))
	m.k = l.add(floats("k", p.Dim))
	m.v = l.add(floats("v", p.Dim))
	m.hb = l.add(floats("hb", p.Hidden))
	m.logits = l.add(floats("logits", m.vocab()))
	l.caches(p.Layers, p.Dim)
}

func (m *gpt2) output(*layout) (addr uint32, n int) { return m.logits.addr, m.vocab() }

func (m *gpt2) emit(s *script, pl *Plan) {
	p, l := m.p, pl.layout
	s.decoder(pl, m.logits, func() {
		s.n(p.Dim, 0, 0)
		s.row(m.embd, rToken, m.x.addr)
		s.row(m.pos, rPos, m.tmp.addr)
		s.add(m.x.addr, m.tmp.addr)
		for i := range m.layers {
			m.attention(s, l, i)
			m.feedForward(s, i)
		}
		s.neps(p.Dim, p.Eps)
		s.layernorm(m.x.addr, m.norm, m.xb.addr)
		s.n(p.Dim, m.vocab(), 0)
		s.gemv(m.out, m.xb.addr, m.logits.addr, 0)
	})
}

func (m *gpt2) attention(s *script, l *layout, layer int) {
	p, w := m.p, &m.layers[layer]
	kCache, vCache := l.cache(layer)
	stride := uint32(p.Dim * l.kvBytes())
	k, v := rel(aK), rel(aV)
	if l.kv16 {
		k, v = m.k.addr, m.v.addr
	}

	s.neps(p.Dim, p.Eps)
	s.layernorm(m.x.addr, w.attnNorm, m.xb.addr)
	s.n(p.Dim, p.Dim, 0)
	s.part(w.qkv, 0, p.Dim, m.xb.addr, m.q.addr)
	s.lea(aK, kCache.addr, rPos, stride)
	s.lea(aV, vCache.addr, rPos, stride)
	s.part(w.qkv, 1, p.Dim, m.xb.addr, k)
	s.part(w.qkv, 2, p.Dim, m.xb.addr, v)
	s.n(p.Dim, 0, 0)
	for i, y := range []uint32{m.q.addr, k, v} {
		s.add(y, w.bqkv.addr+uint32(4*i*p.Dim))
	}
	if l.kv16 {
		s.cvt16(k, rel(aK))
		s.cvt16(v, rel(aV))
	}
	s.attn(rPos, l.attn[layer], m.q.addr, m.att.addr)
	s.n(p.Dim, p.Dim, 0)
	s.gemv(w.wo, m.att.addr, m.x.addr, gemvAdd)
}

// feedForward begins with the bias that ends attention: one SETN serves it
// and the norm.
func (m *gpt2) feedForward(s *script, layer int) {
	p, w := m.p, &m.layers[layer]
	s.neps(p.Dim, p.Eps)
	s.addBias(m.x.addr, w.bo)
	s.layernorm(m.x.addr, w.ffnNorm, m.xb.addr)
	s.n(p.Dim, p.Hidden, 0)
	s.gemv(w.up, m.xb.addr, m.hb.addr, 0)
	s.n(p.Hidden, 0, 0)
	s.addBias(m.hb.addr, w.bUp)
	s.gelu(m.hb.addr)
	s.n(p.Hidden, p.Dim, 0)
	s.gemv(w.down, m.hb.addr, m.x.addr, gemvAdd)
	s.n(p.Dim, 0, 0)
	s.addBias(m.x.addr, w.bDown)
}
