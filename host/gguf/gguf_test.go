package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// shared finds the folder of test data that lies beside the repository.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			s := filepath.Join(dir, "..", "shared")
			if _, e := os.Stat(s); e == nil {
				return s
			}
			break
		}
	}
	t.Skip("skipped: no ../shared beside the repository")
	return ""
}

// TestSharedModels opens every model of the test data.
func TestSharedModels(t *testing.T) {
	dir := shared(t)
	var all []string
	for _, p := range []string{"models/*.gguf", "golden/models/*.gguf", "vocab/*.gguf"} {
		m, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil || len(m) == 0 {
			t.Fatalf("no files match %s: %v", p, err)
		}
		all = append(all, m...)
	}
	for _, path := range all {
		f, err := Open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, ok, err := f.Str("general.architecture"); !ok || err != nil {
			t.Errorf("%s: architecture: %v, %v", path, ok, err)
		}
		if tokens, ok, err := f.Strings("tokenizer.ggml.tokens"); !ok || err != nil || len(tokens) == 0 {
			t.Errorf("%s: %d tokens, %v", path, len(tokens), err)
		}
		for _, w := range f.Warnings {
			t.Logf("%s: %s", path, w)
		}
		f.Close()
	}
}

// TestSharedRewritten writes a model of the test data in every version and
// order: all of its metadata and data come back.
func TestSharedRewritten(t *testing.T) {
	f, err := Open(filepath.Join(shared(t), "models", "stories260K-lq-q4_K_M.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := map[string][]byte{}
	for _, x := range f.Tensors {
		if data[x.Name], err = io.ReadAll(x.Open()); err != nil {
			t.Fatal(err)
		}
	}
	for version := uint32(1); version <= 3; version++ {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			var b bytes.Buffer
			w := NewWriter(&b)
			w.Version, w.Order = version, order
			for _, kv := range f.KV {
				w.Add(kv.Key, kv.Value)
			}
			for _, x := range f.Tensors {
				w.AddTensor(x.Name, x.Type, x.Dims, data[x.Name])
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			g, err := open(b.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(g.KV, f.KV) {
				t.Errorf("version %d %s: metadata differs", version, order)
			}
			for i, x := range f.Tensors {
				y := g.Tensors[i]
				got, err := io.ReadAll(y.Open())
				if y.Name != x.Name || y.Type != x.Type || !reflect.DeepEqual(y.Dims, x.Dims) || err != nil || !bytes.Equal(got, data[x.Name]) {
					t.Errorf("version %d %s: %s differs (%v)", version, order, x.Name, err)
				}
			}
		}
	}
}

// BenchmarkOpen reads the directory of the model with the largest vocabulary.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(shared(b), "models", "gpt2-rand-50257-q8_0.gguf")
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkBigEndian reads a tensor through the swapper.
func BenchmarkBigEndian(b *testing.B) {
	var out bytes.Buffer
	w := NewWriter(&out)
	w.Order = binary.BigEndian
	w.AddTensor("x", 0, []uint64{1 << 20}, make([]byte, 4<<20))
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	f, err := open(out.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 1<<16)
	b.SetBytes(4 << 20)
	for b.Loop() {
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f.Tensors[0].Open(), buf); err != nil {
			b.Fatal(err)
		}
	}
}
