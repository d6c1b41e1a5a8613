package convert

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// benchModel is a llama whose weights are 100 MB in a format, on disk.
func benchModel(b *testing.B, t ggml.Type) string {
	b.Helper()
	bpw := bits(t) / 8
	rows := int(100e6 / bpw / 1024)
	m := tinyLlama(tinyOptions{dim: 1024, heads: 8, hidden: 1024, vocab: rows, fast: true}, t)
	path := filepath.Join(b.TempDir(), "model.gguf")
	if err := os.WriteFile(path, m.bytes(b, 3, false), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

func benchConvert(b *testing.B, from ggml.Type, wtype string) {
	path := benchModel(b, from)
	f, err := gguf.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	p, err := prepare(f, Options{WType: wtype})
	if err != nil {
		b.Fatal(err)
	}
	// The model may be larger than any board: only the writing counts here.
	p.Policy = wtype
	p.layout = p.measure(wtype, 64)
	if err := p.finish(); err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(b.TempDir(), "out.ssnail")
	b.SetBytes(f.Size)
	for b.Loop() {
		w, err := os.Create(out)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.WriteTo(w); err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}

// The bytes counted are those of the model.
func BenchmarkKeepQ8_0(b *testing.B)   { benchConvert(b, ggml.Q8_0, "keep") }
func BenchmarkKeepF16(b *testing.B)    { benchConvert(b, ggml.F16, "keep") }
func BenchmarkKeepF32(b *testing.B)    { benchConvert(b, ggml.F32, "keep") }
func BenchmarkF32ToQ8_0(b *testing.B)  { benchConvert(b, ggml.F32, "q8_0") }
func BenchmarkF32ToQ4_0(b *testing.B)  { benchConvert(b, ggml.F32, "q4_0") }
func BenchmarkQ4_KToQ8_0(b *testing.B) { benchConvert(b, ggml.Q4_K, "q8_0") }

// BenchmarkCopy is what keep is measured against: the same file read and
// written.
func BenchmarkCopy(b *testing.B) {
	path := benchModel(b, ggml.Q8_0)
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(b.TempDir(), "copy.gguf")
	b.SetBytes(st.Size())
	buf := make([]byte, chunk)
	for b.Loop() {
		r, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		w, err := os.Create(out)
		if err != nil {
			b.Fatal(err)
		}
		// Hidden from io.Copy's short cut in the kernel, which reads nothing.
		if _, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, buf); err != nil {
			b.Fatal(err)
		}
		r.Close()
		w.Close()
	}
}
