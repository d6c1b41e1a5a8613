package tokenizer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
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

func open(t testing.TB, path string) *tokenizer.Tokenizer {
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
	tok, err := tokenizer.New(v)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return tok
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

// TestLlamaCPP runs llama.cpp's own cases on the real vocabularies.
func TestLlamaCPP(t *testing.T) {
	dir := filepath.Join(shared(t), "vocab")
	for _, name := range []string{"bert-bge", "falcon", "gpt-2", "llama-spm", "phi-3", "starcoder"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "ggml-vocab-"+name+".gguf")
			tok := open(t, file)
			if w := tok.Warning(); w != "" {
				t.Error(w)
			}
			in, err := os.ReadFile(file + ".inp")
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile(file + ".out")
			if err != nil {
				t.Fatal(err)
			}
			texts := strings.Split(strings.TrimSuffix(string(in), "\n__ggml_vocab_test__\n"), "\n__ggml_vocab_test__\n")
			lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if len(texts) != len(lines) || len(texts) < 40 {
				t.Fatalf("%d texts, %d lines of ids", len(texts), len(lines))
			}
			for i, text := range texts {
				var want []uint32
				for _, s := range strings.Fields(lines[i]) {
					id, err := strconv.ParseUint(s, 10, 32)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, uint32(id))
				}
				got := tok.Encode(text, tokenizer.Options{})
				if !slices.Equal(got, want) {
					t.Errorf("%q: got %d, want %d", text, got, want)
				}
				if tok.Vocab().Kind != image.WordPiece {
					if back := tok.Decode(got); string(back) != text {
						t.Errorf("%q comes back as %q", text, back)
					}
				}
			}
		})
	}
}

// corrected returns what a golden list should say where the reference that
// made it is wrong: empty SentencePiece text has no tokens, and its WordPiece
// does not clean and split text as BERT does. What it should have made of such
// a text is what a text cleaned by hand gives.
func corrected(tok *tokenizer.Tokenizer, text string, want []uint32) []uint32 {
	v := tok.Vocab()
	if v.Kind == image.SentencePiece && text == "" {
		return []uint32{v.BeginToken()}
	}
	if v.Kind != image.WordPiece {
		return want
	}
	clean, wrong := map[string]string{
		"café":         "cafe", // accents are stripped
		"naïve über ☃": "naive uber ☃",
		"e\u0301":      "e",
		"Ġthe":         "gthe",
		"日本語":          "日 本 語", // ideographs are words
		"\x00\x01\x7f": "",      // control characters are dropped
		"\u2581the":    "☃",     // a symbol is part of the word, which is unknown then
	}[text]
	if strings.Contains(text, "_") { // punctuation
		clean, wrong = strings.ReplaceAll(text, "_", " _ "), true
	}
	if !wrong {
		return want
	}
	return tok.Encode(clean, tokenizer.Options{AddSpecial: true})
}

// TestBERT pins what BERT's own uncased vocabulary gives for the texts that
// the reference gets wrong.
func TestBERT(t *testing.T) {
	tok := open(t, filepath.Join(shared(t), "vocab", "ggml-vocab-bert-bge.gguf"))
	for text, want := range map[string][]uint32{
		"café":         {7668},
		"naïve über ☃": {15743, 19169, 100},
		"e\u0301":      {1041},
		"日本語":          {1864, 1876, 1950},
		"a_b":          {1037, 1035, 1038},
		"\u2581the":    {100},
		"\x00\x01\x7f": nil,
	} {
		if got := tok.Encode(text, tokenizer.Options{}); !slices.Equal(got, want) {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

// TestGolden compares with the reference's reading of the GGUFs.
func TestGolden(t *testing.T) {
	dir := filepath.Join(shared(t), "golden")
	files, _ := filepath.Glob(filepath.Join(dir, "*.default.json"))
	toks, _ := filepath.Glob(filepath.Join(dir, "tok-*.json"))
	if len(files) == 0 || len(toks) == 0 {
		t.Fatalf("no golden files in %s", dir)
	}
	for _, file := range append(files, toks...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var g struct {
				Model, Vocab string
				Tokenize     []struct {
					Text string
					GGUF []uint32
				}
				LlamaCPP []struct {
					Text string
					Want []uint32
				} `json:"llama_cpp"`
			}
			readJSON(t, file, &g)
			model := filepath.Join(dir, g.Model)
			if g.Vocab != "" {
				model = filepath.Join(dir, "..", "vocab", g.Vocab)
			}
			if _, err := os.Stat(model); err != nil {
				t.Skipf("skipped: %v", err)
			}
			tok := open(t, model)
			if len(g.Tokenize) == 0 {
				t.Fatal("no texts")
			}
			for _, c := range g.Tokenize {
				got := tok.Encode(c.Text, tokenizer.Options{AddSpecial: true})
				if want := corrected(tok, c.Text, c.GGUF); !slices.Equal(got, want) {
					t.Errorf("%q: got %d, want %d", c.Text, got, want)
				}
			}
			for _, c := range g.LlamaCPP {
				if got := tok.Encode(c.Text, tokenizer.Options{}); !slices.Equal(got, c.Want) {
					t.Errorf("llama.cpp's case %q: got %d, want %d", c.Text, got, c.Want)
				}
			}
		})
	}
}
