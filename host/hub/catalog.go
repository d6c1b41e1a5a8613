package hub

import (
	"slices"
	"strings"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
)

// Entry is a public model of which dimensions and files are known.
type Entry struct {
	Name  string // what people call it
	Repo  string // on Hugging Face: owner/name
	File  string // the file to take: the finest that is worth its download
	Bytes int64  // of that file as its page states it: three digits are exact
	About string // what it is for, in a few words
	Shape Shape
}

// Catalog lists public models in the order of their size. Dimensions come from
// each model's published configuration, file names and sizes from the pages of
// its repository; nothing was downloaded to make the list.
func Catalog() []Entry {
	minilm := Shape{Arch: "bert", Dim: 384, Layers: 6, Heads: 12, Hidden: 1536, Trained: 512, Type: ggml.F16, Vocab: vocabBERT}
	bge := minilm
	bge.Layers = 12
	return []Entry{
		{
			Name: "stories260K", Repo: "ggml-org/tiny-llamas", File: "stories260K.gguf", Bytes: 1185376,
			About: "children's stories, first steps",
			Shape: Shape{Arch: "llama", Dim: 64, Layers: 5, Heads: 8, KVHeads: 4, Hidden: 172, Trained: 128, Output: true, Type: ggml.F32, Vocab: vocabStories},
		},
		{
			Name: "TinyLLama-v0", Repo: "aladar/TinyLLama-v0-GGUF", File: "TinyLLama-v0.f16.gguf", Bytes: 10_000_000,
			About: "children's stories",
			Shape: Shape{Arch: "llama", Dim: 64, Layers: 8, Heads: 16, KVHeads: 16, Hidden: 256, Trained: 2048, Output: true, Type: ggml.F16, Vocab: vocabLlama2},
		},
		{
			Name: "stories15M", Repo: "ggml-org/tiny-llamas", File: "stories15M.gguf", Bytes: 98_400_000,
			About: "children's stories, good ones",
			Shape: Shape{Arch: "llama", Dim: 288, Layers: 6, Heads: 6, KVHeads: 6, Hidden: 768, Trained: 256, Output: true, Type: ggml.F32, Vocab: vocabLlama2},
		},
		{
			Name: "all-MiniLM-L6-v2", Repo: "second-state/All-MiniLM-L6-v2-Embedding-GGUF", File: "all-MiniLM-L6-v2-ggml-model-f16.gguf", Bytes: 45_900_000,
			About: "encoder: which sentences mean the same", Shape: minilm,
		},
		{
			Name: "snowflake-arctic-embed-xs", Repo: "yixuan-chia/snowflake-arctic-embed-xs-GGUF", File: "snowflake-arctic-embed-xs-F16.gguf", Bytes: 46_200_000,
			About: "encoder: finds texts for a question", Shape: minilm,
		},
		{
			Name: "bge-small-en-v1.5", Repo: "CompendiumLabs/bge-small-en-v1.5-gguf", File: "bge-small-en-v1.5-f16.gguf", Bytes: 67_300_000,
			About: "encoder, twice as deep", Shape: bge,
		},
		{
			Name: "stories42M", Repo: "klosax/tinyllamas-stories-gguf", File: "tinyllamas-stories-42m-f32.gguf", Bytes: 233_000_000,
			About: "children's stories, longer ones",
			Shape: Shape{Arch: "llama", Dim: 512, Layers: 8, Heads: 8, KVHeads: 8, Hidden: 1376, Trained: 1024, Output: true, Type: ggml.F32, Vocab: vocabLlama2},
		},
		{
			Name: "Llama-68M-Chat-v1", Repo: "afrideva/Llama-68M-Chat-v1-GGUF", File: "llama-68m-chat-v1.fp16.gguf", Bytes: 137_000_000,
			About: "chat, knows little",
			Shape: Shape{Arch: "llama", Dim: 768, Layers: 2, Heads: 12, KVHeads: 12, Hidden: 3072, Trained: 2048, Output: true, Type: ggml.F16, Vocab: vocabLlama2},
		},
		{
			Name: "distilgpt2", Repo: "mradermacher/distilgpt2-GGUF", File: "distilgpt2.f16.gguf", Bytes: 244_000_000,
			About: "goes on with any English text",
			Shape: Shape{Arch: "gpt2", Dim: 768, Layers: 6, Heads: 12, Hidden: 3072, Trained: 1024, Output: true, Type: ggml.F16, Vocab: vocabGPT2},
		},
		{
			Name: "SmolLM-135M", Repo: "mradermacher/SmolLM-135M-GGUF", File: "SmolLM-135M.f16.gguf", Bytes: 271_000_000,
			About: "the smallest of its family",
			Shape: Shape{Arch: "llama", Dim: 576, Layers: 30, Heads: 9, KVHeads: 3, Hidden: 1536, Trained: 2048, Type: ggml.F16, Vocab: vocabSmol},
		},
	}
}

// BoardFit is how a model fits one memory size: the finest weights that fit.
type BoardFit struct {
	MemMB  int    `json:"mem_mb"`
	Boards string `json:"boards"`
	Format string `json:"format"` // of the weights; "" if none fits
	Needed uint64 `json:"needed"` // bytes with that format, or with the coarsest if none fits
	Ctx    int    `json:"ctx"`
}

// Boards computes how a model of the list fits each memory size that boards
// have.
func (e Entry) Boards() ([]BoardFit, error) {
	fits, err := e.Shape.Fits()
	if err != nil {
		return nil, err
	}
	return boardFits(fits, e.Shape.Type), nil
}

// boardFits takes the first policy that fits per memory size.
func boardFits(fits []convert.Fit, kept ggml.Type) []BoardFit {
	var out []BoardFit
	for _, f := range fits {
		if len(out) == 0 || out[len(out)-1].MemMB != f.MemMB {
			out = append(out, BoardFit{MemMB: f.MemMB, Boards: f.Boards, Ctx: f.Ctx})
		}
		b := &out[len(out)-1]
		switch {
		case b.Format != "":
		case f.Fits:
			b.Format, b.Needed = f.WType, f.Needed
			if f.WType == "keep" {
				b.Format = "q8_0" // what the core cannot read
				if name := strings.ToLower(kept.String()); slices.Contains(convert.Formats, name) {
					b.Format = name
				}
			}
		default:
			b.Needed = f.Needed
		}
	}
	return out
}
