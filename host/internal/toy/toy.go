// Package toy makes tiny models with random weights for tests: llama, qwen2 and
// BERT, whose vocabulary is the special tokens and every printable character.
package toy

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

// Model says what to make.
type Model struct {
	Arch string // llama, qwen2 or bert
	// Type is the format of matrices; F32 by default.
	Type ggml.Type
	// Steer, if set, overrides weights.
	Steer func(name string, row, col int) (float32, bool)
}

// Sizes of every model.
const (
	Dim    = 32
	Hidden = 64
	Layers = 2
)

func vocabulary(arch string) []string {
	v := []string{"<unk>", "<s>", "</s>"}
	if arch == "bert" {
		v = []string{"[UNK]", "[CLS]", "[SEP]"}
	}
	for c := 32; c < 127; c++ {
		s := string(rune(c))
		if c == 32 {
			s = "\u2581"
		}
		v = append(v, s)
	}
	if arch == "bert" {
		for c := 'a'; c <= 'z'; c++ {
			v = append(v, "\u2581"+string(c))
		}
	}
	return v
}

// Bytes is the model as a GGUF.
func (y Model) Bytes(t testing.TB) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(y.Arch))))
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	vocab := vocabulary(y.Arch)
	w.Add("general.architecture", y.Arch)
	w.Add("general.name", "toy "+y.Arch)
	key := func(k string, v any) { w.Add(y.Arch+"."+k, v) }
	key("embedding_length", uint32(Dim))
	key("block_count", uint32(Layers))
	key("feed_forward_length", uint32(Hidden))
	key("attention.head_count", uint32(4))
	key("context_length", uint32(40))
	types, scores := make([]int32, len(vocab)), make([]float32, len(vocab))
	for i := range types {
		types[i], scores[i] = 1, float32(-i)
		if i < 3 {
			types[i] = 3
		}
	}
	w.Add("tokenizer.ggml.tokens", vocab)
	w.Add("tokenizer.ggml.token_type", types)
	tensor := func(name string, cols, rows int) {
		data := make([]byte, 0, 4*cols*max(rows, 1))
		dims := []uint64{uint64(cols)}
		if rows > 0 {
			dims = append(dims, uint64(rows))
		}
		for i := range max(rows, 1) {
			for j := range cols {
				v := float32(r.NormFloat64() * 0.3)
				if y.Steer != nil {
					if s, ok := y.Steer(name, i, j); ok {
						v = s
					}
				}
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
			}
		}
		format := ggml.F32
		if rows > 0 && y.Type != ggml.F32 {
			format = y.Type
			data = requantize(t, format, data)
		}
		w.AddTensor(name, format, dims, data)
	}
	tensor("token_embd.weight", Dim, len(vocab))
	if y.Arch == "llama" || y.Arch == "qwen2" {
		key("attention.head_count_kv", uint32(2))
		w.Add("tokenizer.ggml.model", "llama")
		w.Add("tokenizer.ggml.scores", scores)
		w.Add("tokenizer.ggml.bos_token_id", uint32(1))
		w.Add("tokenizer.ggml.eos_token_id", uint32(2))
		for i := range Layers {
			blk := fmt.Sprintf("blk.%d.", i)
			tensor(blk+"attn_norm.weight", Dim, 0)
			tensor(blk+"ffn_norm.weight", Dim, 0)
			tensor(blk+"attn_q.weight", Dim, Dim)
			tensor(blk+"attn_k.weight", Dim, Dim/2)
			tensor(blk+"attn_v.weight", Dim, Dim/2)
			tensor(blk+"attn_output.weight", Dim, Dim)
			tensor(blk+"ffn_gate.weight", Dim, Hidden)
			tensor(blk+"ffn_up.weight", Dim, Hidden)
			tensor(blk+"ffn_down.weight", Hidden, Dim)
			if y.Arch == "qwen2" {
				tensor(blk+"attn_q.bias", Dim, 0)
				tensor(blk+"attn_k.bias", Dim/2, 0)
				tensor(blk+"attn_v.bias", Dim/2, 0)
			}
		}
		tensor("output_norm.weight", Dim, 0)
		tensor("output.weight", Dim, len(vocab))
	} else {
		w.Add("tokenizer.ggml.model", "bert")
		w.Add("tokenizer.ggml.cls_token_id", uint32(1))
		w.Add("tokenizer.ggml.seperator_token_id", uint32(2))
		w.Add("tokenizer.ggml.unknown_token_id", uint32(0))
		tensor("position_embd.weight", Dim, 40)
		tensor("token_embd_norm.weight", Dim, 0)
		tensor("token_embd_norm.bias", Dim, 0)
		for i := range Layers {
			blk := fmt.Sprintf("blk.%d.", i)
			linear := func(name string, cols, rows int) {
				tensor(blk+name+".weight", cols, rows)
				tensor(blk+name+".bias", rows, 0)
			}
			linear("attn_q", Dim, Dim)
			linear("attn_k", Dim, Dim)
			linear("attn_v", Dim, Dim)
			linear("attn_output", Dim, Dim)
			linear("ffn_up", Dim, Hidden)
			linear("ffn_down", Hidden, Dim)
			for _, n := range []string{"attn_output_norm", "layer_output_norm"} {
				tensor(blk+n+".weight", Dim, 0)
				tensor(blk+n+".bias", Dim, 0)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// File is the model opened.
func (y Model) File(t testing.TB) *gguf.File {
	t.Helper()
	b := y.Bytes(t)
	f, err := gguf.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func requantize(t testing.TB, format ggml.Type, data []byte) []byte {
	t.Helper()
	v := make([]float32, len(data)/4)
	if err := ggml.Dequantize(ggml.F32, v, data); err != nil {
		t.Fatal(err)
	}
	n, err := ggml.RowBytes(format, len(v))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, n)
	if err := ggml.Quantize(format, out, v); err != nil {
		t.Fatal(err)
	}
	return out
}

// Always is a llama whose output always prefers one token: its row of
// output.weight follows the sign of a hidden value that is steered large.
func Always(id int) Model {
	return Model{Arch: "llama", Steer: func(name string, row, col int) (float32, bool) {
		switch name {
		case "token_embd.weight":
			if col == 0 {
				return 50, true
			}
		case "output_norm.weight":
			if col == 0 {
				return 5, true
			}
		case "output.weight":
			if col == 0 {
				if row == id {
					return 3, true
				}
				return 0, true
			}
		}
		return 0, false
	}}
}
