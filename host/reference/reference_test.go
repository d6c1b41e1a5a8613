package reference

import (
	"math"
	"strings"
	"testing"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/internal/toy"
)

func load(t *testing.T, f *gguf.File) *Model {
	t.Helper()
	m, err := Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSteered runs a model whose answer follows from its weights.
func TestSteered(t *testing.T) {
	m := load(t, toy.Always(40).File(t))
	r := m.NewRun()
	for _, id := range []uint32{1, 50, 60} {
		l, err := r.Next(id)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range l {
			if i != 40 && v >= l[40] {
				t.Fatalf("after %d: logit %d is %v, of 40 %v", id, i, v, l[40])
			}
		}
	}
}

// TestAttention: with equal keys the values' mean comes out; with one key far
// ahead, its value.
func TestAttention(t *testing.T) {
	m := &Model{params: params{heads: 2, kvHeads: 1, headDim: 2}}
	keys := [][]float64{{1, 1}, {1, 1}}
	values := [][]float64{{2, 4}, {4, 8}}
	for i, v := range m.attention([]float64{1, 2, 3, 4}, keys, values) {
		if want := []float64{3, 6, 3, 6}[i]; math.Abs(v-want) > 1e-12 {
			t.Errorf("value %d is %v, want %v", i, v, want)
		}
	}
	keys[1] = []float64{1000, 0}
	if out := m.attention([]float64{1, 0, -1, 0}, keys, values); math.Abs(out[0]-4) > 1e-12 || math.Abs(out[3]-4) > 1e-12 {
		t.Errorf("%v", out)
	}
}

// TestRotate: a quarter turn of neighbours, or of values half a head apart.
func TestRotate(t *testing.T) {
	m := &Model{params: params{arch: "llama", headDim: 4}, ropeFreq: []float64{math.Pi / 2, 0}}
	x := []float64{1, 2, 3, 4}
	m.rotate(x, 1)
	for i, want := range []float64{-2, 1, 3, 4} {
		if math.Abs(x[i]-want) > 1e-12 {
			t.Errorf("llama: %v", x)
			break
		}
	}
	m.arch = "qwen2"
	x = []float64{1, 2, 3, 4}
	m.rotate(x, 1)
	for i, want := range []float64{-3, 2, 1, 4} {
		if math.Abs(x[i]-want) > 1e-12 {
			t.Errorf("qwen2: %v", x)
			break
		}
	}
}

// TestHalfCache changes little, but something.
func TestHalfCache(t *testing.T) {
	m := load(t, toy.Model{Arch: "bert"}.File(t))
	ids := []uint32{1, 40, 50, 2}
	a, err := m.Embed(ids)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.WithHalfCache().Embed(ids)
	if err != nil {
		t.Fatal(err)
	}
	var worst, largest float64
	for i := range a {
		worst, largest = max(worst, math.Abs(a[i]-b[i])), max(largest, math.Abs(a[i]))
	}
	if worst == 0 || worst > 1e-2*largest {
		t.Errorf("differs by %v of %v", worst, largest)
	}
}

func TestRefuses(t *testing.T) {
	m := load(t, toy.Model{Arch: "llama"}.File(t))
	if _, err := m.NewRun().Next(98); err == nil || !strings.Contains(err.Error(), "token 98") {
		t.Errorf("%v", err)
	}
	if _, err := m.Embed([]uint32{1}); err == nil {
		t.Error("a decoder embedded")
	}
	e := load(t, toy.Model{Arch: "bert"}.File(t))
	if _, err := e.NewRun().Next(1); err == nil {
		t.Error("an encoder gave logits")
	}
	if _, err := e.Embed(make([]uint32, 41)); err == nil || !strings.Contains(err.Error(), "position 40") {
		t.Errorf("%v", err)
	}
	if _, err := e.Embed(nil); err == nil {
		t.Error("embedded nothing")
	}
	// A model that lacks what its metadata calls for.
	f := toy.Model{Arch: "llama"}.File(t)
	for i := range f.KV {
		if f.KV[i].Key == "llama.block_count" {
			f.KV[i].Value = uint32(3)
		}
	}
	if _, err := Load(f); err == nil || !strings.Contains(err.Error(), "blk.2.") {
		t.Errorf("%v", err)
	}
	for i := range f.KV {
		if f.KV[i].Key == "general.architecture" {
			f.KV[i].Value = "mamba"
		}
	}
	if _, err := Load(f); err == nil || !strings.Contains(err.Error(), "mamba") {
		t.Errorf("%v", err)
	}
}
