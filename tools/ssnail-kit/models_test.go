package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// makeModel is the scripts' command "mkmodel FILE [name=value ...]": a llama
// with random weights and a SentencePiece vocabulary of specials, bytes and
// letters. Values: type (f32), dim, hidden, layers, vocab; nan=TENSOR puts one
// there, skip=TENSOR leaves one out; key:NAME=VALUE sets a metadata key to a
// number if it is one, else a text. split=2 writes two parts, FILE being the
// name without -00001-of-00002.gguf.
func makeModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: mkmodel FILE [name=value ...]")
	}
	m := modelSpec{num: map[string]int{"dim": 32, "hidden": 64, "layers": 1, "vocab": 300}, typ: ggml.F32, keys: map[string]any{}}
	for _, a := range args[1:] {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			ts.Fatalf("mkmodel: %s: want name=value", a)
		}
		n, err := strconv.Atoi(value)
		key, isKey := strings.CutPrefix(name, "key:")
		switch {
		case isKey && err == nil:
			m.keys[key] = uint32(n)
		case isKey:
			m.keys[key] = value
		case name == "type":
			if m.typ, ok = ggml.TypeByName(value); !ok {
				ts.Fatalf("mkmodel: no type %s", value)
			}
		case name == "nan":
			m.nan = value
		case name == "skip":
			m.skip = value
		case err != nil:
			ts.Fatalf("mkmodel: %s: %v", a, err)
		default:
			m.num[name] = n
		}
	}
	parts, err := m.build()
	ts.Check(err)
	for i, b := range parts {
		name := args[0]
		if len(parts) > 1 {
			name += fmt.Sprintf("-%05d-of-%05d.gguf", i+1, len(parts))
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o644))
	}
}

type modelSpec struct {
	num       map[string]int
	typ       ggml.Type
	nan, skip string
	keys      map[string]any
}

// build makes the file, or the files of a split model: the second one holds all
// tensors but the embeddings.
func (m *modelSpec) build() ([][]byte, error) {
	var b, b2 bytes.Buffer
	w := gguf.NewWriter(&b)
	w2 := w
	dim, hidden, layers, vocab := m.num["dim"], m.num["hidden"], m.num["layers"], m.num["vocab"]
	kv := []gguf.KV{
		{Key: "general.architecture", Value: "llama"},
		{Key: "general.name", Value: "tiny"},
		{Key: "llama.context_length", Value: uint32(64)},
		{Key: "llama.embedding_length", Value: uint32(dim)},
		{Key: "llama.block_count", Value: uint32(layers)},
		{Key: "llama.feed_forward_length", Value: uint32(hidden)},
		{Key: "llama.attention.head_count", Value: uint32(4)},
		{Key: "llama.attention.layer_norm_rms_epsilon", Value: float32(1e-5)},
	}
	kv = append(kv, vocabulary(vocab)...)
	for _, e := range kv {
		if v, ok := m.keys[e.Key]; ok {
			e.Value = v
			delete(m.keys, e.Key)
		}
		w.Add(e.Key, e.Value)
	}
	for k, v := range m.keys {
		w.Add(k, v)
	}
	if m.num["split"] == 2 {
		w2 = gguf.NewWriter(&b2)
		for i, w := range []*gguf.Writer{w, w2} {
			w.Add("split.no", uint16(i))
			w.Add("split.count", uint16(2))
			w.Add("split.tensors.count", int32(2+9*layers))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var failed error
	add := func(name string, t ggml.Type, cols, rows int) {
		if name == m.skip {
			return
		}
		v := make([]float32, cols*max(rows, 1))
		for i := range v {
			v[i] = float32(rnd.NormFloat64() * 0.1)
		}
		n, err := ggml.RowBytes(t, len(v))
		if err == nil {
			data := make([]byte, n)
			if err = ggml.Quantize(t, data, v); err == nil {
				if name == m.nan { // all ones is no number in F32, F16, BF16, nor as a scale
					copy(data, "\xff\xff\xff\xff")
				}
				dims := []uint64{uint64(cols)}
				if rows > 0 {
					dims = append(dims, uint64(rows))
				}
				to := w2
				if name == "token_embd.weight" {
					to = w
				}
				to.AddTensor(name, t, dims, data)
			}
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	add("token_embd.weight", m.typ, dim, vocab)
	for i := range layers {
		blk := fmt.Sprintf("blk.%d.", i)
		add(blk+"attn_norm.weight", ggml.F32, dim, 0)
		add(blk+"ffn_norm.weight", ggml.F32, dim, 0)
		for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			add(blk+name+".weight", m.typ, dim, dim)
		}
		add(blk+"ffn_gate.weight", m.typ, dim, hidden)
		add(blk+"ffn_up.weight", m.typ, dim, hidden)
		add(blk+"ffn_down.weight", m.typ, hidden, dim)
	}
	add("output_norm.weight", ggml.F32, dim, 0)
	if failed != nil {
		return nil, failed
	}
	if err := w.Close(); err != nil || w2 == w {
		return [][]byte{b.Bytes()}, err
	}
	err := w2.Close()
	return [][]byte{b.Bytes(), b2.Bytes()}, err
}

// vocabulary is a SentencePiece vocabulary of n tokens: specials, bytes,
// letters, then made-up words.
func vocabulary(n int) []gguf.KV {
	pieces, types, scores := []string{"<unk>", "<s>", "</s>"}, []int32{2, 3, 3}, []float32{0, 0, 0}
	for i := range n - 3 {
		piece, typ := fmt.Sprintf("<0x%02X>", i), int32(6)
		switch {
		case i == 256:
			piece, typ = "\u2581", 1
		case i > 256 && i <= 282:
			piece, typ = string(rune('a'+i-257)), 1
		case i > 282:
			piece, typ = fmt.Sprintf("w%d", i), 1
		}
		pieces, types, scores = append(pieces, piece), append(types, typ), append(scores, float32(-i))
	}
	return []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: "llama"},
		{Key: "tokenizer.ggml.tokens", Value: pieces},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.scores", Value: scores},
		{Key: "tokenizer.ggml.bos_token_id", Value: uint32(1)},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(2)},
	}
}
