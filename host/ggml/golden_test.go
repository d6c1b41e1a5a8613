package ggml

import (
	"math"
	"os"
	"path/filepath"
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

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func floats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	decodeF32(v, b)
	return v
}

// TestGoldenDequantize compares all formats with what ggml makes of 48 blocks.
func TestGoldenDequantize(t *testing.T) {
	dir := filepath.Join(shared(t), "golden", "quants")
	paths, err := filepath.Glob(filepath.Join(dir, "*.blocks"))
	if err != nil || len(paths) != 22 {
		t.Fatalf("%d block files, 22 expected: %v", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Base(path[:len(path)-len(".blocks")])
		t.Run(name, func(t *testing.T) {
			typ, ok := TypeByName(name)
			if !ok {
				t.Fatal("no such format")
			}
			blocks, want := read(t, path), floats(read(t, path[:len(path)-len("blocks")]+"f32"))
			got := make([]float32, len(want))
			if err := Dequantize(typ, got, blocks); err != nil {
				t.Fatal(err)
			}
			bad := 0
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					if bad++; bad < 4 {
						t.Errorf("element %d: %g (%08x), want %g (%08x)", i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
					}
				}
			}
			if bad > 0 {
				t.Errorf("%d of %d elements differ", bad, len(want))
			}
		})
	}
}

// TestGoldenQuantize compares with what the reference converter makes of 64
// rows, which hold zeros, denormals and values beyond half floats.
func TestGoldenQuantize(t *testing.T) {
	dir := filepath.Join(shared(t), "golden", "quants")
	in := floats(read(t, filepath.Join(dir, "input-64x256.f32")))
	// Element 1024 is 1e6: no half float, and its eighth is none either, but a
	// 127th is.
	tooLarge := map[Type]bool{F16: true, Q4_0: true}
	for _, typ := range []Type{F16, BF16, Q8_0, Q4_0} {
		want := read(t, filepath.Join(dir, "input."+typ.String()))
		got := make([]byte, len(want))
		err := Quantize(typ, got, in)
		if v, ok := err.(*ValueError); ok != tooLarge[typ] || ok && v.Index != 1024 || !ok && err != nil {
			t.Errorf("%s: error %v", typ, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: byte %d (block %d) is %02x, want %02x", typ, i, i/typ.BlockBytes(), got[i], want[i])
				break
			}
		}
	}
}
