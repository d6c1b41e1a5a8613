package hub

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// Shape is a model in numbers: what its forward pass and its memory depend on.
type Shape struct {
	Arch    string // general.architecture: llama, gpt2 or bert
	Dim     int    // embedding length
	Layers  int
	Heads   int
	KVHeads int // llama; others have one per head
	Hidden  int // feed forward length
	Trained int // context length of the training, and rows of position_embd
	Output  bool
	Type    ggml.Type // of the matrices in the file
	Vocab   Vocabulary
}

// Vocabulary is the size of a vocabulary and of its texts.
type Vocabulary struct {
	Tokens int
	Plain  int // tokens with a text in printable ASCII
	Bytes  int // of all texts
}

// Vocabularies of the models in the list, measured on vocabularies of these
// kinds as llama.cpp stores them. The one of SmolLM was not at hand: its size
// is known, its texts are taken to be as long as in StarCoder's, which has as
// many tokens.
var (
	vocabLlama2  = Vocabulary{Tokens: 32000, Plain: 25207, Bytes: 176569}
	vocabStories = Vocabulary{Tokens: 512, Plain: 239, Bytes: 831}
	vocabGPT2    = Vocabulary{Tokens: 50257, Plain: 49352, Bytes: 320814}
	vocabBERT    = Vocabulary{Tokens: 30522, Plain: 28617, Bytes: 212999}
	vocabSmol    = Vocabulary{Tokens: 49152, Plain: 43610, Bytes: 296013}
)

// tensor is the description of one tensor.
type tensor struct {
	name string
	kind ggml.Type
	dims []uint64
}

// tensors lists the tensors of the shape under their GGUF names.
func (s Shape) tensors() []tensor {
	var list []tensor
	matrix := func(name string, cols, rows int) {
		t := s.Type
		if cols%t.BlockSize() != 0 {
			t = ggml.F16 // what quantising tools fall back to, too
		}
		list = append(list, tensor{name, t, []uint64{uint64(cols), uint64(rows)}})
	}
	vector := func(name string, n int) { list = append(list, tensor{name, ggml.F32, []uint64{uint64(n)}}) }
	linear := func(name string, cols, rows int) {
		matrix(name+".weight", cols, rows)
		vector(name+".bias", rows)
	}
	norm := func(name string) {
		vector(name+".weight", s.Dim)
		vector(name+".bias", s.Dim)
	}
	matrix("token_embd.weight", s.Dim, s.Vocab.Tokens)
	if s.Arch != "llama" {
		matrix("position_embd.weight", s.Dim, s.Trained)
	}
	if s.Arch == "bert" {
		matrix("token_types.weight", s.Dim, 2)
		norm("token_embd_norm")
	}
	for i := range s.Layers {
		blk := fmt.Sprintf("blk.%d.", i)
		switch s.Arch {
		case "llama":
			kv := s.Dim / s.Heads * s.KVHeads
			vector(blk+"attn_norm.weight", s.Dim)
			matrix(blk+"attn_q.weight", s.Dim, s.Dim)
			matrix(blk+"attn_k.weight", s.Dim, kv)
			matrix(blk+"attn_v.weight", s.Dim, kv)
			matrix(blk+"attn_output.weight", s.Dim, s.Dim)
			vector(blk+"ffn_norm.weight", s.Dim)
			matrix(blk+"ffn_gate.weight", s.Dim, s.Hidden)
			matrix(blk+"ffn_up.weight", s.Dim, s.Hidden)
			matrix(blk+"ffn_down.weight", s.Hidden, s.Dim)
		case "gpt2":
			norm(blk + "attn_norm")
			linear(blk+"attn_qkv", s.Dim, 3*s.Dim)
			linear(blk+"attn_output", s.Dim, s.Dim)
			norm(blk + "ffn_norm")
			linear(blk+"ffn_up", s.Dim, s.Hidden)
			linear(blk+"ffn_down", s.Hidden, s.Dim)
		case "bert":
			for _, m := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
				linear(blk+m, s.Dim, s.Dim)
			}
			norm(blk + "attn_output_norm")
			linear(blk+"ffn_up", s.Dim, s.Hidden)
			linear(blk+"ffn_down", s.Hidden, s.Dim)
			norm(blk + "layer_output_norm")
		}
	}
	switch s.Arch {
	case "llama":
		vector("output_norm.weight", s.Dim)
	case "gpt2":
		norm("output_norm")
	}
	if s.Output {
		matrix("output.weight", s.Dim, s.Vocab.Tokens)
	}
	return list
}

// Params is the number of parameters in the file.
func (s Shape) Params() (n uint64) {
	for _, t := range s.tensors() {
		e := uint64(1)
		for _, d := range t.dims {
			e *= d
		}
		n += e
	}
	return n
}

// DataBytes is the size of the file's tensors.
func (s Shape) DataBytes() (n uint64) {
	for _, t := range s.tensors() {
		n += t.bytes()
	}
	return n
}

func (t tensor) bytes() uint64 {
	e := uint64(1)
	for _, d := range t.dims {
		e *= d
	}
	return e / uint64(t.kind.BlockSize()) * uint64(t.kind.BlockBytes())
}

// File makes the directory of a GGUF of this shape. Its tensors read as zeros.
func (s Shape) File() (*gguf.File, error) {
	z, err := s.encode()
	if err != nil {
		return nil, err
	}
	return gguf.NewFile(z, z.size)
}

func (s Shape) encode() (zerosAfter, error) {
	var b bytes.Buffer
	w := gguf.NewWriter(&b)
	key := func(name string, n int) { w.Add(s.Arch+"."+name, uint32(n)) }
	w.Add("general.architecture", s.Arch)
	w.Add("general.alignment", uint32(1)) // so that the writer pads nothing
	key("embedding_length", s.Dim)
	key("block_count", s.Layers)
	key("feed_forward_length", s.Hidden)
	key("attention.head_count", s.Heads)
	key("context_length", s.Trained)
	if s.Arch == "llama" {
		key("attention.head_count_kv", s.KVHeads)
	}
	s.Vocab.add(w, s.Arch)
	if err := w.Close(); err != nil {
		return zerosAfter{}, err
	}
	list := s.tensors()
	head := b.Bytes()
	binary.LittleEndian.PutUint64(head[8:], uint64(len(list))) // the tensor count
	off := uint64(0)
	for _, t := range list {
		head = binary.LittleEndian.AppendUint64(head, uint64(len(t.name)))
		head = append(head, t.name...)
		head = binary.LittleEndian.AppendUint32(head, uint32(len(t.dims)))
		for _, d := range t.dims {
			head = binary.LittleEndian.AppendUint64(head, d)
		}
		head = binary.LittleEndian.AppendUint32(head, uint32(t.kind))
		head = binary.LittleEndian.AppendUint64(head, off)
		off += t.bytes()
	}
	size := int64(len(head)) + int64(off)
	return zerosAfter{head, size}, nil
}

// Fits says what an image of the shape needs under each weight policy, and on
// which boards that fits.
func (s Shape) Fits() ([]convert.Fit, error) {
	f, err := s.File()
	if err != nil {
		return nil, err
	}
	return convert.Fits(f, convert.Options{})
}

// add puts a vocabulary of this size into the metadata. Tokens whose text is
// not plain become control tokens, and the others share all bytes of text.
func (v Vocabulary) add(w *gguf.Writer, arch string) {
	model := map[string]string{"llama": "llama", "gpt2": "gpt2", "bert": "bert"}[arch]
	pieces, types := make([]string, v.Tokens), make([]int32, v.Tokens)
	width, room := 1, 26
	for room < v.Plain {
		width, room = width+1, 26*room
	}
	for i := range pieces {
		if i >= v.Plain {
			pieces[i], types[i] = fmt.Sprintf("<%d>", i), 3
			continue
		}
		n := v.Bytes / v.Plain
		if i < v.Bytes%v.Plain {
			n++
		}
		p := bytes.Repeat([]byte{'x'}, max(n, width))
		for j, x := width-1, i; j >= 0; j, x = j-1, x/26 {
			p[j] = 'a' + byte(x%26)
		}
		pieces[i], types[i] = string(p), 1
	}
	w.Add("tokenizer.ggml.model", model)
	w.Add("tokenizer.ggml.tokens", pieces)
	w.Add("tokenizer.ggml.token_type", types)
	switch model {
	case "llama":
		w.Add("tokenizer.ggml.scores", make([]float32, v.Tokens))
	case "gpt2":
		w.Add("tokenizer.ggml.merges", []string{"a b"})
	}
}

// zerosAfter is a file that begins with head and goes on with zeros.
type zerosAfter struct {
	head []byte
	size int64
}

func (z zerosAfter) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off >= z.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), z.size-off))
	done := 0
	if off < int64(len(z.head)) {
		done = copy(p[:n], z.head[off:])
	}
	clear(p[done:n])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
