package train

import (
	"fmt"

	"ssnail-kit/host/train/grad"
)

// Logits runs a llama or gpt2 over ids: one row of logits for each.
func (m *Model) Logits(t *grad.Tape, ids []int) *grad.Matrix {
	if m.Arch == "gpt2" {
		return m.gpt2(t, ids)
	}
	return m.llama(t, ids)
}

func (m *Model) llama(t *grad.Tape, ids []int) *grad.Matrix {
	w := m.byName
	x := t.Embed(w["token_embd.weight"], ids)
	for l := range m.Layers {
		b := fmt.Sprintf("blk.%d.", l)
		h := t.RMSNorm(x, w[b+"attn_norm.weight"], normEps)
		hd := m.Dim / m.Heads
		q := t.RoPE(t.Linear(h, w[b+"attn_q.weight"], nil), hd, ropeBase)
		k := t.RoPE(t.Linear(h, w[b+"attn_k.weight"], nil), hd, ropeBase)
		v := t.Linear(h, w[b+"attn_v.weight"], nil)
		a := t.Attention(q, k, v, m.Heads, m.KVHeads, true)
		x = t.Add(x, t.Linear(a, w[b+"attn_output.weight"], nil))
		h = t.RMSNorm(x, w[b+"ffn_norm.weight"], normEps)
		f := t.SiLUMul(t.Linear(h, w[b+"ffn_gate.weight"], nil), t.Linear(h, w[b+"ffn_up.weight"], nil))
		x = t.Add(x, t.Linear(f, w[b+"ffn_down.weight"], nil))
	}
	return t.Linear(t.RMSNorm(x, w["output_norm.weight"], normEps), w["token_embd.weight"], nil)
}

func (m *Model) gpt2(t *grad.Tape, ids []int) *grad.Matrix {
	w := m.byName
	x := t.Add(t.Embed(w["token_embd.weight"], ids), t.Embed(w["position_embd.weight"], upTo(len(ids))))
	d := m.Dim
	for l := range m.Layers {
		b := fmt.Sprintf("blk.%d.", l)
		h := t.LayerNorm(x, w[b+"attn_norm.weight"], w[b+"attn_norm.bias"], normEps)
		qkv := t.Linear(h, w[b+"attn_qkv.weight"], w[b+"attn_qkv.bias"])
		a := t.Attention(t.Columns(qkv, 0, d), t.Columns(qkv, d, d), t.Columns(qkv, 2*d, d), m.Heads, m.Heads, true)
		x = t.Add(x, t.Linear(a, w[b+"attn_output.weight"], w[b+"attn_output.bias"]))
		h = t.LayerNorm(x, w[b+"ffn_norm.weight"], w[b+"ffn_norm.bias"], normEps)
		x = t.Add(x, m.gelu(t, h, b))
	}
	return t.Linear(t.LayerNorm(x, w["output_norm.weight"], w["output_norm.bias"], normEps), w["token_embd.weight"], nil)
}

// Embedding runs a bert over ids: the mean of its last rows.
func (m *Model) Embedding(t *grad.Tape, ids []int) *grad.Matrix {
	w := m.byName
	x := t.Add(t.Embed(w["token_embd.weight"], ids), t.Embed(w["position_embd.weight"], upTo(len(ids))))
	x = t.Add(x, t.Embed(w["token_types.weight"], make([]int, len(ids))))
	x = t.LayerNorm(x, w["token_embd_norm.weight"], w["token_embd_norm.bias"], normEps)
	for l := range m.Layers {
		b := fmt.Sprintf("blk.%d.", l)
		lin := func(name string, x *grad.Matrix) *grad.Matrix {
			return t.Linear(x, w[b+name+".weight"], w[b+name+".bias"])
		}
		a := t.Attention(lin("attn_q", x), lin("attn_k", x), lin("attn_v", x), m.Heads, m.Heads, false)
		x = t.LayerNorm(t.Add(x, lin("attn_output", a)), w[b+"attn_output_norm.weight"], w[b+"attn_output_norm.bias"], normEps)
		x = t.LayerNorm(t.Add(x, m.gelu(t, x, b)), w[b+"layer_output_norm.weight"], w[b+"layer_output_norm.bias"], normEps)
	}
	return t.MeanRows(x)
}

// gelu is the feed forward of gpt2 and bert.
func (m *Model) gelu(t *grad.Tape, h *grad.Matrix, b string) *grad.Matrix {
	w := m.byName
	f := t.GELU(t.Linear(h, w[b+"ffn_up.weight"], w[b+"ffn_up.bias"]))
	return t.Linear(f, w[b+"ffn_down.weight"], w[b+"ffn_down.bias"])
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
