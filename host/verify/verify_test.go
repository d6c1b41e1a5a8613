package verify

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/bits"
	"strings"
	"testing"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/internal/toy"
	"ssnail-kit/host/reference"
)

func imageBytes(t *testing.T, f *gguf.File, o convert.Options) []byte {
	t.Helper()
	p, err := convert.New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openImage(t *testing.T, b []byte) *image.Image {
	t.Helper()
	im, err := image.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// TestIdentical finds the conversion that made an image, whichever it was.
func TestIdentical(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "bert"} {
		for _, wt := range []string{"keep", "q8_0", "q4_0", "mixed", "f16", "bf16"} {
			for _, kv := range []string{"f16", "f32"} {
				f := toy.Model{Arch: arch}.File(t)
				im := openImage(t, imageBytes(t, f, convert.Options{WType: wt, KV: kv, Type: "Story", Ctx: 17}))
				w, err := CompareWeights(im, f)
				if err != nil {
					t.Fatal(err)
				}
				if w.Differing() != 0 || w.WType != wt || w.KV != kv || w.Exact != (wt == "keep") {
					t.Errorf("%s %s %s: %d differ, taken for %s %s, exact %v", arch, wt, kv, w.Differing(), w.WType, w.KV, w.Exact)
				}
			}
		}
	}
}

// TestFlippedBit flips one bit in turn all over images: each is found, and
// the tensor named.
func TestFlippedBit(t *testing.T) {
	for _, format := range []ggml.Type{ggml.F32, ggml.Q8_0, ggml.Q4_0} {
		f := toy.Model{Arch: "llama", Type: format}.File(t)
		want := imageBytes(t, f, convert.Options{})
		clean := openImage(t, want)
		symbols, err := clean.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for off := 0x140; off < len(want); off += len(want)/60 + 1 {
			b := bytes.Clone(want)
			b[off] ^= 1 << (off % 8)
			w, err := CompareWeights(openImage(t, b), f)
			if err != nil {
				t.Fatalf("offset $%X: %v", off, err)
			}
			if w.Differing() != 1 {
				t.Fatalf("offset $%X: %d blocks differ", off, w.Differing())
			}
			for _, blk := range w.Blocks {
				if blk.Differ == 0 {
					continue
				}
				d := blk.First
				if d == nil || d.Offset != int64(off) || d.Bits != 1 || bits.OnesCount8(d.Image^d.Want) != 1 || blk.Differ != 1 {
					t.Fatalf("offset $%X: %+v %+v", off, blk, d)
				}
				sym, ok := symbols.Find(d.Addr)
				if ok && sym.Name != blk.Name || !ok && !strings.HasPrefix(blk.Name, "padding") {
					t.Errorf("offset $%X: named %s, is in %s", off, blk.Name, sym.Name)
				}
				if strings.Contains(blk.Name, "attn_q") && (!blk.Tensor || d.Row < 0 || d.Row >= toy.Dim || d.Column < 0 || d.Column >= toy.Dim) {
					t.Errorf("offset $%X: %s, row %d, column %d", off, blk.Name, d.Row, d.Column)
				}
				if s := d.String(); !strings.Contains(s, "flipped") {
					t.Error(s)
				}
			}
		}
	}
}

// TestPlace: a weight's row and column, in a format with blocks.
func TestPlace(t *testing.T) {
	m := &gguf.Tensor{Name: "w", Dims: []uint64{64, 5}, Type: ggml.Q8_0}
	row := 2 * 34
	for _, c := range []struct{ i, row, col int }{{0, 0, 0}, {2, 0, 0}, {3, 0, 1}, {33, 0, 31}, {34, 0, 32}, {36, 0, 32}, {3*row + 40, 3, 36}} {
		if r, k := place(m, 5*row, c.i); r != c.row || k != c.col {
			t.Errorf("byte %d: row %d, column %d, want %d, %d", c.i, r, k, c.row, c.col)
		}
	}
}

func TestWrongModel(t *testing.T) {
	f := toy.Model{Arch: "llama"}.File(t)
	other := toy.Model{Arch: "bert"}.File(t)
	var no *NoMatchError
	if _, err := CompareWeights(openImage(t, imageBytes(t, f, convert.Options{})), other); !errors.As(err, &no) {
		t.Errorf("%v", err)
	}
}

// TestLogits compares what images compute, with a clean one, with one whose
// weights are coarser, and with one that is broken.
func TestLogits(t *testing.T) {
	f := toy.Model{Arch: "llama"}.File(t)
	m, err := reference.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(b []byte, half bool) []Run {
		t.Helper()
		im := openImage(t, b)
		tok, err := image.NewTokenizer(im, im.Header)
		if err != nil {
			t.Fatal(err)
		}
		windows, err := Windows(im, tok, []byte("hello, you there; how are you? a text longer than the context"), 60)
		if err != nil {
			t.Fatal(err)
		}
		if len(windows) != 2 || windows[0][0] != 1 || windows[1][0] != 1 || len(windows[0]) != 40 {
			t.Fatalf("windows %v", windows)
		}
		runs, err := CompareLogits(context.Background(), im, m, half, windows, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if r.Positions != 62 || r.Scored != 60 || !(r.Perplexity() > 1) {
				t.Errorf("%+v", r)
			}
		}
		if runs[0].Agree != runs[0].Positions || runs[0].Worst != 0 {
			t.Errorf("the reference differs from itself: %+v", runs[0])
		}
		return runs
	}
	strict := compare(imageBytes(t, f, convert.Options{KV: "f32"}), false)
	if r := strict[1]; r.Computing > 1e-6 || r.Worst > 1e-6 || r.Agree != r.Positions {
		t.Errorf("%+v", r)
	}
	half := compare(imageBytes(t, f, convert.Options{}), true)
	if r := half[1]; r.Computing > 2e-3 || r.Worst < r.Computing/10 {
		t.Errorf("%+v", r)
	}
	coarse := compare(imageBytes(t, f, convert.Options{WType: "q4_0"}), true)
	if coarse[1].Worst < 1e-2 || math.Abs(coarse[1].Perplexity()-coarse[0].Perplexity()) < 1e-6 {
		t.Errorf("%+v", coarse[1])
	}
}

func TestEmbeddings(t *testing.T) {
	f := toy.Model{Arch: "bert"}.File(t)
	m, err := reference.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	im := openImage(t, imageBytes(t, f, convert.Options{KV: "f32"}))
	texts := [][]byte{[]byte("a b c"), []byte("hello"), []byte(strings.Repeat("x ", 60))}
	runs, skipped, err := CompareEmbeddings(im, m, false, texts, 1)
	if err != nil {
		t.Fatal(err)
	}
	if skipped != 1 || runs[1].Positions != 2 || runs[1].Worst > 1e-6 || runs[1].Cosine < 0.999999 || runs[2].Cosine < 0.99 {
		t.Errorf("%d skipped, %+v", skipped, runs)
	}
}
