// Package verify compares an image with the model it was made from: byte for
// byte, naming the tensor that differs, and by what it computes, against the
// double precision reference.
package verify

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// Weights is the comparison of an image's bytes with what converting the
// model gives.
type Weights struct {
	// WType, Fallback and KV are the conversion that comes nearest to the image.
	WType    string `json:"wtype"`
	Fallback string `json:"fallback"`
	KV       string `json:"kv"`
	// Exact is true when that conversion stores every matrix as the model has
	// it, so that the image can be held to the model's own logits.
	Exact  bool    `json:"exact"`
	Blocks []Block `json:"blocks"`
}

// Block is one part of the image: a tensor, the script, a table.
type Block struct {
	Name   string      `json:"name"`
	Addr   uint32      `json:"address"`
	Bytes  int         `json:"bytes"`
	Tensor bool        `json:"tensor"`          // it is one of the model's
	Differ int         `json:"differ"`          // bytes that differ
	First  *Difference `json:"first,omitempty"` // nil if none does
}

// Difference is the first byte of a block that differs.
type Difference struct {
	Addr   uint32 `json:"address"`
	Offset int64  `json:"offset"` // in the image's file
	Image  byte   `json:"image"`
	Want   byte   `json:"want"`
	Bits   int    `json:"bits"` // how many bits of the block differ
	// Row and Column are the element's place in a matrix, -1 in other blocks.
	Row    int `json:"row"`
	Column int `json:"column"`
}

// Differing counts blocks that differ.
func (w *Weights) Differing() int {
	n := 0
	for i := range w.Blocks {
		if w.Blocks[i].Differ > 0 {
			n++
		}
	}
	return n
}

// NoMatchError is a model that no conversion turns into an image of this size.
type NoMatchError struct {
	Size  int64
	Tried []string
}

func (e *NoMatchError) Error() string {
	return fmt.Sprintf("no conversion of the model gives an image of %d bytes (with the image's context: %s)", e.Size, strings.Join(e.Tried, ", "))
}

// CompareWeights converts the model again, in each way that gives an image of
// this size, and compares the nearest one.
func CompareWeights(im *image.Image, f *gguf.File) (*Weights, error) {
	var best *Weights
	var least int
	var tried []string
	var last error
	for _, o := range candidates(im) {
		p, err := convert.New(f, o)
		if err != nil {
			last = err
			continue
		}
		if t := fmt.Sprintf("%s: %d", o.WType, p.Size()); !slices.Contains(tried, t) {
			tried = append(tried, t)
		}
		if p.Size() != im.Size {
			continue
		}
		w, n, err := compare(im, f, p, o)
		if err != nil {
			return nil, err
		}
		if best == nil || n < least {
			best, least = w, n
		}
		if n == 0 {
			break
		}
	}
	switch {
	case best != nil:
		return best, nil
	case len(tried) == 0:
		return nil, last
	}
	return nil, &NoMatchError{im.Size, tried}
}

// candidates are the conversions that may have made an image.
func candidates(im *image.Image) []convert.Options {
	kind := ""
	if d := im.Description; strings.HasSuffix(d, "]") {
		if i := strings.LastIndexByte(d, '['); i >= 0 {
			kind = d[i+1 : len(d)-1]
		}
	}
	var all []convert.Options
	for _, kv := range []string{"f16", "f32"} {
		for _, wt := range []string{"keep", "q8_0", "mixed", "q4_0", "f16", "bf16", "f32"} {
			for _, fb := range convert.Formats {
				if fb != "q8_0" && wt != "keep" {
					continue
				}
				all = append(all, convert.Options{Ctx: int(im.MaxCtx), WType: wt, Fallback: fb, MemMB: image.MaxMemMB, KV: kv, Type: kind, Yes: true})
			}
		}
	}
	return all
}

// compare makes the image of a plan and counts the bytes that differ.
func compare(im *image.Image, f *gguf.File, p *convert.Plan, o convert.Options) (*Weights, int, error) {
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		return nil, 0, err
	}
	want := b.Bytes()
	have, err := io.ReadAll(io.NewSectionReader(im, 0, im.Size))
	if err != nil {
		return nil, 0, fmt.Errorf("reading the image: %w", err)
	}
	made, err := image.Open(bytes.NewReader(want), int64(len(want)))
	if err != nil {
		return nil, 0, fmt.Errorf("the model converted again: %w", err)
	}
	symbols, err := made.Symbols()
	if err != nil {
		return nil, 0, fmt.Errorf("the model converted again: %w", err)
	}
	w := &Weights{WType: o.WType, Fallback: o.Fallback, KV: o.KV, Exact: o.WType == "keep" && len(p.Report().Repacked) == 0}
	total, end := 0, int64(0)
	add := func(name string, addr uint32, from, to int64) {
		if from >= to {
			return
		}
		blk := Block{Name: name, Addr: addr, Bytes: int(to - from)}
		t := tensorOf(f, name)
		blk.Tensor = t != nil
		blk.compare(have[from:to], want[from:to], from, t)
		total += blk.Differ
		w.Blocks = append(w.Blocks, blk)
	}
	add("header", image.Base, 0, image.HeaderSize)
	end = image.HeaderSize
	for _, s := range symbols.List() {
		from := image.HeaderSize + int64(s.Addr) - int64(made.LoadAddr)
		to := min(from+int64(s.Size), int64(len(want)))
		if s.Addr < made.LoadAddr || from < end || from >= int64(len(want)) {
			continue
		}
		if from > end {
			add("padding before "+s.Name, made.LoadAddr+uint32(end-image.HeaderSize), end, from)
		}
		add(s.Name, s.Addr, from, to)
		end = to
	}
	add("padding at the end", made.LoadAddr+uint32(end-image.HeaderSize), end, int64(len(want)))
	return w, total, nil
}

// tensorOf finds the model's tensor behind a block's name.
func tensorOf(f *gguf.File, name string) *gguf.Tensor {
	if t := f.Tensor(name + ".weight"); t != nil {
		return t
	}
	return f.Tensor(name)
}

func (b *Block) compare(have, want []byte, offset int64, t *gguf.Tensor) {
	flipped := 0
	for i := range want {
		if have[i] == want[i] {
			continue
		}
		flipped += bits.OnesCount8(have[i] ^ want[i])
		if b.Differ++; b.Differ == 1 {
			row, col := place(t, len(want), i)
			b.First = &Difference{b.Addr + uint32(i), offset + int64(i), have[i], want[i], 0, row, col}
		}
	}
	if b.First != nil {
		b.First.Bits = flipped
	}
}

// place is the row and column of byte i of a tensor stored in n bytes.
func place(t *gguf.Tensor, n, i int) (row, col int) {
	if t == nil || t.Rows() < 1 || n%t.Rows() != 0 {
		return -1, -1
	}
	rowBytes := n / t.Rows()
	for _, f := range []ggml.Type{t.Type, ggml.Q8_0, ggml.Q4_0, ggml.F16, ggml.F32} {
		size, err := ggml.RowBytes(f, t.Columns())
		if err != nil || size != rowBytes {
			continue
		}
		in := i % rowBytes
		blk := in / f.BlockBytes()
		col = blk * f.BlockSize()
		if in = in%f.BlockBytes() - 2; f.BlockSize() > 1 && in > 0 {
			col += in // the scale comes first; a byte of Q4_0 also holds the element 16 on
		}
		return i / rowBytes, col
	}
	return i / rowBytes, -1
}

// String says where and what.
func (d *Difference) String() string {
	at := fmt.Sprintf("file offset $%X, address $%07X", d.Offset, d.Addr)
	if d.Row >= 0 {
		at += fmt.Sprintf(", row %d", d.Row)
		if d.Column >= 0 {
			at += fmt.Sprintf(", column %d", d.Column)
		}
	}
	s := fmt.Sprintf("%s: the image has $%02X, the model gives $%02X", at, d.Image, d.Want)
	if d.Bits == 1 {
		s += fmt.Sprintf(" (bit %d flipped)", bits.TrailingZeros8(d.Image^d.Want))
	}
	return s
}
