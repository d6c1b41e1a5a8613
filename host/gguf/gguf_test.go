package gguf

import (
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
