package convert

import (
	"encoding/binary"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/tokenizer"
)

// ModelInfo is what a GGUF says about itself, convertible or not.
type ModelInfo struct {
	Architecture string         `json:"architecture"`
	Name         string         `json:"name"`
	Version      uint32         `json:"gguf_version"`
	BigEndian    bool           `json:"big_endian"`
	Parts        int            `json:"parts"`
	Bytes        int64          `json:"bytes"`
	Dims         *Dims          `json:"dimensions"` // nil if they cannot be read
	Tokenizer    *TokenizerInfo `json:"tokenizer"`  // nil if there is none
	Formats      []FormatTotal  `json:"formats"`
	Tensors      []TensorInfo   `json:"tensors"`
	Fits         []Fit          `json:"fits"`
	Problem      string         `json:"problem"` // why it cannot be converted, "" if it can
	Warnings     []string       `json:"warnings"`
}

// TokenizerInfo describes a GGUF's tokenizer.
type TokenizerInfo struct {
	Kind   string  `json:"kind"`
	Pre    string  `json:"pre,omitempty"`
	Tokens int     `json:"tokens"`
	Merges int     `json:"merges,omitempty"`
	Begin  *uint32 `json:"begin"` // put before a text, nil: nothing
	End    *uint32 `json:"end"`   // put behind a text, nil: nothing
	EOS    uint32  `json:"eos"`   // ends what the model writes
	Note   string  `json:"note,omitempty"`
}

// TensorInfo describes a tensor; dimensions are in ggml's order, columns first.
type TensorInfo struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Shape []uint64 `json:"shape"`
	Bytes uint64   `json:"bytes"`
}

// DescribeModel describes a GGUF and lays it out for every memory size. A
// model that cannot be converted is described all the same: Problem says why.
func DescribeModel(f *gguf.File, o Options) *ModelInfo {
	m := &ModelInfo{
		Version: f.Version, BigEndian: f.Order == binary.BigEndian, Parts: f.Parts, Bytes: f.Size, Warnings: f.Warnings,
		Tensors: []TensorInfo{}, Formats: []FormatTotal{}, Fits: []Fit{},
	}
	// These two may be missing or of a wrong type; then Problem tells.
	m.Architecture, _, _ = f.Str("general.architecture")
	m.Name, _, _ = f.Str("general.name")
	byType := map[string]int{}
	for _, t := range f.Tensors {
		name := t.Type.String()
		m.Tensors = append(m.Tensors, TensorInfo{t.Name, name, t.Dims, t.Size})
		i, ok := byType[name]
		if !ok {
			i = len(m.Formats)
			byType[name] = i
			m.Formats = append(m.Formats, FormatTotal{Format: name})
		}
		m.Formats[i].Tensors++
		m.Formats[i].Bytes += t.Size
	}
	m.Tokenizer = describeTokenizer(f)
	if p, err := ReadParams(f); err == nil {
		m.Dims = &Dims{p.Dim, p.Layers, p.Heads, p.KVHeads, p.HeadDim, p.Hidden, 0, 0, p.Trained}
		if m.Tokenizer != nil {
			m.Dims.Vocab = m.Tokenizer.Tokens
		}
	}
	p, err := prepare(f, o)
	if err == nil {
		m.Dims.Vocab = p.model.vocab()
		m.Dims.Ctx, err = p.context()
	}
	if err == nil {
		m.Fits, err = Fits(f, o)
	}
	if err != nil {
		m.Problem = err.Error()
	}
	return m
}

func describeTokenizer(f *gguf.File) *TokenizerInfo {
	v, err := tokenizer.FromGGUF(f)
	if err != nil {
		return nil
	}
	id := func(n uint32) *uint32 {
		if n == tokenizer.None {
			return nil
		}
		return &n
	}
	t := &TokenizerInfo{Kind: v.Kind.String(), Pre: v.Pre, Tokens: len(v.Pieces), Merges: len(v.Merges), Begin: id(v.BeginToken()), End: id(v.EndToken())}
	_, t.EOS = v.HeaderTokens()
	if k, err := tokenizer.New(v); err == nil {
		t.Note = k.Warning()
	}
	return t
}
