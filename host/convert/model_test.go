package convert

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// tiny is a model made for a test: metadata and tensors that may be changed
// before it is written.
type tiny struct {
	kv      []gguf.KV
	tensors []tinyTensor
	rnd     *rand.Rand
	fast    bool // all rows of a matrix alike: large models in little time
}

type tinyTensor struct {
	name string
	t    ggml.Type
	dims []uint64
	data []byte
}

type tinyOptions struct {
	arch                         string
	dim, heads, kvHeads, headDim int
	hidden, layers, vocab        int
	bias                         bool // llama: biases of q, k, v
	fast                         bool
}

func (o *tinyOptions) defaults() {
	def := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	def(&o.dim, 32)
	def(&o.heads, 4)
	def(&o.kvHeads, o.heads)
	def(&o.headDim, o.dim/o.heads)
	def(&o.hidden, 64)
	def(&o.layers, 1)
	def(&o.vocab, 300)
}

func newTiny(arch string, o tinyOptions, trained int) *tiny {
	m := &tiny{rnd: rand.New(rand.NewPCG(7, 11)), fast: o.fast}
	m.set("general.architecture", arch)
	m.set(arch+".context_length", uint32(trained))
	m.set(arch+".embedding_length", uint32(o.dim))
	m.set(arch+".block_count", uint32(o.layers))
	m.set(arch+".feed_forward_length", uint32(o.hidden))
	m.set(arch+".attention.head_count", uint32(o.heads))
	return m
}

// set adds or replaces a key.
func (m *tiny) set(key string, v any) {
	for i := range m.kv {
		if m.kv[i].Key == key {
			m.kv[i].Value = v
			return
		}
	}
	m.kv = append(m.kv, gguf.KV{Key: key, Value: v})
}

func (m *tiny) drop(key string) {
	for i := range m.kv {
		if m.kv[i].Key == key {
			m.kv = append(m.kv[:i], m.kv[i+1:]...)
			return
		}
	}
}

func (m *tiny) tensor(name string) *tinyTensor {
	for i := range m.tensors {
		if m.tensors[i].name == name {
			return &m.tensors[i]
		}
	}
	panic("no tensor " + name)
}

func (m *tiny) without(name string) {
	for i := range m.tensors {
		if m.tensors[i].name == name {
			m.tensors = append(m.tensors[:i], m.tensors[i+1:]...)
			return
		}
	}
}

// floats32 are n random weights.
func (m *tiny) floats32(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(m.rnd.NormFloat64() * 0.1)
	}
	return v
}

// vector adds an F32 vector around a mean.
func (m *tiny) vector(name string, n int, mean float32) {
	v := m.floats32(n)
	for i := range v {
		v[i] += mean
	}
	m.add(name, ggml.F32, []uint64{uint64(n)}, encode(ggml.F32, v))
}

func (m *tiny) matrix(name string, t ggml.Type, cols, rows int) {
	var data []byte
	var row []byte
	for r := range rows {
		if r == 0 || !m.fast {
			row = m.row(t, cols)
		}
		data = append(data, row...)
	}
	m.add(name, t, []uint64{uint64(cols), uint64(rows)}, data)
}

// row is a random row; formats that nothing here can make get random blocks
// with small scales.
func (m *tiny) row(t ggml.Type, cols int) []byte {
	if t == ggml.Q4_K {
		b := make([]byte, cols/256*144)
		for i := range b {
			b[i] = byte(m.rnd.Uint32())
			if i%144 < 4 && i%2 == 1 {
				b[i] = 0x20
			}
		}
		return b
	}
	return encode(t, m.floats32(cols))
}

func encode(t ggml.Type, v []float32) []byte {
	n, err := ggml.RowBytes(t, len(v))
	if err != nil {
		panic(err)
	}
	b := make([]byte, n)
	if err := ggml.Quantize(t, b, v); err != nil {
		panic(err)
	}
	return b
}

func (m *tiny) add(name string, t ggml.Type, dims []uint64, data []byte) {
	m.tensors = append(m.tensors, tinyTensor{name, t, dims, data})
}

// spm adds a SentencePiece vocabulary: the specials, all bytes, some letters.
func (m *tiny) spm(n int) {
	var pieces []string
	var types []int32
	var scores []float32
	put := func(s string, t int32, score float32) {
		if len(pieces) < n {
			pieces, types, scores = append(pieces, s), append(types, t), append(scores, score)
		}
	}
	put("<unk>", 2, 0)
	put("<s>", 3, 0)
	put("</s>", 3, 0)
	for i := range 256 {
		put(fmt.Sprintf("<0x%02X>", i), 6, 0)
	}
	put("\u2581", 1, -1000)
	for i := 0; len(pieces) < n && i < 26; i++ {
		put(string(rune('a'+i)), 1, float32(-1001-i))
	}
	for i := 0; len(pieces) < n; i++ {
		put(fmt.Sprintf("w%d", i), 1, float32(-i))
	}
	m.set("tokenizer.ggml.model", "llama")
	m.set("tokenizer.ggml.tokens", pieces)
	m.set("tokenizer.ggml.token_type", types)
	m.set("tokenizer.ggml.scores", scores)
	m.set("tokenizer.ggml.bos_token_id", uint32(1))
	m.set("tokenizer.ggml.eos_token_id", uint32(2))
}

// tinyLlama is a llama or qwen2 with matrices in a format.
func tinyLlama(o tinyOptions, t ggml.Type) *tiny {
	o.defaults()
	if o.arch == "" {
		o.arch = "llama"
	}
	m := newTiny(o.arch, o, 64)
	m.set(o.arch+".attention.head_count_kv", uint32(o.kvHeads))
	m.set(o.arch+".attention.layer_norm_rms_epsilon", float32(1e-5))
	if o.headDim != o.dim/o.heads {
		m.set(o.arch+".attention.key_length", uint32(o.headDim))
		m.set(o.arch+".attention.value_length", uint32(o.headDim))
	}
	m.spm(min(o.vocab, 300))
	m.matrix("token_embd.weight", t, o.dim, o.vocab)
	qd, kvd := o.heads*o.headDim, o.kvHeads*o.headDim
	for i := range o.layers {
		blk := fmt.Sprintf("blk.%d.", i)
		m.vector(blk+"attn_norm.weight", o.dim, 1)
		m.matrix(blk+"attn_q.weight", t, o.dim, qd)
		m.matrix(blk+"attn_k.weight", t, o.dim, kvd)
		m.matrix(blk+"attn_v.weight", t, o.dim, kvd)
		if o.bias {
			m.vector(blk+"attn_q.bias", qd, 0)
			m.vector(blk+"attn_k.bias", kvd, 0)
			m.vector(blk+"attn_v.bias", kvd, 0)
		}
		m.matrix(blk+"attn_output.weight", t, qd, o.dim)
		m.vector(blk+"ffn_norm.weight", o.dim, 1)
		m.matrix(blk+"ffn_gate.weight", t, o.dim, o.hidden)
		m.matrix(blk+"ffn_up.weight", t, o.dim, o.hidden)
		m.matrix(blk+"ffn_down.weight", t, o.hidden, o.dim)
	}
	m.vector("output_norm.weight", o.dim, 1)
	return m
}

// tinyGPT2 is a gpt2 with its byte alphabet as vocabulary.
func tinyGPT2(o tinyOptions, t ggml.Type) *tiny {
	o.vocab = 257
	o.defaults()
	m := newTiny("gpt2", o, 32)
	m.set("gpt2.attention.layer_norm_epsilon", float32(1e-5))
	m.set("tokenizer.ggml.model", "gpt2")
	m.set("tokenizer.ggml.tokens", byteAlphabet())
	m.set("tokenizer.ggml.merges", []string{"a b"})
	m.matrix("token_embd.weight", t, o.dim, o.vocab)
	m.matrix("position_embd.weight", t, o.dim, 32)
	for i := range o.layers {
		blk := fmt.Sprintf("blk.%d.", i)
		linear := func(name string, cols, rows int) {
			m.matrix(blk+name+".weight", t, cols, rows)
			m.vector(blk+name+".bias", rows, 0)
		}
		m.norm(blk+"attn_norm", o.dim)
		linear("attn_qkv", o.dim, 3*o.dim)
		linear("attn_output", o.dim, o.dim)
		m.norm(blk+"ffn_norm", o.dim)
		linear("ffn_up", o.dim, o.hidden)
		linear("ffn_down", o.hidden, o.dim)
	}
	m.norm("output_norm", o.dim)
	return m
}

func (m *tiny) norm(name string, n int) {
	m.vector(name+".weight", n, 1)
	m.vector(name+".bias", n, 0)
}

// byteAlphabet is byte-level BPE's character for each byte, and one merge.
func byteAlphabet() []string {
	var out []string
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if b <= 32 || b >= 127 && b <= 160 || b == 173 {
			r = next
			next++
		}
		out = append(out, string(r))
	}
	return append(out, "ab")
}

// tinyBert is a bert with a few words.
func tinyBert(o tinyOptions, t ggml.Type) *tiny {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "\u2581hello", "\u2581world", "s"}
	o.vocab = len(words)
	o.defaults()
	m := newTiny("bert", o, 32)
	m.set("bert.attention.layer_norm_epsilon", float32(1e-12))
	m.set("bert.attention.causal", false)
	m.set("bert.pooling_type", uint32(1))
	m.set("tokenizer.ggml.model", "bert")
	m.set("tokenizer.ggml.tokens", words)
	m.set("tokenizer.ggml.token_type", []int32{3, 3, 3, 3, 1, 1, 1})
	m.set("tokenizer.ggml.cls_token_id", uint32(2))
	m.set("tokenizer.ggml.seperator_token_id", uint32(3))
	m.matrix("token_embd.weight", t, o.dim, o.vocab)
	m.matrix("token_types.weight", t, o.dim, 2)
	m.matrix("position_embd.weight", t, o.dim, 32)
	m.norm("token_embd_norm", o.dim)
	for i := range o.layers {
		blk := fmt.Sprintf("blk.%d.", i)
		linear := func(name string, cols, rows int) {
			m.matrix(blk+name+".weight", t, cols, rows)
			m.vector(blk+name+".bias", rows, 0)
		}
		linear("attn_q", o.dim, o.dim)
		linear("attn_k", o.dim, o.dim)
		linear("attn_v", o.dim, o.dim)
		linear("attn_output", o.dim, o.dim)
		m.norm(blk+"attn_output_norm", o.dim)
		linear("ffn_up", o.dim, o.hidden)
		linear("ffn_down", o.hidden, o.dim)
		m.norm(blk+"layer_output_norm", o.dim)
	}
	return m
}

// bytes is the GGUF.
func (m *tiny) bytes(t testing.TB, version uint32, bigEndian bool) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	w.Version = version
	if bigEndian {
		w.Order = binary.BigEndian
	}
	for _, kv := range m.kv {
		w.Add(kv.Key, kv.Value)
	}
	for _, x := range m.tensors {
		w.AddTensor(x.name, x.t, x.dims, x.data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file is the GGUF, opened.
func (m *tiny) file(t testing.TB) *gguf.File {
	t.Helper()
	return openBytes(t, m.bytes(t, 3, false))
}

func openBytes(t testing.TB, b []byte) *gguf.File {
	t.Helper()
	f, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// convertBytes is the image of a model.
func convertBytes(t testing.TB, f *gguf.File, o Options) []byte {
	t.Helper()
	p, err := New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return planBytes(t, p)
}

func planBytes(t testing.TB, p *Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// putFloat changes a weight of an F32 tensor.
func (x *tinyTensor) putFloat(i int, v float32) {
	binary.LittleEndian.PutUint32(x.data[4*i:], math.Float32bits(v))
}
