package reference

import (
	"fmt"
	"math"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// params are the numbers of a model.
type params struct {
	arch                 string
	dim, hidden          int
	layerCount           int
	heads, kvHeads       int
	headDim              int
	eps                  float64
	ropeBase, ropeLinear float64
	cls                  bool // bert: pool by the first row
}

// limit bounds numbers that decide how much is computed; tensors, whose size
// the file bears out, are checked against them.
const limit = 1 << 20

func (p *params) read(f *gguf.File) error {
	arch, ok, err := f.Str("general.architecture")
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("key general.architecture is missing")
	}
	p.arch = arch
	eps := "attention.layer_norm_rms_epsilon"
	switch arch {
	case "llama", "qwen2":
	case "gpt2", "bert":
		eps = "attention.layer_norm_epsilon"
	default:
		return fmt.Errorf("general.architecture %q: the reference knows llama, qwen2, gpt2 and bert", arch)
	}
	r := reader{f: f, prefix: arch + "."}
	p.dim = r.count("embedding_length", 0)
	p.layerCount = r.count("block_count", 0)
	p.hidden = r.count("feed_forward_length", 0)
	p.heads = r.count("attention.head_count", 0)
	p.kvHeads = r.count("attention.head_count_kv", p.heads)
	p.headDim = r.count("attention.key_length", p.dim/max(1, p.heads))
	// The file holds epsilon as a single, and so do the images.
	p.eps = float64(float32(r.float(eps, 1e-5)))
	p.ropeBase = r.float("rope.freq_base", 10000)
	p.ropeLinear = 1
	kind, _, err := f.Str(arch + ".rope.scaling.type")
	if err != nil {
		return err
	}
	switch kind {
	case "", "none":
		p.ropeLinear = r.float("rope.scale_linear", 1)
	case "linear":
		p.ropeLinear = r.float("rope.scaling.factor", 1)
	default:
		return fmt.Errorf("%s.rope.scaling.type %q: the reference knows none and linear", arch, kind)
	}
	if p.ropeLinear == 0 {
		p.ropeLinear = 1
	}
	if arch == "bert" {
		switch n := r.number("pooling_type", 1); n {
		case 1:
		case 2:
			p.cls = true
		default:
			return fmt.Errorf("bert.pooling_type %d: the reference knows 1 (mean) and 2 (first token)", n)
		}
	}
	if r.err != nil {
		return r.err
	}
	if p.heads%p.kvHeads != 0 {
		return fmt.Errorf("%s.attention.head_count_kv %d does not divide the %d heads", arch, p.kvHeads, p.heads)
	}
	return nil
}

// reader reads keys of one architecture and keeps the first error.
type reader struct {
	f      *gguf.File
	prefix string
	err    error
}

func (r *reader) number(key string, def uint64) uint64 {
	key = r.prefix + key
	if list, ok, err := r.f.Ints(key); err == nil && ok && len(list) > 0 {
		for _, n := range list {
			if n != list[0] {
				r.fail(fmt.Errorf("%s: layers that differ are not supported", key))
			}
		}
		return uint64(list[0])
	}
	n, ok, err := r.f.Uint(key)
	if err != nil {
		r.fail(err)
	}
	if !ok {
		return def
	}
	return n
}

func (r *reader) count(key string, def int) int {
	n := r.number(key, uint64(def))
	if n < 1 || n > limit {
		r.fail(fmt.Errorf("%s%s is %d: want 1 to %d", r.prefix, key, n, limit))
		return 1
	}
	return int(n)
}

func (r *reader) float(key string, def float64) float64 {
	v, ok, err := r.f.Float(r.prefix + key)
	if err != nil {
		r.fail(err)
	}
	if !ok {
		return def
	}
	return v
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// frequencies makes the angle of each pair at position 1.
func (m *Model) frequencies(f *gguf.File) error {
	factors := make([]float32, m.headDim/2)
	for i := range factors {
		factors[i] = 1
	}
	if f.Tensor("rope_freqs.weight") != nil {
		l := &loader{f: f}
		factors = l.vector("rope_freqs.weight", len(factors))
		if l.err != nil {
			return l.err
		}
	}
	for j, factor := range factors {
		freq := math.Pow(m.ropeBase, -2*float64(j)/float64(m.headDim))
		m.ropeFreq = append(m.ropeFreq, freq/float64(factor)/m.ropeLinear)
	}
	return nil
}

// loader reads tensors and keeps the first error.
type loader struct {
	f   *gguf.File
	err error
}

// matrix reads a tensor of cols columns; rows -1 takes as many as it has.
func (l *loader) matrix(name string, cols, rows int) *matrix {
	m := &matrix{name: name, cols: cols}
	if l.err != nil {
		return m
	}
	t := l.f.Tensor(name)
	if t == nil {
		l.err = fmt.Errorf("tensor %q is missing", name)
		return m
	}
	if t.Columns() != cols || rows >= 0 && t.Rows() != rows || t.Rows() < 1 {
		l.err = fmt.Errorf("tensor %q has the shape %s: want %d columns and %d rows", name, t.Shape(), cols, rows)
		return m
	}
	if !t.Type.Known() {
		l.err = fmt.Errorf("tensor %q has the format %v, which cannot be read", name, t.Type)
		return m
	}
	// The file holds t.Size bytes of it, which gguf checked: memory is bounded
	// by the file.
	raw := make([]byte, t.Size)
	if _, err := t.Open().ReadAt(raw, 0); err != nil {
		l.err = fmt.Errorf("tensor %q: %w", name, err)
		return m
	}
	m.rows = t.Rows()
	m.w = make([]float32, t.Elements())
	if err := ggml.Dequantize(t.Type, m.w, raw); err != nil {
		l.err = fmt.Errorf("tensor %q: %w", name, err)
	}
	return m
}

func (l *loader) vector(name string, n int) []float32 { return l.matrix(name, n, 1).w }

// optional is a vector that may be absent.
func (l *loader) optional(name string, n int) []float32 {
	if l.err != nil || l.f.Tensor(name) == nil {
		return nil
	}
	return l.vector(name, n)
}

// norm reads a norm's weight, and its bias if there is one.
func (l *loader) norm(name string, n int) norm {
	return norm{l.vector(name+".weight", n), l.optional(name+".bias", n)}
}

// linear is a matrix with or without a bias.
type linear struct {
	w *matrix
	b []float32
}

func (l linear) times(x []float64) []float64 { return l.w.times(x, l.b) }

func (l *loader) linear(name string, cols, rows int) linear {
	return linear{l.matrix(name+".weight", cols, rows), l.optional(name+".bias", rows)}
}

// layer is one layer's weights; which are there depends on the architecture.
type layer struct {
	attnNorm, ffnNorm norm // gpt2, llama: before; bert: after
	q, k, v, out      linear
	gate, up, down    linear
}

func (l *loader) layer(blk string, p *params) layer {
	var y layer
	qd, kvd := p.heads*p.headDim, p.kvHeads*p.headDim
	switch p.arch {
	case "gpt2":
		y.attnNorm, y.ffnNorm = l.norm(blk+"attn_norm", p.dim), l.norm(blk+"ffn_norm", p.dim)
		y.q, y.k, y.v = split(l.linear(blk+"attn_qkv", p.dim, 3*p.dim), p.dim)
	case "bert":
		y.attnNorm, y.ffnNorm = l.norm(blk+"attn_output_norm", p.dim), l.norm(blk+"layer_output_norm", p.dim)
	default:
		y.attnNorm, y.ffnNorm = l.norm(blk+"attn_norm", p.dim), l.norm(blk+"ffn_norm", p.dim)
		y.gate = l.linear(blk+"ffn_gate", p.dim, p.hidden)
	}
	if p.arch != "gpt2" {
		y.q = l.linear(blk+"attn_q", p.dim, qd)
		y.k = l.linear(blk+"attn_k", p.dim, kvd)
		y.v = l.linear(blk+"attn_v", p.dim, kvd)
	}
	y.out = l.linear(blk+"attn_output", qd, p.dim)
	y.up = l.linear(blk+"ffn_up", p.dim, p.hidden)
	y.down = l.linear(blk+"ffn_down", p.hidden, p.dim)
	return y
}

// split takes GPT-2's joint projection apart.
func split(l linear, n int) (q, k, v linear) {
	if len(l.w.w) < 3*n*n {
		return l, l, l // the loader has an error
	}
	part := func(i int) linear {
		y := linear{w: &matrix{l.w.name, n, n, l.w.w[i*n*n : (i+1)*n*n]}}
		if l.b != nil {
			y.b = l.b[i*n : (i+1)*n]
		}
		return y
	}
	return part(0), part(1), part(2)
}
