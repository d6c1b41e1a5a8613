package convert

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"ssnail-kit/host/ggml"
)

// refused converts a model and wants an error with all of the words.
func refused(t *testing.T, m *tiny, o Options, words ...string) {
	t.Helper()
	p, err := New(m.file(t), o)
	if err == nil {
		_, err = p.WriteTo(io.Discard)
	}
	if err == nil {
		t.Fatalf("accepted; want an error with %q", words)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

// What a script cannot express is refused with key and value. B10 is the
// entries on heads and RoPE.
func TestRefusedKeys(t *testing.T) {
	llama := func(o tinyOptions) func() *tiny { return func() *tiny { return tinyLlama(o, ggml.F32) } }
	gpt2 := func() *tiny { return tinyGPT2(tinyOptions{}, ggml.F32) }
	bert := func() *tiny { return tinyBert(tinyOptions{}, ggml.F32) }
	base := llama(tinyOptions{})
	for _, c := range []struct {
		name  string
		model func() *tiny
		key   string
		value any // nil: the key is dropped
		words string
	}{
		{"unknown architecture", base, "general.architecture", "mamba", "mamba|llama, qwen2, gpt2 and bert"},
		{"no architecture", base, "general.architecture", nil, "missing"},
		{"architecture is a number", base, "general.architecture", uint32(3), "string"},
		{"no embedding length", base, "llama.embedding_length", nil, "missing"},
		{"no layers", base, "llama.block_count", uint32(0), "0"},
		{"too many layers", base, "llama.block_count", uint32(1 << 23), "8388608"},
		{"embedding length is text", base, "llama.embedding_length", "32", "32"},
		{"heads do not divide", base, "llama.attention.head_count", uint32(5), "5|32"},
		{"KV heads do not divide", llama(tinyOptions{}), "llama.attention.head_count_kv", uint32(3), "3|4"},
		{"layers with different heads", base, "llama.attention.head_count_kv", []uint32{4, 2}, "[4 2]"},
		{"mixture of experts", base, "llama.expert_count", uint32(8), "8|experts"},
		{"B10 partial rotary", base, "llama.rope.dimension_count", uint32(4), "4|partial"},
		{"B10 value_length", llama(tinyOptions{headDim: 16}), "llama.attention.value_length", uint32(8), "8|16"},
		{"B10 key_length that the tensors do not have", base, "llama.attention.key_length", uint32(16), "attn_q.weight|[32 64]"},
		{"yarn", base, "llama.rope.scaling.type", "yarn", "yarn|linear"},
		{"sliding window", base, "llama.attention.sliding_window", uint32(16), "16|sliding"},
		{"soft-capping", base, "llama.final_logit_softcapping", float32(30), "30"},
		{"another vocab_size", base, "llama.vocab_size", uint32(301), "301|300 rows"},
		{"scaled logits", base, "llama.logit_scale", float32(0.5), "0.5"},
		{"rope base 0", base, "llama.rope.freq_base", float32(0), "0|positive"},
		{"rope base NaN", base, "llama.rope.freq_base", float32(math.NaN()), "NaN"},
		{"epsilon infinite", base, "llama.attention.layer_norm_rms_epsilon", float32(math.Inf(1)), "Inf"},
		{"gpt2 with grouped heads", gpt2, "gpt2.attention.head_count_kv", uint32(2), "2|4"},
		{"bert with causal attention", bert, "bert.attention.causal", true, "true|causal"},
		{"rank pooling", bert, "bert.pooling_type", uint32(4), "4|mean"},
		{"no pooling", bert, "bert.pooling_type", uint32(0), "0|mean"},
		{"no tokenizer", base, "tokenizer.ggml.model", nil, "tokenizer"},
		{"unknown tokenizer", base, "tokenizer.ggml.model", "rwkv", "rwkv"},
		{"B13 no space prefix", base, "tokenizer.ggml.add_space_prefix", false, "false|space"},
		{"B16 no merges", gpt2, "tokenizer.ggml.merges", nil, "merges"},
		{"BOS beyond the vocabulary", base, "tokenizer.ggml.bos_token_id", uint32(9999), "9999|300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.model()
			if c.value == nil {
				m.drop(c.key)
			} else {
				m.set(c.key, c.value)
			}
			words := strings.Split(c.words, "|")
			if !strings.Contains(c.name, "tensors do not have") {
				words = append(words, c.key)
			}
			refused(t, m, Options{}, words...)
		})
	}
}

// Values that change nothing are accepted.
func TestNeutralKeys(t *testing.T) {
	want := convertBytes(t, tinyLlama(tinyOptions{layers: 2}, ggml.F32).file(t), Options{})
	for _, kv := range []struct {
		key   string
		value any
	}{
		{"llama.expert_count", uint32(0)},
		{"llama.rope.dimension_count", uint32(8)},
		{"llama.rope.scaling.type", "none"},
		{"llama.attention.sliding_window", uint32(4096)},
		{"llama.attention.key_length", uint32(8)},
		{"llama.attention.head_count_kv", []uint32{4, 4}},
		{"llama.attention.causal", true},
		{"llama.logit_scale", float32(1)},
		{"llama.residual_scale", float32(0)},
		{"llama.vocab_size", uint32(300)},
		{"llama.rope.freq_base", float32(10000)},
	} {
		m := tinyLlama(tinyOptions{layers: 2}, ggml.F32)
		m.set(kv.key, kv.value)
		if string(convertBytes(t, m.file(t), Options{})) != string(want) {
			t.Errorf("%s = %v changes the image", kv.key, kv.value)
		}
	}
}

// B10: a trained context that is absurdly long is no reason to refuse.
func TestB10LongContext(t *testing.T) {
	m := tinyLlama(tinyOptions{}, ggml.F32)
	m.set("llama.context_length", uint32(1<<31))
	p, err := New(m.file(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Header.MaxCtx != 256 {
		t.Errorf("context %d, want 256", p.Header.MaxCtx)
	}
	m.drop("llama.context_length")
	m.drop("llama.rope.freq_base")
	if p, err = New(m.file(t), Options{}); err != nil {
		t.Fatal(err)
	}
	if p.Header.MaxCtx != 256 || p.Params.RopeBase != 10000 {
		t.Errorf("context %d, base %g", p.Header.MaxCtx, p.Params.RopeBase)
	}
}

// Every tensor's shape is checked against the metadata.
func TestRefusedTensors(t *testing.T) {
	for _, name := range []string{
		"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.attn_output.weight",
		"blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight", "blk.0.attn_norm.weight",
		"blk.0.ffn_norm.weight", "output_norm.weight", "token_embd.weight", "output.weight",
	} {
		build := func() *tiny {
			m := tinyLlama(tinyOptions{}, ggml.F32)
			m.matrix("output.weight", ggml.F32, 32, 300)
			return m
		}
		t.Run("another shape "+name, func(t *testing.T) {
			m := build()
			x := m.tensor(name)
			x.dims[0] += 32
			n := x.dims[0]
			if len(x.dims) > 1 {
				n *= x.dims[1]
			}
			x.data = make([]byte, 4*n)
			refused(t, m, Options{}, name, "shape")
		})
		if name == "output.weight" {
			continue // tied to token_embd without it
		}
		t.Run("missing "+name, func(t *testing.T) {
			m := build()
			m.without(name)
			refused(t, m, Options{}, name, "missing")
		})
	}
	t.Run("a tensor nobody uses", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		m.vector("blk.0.attn_q_norm.weight", 8, 1)
		refused(t, m, Options{}, "blk.0.attn_q_norm.weight")
	})
	t.Run("fewer embeddings than tokens", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		m.without("token_embd.weight")
		m.matrix("token_embd.weight", ggml.F32, 32, 299)
		refused(t, m, Options{}, "token_embd.weight", "299", "300")
	})
	t.Run("no tensors", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		m.tensors = nil
		refused(t, m, Options{}, "vocabulary")
	})
	t.Run("B19 integers", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		x := m.tensor("blk.0.attn_q.weight")
		x.t = 26 // I32
		b, err := tryBytes(m)
		if err != nil {
			t.Skip("the writer knows no integers: " + err.Error())
		}
		if _, err := New(openBytes(t, b), Options{}); err == nil || !strings.Contains(err.Error(), "blk.0.attn_q.weight") || !strings.Contains(err.Error(), "I32") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("rope_freqs of another length", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		m.vector("rope_freqs.weight", 8, 1)
		refused(t, m, Options{}, "rope_freqs.weight", "8", "4")
	})
	t.Run("rope_freqs with 0", func(t *testing.T) {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		m.add("rope_freqs.weight", ggml.F32, []uint64{4}, make([]byte, 16))
		refused(t, m, Options{}, "rope_freqs.weight", "entry 0")
	})
	t.Run("an output vector that is too long", func(t *testing.T) {
		refused(t, tinyBert(tinyOptions{dim: 992, heads: 31}, ggml.Q8_0), Options{}, "bert.embedding_length", "992", "960")
	})
}

// Rows of embeddings beyond the vocabulary are padding, and said to be.
func TestPaddedEmbedding(t *testing.T) {
	p, err := New(tinyLlama(tinyOptions{vocab: 320}, ggml.F32).file(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Header.NVocab != 300 || p.Header.OutputLen != 320 {
		t.Errorf("%d tokens, %d logits", p.Header.NVocab, p.Header.OutputLen)
	}
	if notes := strings.Join(p.Report().Notes, "; "); !strings.Contains(notes, "20 rows") {
		t.Errorf("notes %q", notes)
	}
}

func TestRefusedOptions(t *testing.T) {
	m := tinyLlama(tinyOptions{}, ggml.F32)
	for _, c := range []struct {
		o     Options
		words string
	}{
		{Options{WType: "q5_0"}, "--wtype|q5_0|mixed"},
		{Options{Fallback: "keep"}, "--fallback|keep|q8_0"},
		{Options{KV: "q8_0"}, "--kv|q8_0|f16"},
		{Options{MemMB: 73}, "--mem-mb|73|72"},
		{Options{MemMB: -1}, "--mem-mb|-1"},
		{Options{Ctx: 4096}, "--ctx|4096|4095"},
		{Options{Ctx: -5}, "--ctx|-5"},
	} {
		refused(t, m, c.o, strings.Split(c.words, "|")...)
		var opt *OptionError
		if _, err := New(m.file(t), c.o); !errors.As(err, &opt) {
			t.Errorf("%+v: %T is no *OptionError", c.o, err)
		}
	}
	// A context beyond the rows of the position embedding.
	refused(t, tinyGPT2(tinyOptions{}, ggml.F32), Options{Ctx: 33}, "--ctx", "33", "position_embd.weight", "32")
	refused(t, tinyBert(tinyOptions{}, ggml.F32), Options{Ctx: 33}, "--ctx", "33", "position_embd.weight", "32")
	if p, err := New(tinyGPT2(tinyOptions{}, ggml.F32).file(t), Options{Ctx: 32}); err != nil || p.Header.MaxCtx != 32 {
		t.Errorf("a context of all rows: %v", err)
	}
	// The longest that the token buffer holds.
	if _, err := New(m.file(t), Options{Ctx: 4095}); err != nil {
		t.Error(err)
	}
}

// tryBytes is bytes, but for models that the writer may refuse.
func tryBytes(m *tiny) (b []byte, err error) {
	f := &failingTB{}
	defer func() {
		if recover() != nil {
			err = errors.New(f.msg)
		}
	}()
	return m.bytes(f, 3, false), nil
}

type failingTB struct {
	testing.TB
	msg string
}

func (f *failingTB) Helper() {}
func (f *failingTB) Fatal(args ...any) {
	for _, a := range args {
		if e, ok := a.(error); ok {
			f.msg = e.Error()
		}
	}
	panic(f)
}
