package convert

import (
	"fmt"

	"ssnail-kit/host/image"
)

// bert is the forward pass of BERT: every layer first computes the queries,
// keys and values of all rows, then attends and feeds forward row by row.
type bert struct {
	p *Params

	embd, pos *weight
	types     *weight // nil if the model has none
	embdNorm  *weight
	layers    []bertLayer

	x, q, att, tmp, k, v, hb *buffer
}

type bertLayer struct {
	wq, bq, wk, bk, wv, bv, wo, bo *weight
	attnNorm                       *weight
	up, bUp, down, bDown           *weight
	outNorm                        *weight
}

func (m *bert) collect(c *collector) {
	p := m.p
	m.embd = c.matrix("token_embd", p.Dim, c.rowsOf("token_embd.weight"))
	m.pos = c.matrix("position_embd", p.Dim, c.rowsOf("position_embd.weight"))
	if c.has("token_types.weight") {
		m.types = c.matrix("token_types", p.Dim, c.rowsOf("token_types.weight"))
	}
	m.embdNorm = c.norm("token_embd_norm", p.Dim)
	m.layers = make([]bertLayer, p.Layers)
	for i := range m.layers {
		l, blk := &m.layers[i], fmt.Sprintf("blk.%d.", i)
		linear := func(name string, cols, rows int) (w, b *weight) {
			return c.matrix(blk+name, cols, rows), c.bias(blk+name, rows)
		}
		l.wq, l.bq = linear("attn_q", p.Dim, p.Dim)
		l.wk, l.bk = linear("attn_k", p.Dim, p.Dim)
		l.wv, l.bv = linear("attn_v", p.Dim, p.Dim)
		l.wo, l.bo = linear("attn_output", p.Dim, p.Dim)
		l.attnNorm = c.norm(blk+"attn_output_norm", p.Dim)
		l.up, l.bUp = linear("ffn_up", p.Dim, p.Hidden)
		l.down, l.bDown = linear("ffn_down", p.Hidden, p.Dim)
		l.outNorm = c.norm(blk+"layer_output_norm", p.Dim)
	}
}

func (m *bert) vocab() int     { return m.embd.rows }
func (m *bert) positions() int { return m.pos.rows }

func (m *bert) scratch(l *layout) {
	p := m.p
	m.x = l.add(floats("X", l.ctx*p.Dim))
	m.q = l.add(floats("Q", l.ctx*p.Dim))
	l.caches(1, p.Dim)
	m.att = l.add(floats("att", p.Dim))
	m.tmp = l.add(floats("tmp", p.Dim))
	m.k = l.add(floats("k", p.Dim))
	m.v = l.add(floats("v", p.Dim))
	m.hb = l.add(floats("hb", p.Hidden))
}

func (m *bert) output(*layout) (addr uint32, n int) { return image.OutputVector, m.p.Dim }

func (m *bert) emit(s *script, pl *Plan) {
	p, l := m.p, pl.layout
	rowsOK, finish := s.label(), s.label()
	s.li(rGenerated, 0)
	s.str(rGenerated, word(image.OffGenerated))
	s.ldr(rLen, word(image.OffPromptLen))
	s.li(rLimit, uint32(l.ctx+1))
	s.li(rReason, image.StopContext)
	s.blt(rLen, rLimit, rowsOK)
	s.jump(finish)
	s.set(rowsOK)
	s.li(rReason, image.StopCount)
	s.beq(rLen, rZero, finish)
	s.addi(rAfter, rLen, ^uint32(0))

	s.eachRow(func() { m.embed(s) })
	for i := range m.layers {
		s.eachRow(func() { m.project(s, l, i) })
		s.eachRow(func() { m.layer(s, l, i) })
	}
	s.n(p.Dim, 0, 0)
	if p.CLS {
		s.op(image.COPY, 0, 0, m.x.addr, image.OutputVector, uint32(4*p.Dim))
	} else {
		s.op(image.MEANROWS, rLen, 0, m.x.addr, 0, image.OutputVector)
	}
	s.li(rReason, image.StopCount)
	s.set(finish)
	s.end()
}

// eachRow emits a loop over the rows of the text.
func (s *script) eachRow(body func()) {
	s.li(rRow, 0)
	loop := s.here()
	body()
	s.addi(rRow, rRow, 1)
	s.blt(rRow, rLen, loop)
}

// rowOf points an address register to the present row of a buffer.
func (m *bert) rowOf(s *script, a byte, b *buffer, size int) {
	s.lea(a, b.addr, rRow, uint32(m.p.Dim*size))
}

func (m *bert) embed(s *script) {
	p := m.p
	s.lea(aToken, image.TokenBuffer, rRow, 4)
	s.ldr(rToken, rel(aToken))
	m.rowOf(s, aX, m.x, 4)
	s.neps(p.Dim, p.Eps)
	s.row(m.embd, rToken, rel(aX))
	s.row(m.pos, rRow, m.tmp.addr)
	s.add(rel(aX), m.tmp.addr)
	if m.types != nil {
		// All text is of type 0.
		s.op(image.DEQROW, byte(m.types.format), 0, m.types.addr, 0, m.tmp.addr)
		s.add(rel(aX), m.tmp.addr)
	}
	s.layernorm(rel(aX), m.embdNorm, rel(aX))
}

// project fills Q and the caches with one row.
func (m *bert) project(s *script, l *layout, layer int) {
	p, w := m.p, &m.layers[layer]
	kCache, vCache := l.cache(layer)
	m.rowOf(s, aX, m.x, 4)
	m.rowOf(s, aQ, m.q, 4)
	m.rowOf(s, aK, kCache, l.kvBytes())
	m.rowOf(s, aV, vCache, l.kvBytes())
	k, v := rel(aK), rel(aV)
	if l.kv16 {
		k, v = m.k.addr, m.v.addr
	}
	s.n(p.Dim, p.Dim, 0)
	s.gemv(w.wq, rel(aX), rel(aQ), 0)
	s.gemv(w.wk, rel(aX), k, 0)
	s.gemv(w.wv, rel(aX), v, 0)
	s.addBias(rel(aQ), w.bq)
	s.addBias(k, w.bk)
	s.addBias(v, w.bv)
	if l.kv16 {
		s.cvt16(k, rel(aK))
		s.cvt16(v, rel(aV))
	}
}

// layer attends and feeds forward with one row.
func (m *bert) layer(s *script, l *layout, layer int) {
	p, w := m.p, &m.layers[layer]
	m.rowOf(s, aX, m.x, 4)
	m.rowOf(s, aQ, m.q, 4)
	s.attn(rAfter, l.attn[layer], rel(aQ), m.att.addr)
	s.n(p.Dim, p.Dim, epsBits(p.Eps))
	s.gemv(w.wo, m.att.addr, rel(aX), gemvAdd)
	s.addBias(rel(aX), w.bo)
	s.layernorm(rel(aX), w.attnNorm, rel(aX))
	s.n(p.Dim, p.Hidden, 0)
	s.gemv(w.up, rel(aX), m.hb.addr, 0)
	s.n(p.Hidden, 0, 0)
	s.addBias(m.hb.addr, w.bUp)
	s.gelu(m.hb.addr)
	s.n(p.Hidden, p.Dim, 0)
	s.gemv(w.down, m.hb.addr, rel(aX), gemvAdd)
	s.neps(p.Dim, p.Eps)
	s.addBias(rel(aX), w.bDown)
	s.layernorm(rel(aX), w.outNorm, rel(aX))
}
