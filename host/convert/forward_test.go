package convert

import (
	"fmt"
	"math"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// plainLlama is the forward pass of llama and qwen2 straight from a GGUF, as
// the papers have it: the judge of what scripts compute. It shares nothing with the
// emitters.
type plainLlama struct {
	w                  map[string][][]float64
	dim, layers, heads int
	kvHeads, hd        int
	eps, base, scale   float64
	neox               bool
	k, v               [][][]float64 // by layer
}

func newPlain(t *testing.T, f *gguf.File, arch string) *plainLlama {
	t.Helper()
	m := &plainLlama{w: map[string][][]float64{}, neox: arch == "qwen2", base: 10000, scale: 1}
	num := func(key string, def int) int {
		n, ok, err := f.Uint(arch + "." + key)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return def
		}
		return int(n)
	}
	m.dim, m.layers, m.heads = num("embedding_length", 0), num("block_count", 0), num("attention.head_count", 0)
	m.kvHeads = num("attention.head_count_kv", m.heads)
	m.hd = num("attention.key_length", m.dim/m.heads)
	m.eps, _, _ = f.Float(arch + ".attention.layer_norm_rms_epsilon")
	if s, ok, _ := f.Float(arch + ".rope.scaling.factor"); ok {
		m.scale = s
	}
	if b, ok, _ := f.Float(arch + ".rope.freq_base"); ok {
		m.base = b
	}
	for _, x := range f.Tensors {
		raw := make([]byte, x.Size)
		if _, err := x.Open().ReadAt(raw, 0); err != nil {
			t.Fatal(err)
		}
		v := make([]float32, x.Elements())
		if err := ggml.Dequantize(x.Type, v, raw); err != nil {
			t.Fatal(err)
		}
		for len(v) > 0 {
			row := make([]float64, x.Columns())
			for i := range row {
				row[i] = float64(v[i])
			}
			m.w[x.Name] = append(m.w[x.Name], row)
			v = v[x.Columns():]
		}
	}
	m.k, m.v = make([][][]float64, m.layers), make([][][]float64, m.layers)
	return m
}

func (m *plainLlama) linear(name string, x []float64) []float64 {
	var out []float64
	for _, row := range m.w[name+".weight"] {
		out = append(out, dot(row, x))
	}
	if b := m.w[name+".bias"]; b != nil {
		for i := range out {
			out[i] += b[0][i]
		}
	}
	return out
}

func (m *plainLlama) rope(v []float64, pos int) {
	half := m.hd / 2
	for h := 0; h < len(v); h += m.hd {
		for j := range half {
			f := math.Pow(m.base, -2*float64(j)/float64(m.hd))
			if ff := m.w["rope_freqs.weight"]; ff != nil {
				f /= ff[0][j]
			}
			sin, cos := math.Sincos(float64(pos) / m.scale * f)
			a, b := h+2*j, h+2*j+1
			if m.neox {
				a, b = h+j, h+j+half
			}
			v[a], v[b] = v[a]*cos-v[b]*sin, v[a]*sin+v[b]*cos
		}
	}
}

// step processes a token and returns the logits.
func (m *plainLlama) step(token, pos int) []float64 {
	x := append([]float64{}, m.w["token_embd.weight"][token]...)
	add := func(y []float64) {
		for i := range x {
			x[i] += y[i]
		}
	}
	for l := range m.layers {
		blk := fmt.Sprintf("blk.%d.", l)
		xb := rmsnorm(x, m.w[blk+"attn_norm.weight"][0], m.eps)
		q, k := m.linear(blk+"attn_q", xb), m.linear(blk+"attn_k", xb)
		m.rope(q, pos)
		m.rope(k, pos)
		m.k[l] = append(m.k[l], k)
		m.v[l] = append(m.v[l], m.linear(blk+"attn_v", xb))
		add(m.linear(blk+"attn_output", attend(q, m.k[l], m.v[l], m.heads, m.kvHeads, m.hd)))
		xb = rmsnorm(x, m.w[blk+"ffn_norm.weight"][0], m.eps)
		g, u := m.linear(blk+"ffn_gate", xb), m.linear(blk+"ffn_up", xb)
		for i := range g {
			g[i] = silu(g[i]) * u[i]
		}
		add(m.linear(blk+"ffn_down", g))
	}
	xb := rmsnorm(x, m.w["output_norm.weight"][0], m.eps)
	if m.w["output.weight"] != nil {
		return m.linear("output", xb)
	}
	return m.linear("token_embd", xb)
}

// TestForward runs the scripts of models beyond the reference and compares
// the logits with the plain forward pass.
func TestForward(t *testing.T) {
	freqs := func(m *tiny, n int) {
		v := make([]float32, n)
		for i := range v {
			v[i] = 1 + float32(i)*1.5
		}
		m.add("rope_freqs.weight", ggml.F32, []uint64{uint64(n)}, encode(ggml.F32, v))
	}
	for _, c := range []struct {
		name  string
		o     tinyOptions
		setup func(m *tiny)
	}{
		{"llama", tinyOptions{layers: 2, kvHeads: 2}, nil},
		{"llama with biases of q, k, v", tinyOptions{layers: 2, kvHeads: 2, bias: true}, nil},
		{"llama with all biases", tinyOptions{bias: true}, func(m *tiny) {
			m.vector("blk.0.attn_output.bias", 32, 0)
			m.vector("blk.0.ffn_gate.bias", 64, 0)
			m.vector("blk.0.ffn_up.bias", 64, 0)
			m.vector("blk.0.ffn_down.bias", 32, 0)
		}},
		{"B10 key_length larger than dim/heads", tinyOptions{layers: 2, kvHeads: 2, headDim: 16}, nil},
		{"B10 key_length smaller than dim/heads", tinyOptions{headDim: 4}, nil},
		{"llama 3's rope_freqs", tinyOptions{}, func(m *tiny) { freqs(m, 4) }},
		{"B10 linear rope scaling", tinyOptions{}, func(m *tiny) {
			m.set("llama.rope.scaling.type", "linear")
			m.set("llama.rope.scaling.factor", float32(2))
		}},
		{"another rope base", tinyOptions{}, func(m *tiny) { m.set("llama.rope.freq_base", float32(500000)) }},
		{"qwen2", tinyOptions{arch: "qwen2", layers: 2, kvHeads: 2, bias: true}, nil},
		{"qwen2 without biases, with output", tinyOptions{arch: "qwen2"}, func(m *tiny) {
			m.matrix("output.weight", ggml.F32, 32, 300)
		}},
	} {
		for _, kv := range []string{"f32", "f16"} {
			for _, format := range []ggml.Type{ggml.F32, ggml.Q8_0} {
				if format == ggml.Q8_0 && c.o.headDim == 4 {
					continue // rows of 16 have no Q8_0
				}
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, kv, format), func(t *testing.T) {
					m := tinyLlama(c.o, format)
					if c.setup != nil {
						c.setup(m)
					}
					arch := c.o.arch
					if arch == "" {
						arch = "llama"
					}
					compareForward(t, m.file(t), arch, kv)
				})
			}
		}
	}
}

func compareForward(t *testing.T, f *gguf.File, arch, kv string) {
	prompt := []uint32{1, 260, 270, 280}
	const count = 5
	c := runImage(t, convertBytes(t, f, Options{KV: kv}), prompt, count)
	if n := len(prompt) + count - 1; len(c.logits) != n {
		t.Fatalf("%d steps, want %d", len(c.logits), n)
	}
	plain := newPlain(t, f, arch)
	tol := 1e-5
	if kv == "f16" {
		tol = 2e-3
	}
	for pos, got := range c.logits {
		token := int(c.word(0x8001000 + uint32(4*pos)))
		want := plain.step(token, pos)
		var most, off float64
		for i := range want {
			most = max(most, math.Abs(want[i]))
			off = max(off, math.Abs(want[i]-float64(got[i])))
		}
		if off > tol*most {
			t.Fatalf("position %d: logits are off by %g, the largest is %g", pos, off, most)
		}
	}
}
