package convert

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/host/gguf"
)

// shared finds the folder of test data beside the repository, and skips the
// test if a clone stands alone.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
	}
	s := filepath.Join(dir, "..", "shared")
	if _, err := os.Stat(s); err != nil {
		t.Skip("skipped: ../shared with the reference's results is not there")
	}
	return s
}

// golden is what the reference made of a model.
type golden struct {
	Model   string
	Options struct {
		Ctx      int
		WType    string
		Mem      float64
		KV       string
		Fallback string
	}
	SHA   string `json:"image_sha256"`
	Bytes int64  `json:"image_bytes"`
}

// TestGoldenImages makes every image that the reference made.
func TestGoldenImages(t *testing.T) {
	dir := filepath.Join(shared(t), "golden")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var g golden
		if err := json.Unmarshal(text, &g); err != nil || g.SHA == "" {
			continue // a file about something else
		}
		n++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) { testGolden(t, dir, g) })
	}
	if n < 80 {
		t.Errorf("only %d golden images were found", n)
	}
}

func testGolden(t *testing.T, dir string, g golden) {
	o := Options{Ctx: g.Options.Ctx, WType: g.Options.WType, Fallback: g.Options.Fallback, MemMB: int(g.Options.Mem), KV: g.Options.KV}
	sets := []Options{o}
	// Keep and auto, and larger memories, give the same bytes.
	if o.WType == "keep" {
		auto := o
		auto.WType, auto.Yes = "auto", true
		if o.MemMB == 8 {
			auto.MemMB = 64
		}
		sets = append(sets, auto)
	}
	name, _, _ := strings.Cut(g.Model, " ")
	f := openModel(t, filepath.Join(dir, name))
	for _, o := range sets {
		p, err := New(f, o)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		size, err := p.WriteTo(h)
		if err != nil {
			t.Fatal(err)
		}
		if size != g.Bytes {
			t.Errorf("%s: %d bytes, the reference made %d", o.WType, size, g.Bytes)
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != g.SHA {
			t.Errorf("%s: sha256 %s, the reference made %s", o.WType, sum, g.SHA)
			saveDifferent(t, p)
		}
	}
}

// saveDifferent keeps an image that is not the reference's, if a folder for
// such is named.
func saveDifferent(t *testing.T, p *Plan) {
	dir := os.Getenv("CONVERT_SAVE")
	if dir == "" {
		return
	}
	w, err := os.Create(filepath.Join(dir, filepath.Base(t.Name())+".ssnail"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := p.WriteTo(w); err != nil {
		t.Fatal(err)
	}
}

func openModel(t *testing.T, path string) *gguf.File {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		path = unpack(t, path)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// unpack unpacks a model that is stored compressed.
func unpack(t *testing.T, path string) string {
	t.Helper()
	in, err := os.Open(path + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), filepath.Base(path))
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, z); err != nil {
		t.Fatal(err)
	}
	return path
}
