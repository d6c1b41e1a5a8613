package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hubServer answers as Hugging Face does for one repository.
func hubServer(t *testing.T, content []byte) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/models", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("search") == "nothing" {
			fmt.Fprint(w, "[]")
			return
		}
		json.NewEncoder(w).Encode([]map[string]any{
			{"id": "me/tiny", "downloads": 7, "gated": false, "gguf": map[string]any{"total": 260_000, "architecture": "llama", "context_length": 512}},
			{"id": "me/odd", "downloads": 6, "gated": "auto", "gguf": map[string]any{"total": 1_000_000, "architecture": "mamba"}},
			{"id": "me/huge", "downloads": 5, "gguf": map[string]any{"total": 8_000_000_000, "architecture": "llama"}},
		})
	})
	tree := func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode([]map[string]any{
			{"type": "file", "path": "tiny-q8_0.gguf", "size": len(content) / 3},
			{"type": "file", "path": "tiny-f32.gguf", "size": len(content)},
		})
	}
	mux.HandleFunc("/api/models/me/tiny/tree/main", tree)
	mux.HandleFunc("/api/models/me/odd/tree/main", tree)
	mux.HandleFunc("/me/tiny/resolve/main/tiny-f32.gguf", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"one"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("HF_ENDPOINT", s.URL)
	return s
}

// kit runs the command in process.
func kit(args ...string) (status int, stdout, stderr string) {
	var o, e bytes.Buffer
	status = run(context.Background(), append([]string{"ssnail-kit"}, args...), strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

func expect(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

func TestSearchCommand(t *testing.T) {
	hubServer(t, append([]byte("GGUF"), make([]byte, 1_049_996)...))
	status, out, errs := kit("models", "--search", "tiny stories")
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	expect(t, "output", out, "me/tiny  llama, 260K parameters, context 512\n", "   8 MB: f16, about ", "  ssnail-kit fetch me/tiny/tiny-f32.gguf   (f32, 1.0 MB)\n")
	expect(t, "stderr", errs, "looked at 3 repositories; left out: 1 too big for 8 MB, 1 of other architectures (--all-arch), 0 without")
	if strings.Contains(out, "me/odd") {
		t.Errorf("an architecture that cannot be converted:\n%s", out)
	}
	if _, out, _ = kit("models", "--search", "x", "--all-arch"); !strings.Contains(out, "me/odd  mamba, 1.0M parameters, cannot be converted, needs a login") {
		t.Errorf("--all-arch:\n%s", out)
	}
	_, out, _ = kit("models", "--search", "x", "--exact")
	expect(t, "--exact of no real model", out, "  estimated only: tiny-f32.gguf: ")
	_, out, errs = kit("models", "--search", "x", "--json", "--quiet")
	var r struct {
		Models []struct {
			Repo string
			Best struct{ Path string }
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Models) != 1 || r.Models[0].Best.Path != "tiny-f32.gguf" || errs != "" {
		t.Errorf("--json: %+v, %v, %s", r, err, errs)
	}
	if status, out, errs = kit("models", "--search", "nothing"); status != 0 || out != "" || !strings.Contains(errs, "nothing found") {
		t.Errorf("nothing: %d, %q, %q", status, out, errs)
	}
}

func TestFetchCommand(t *testing.T) {
	content := append([]byte("GGUF"), bytes.Repeat([]byte("model "), 1000)...)
	s := hubServer(t, content)
	dir := t.TempDir()
	dest := filepath.Join(dir, "m.gguf")
	status, out, errs := kit("fetch", "me/tiny/tiny-f32.gguf", "-o", dest)
	if status != 0 || out != fmt.Sprintf("%s: %d bytes, size checked\n", dest, len(content)) {
		t.Fatalf("%d, %q, %s", status, out, errs)
	}
	if got, err := os.ReadFile(dest); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes arrived, %v", len(got), err)
	}
	_, out, _ = kit("fetch", s.URL+"/me/tiny/blob/main/tiny-f32.gguf", "-o", dest)
	expect(t, "again", out, "was there already")

	// A repository's name lists its files and is wrong usage.
	status, out, errs = kit("fetch", "me/tiny")
	if status != 2 {
		t.Errorf("a repository: status %d", status)
	}
	expect(t, "a repository", out, "me/tiny/tiny-q8_0.gguf  q8_0, ")
	expect(t, "a repository", errs, "hint: ssnail-kit fetch me/tiny/tiny-f32.gguf\n")

	status, _, errs = kit("fetch", "me/tiny/gone.gguf", "-o", filepath.Join(dir, "gone.gguf"))
	if status != 1 {
		t.Errorf("a file that is not there: status %d", status)
	}
	expect(t, "a file that is not there", errs, "gone.gguf: the server answers 404", "hint: check the spelling")

	// A folder as the target takes the file's own name.
	if status, _, errs = kit("fetch", "me/tiny/tiny-f32.gguf", "-o", dir, "--quiet"); status != 0 || errs != "" {
		t.Errorf("into a folder: %d, %s", status, errs)
	}
	list, _ := os.ReadDir(dir)
	if len(list) != 2 || list[1].Name() != "tiny-f32.gguf" {
		t.Errorf("in the folder: %v", list)
	}
}
