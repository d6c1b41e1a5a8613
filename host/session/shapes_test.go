package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// shape is a llama that nobody would train.
type shape struct {
	heads, kvHeads, headDim, hidden, layers, ctx int
	tied                                         bool
	wtype, kv                                    string
}

// file makes the model, with weights from a seed.
func (y shape) file(t *testing.T, seed uint64) *gguf.File {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	dim := y.heads * y.headDim
	w.Add("general.architecture", "llama")
	for k, v := range map[string]int{"embedding_length": dim, "block_count": y.layers, "feed_forward_length": y.hidden,
		"attention.head_count": y.heads, "attention.head_count_kv": y.kvHeads, "context_length": y.ctx} {
		w.Add("llama."+k, uint32(v))
	}
	vocab := []string{"<unk>", "<s>", "</s>"}
	for c := 32; c < 127; c++ {
		vocab = append(vocab, string(rune(c)))
	}
	types, scores := make([]int32, len(vocab)), make([]float32, len(vocab))
	for i := range types {
		types[i], scores[i] = 1, float32(-i)
	}
	w.Add("tokenizer.ggml.model", "llama")
	w.Add("tokenizer.ggml.tokens", vocab)
	w.Add("tokenizer.ggml.token_type", types)
	w.Add("tokenizer.ggml.scores", scores)
	tensor := func(name string, dims ...uint64) {
		n := uint64(1)
		for _, d := range dims {
			n *= d
		}
		data := make([]byte, 0, 4*n)
		for range n {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(r.NormFloat64()*0.3)))
		}
		w.AddTensor(name+".weight", ggml.F32, dims, data)
	}
	d, h, kv, v := uint64(dim), uint64(y.hidden), uint64(y.kvHeads*y.headDim), uint64(len(vocab))
	tensor("token_embd", d, v)
	for i := range y.layers {
		blk := fmt.Sprintf("blk.%d.", i)
		tensor(blk+"attn_norm", d)
		tensor(blk+"ffn_norm", d)
		tensor(blk+"attn_q", d, d)
		tensor(blk+"attn_k", d, kv)
		tensor(blk+"attn_v", d, kv)
		tensor(blk+"attn_output", d, d)
		tensor(blk+"ffn_gate", d, h)
		tensor(blk+"ffn_up", d, h)
		tensor(blk+"ffn_down", h, d)
	}
	tensor("output_norm", d)
	if !y.tied {
		tensor("output", d, v)
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

// TestShapes runs models of odd sizes with every kernel set and several
// threads: every logit has the bits that plain Go with one thread gives it.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	pick := func(v ...int) int { return v[r.IntN(len(v))] }
	for i := range 12 {
		y := shape{headDim: pick(2, 6, 10, 14, 16, 18, 32, 34, 50), kvHeads: pick(1, 1, 2, 3), hidden: pick(1, 7, 31, 32, 33, 64, 96, 97, 160), layers: pick(1, 2),
			ctx: pick(5, 17, 40, 70), tied: r.IntN(2) == 0, wtype: []string{"f32", "f16", "bf16", "q8_0", "q4_0", "mixed"}[i%6], kv: []string{"f16", "f32"}[r.IntN(2)]}
		y.heads = y.kvHeads * pick(1, 2, 3, 5)
		if y.wtype[0] != 'f' && y.wtype[0] != 'b' && i%4 != 3 { // rows that blocks divide
			y.headDim = 32
		}
		t.Run(fmt.Sprintf("%+v", y), func(t *testing.T) {
			im := makeImage(t, y.file(t, uint64(i)), convert.Options{WType: y.wtype, KV: y.kv, Ctx: y.ctx})
			for _, num := range []core.Numerics{core.HW, core.Float} {
				var want []byte
				for _, kernels := range append([]string{"go"}, core.Kernels()...) {
					for _, threads := range []int{1, 3} {
						got := everyLogit(t, im, Options{Numerics: num, Kernels: kernels, Threads: threads})
						if want == nil {
							want = got
						}
						if !bytes.Equal(got, want) {
							t.Fatalf("%v numerics: kernels %s with %d threads give other bits than plain Go", num, kernels, threads)
						}
					}
				}
			}
		})
	}
}

// everyLogit says a few tokens and goes on to the end of the context.
func everyLogit(t *testing.T, im *image.Image, o Options) []byte {
	t.Helper()
	s, err := Open(im, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SayTokens([]uint32{1, 40, 50}); err != nil {
		t.Fatal(err)
	}
	var all []byte
	res, err := s.Generate(context.Background(), Turn{N: int(im.MaxCtx), PassBOS: true, OnLogits: func(raw []byte) { all = append(all, raw...) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4*int(im.OutputLen)*res.Positions {
		t.Fatalf("%d bytes of logits for %d positions", len(all), res.Positions)
	}
	return all
}
