package convert

import (
	"fmt"
	"math"
	"slices"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// Params are the numbers of a model that its forward pass needs. Sizes count
// values, not bytes.
type Params struct {
	Arch    image.Arch // of the script; qwen2 runs as llama
	Family  string     // general.architecture
	Name    string     // general.name, may be empty
	Dim     int        // embedding length
	Layers  int
	Heads   int
	KVHeads int
	HeadDim int
	Hidden  int // feed forward length
	Trained int // context length of the training
	Eps     float32

	RopeBase  float64 // base frequency
	RopeScale float64 // linear scaling: positions are divided by it
	Neox      bool    // rotates j with j+HeadDim/2, not neighbours
	CLS       bool    // bert: pool by the first row, not the mean
}

// QDim is the length of a query vector, KVDim that of a key or value.
func (p *Params) QDim() int  { return p.Heads * p.HeadDim }
func (p *Params) KVDim() int { return p.KVHeads * p.HeadDim }

// maxDim bounds every dimension: no board's memory holds a single vector of
// that many values, and products of two stay far inside 64 bits.
const maxDim = 1 << 24

// meta reads keys of one architecture and remembers the first error.
type meta struct {
	f   *gguf.File
	pre string // "llama."
	err error
}

func (m *meta) fail(key string, value any, format string, args ...any) {
	if m.err == nil {
		m.err = &KeyError{Key: key, Value: value, Msg: fmt.Sprintf(format, args...)}
	}
}

// count reads a positive number. A list, one entry per layer, is accepted if
// all entries agree.
func (m *meta) count(key string, def int) int {
	key = m.pre + key
	if m.err != nil {
		return 1
	}
	v, ok := m.f.Get(key)
	if !ok {
		if def == 0 {
			m.fail(key, nil, "missing; the model's metadata must state it")
			return 1
		}
		return def
	}
	if isList(v) {
		list, _, err := m.f.Ints(key)
		if err != nil {
			m.err = err
			return 1
		}
		if len(list) == 0 {
			m.fail(key, "[]", "an empty list")
			return 1
		}
		for _, n := range list {
			if n != list[0] {
				m.fail(key, list, "layers that differ from each other are not supported")
				return 1
			}
		}
		if list[0] < 1 || list[0] > maxDim {
			m.fail(key, list[0], "not between 1 and %d", maxDim)
			return 1
		}
		return int(list[0])
	}
	n, _, err := m.f.Uint(key)
	if err != nil {
		m.err = err
		return 1
	}
	if n < 1 || n > math.MaxUint32 {
		m.fail(key, n, "not between 1 and %d", uint32(math.MaxUint32))
		return 1
	}
	return int(n)
}

// dim is count for numbers that are a dimension of some tensor.
func (m *meta) dim(key string, def int) int {
	n := m.count(key, def)
	if n > maxDim {
		m.fail(m.pre+key, n, "not between 1 and %d", maxDim)
		return 1
	}
	return n
}

func (m *meta) float(key string, def float64) float64 {
	key = m.pre + key
	v, ok, err := m.f.Float(key)
	if err != nil && m.err == nil {
		m.err = err
	}
	if !ok || err != nil {
		return def
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		m.fail(key, v, "not a finite number")
	}
	return v
}

func (m *meta) str(key string) string {
	s, _, err := m.f.Str(m.pre + key)
	if err != nil && m.err == nil {
		m.err = err
	}
	return s
}

// refuse fails if key is present with a number (or flag) that is none of the
// neutral ones.
func (m *meta) refuse(key string, neutral []float64, msg string) {
	key = m.pre + key
	v, ok := m.f.Get(key)
	if !ok || m.err != nil {
		return
	}
	switch x := v.(type) {
	case bool:
		n := 0.0
		if x {
			n = 1
		}
		if !slices.Contains(neutral, n) {
			m.fail(key, x, "%s", msg)
		}
		return
	}
	if isList(v) {
		m.refuseList(key, neutral, msg)
		return
	}
	n, _, err := m.f.Float(key)
	if err != nil {
		m.err = err
	} else if !slices.Contains(neutral, n) {
		m.fail(key, v, "%s", msg)
	}
}

func (m *meta) refuseList(key string, neutral []float64, msg string) {
	list, _, err := m.f.Ints(key)
	if err != nil {
		m.err = err
		return
	}
	for _, n := range list {
		if !slices.Contains(neutral, float64(n)) {
			m.fail(key, list, "%s", msg)
			return
		}
	}
}

// isList reports whether a metadata value is an array of whatever kind.
func isList(v any) bool {
	switch v.(type) {
	case bool, string, uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32, float64:
		return false
	}
	return true
}

// ReadParams reads a model's parameters and refuses, with key and value, what
// a script cannot express.
func ReadParams(f *gguf.File) (*Params, error) {
	family, ok, err := f.Str("general.architecture")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &KeyError{Key: "general.architecture", Value: nil, Msg: "missing; this GGUF does not say what kind of model it is"}
	}
	p := &Params{Family: family}
	if p.Name, _, err = f.Str("general.name"); err != nil {
		return nil, err
	}
	m := &meta{f: f, pre: family + "."}
	switch family {
	case "llama":
		p.Arch = image.Llama
	case "qwen2":
		p.Arch, p.Neox = image.Llama, true
	case "gpt2":
		p.Arch = image.GPT2
	case "bert":
		p.Arch = image.Bert
	default:
		return nil, &KeyError{Key: "general.architecture", Value: family, Msg: "not supported; llama, qwen2, gpt2 and bert are",
			Remedy: "look for a model of one of these architectures"}
	}
	p.Dim = m.dim("embedding_length", 0)
	p.Layers = m.dim("block_count", 0)
	if p.Layers > maxLayers {
		m.fail(m.pre+"block_count", p.Layers, "no more than %d layers are supported", maxLayers)
	}
	p.Hidden = m.dim("feed_forward_length", 0)
	p.Heads = m.dim("attention.head_count", 0)
	p.Trained = m.count("context_length", 2048)
	if p.Arch == image.Llama {
		p.readLlama(m)
	} else {
		p.readPlain(m)
	}
	if p.Arch == image.Bert {
		p.readBert(m)
	}
	for _, r := range refusedKeys {
		m.refuse(r.key, r.neutral, r.msg)
	}
	if m.err != nil {
		return nil, m.err
	}
	return p, nil
}

// maxLayers keeps the script's slots from filling a board by themselves.
const maxLayers = 1024

// refusedKeys change the forward pass in ways that a script has no
// instruction for, unless they have a value that changes nothing.
var refusedKeys = []struct {
	key     string
	neutral []float64
	msg     string
}{
	{"expert_count", []float64{0}, "mixtures of experts are not supported"},
	{"attention.max_alibi_bias", []float64{0}, "ALiBi is not supported"},
	{"attention.clamp_kqv", []float64{0}, "clamped attention is not supported"},
	{"attention.scale", []float64{0}, "a scale of its own for attention is not supported"},
	{"attention.attn_logit_softcapping", []float64{0}, "soft-capped attention is not supported"},
	{"attn_logit_softcapping", []float64{0}, "soft-capped attention is not supported"},
	{"final_logit_softcapping", []float64{0}, "soft-capped logits are not supported"},
	{"logit_scale", []float64{0, 1}, "scaled logits are not supported"},
	{"embedding_scale", []float64{0, 1}, "scaled embeddings are not supported"},
	{"residual_scale", []float64{0, 1}, "scaled residuals are not supported"},
	{"use_parallel_residual", []float64{0}, "parallel residuals are not supported"},
}

// readLlama reads what llama and qwen2 have besides the common numbers.
func (p *Params) readLlama(m *meta) {
	p.KVHeads = m.dim("attention.head_count_kv", p.Heads)
	p.headDim(m)
	if m.err == nil && p.Heads%p.KVHeads != 0 {
		m.fail(m.pre+"attention.head_count_kv", p.KVHeads, "does not divide the %d heads of %sattention.head_count", p.Heads, m.pre)
	}
	if m.err == nil && p.HeadDim%2 != 0 {
		m.fail(m.pre+"attention.key_length", p.HeadDim, "RoPE needs an even head size")
	}
	p.Eps = float32(m.float("attention.layer_norm_rms_epsilon", 1e-5))
	p.RopeBase = m.float("rope.freq_base", 10000)
	if m.err == nil && p.RopeBase <= 0 {
		m.fail(m.pre+"rope.freq_base", p.RopeBase, "not positive")
	}
	if n := m.dim("rope.dimension_count", p.HeadDim); m.err == nil && n != p.HeadDim {
		m.fail(m.pre+"rope.dimension_count", n, "partial rotation is not supported: the heads have %d values", p.HeadDim)
	}
	p.readScaling(m)
	if w, ok := m.f.Get(m.pre + "attention.sliding_window"); ok && m.err == nil {
		// A window as long as the trained context masks nothing.
		n, _, err := m.f.Uint(m.pre + "attention.sliding_window")
		if err != nil {
			m.err = err
		} else if n != 0 && n < uint64(p.Trained) {
			m.fail(m.pre+"attention.sliding_window", w, "sliding windows are not supported")
		}
	}
	m.refuse("attention.causal", []float64{1}, "attention that sees later tokens is not supported for this architecture")
}

// readScaling reads the scaling of RoPE: none and linear are baked into the
// table, llama 3's comes as the tensor rope_freqs.weight.
func (p *Params) readScaling(m *meta) {
	p.RopeScale = 1
	switch kind := m.str("rope.scaling.type"); kind {
	case "", "none":
		// The older way to say linear.
		p.RopeScale = m.float("rope.scale_linear", 1)
		if p.RopeScale == 0 {
			p.RopeScale = 1
		}
	case "linear":
		p.RopeScale = m.float("rope.scaling.factor", 1)
	default:
		m.fail(m.pre+"rope.scaling.type", kind, "only none and linear are supported")
	}
	if m.err == nil && p.RopeScale <= 0 {
		m.fail(m.pre+"rope.scaling.factor", p.RopeScale, "not positive")
	}
	m.refuse("rope.scaling.attn_factor", []float64{1}, "scaled attention is not supported")
}

// readPlain reads what gpt2 and bert have besides the common numbers.
func (p *Params) readPlain(m *meta) {
	p.KVHeads = m.dim("attention.head_count_kv", p.Heads)
	if m.err == nil && p.KVHeads != p.Heads {
		m.fail(m.pre+"attention.head_count_kv", p.KVHeads, "differs from the %d heads of %sattention.head_count", p.Heads, m.pre)
	}
	p.headDim(m)
	if m.err == nil && p.QDim() != p.Dim {
		m.fail(m.pre+"attention.key_length", p.HeadDim, "%d heads of it are not the embedding's %d", p.Heads, p.Dim)
	}
	p.Eps = float32(m.float("attention.layer_norm_epsilon", 1e-5))
}

// headDim reads the size of a head: key_length, else embedding / heads.
func (p *Params) headDim(m *meta) {
	if m.err != nil {
		p.HeadDim = 2
		return
	}
	key := m.pre + "attention.key_length"
	if _, ok := m.f.Get(key); ok {
		p.HeadDim = m.dim("attention.key_length", 0)
	} else {
		if p.Dim%p.Heads != 0 {
			m.fail(m.pre+"attention.head_count", p.Heads, "does not divide the embedding length %d, and there is no %s", p.Dim, key)
		}
		p.HeadDim = max(p.Dim/p.Heads, 1)
	}
	if v := m.dim("attention.value_length", p.HeadDim); m.err == nil && v != p.HeadDim {
		m.fail(m.pre+"attention.value_length", v, "differs from the key length %d", p.HeadDim)
	}
	if m.err == nil && (p.QDim() > maxDim || p.KVDim() > maxDim) {
		m.fail(key, p.HeadDim, "%d heads of it are too many values", p.Heads)
	}
}

func (p *Params) readBert(m *meta) {
	m.refuse("attention.causal", []float64{0}, "an encoder with causal attention is not supported")
	key := m.pre + "pooling_type"
	if _, ok := m.f.Get(key); ok && m.err == nil {
		n, _, err := m.f.Uint(key)
		switch {
		case err != nil:
			m.err = err
		case n == 1:
		case n == 2:
			p.CLS = true
		default:
			m.fail(key, n, "only 1 (mean) and 2 (first token) are supported")
		}
	}
	if m.err == nil && 4*p.Dim > image.OutputVectorBytes {
		m.fail(m.pre+"embedding_length", p.Dim, "the output vector holds %d values at most", image.OutputVectorBytes/4)
	}
}
