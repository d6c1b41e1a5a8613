// Package train trains the kit's own small models on the CPU and writes them
// as GGUF files: a llama and a gpt2 that tell stories, a bert that embeds
// sentences. The same recipe and seed give the same file, whatever the number
// of threads.
//
// model.go holds shapes and parameters, forward.go the three forward passes,
// data.go turns the corpus into tokens, loop.go trains, contrast.go trains the
// encoder, checkpoint.go keeps and resumes, curve.go draws the loss, export.go
// writes GGUF. The parts under it: grad (matrices and gradients), corpus (the
// story grammar), vocab (vocabularies).
package train

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ssnail-kit/host/train/grad"
)

// Shape is a model's architecture and size.
type Shape struct {
	Arch    string // llama, gpt2 or bert, as general.architecture
	Vocab   int
	Dim     int
	Layers  int
	Heads   int
	KVHeads int // llama only; the others have Heads
	Hidden  int // feed forward
	Ctx     int
}

// epsilon of the norms, and the base of the rotary positions.
const (
	normEps  = 1e-5
	ropeBase = 10000
)

// Param is one tensor under its GGUF name. Rows are outputs, columns inputs.
type Param struct {
	Name string
	*grad.Matrix
}

// Model is a shape with its parameters in GGUF's order.
type Model struct {
	Shape
	Params []Param
	byName map[string]*grad.Matrix
}

// NewModel makes a model with random weights: normal with deviation 0.02 scaled
// down in the layers' outputs, norms 1, biases 0.
func NewModel(s Shape, seed uint64) (*Model, error) {
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	if s.Dim%s.Heads != 0 || s.Heads%s.KVHeads != 0 || s.Dim/s.Heads%2 != 0 {
		return nil, fmt.Errorf("shape: %d wide, %d heads, %d KV heads do not divide", s.Dim, s.Heads, s.KVHeads)
	}
	m := &Model{Shape: s, byName: map[string]*grad.Matrix{}}
	r := rand.New(rand.NewPCG(seed, 0x73686170))
	add := func(name string, rows, cols int, deviation float64) {
		p := grad.NewMatrix(rows, cols)
		for i := range p.V {
			p.V[i] = float32(r.NormFloat64() * deviation)
		}
		m.put(name, p)
	}
	ones := func(name string) {
		p := grad.NewMatrix(1, s.Dim)
		for i := range p.V {
			p.V[i] = 1
		}
		m.put(name, p)
	}
	zeros := func(name string, n int) { m.put(name, grad.NewMatrix(1, n)) }
	const base = 0.05
	down := base / math.Sqrt(2*float64(s.Layers))
	kv := s.Dim / s.Heads * s.KVHeads

	add("token_embd.weight", s.Vocab, s.Dim, base)
	if s.Arch != "llama" {
		add("position_embd.weight", s.Ctx, s.Dim, base)
	}
	if s.Arch == "bert" {
		add("token_types.weight", 2, s.Dim, base)
		ones("token_embd_norm.weight")
		zeros("token_embd_norm.bias", s.Dim)
	}
	for l := range s.Layers {
		b := fmt.Sprintf("blk.%d.", l)
		switch s.Arch {
		case "llama":
			ones(b + "attn_norm.weight")
			add(b+"attn_q.weight", s.Dim, s.Dim, base)
			add(b+"attn_k.weight", kv, s.Dim, base)
			add(b+"attn_v.weight", kv, s.Dim, base)
			add(b+"attn_output.weight", s.Dim, s.Dim, down)
			ones(b + "ffn_norm.weight")
			add(b+"ffn_gate.weight", s.Hidden, s.Dim, base)
			add(b+"ffn_up.weight", s.Hidden, s.Dim, base)
			add(b+"ffn_down.weight", s.Dim, s.Hidden, down)
		case "gpt2":
			ones(b + "attn_norm.weight")
			zeros(b+"attn_norm.bias", s.Dim)
			add(b+"attn_qkv.weight", 3*s.Dim, s.Dim, base)
			zeros(b+"attn_qkv.bias", 3*s.Dim)
			add(b+"attn_output.weight", s.Dim, s.Dim, down)
			zeros(b+"attn_output.bias", s.Dim)
			ones(b + "ffn_norm.weight")
			zeros(b+"ffn_norm.bias", s.Dim)
			add(b+"ffn_up.weight", s.Hidden, s.Dim, base)
			zeros(b+"ffn_up.bias", s.Hidden)
			add(b+"ffn_down.weight", s.Dim, s.Hidden, down)
			zeros(b+"ffn_down.bias", s.Dim)
		case "bert":
			for _, n := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
				add(b+n+".weight", s.Dim, s.Dim, base)
				zeros(b+n+".bias", s.Dim)
			}
			ones(b + "attn_output_norm.weight")
			zeros(b+"attn_output_norm.bias", s.Dim)
			add(b+"ffn_up.weight", s.Hidden, s.Dim, base)
			zeros(b+"ffn_up.bias", s.Hidden)
			add(b+"ffn_down.weight", s.Dim, s.Hidden, down)
			zeros(b+"ffn_down.bias", s.Dim)
			ones(b + "layer_output_norm.weight")
			zeros(b+"layer_output_norm.bias", s.Dim)
		default:
			return nil, fmt.Errorf("shape: architecture %q, want llama, gpt2 or bert", s.Arch)
		}
	}
	if s.Arch != "bert" {
		ones("output_norm.weight")
	}
	if s.Arch == "gpt2" {
		zeros("output_norm.bias", s.Dim)
	}
	return m, nil
}

func (m *Model) put(name string, p *grad.Matrix) {
	m.Params = append(m.Params, Param{name, p})
	m.byName[name] = p
}

// Count is the number of parameters.
func (m *Model) Count() int {
	n := 0
	for _, p := range m.Params {
		n += len(p.V)
	}
	return n
}

// matrices lists the parameters for the optimiser.
func (m *Model) matrices() []*grad.Matrix {
	out := make([]*grad.Matrix, len(m.Params))
	for i, p := range m.Params {
		out[i] = p.Matrix
	}
	return out
}

// shadow is a model with the same values and gradients of its own, for one
// share of a batch.
func (m *Model) shadow() *Model {
	s := &Model{Shape: m.Shape, byName: map[string]*grad.Matrix{}}
	for _, p := range m.Params {
		s.put(p.Name, &grad.Matrix{Rows: p.Rows, Cols: p.Cols, V: p.V, G: make([]float32, len(p.V))})
	}
	return s
}

// collect adds a shadow's gradients to the model's and clears them.
func (m *Model) collect(s *Model) {
	for i, p := range m.Params {
		g := s.Params[i].G
		for j, v := range g {
			p.G[j] += v
		}
		clear(g)
	}
}
