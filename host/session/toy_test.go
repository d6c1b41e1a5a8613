package session

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// toy is a tiny model of our own with random weights: its vocabulary is the
// special tokens and every printable character.
type toy struct {
	arch  string
	steer func(name string, row, col int) (float32, bool) // overrides weights
}

const toyDim, toyHidden, toyLayers = 32, 64, 2

func toyVocab(arch string) []string {
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

// file writes the model as a GGUF.
func (y toy) file(t testing.TB) *gguf.File {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(y.arch))))
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	vocab := toyVocab(y.arch)
	w.Add("general.architecture", y.arch)
	w.Add("general.name", "toy "+y.arch)
	key := func(k string, v any) { w.Add(y.arch+"."+k, v) }
	key("embedding_length", uint32(toyDim))
	key("block_count", uint32(toyLayers))
	key("feed_forward_length", uint32(toyHidden))
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
				if y.steer != nil {
					if s, ok := y.steer(name, i, j); ok {
						v = s
					}
				}
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
			}
		}
		w.AddTensor(name, ggml.F32, dims, data)
	}
	tensor("token_embd.weight", toyDim, len(vocab))
	if y.arch == "llama" || y.arch == "qwen2" {
		key("attention.head_count_kv", uint32(2))
		w.Add("tokenizer.ggml.model", "llama")
		w.Add("tokenizer.ggml.scores", scores)
		w.Add("tokenizer.ggml.bos_token_id", uint32(1))
		w.Add("tokenizer.ggml.eos_token_id", uint32(2))
		for i := range toyLayers {
			blk := fmt.Sprintf("blk.%d.", i)
			tensor(blk+"attn_norm.weight", toyDim, 0)
			tensor(blk+"ffn_norm.weight", toyDim, 0)
			tensor(blk+"attn_q.weight", toyDim, toyDim)
			tensor(blk+"attn_k.weight", toyDim, toyDim/2)
			tensor(blk+"attn_v.weight", toyDim, toyDim/2)
			tensor(blk+"attn_output.weight", toyDim, toyDim)
			tensor(blk+"ffn_gate.weight", toyDim, toyHidden)
			tensor(blk+"ffn_up.weight", toyDim, toyHidden)
			tensor(blk+"ffn_down.weight", toyHidden, toyDim)
			if y.arch == "qwen2" {
				tensor(blk+"attn_q.bias", toyDim, 0)
				tensor(blk+"attn_k.bias", toyDim/2, 0)
				tensor(blk+"attn_v.bias", toyDim/2, 0)
			}
		}
		tensor("output_norm.weight", toyDim, 0)
		tensor("output.weight", toyDim, len(vocab))
	} else {
		w.Add("tokenizer.ggml.model", "bert")
		w.Add("tokenizer.ggml.cls_token_id", uint32(1))
		w.Add("tokenizer.ggml.seperator_token_id", uint32(2))
		w.Add("tokenizer.ggml.unknown_token_id", uint32(0))
		tensor("position_embd.weight", toyDim, 40)
		tensor("token_embd_norm.weight", toyDim, 0)
		tensor("token_embd_norm.bias", toyDim, 0)
		for i := range toyLayers {
			blk := fmt.Sprintf("blk.%d.", i)
			linear := func(name string, cols, rows int) {
				tensor(blk+name+".weight", cols, rows)
				tensor(blk+name+".bias", rows, 0)
			}
			linear("attn_q", toyDim, toyDim)
			linear("attn_k", toyDim, toyDim)
			linear("attn_v", toyDim, toyDim)
			linear("attn_output", toyDim, toyDim)
			linear("ffn_up", toyDim, toyHidden)
			linear("ffn_down", toyHidden, toyDim)
			for _, n := range []string{"attn_output_norm", "layer_output_norm"} {
				tensor(blk+n+".weight", toyDim, 0)
				tensor(blk+n+".bias", toyDim, 0)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (y toy) image(t testing.TB, o convert.Options) *image.Image {
	t.Helper()
	return makeImage(t, y.file(t), o)
}

// always makes a llama whose output always prefers one token: its row of
// output.weight follows the sign of a hidden value that is steered large.
func always(id int) toy {
	return toy{arch: "llama", steer: func(name string, row, col int) (float32, bool) {
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
