package image_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/tokenizer"
)

// shared returns the folder of shared test data beside the repository, and
// skips the test if there is none.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("skipped: no shared test data at %s", dir)
	}
	return dir
}

func readJSON(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func readVocab(t testing.TB, path string) *tokenizer.Vocab {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := tokenizer.FromGGUF(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// ascii replaces each code point above 127 by one '?', as the golden lists of
// the image tokenizer were made.
func ascii(s string) []byte {
	var b []byte
	for _, r := range s {
		if r > 127 {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return b
}
