// Package reference is the forward pass of llama, qwen2, GPT-2 and BERT
// straight from a GGUF, in double precision and in the plainest way: no image,
// no script, no shared code with the converter but the reading of files and
// the expansion of weight formats. It is what images are judged by.
//
// params.go reads metadata, load.go weights, decoder.go runs llama and GPT-2
// token by token, encoder.go runs BERT over a whole text.
package reference

import (
	"fmt"
	"math"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// Model is a model's weights and numbers in memory.
type Model struct {
	params
	tokens    *matrix
	positions *matrix // nil without
	types     []float32
	embNorm   norm
	layers    []layer
	outNorm   norm
	output    *matrix
	ropeFreq  []float64 // per pair, nil without RoPE
	half      bool      // keys and values are rounded to F16
}

// WithHalfCache is the model with keys and values rounded to F16, as images
// with such a KV cache keep them; nothing else is rounded.
func (m *Model) WithHalfCache() *Model {
	c := *m
	c.half = true
	return &c
}

// cached is a key or value as the cache keeps it.
func (m *Model) cached(v []float64) []float64 {
	if m.half {
		for i, x := range v {
			v[i] = float64(ggml.F16ToF32(ggml.F32ToF16(float32(x))))
		}
	}
	return v
}

// Load reads all of a model. An error names the key or the tensor.
func Load(f *gguf.File) (*Model, error) {
	m := &Model{}
	if err := m.params.read(f); err != nil {
		return nil, err
	}
	l := &loader{f: f}
	m.tokens = l.matrix("token_embd.weight", m.dim, -1)
	switch m.arch {
	case "gpt2", "bert":
		m.positions = l.matrix("position_embd.weight", m.dim, -1)
	}
	for i := range m.layerCount {
		m.layers = append(m.layers, l.layer(fmt.Sprintf("blk.%d.", i), &m.params))
		if l.err != nil {
			return nil, l.err
		}
	}
	switch m.arch {
	case "bert":
		if f.Tensor("token_types.weight") != nil {
			m.types = l.matrix("token_types.weight", m.dim, -1).row(0)
		}
		m.embNorm = l.norm("token_embd_norm", m.dim)
	default:
		m.outNorm = l.norm("output_norm", m.dim)
		m.output = m.tokens
		if f.Tensor("output.weight") != nil {
			m.output = l.matrix("output.weight", m.dim, -1)
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	if m.rotates() {
		return m, m.frequencies(f)
	}
	return m, nil
}

// Encoder tells whether the model embeds texts instead of continuing them.
func (m *Model) Encoder() bool { return m.arch == "bert" }

// Vocab is the number of tokens that can be processed.
func (m *Model) Vocab() int { return m.tokens.rows }

// Dim is the length of an embedding.
func (m *Model) Dim() int { return m.dim }

func (m *Model) rotates() bool { return m.arch == "llama" || m.arch == "qwen2" }

// matrix is rows of weights as they are in the file, expanded to single, which
// is exact.
type matrix struct {
	name       string
	rows, cols int
	w          []float32
}

func (m *matrix) row(i int) []float32 { return m.w[i*m.cols : (i+1)*m.cols] }

// times is y = W x + b; b may be nil.
func (m *matrix) times(x []float64, b []float32) []float64 {
	y := make([]float64, m.rows)
	for r := range y {
		var s float64
		for i, w := range m.row(r) {
			s += float64(w) * x[i]
		}
		if b != nil {
			s += float64(b[r])
		}
		y[r] = s
	}
	return y
}

// norm is the weight and bias of a norm; RMS norms have no bias.
type norm struct{ w, b []float32 }

// rms is x / sqrt(mean(x^2)+eps) * w.
func (n norm) rms(x []float64, eps float64) []float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	r := 1 / math.Sqrt(s/float64(len(x))+eps)
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * r * float64(n.w[i])
	}
	return y
}

// layer is (x-mean) / sqrt(var+eps) * w + b.
func (n norm) layer(x []float64, eps float64) []float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	mean := s / float64(len(x))
	var ss float64
	for _, v := range x {
		ss += (v - mean) * (v - mean)
	}
	r := 1 / math.Sqrt(ss/float64(len(x))+eps)
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (v-mean)*r*float64(n.w[i]) + float64(n.b[i])
	}
	return y
}

// gelu is the tanh approximation, in place.
func gelu(x []float64) {
	for i, v := range x {
		x[i] = 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	}
}

// add is x += y.
func add(x, y []float64) {
	for i, v := range y {
		x[i] += v
	}
}

// heads attends with each head of q to rows of keys and values.
func (m *Model) attention(q []float64, keys, values [][]float64) []float64 {
	out := make([]float64, len(q))
	hd := m.headDim
	score := make([]float64, len(keys))
	for h := range m.heads {
		qh := q[h*hd : (h+1)*hd]
		at := h / (m.heads / m.kvHeads) * hd
		top := math.Inf(-1)
		for t, k := range keys {
			var s float64
			for i, v := range qh {
				s += v * k[at+i]
			}
			score[t] = s / math.Sqrt(float64(hd))
			top = max(top, score[t])
		}
		var total float64
		for t := range score {
			score[t] = math.Exp(score[t] - top)
			total += score[t]
		}
		o := out[h*hd : (h+1)*hd]
		for t, v := range values {
			w := score[t] / total
			for i := range o {
				o[i] += w * v[at+i]
			}
		}
	}
	return out
}

func widen(v []float32) []float64 {
	y := make([]float64, len(v))
	for i, x := range v {
		y[i] = float64(x)
	}
	return y
}

// TokenError is a token or a text that the model cannot process.
type TokenError struct{ msg string }

func (e *TokenError) Error() string { return e.msg }

func (m *Model) check(token uint32, pos int) error {
	if int64(token) >= int64(m.tokens.rows) {
		return &TokenError{fmt.Sprintf("token %d: the model has tokens 0 to %d", token, m.tokens.rows-1)}
	}
	if m.positions != nil && pos >= m.positions.rows {
		return &TokenError{fmt.Sprintf("position %d: position_embd.weight has %d rows", pos, m.positions.rows)}
	}
	return nil
}
