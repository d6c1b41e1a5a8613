package hub

import (
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

// sharedFile is a file of the test data that is shared between projects.
func sharedFile(t *testing.T, name string) string {
	t.Helper()
	p := filepath.Join("../../../shared", name)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("no ../shared: %s is not compared", name)
	}
	return p
}

// What Meta, Hugging Face and llama2.c say their models have, and what the
// repositories' pages say about the files: the shapes must explain both.
func TestShapesExplainTheFiles(t *testing.T) {
	for _, e := range Catalog() {
		data := e.Shape.DataBytes()
		// Metadata and vocabulary come on top of the tensors; pages round sizes
		// to three digits.
		lo, hi := int64(data)-int64(data)/200, int64(data)+int64(data)/50+2_600_000
		if e.Bytes < lo || e.Bytes > hi {
			t.Errorf("%s: a file of %d bytes, but the shape's tensors have %d", e.Name, e.Bytes, data)
		}
	}
}

// The directory made from a shape lays out as the real file does.
func TestShapeLaysOutAsTheFile(t *testing.T) {
	f, err := gguf.Open(sharedFile(t, "models/stories260K-llamacpp.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := convert.Fits(f, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var e Entry
	for _, x := range Catalog() {
		if x.Name == "stories260K" {
			e = x
		}
	}
	got, err := e.Shape.Fits()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d fits, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("from the shape %+v, from the file %+v", got[i], want[i])
		}
	}
	if e.Bytes != f.Size {
		t.Errorf("the list says %d bytes, the file has %d", e.Bytes, f.Size)
	}
}

// The vocabularies' numbers are those of real ones, and a vocabulary made of
// them gives tables of the same length.
func TestVocabulariesAreTheRealOnes(t *testing.T) {
	for _, v := range []struct {
		file  string
		arch  string
		vocab Vocabulary
	}{
		{"vocab/ggml-vocab-llama-spm.gguf", "llama", vocabLlama2},
		{"vocab/ggml-vocab-gpt-2.gguf", "gpt2", vocabGPT2},
		{"vocab/ggml-vocab-bert-bge.gguf", "bert", vocabBERT},
		{"models/stories260K-f32.gguf", "llama", vocabStories},
	} {
		f, err := gguf.Open(sharedFile(t, v.file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, want := len(tables(t, madeFile(t, v.arch, v.vocab)).Bytes), len(tables(t, f).Bytes); got != want {
			t.Errorf("%s: tables of %d bytes from the numbers, %d from the file", v.file, got, want)
		}
	}
}

func madeFile(t *testing.T, arch string, v Vocabulary) *gguf.File {
	t.Helper()
	f, err := Shape{Arch: arch, Dim: 32, Layers: 1, Heads: 1, KVHeads: 1, Hidden: 32, Trained: 16, Vocab: v}.File()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tables(t *testing.T, f *gguf.File) *image.Tables {
	t.Helper()
	v, err := tokenizer.FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := v.TableSpec()
	if err != nil {
		t.Fatal(err)
	}
	tb, err := image.BuildTables(spec, image.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// Every model of the list can be laid out; which fits where is pinned, so that
// a change of the layout shows here.
func TestCatalogFits(t *testing.T) {
	want := map[string][3]string{
		"stories260K":               {"f32", "f32", "f32"},
		"TinyLLama-v0":              {"q8_0", "f16", "f16"},
		"stories15M":                {"", "q8_0", "q8_0"},
		"all-MiniLM-L6-v2":          {"", "f16", "f16"},
		"snowflake-arctic-embed-xs": {"", "f16", "f16"},
		"bge-small-en-v1.5":         {"", "q8_0", "f16"},
		"stories42M":                {"", "q8_0", "q8_0"},
		"Llama-68M-Chat-v1":         {"", "mixed", "mixed"},
		"distilgpt2":                {"", "", ""},
		"SmolLM-135M":               {"", "", ""},
	}
	for _, e := range Catalog() {
		fits, err := e.Boards()
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if len(fits) != len(want[e.Name]) {
			t.Errorf("%s: %d memory sizes", e.Name, len(fits))
			continue
		}
		for i, f := range fits {
			if f.Format != want[e.Name][i] {
				t.Errorf("%s in %d MB: %q (%d bytes), want %q", e.Name, f.MemMB, f.Format, f.Needed, want[e.Name][i])
			}
			if (f.Format != "") != (f.Needed <= uint64(f.MemMB)<<20) {
				t.Errorf("%s: %+v contradicts itself", e.Name, f)
			}
		}
	}
}

func TestEstimateIsNearTheLayout(t *testing.T) {
	for _, e := range Catalog() {
		fits, err := e.Shape.Fits()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fits[:4] {
			bits := map[string]float64{"q8_0": 8.5, "q4_0": 4.5}[f.WType]
			if bits == 0 || f.Needed > 64<<20 {
				continue
			}
			got := float64(Estimate(e.Shape.Params(), bits)) / float64(f.Needed)
			if got < 0.8 || got > 1.2 {
				t.Errorf("%s as %s: estimated at %.2f of the %d bytes that it needs", e.Name, f.WType, got, f.Needed)
			}
		}
	}
}
