package train

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/train/vocab"
)

// WriteGGUF writes the model: matrices in F16, vectors in F32.
func (t *Trainer) WriteGGUF(w io.Writer) error {
	g := gguf.NewWriter(w)
	s, v := t.Shape, t.Vocab
	g.Add("general.architecture", s.Arch)
	g.Add("general.name", t.Name)
	g.Add("general.description", t.Description)
	g.Add("general.license", "MIT")
	g.Add("general.author", "ssnail-kit")
	g.Add("general.file_type", uint32(1)) // mostly F16
	key := func(k string) string { return s.Arch + "." + k }
	g.Add(key("context_length"), uint32(s.Ctx))
	g.Add(key("embedding_length"), uint32(s.Dim))
	g.Add(key("block_count"), uint32(s.Layers))
	g.Add(key("feed_forward_length"), uint32(s.Hidden))
	g.Add(key("attention.head_count"), uint32(s.Heads))
	switch s.Arch {
	case "llama":
		g.Add(key("attention.head_count_kv"), uint32(s.KVHeads))
		g.Add(key("attention.layer_norm_rms_epsilon"), float32(normEps))
		g.Add(key("rope.dimension_count"), uint32(s.Dim/s.Heads))
		g.Add(key("rope.freq_base"), float32(ropeBase))
		g.Add(key("vocab_size"), uint32(s.Vocab))
	case "gpt2":
		g.Add(key("attention.layer_norm_epsilon"), float32(normEps))
	case "bert":
		g.Add(key("attention.layer_norm_epsilon"), float32(normEps))
		g.Add(key("attention.causal"), false)
		g.Add(key("pooling_type"), uint32(1)) // mean
	}
	writeVocab(g, v)
	for _, p := range t.Model.Params {
		if p.Rows == 1 {
			b := make([]byte, 4*p.Cols)
			for i, x := range p.V {
				binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
			}
			g.AddTensor(p.Name, ggml.F32, []uint64{uint64(p.Cols)}, b)
			continue
		}
		b := make([]byte, 2*len(p.V))
		if err := ggml.Quantize(ggml.F16, b, p.V); err != nil {
			return fmt.Errorf("tensor %s: %w", p.Name, err)
		}
		g.AddTensor(p.Name, ggml.F16, []uint64{uint64(p.Cols), uint64(p.Rows)}, b)
	}
	return g.Close()
}

func writeVocab(g *gguf.Writer, v *vocab.Vocab) {
	switch v.Kind {
	case vocab.SentencePiece:
		g.Add("tokenizer.ggml.model", "llama")
		g.Add("tokenizer.ggml.tokens", v.Pieces)
		g.Add("tokenizer.ggml.scores", v.Scores)
		g.Add("tokenizer.ggml.token_type", v.Types)
		g.Add("tokenizer.ggml.add_bos_token", true)
	case vocab.ByteBPE:
		g.Add("tokenizer.ggml.model", "gpt2")
		g.Add("tokenizer.ggml.pre", "gpt-2")
		g.Add("tokenizer.ggml.tokens", v.Pieces)
		g.Add("tokenizer.ggml.token_type", v.Types)
		g.Add("tokenizer.ggml.merges", v.Merges)
		g.Add("tokenizer.ggml.add_bos_token", true)
	case vocab.WordPiece:
		g.Add("tokenizer.ggml.model", "bert")
		g.Add("tokenizer.ggml.tokens", v.Pieces)
		g.Add("tokenizer.ggml.token_type", v.Types)
		g.Add("tokenizer.ggml.cls_token_id", uint32(v.BOS))
		g.Add("tokenizer.ggml.seperator_token_id", uint32(v.EOS)) // GGUF's spelling
		g.Add("tokenizer.ggml.padding_token_id", uint32(0))
	}
	g.Add("tokenizer.ggml.bos_token_id", uint32(v.BOS))
	g.Add("tokenizer.ggml.eos_token_id", uint32(v.EOS))
	g.Add("tokenizer.ggml.unknown_token_id", uint32(v.Unk))
}
