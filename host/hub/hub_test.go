package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server answers as Hugging Face does: the list of models in pages, a
// repository's tree, and files behind a redirection that states their size
// and SHA-256.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	models []map[string]any
	trees  map[string][]map[string]any
	files  map[string][]byte // owner/name/path
	asked  []string          // method, path and range of requests for files
	cut    int               // break each transfer after so many bytes; 0: never
	sum    string            // SHA-256 to state instead of the right one
	plain  bool              // no ranges, no tags
	page   int               // models per page
	busy   string            // repository whose files are not told: too many requests
}

func newServer(t *testing.T) (*server, *Client) {
	t.Helper()
	s := &server{trees: map[string][]map[string]any{}, files: map[string][]byte{}, page: 2}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	c, err := New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.HTTP = s.Client()
	return s, c
}

func (s *server) add(repo, arch string, params int, files map[string]int64) {
	s.models = append(s.models, map[string]any{
		"id": repo, "downloads": 1000 - len(s.models), "gated": false,
		"gguf": map[string]any{"total": params, "architecture": arch, "context_length": 512},
	})
	for name, size := range files {
		s.trees[repo] = append(s.trees[repo], map[string]any{
			"type": "file", "path": name, "size": 130, "lfs": map[string]any{"oid": strings.Repeat("ab", 32), "size": size},
		})
	}
	s.trees[repo] = append(s.trees[repo], map[string]any{"type": "file", "path": "README.md", "size": 20}, map[string]any{"type": "directory", "path": "d.gguf"})
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := r.URL.Path; {
	case p == "/api/models":
		q := r.URL.Query()
		if q.Get("filter") != "gguf" || q.Get("search") == "" || len(q["expand[]"]) == 0 {
			http.Error(w, "not as the API is asked", http.StatusBadRequest)
			return
		}
		from := 0
		fmt.Sscan(q.Get("cursor"), &from)
		to := min(from+s.page, len(s.models))
		if to < len(s.models) {
			q.Set("cursor", fmt.Sprint(to))
			w.Header().Set("Link", fmt.Sprintf(`<%s/api/models?%s>; rel="next"`, s.URL, q.Encode()))
		}
		json.NewEncoder(w).Encode(s.models[from:to])
	case strings.HasPrefix(p, "/api/models/") && strings.HasSuffix(p, "/tree/main"):
		tree, ok := s.trees[strings.TrimSuffix(strings.TrimPrefix(p, "/api/models/"), "/tree/main")]
		if s.busy != "" && strings.Contains(p, s.busy) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if !ok {
			http.Error(w, `{"error":"Repository not found"}`, http.StatusNotFound)
			return
		}
		json.NewEncoder(w).Encode(tree)
	case strings.Contains(p, "/resolve/main/"):
		name := strings.Replace(p[1:], "resolve/main/", "", 1)
		b, ok := s.files[name]
		if !ok {
			http.Error(w, "Entry not found", http.StatusNotFound)
			return
		}
		sum := s.sum
		if sum == "" {
			h := sha256.Sum256(b)
			sum = hex.EncodeToString(h[:])
		}
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(b)))
		w.Header().Set("X-Linked-Etag", `"`+sum+`"`)
		http.Redirect(w, r, "/cdn/"+name, http.StatusFound)
	case strings.HasPrefix(p, "/cdn/"):
		s.serveFile(w, r, s.files[strings.TrimPrefix(p, "/cdn/")])
	default:
		http.NotFound(w, r)
	}
}

func (s *server) serveFile(w http.ResponseWriter, r *http.Request, b []byte) {
	s.asked = append(s.asked, r.Header.Get("Range"))
	if s.plain {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
		return
	}
	h := sha256.Sum256(b)
	w.Header().Set("Etag", `"`+hex.EncodeToString(h[:8])+`"`)
	if s.cut > 0 {
		w = &cutter{w, s.cut}
		defer func() {
			if w.(*cutter).left <= 0 {
				panic(http.ErrAbortHandler)
			}
		}()
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// cutter breaks the connection after some bytes.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("cut")
	}
	n, err := c.ResponseWriter.Write(b[:min(len(b), c.left)])
	c.left -= n
	c.ResponseWriter.(http.Flusher).Flush()
	if err == nil && n < len(b) {
		err = errors.New("cut")
	}
	return n, err
}

func content(n int) []byte {
	b := []byte("GGUF")
	for i := len(b); i < n; i++ {
		b = append(b, byte(i*7+i/251))
	}
	return b
}

func TestSearch(t *testing.T) {
	s, c := newServer(t)
	s.add("a/stories", "llama", 260_000, map[string]int64{"s-q8_0.gguf": 300_000, "s-f32.gguf": 1_050_000, "s-f16.gguf": 530_000})
	s.add("b/big", "llama", 7_000_000_000, map[string]int64{"b.Q4_K_M.gguf": 4 << 30})
	s.add("c/odd", "mamba", 5_000_000, map[string]int64{"m.f16.gguf": 10_000_000})
	s.add("d/parts", "gpt2", 1_000_000, map[string]int64{"p-00001-of-00002.gguf": 1_000_000, "p-00002-of-00002.gguf": 1_000_000})
	s.add("e/nameless", "bert", 2_000_000, map[string]int64{"model.gguf": 4_100_000, "small.gguf": 2_200_000})
	s.models = append(s.models, map[string]any{"id": "f/empty", "gated": "manual"})
	s.add("g/hidden", "llama", 260_000, nil)
	delete(s.trees, "g/hidden")

	r, err := c.Search(context.Background(), Query{Words: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Models) != 2 || r.Models[0].Repo != "a/stories" || r.Models[1].Repo != "e/nameless" {
		t.Fatalf("found %+v", r.Models)
	}
	if r.Looked != 7 || r.TooBig != 1 || r.WrongArc != 1 || r.NoModel != 3 || r.More {
		t.Errorf("counted %+v", r)
	}
	if b := r.Models[0].Best; b.Path != "s-f16.gguf" || b.Bytes != 530_000 || b.Format != "f16" {
		t.Errorf("best of a/stories: %+v", b)
	}
	if b := r.Models[1].Best; b.Path != "model.gguf" || b.Format != "unquantised" {
		t.Errorf("best of e/nameless: %+v", b)
	}
	if f := r.Models[0].Fits[0]; f.MemMB != 8 || f.Format != "f16" {
		t.Errorf("fit of a/stories: %+v", f)
	}

	r, err = c.Search(context.Background(), Query{Words: "tiny", AllArch: true, Limit: 2, MemMB: 72})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Models) != 2 || r.Models[1].Repo != "c/odd" || r.Models[1].Supported || !r.More {
		t.Errorf("with all architectures: %+v", r)
	}
}

func TestSearchErrors(t *testing.T) {
	var answer func(w http.ResponseWriter)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w) }))
	c, err := New(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		answer func(w http.ResponseWriter)
		want   string
	}{
		{func(w http.ResponseWriter) { fmt.Fprint(w, "<html>log in</html>") }, "is not what the API sends"},
		{func(w http.ResponseWriter) { fmt.Fprint(w, `{"error":"no"}`) }, "is not what the API sends"},
		{func(w http.ResponseWriter) { w.WriteHeader(429) }, "too many requests"},
		{func(w http.ResponseWriter) { w.WriteHeader(503) }, "the server answers 503"},
		{func(w http.ResponseWriter) { w.WriteHeader(401) }, "licence must be accepted"},
	} {
		answer = x.answer
		if _, err := c.Search(context.Background(), Query{Words: "x"}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("got %v, want %q", err, x.want)
		}
	}
	srv.Close()
	_, err = c.Search(context.Background(), Query{Words: "x"})
	var n *NetworkError
	if !errors.As(err, &n) || n.Hint() == "" {
		t.Errorf("without a server: %v", err)
	}
	for _, bad := range []string{"huggingface.co", "ftp://x", "https://", "::"} {
		if _, err := New(bad); err == nil {
			t.Errorf("endpoint %q is taken", bad)
		}
	}
}

// What was found before a server wants no more questions is not lost; names that
// would talk to the terminal are no names.
func TestSearchBreaksOff(t *testing.T) {
	s, c := newServer(t)
	s.add("a/stories", "llama", 260_000, map[string]int64{"s-f32.gguf": 1_050_000, "s\x1b[2J.gguf": 9, "minus.gguf": -5})
	s.add("b/\x1b[31mred", "llama", 260_000, map[string]int64{"s-f32.gguf": 1_050_000})
	s.add("c/more", "llama\u009b", 260_000, map[string]int64{"s-f32.gguf": 1_050_000})
	r, err := c.Search(context.Background(), Query{Words: "tiny", AllArch: true})
	if err != nil || len(r.Models) != 1 || r.NoModel != 2 || len(r.Models[0].Files) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	s.add("d/last", "llama", 260_000, map[string]int64{"s-f32.gguf": 1_050_000})
	s.busy = "d/last"
	r, err = c.Search(context.Background(), Query{Words: "tiny"})
	var status *StatusError
	if !errors.As(err, &status) {
		t.Fatalf("busy: %v, want a status error", err)
	}
	if status.Status != 429 || status.Hint() != "wait 1m30s and try again" {
		t.Errorf("busy: %v, %q", err, status.Hint())
	}
	if r == nil || len(r.Models) != 1 || !r.More {
		t.Errorf("what was found before: %+v", r)
	}
}

// An answer that never ends, and one that is far too long.
func TestSearchAnswersWithoutEnd(t *testing.T) {
	for _, x := range []struct {
		pause time.Duration
		want  string
	}{{5 * time.Millisecond, "not complete after the time"}, {0, "longer than 32 MB"}} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			blank := bytes.Repeat([]byte{' '}, 64<<10)
			for r.Context().Err() == nil {
				n := len(blank)
				if x.pause > 0 {
					n = 1
				}
				if _, err := w.Write(blank[:n]); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(x.pause)
			}
		}))
		c, err := New(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		if x.pause > 0 {
			c.Limit = 300 * time.Millisecond
		}
		if _, err := c.Search(context.Background(), Query{Words: "x"}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("got %v, want %q", err, x.want)
		}
		srv.Close()
	}
}

func TestBest(t *testing.T) {
	for _, x := range []struct{ names, want string }{
		{"a.Q2_K.gguf a.Q4_K_M.gguf a.Q8_0.gguf a.Q6_K.gguf", "a.Q8_0.gguf"},
		{"a.Q8_0.gguf a.f32.gguf", "a.f32.gguf"},
		{"a-BF16.gguf a.Q8_0.gguf mmproj-f32.gguf", "a-BF16.gguf"},
		{"a.IQ3_XS.gguf a-IQ4_NL.gguf a.Q3_K_L.gguf", "a-IQ4_NL.gguf"},
		{"model-fp16.gguf model-q4_0.gguf", "model-fp16.gguf"},
		{"ggml-vocab.gguf", ""},
		{"", ""},
	} {
		var list []RemoteFile
		for _, n := range strings.Fields(x.names) {
			list = append(list, RemoteFile{Path: n, Bytes: 1000})
		}
		got := ""
		if b := Best(describe(list, 0)); b != nil {
			got = b.Path
		}
		if got != x.want {
			t.Errorf("of %s: %q, want %q", x.names, got, x.want)
		}
	}
}

func TestLocate(t *testing.T) {
	c, _ := New("https://mirror.example")
	for _, x := range []struct{ in, url, name string }{
		{"a/b/c.gguf", "https://mirror.example/a/b/resolve/main/c.gguf", "c.gguf"},
		{"a/b/d/c d.gguf", "https://mirror.example/a/b/resolve/main/d/c%20d.gguf", "c d.gguf"},
		{"a/b", "", "/"},
		{"https://huggingface.co/a/b/blob/main/d/c.gguf", "https://mirror.example/a/b/resolve/main/d/c.gguf", "c.gguf"},
		{"https://mirror.example/a/b/resolve/v1/c.gguf?download=true", "https://mirror.example/a/b/resolve/v1/c.gguf", "c.gguf"},
		{"http://other.example/x/y.gguf?z=1", "http://other.example/x/y.gguf?z=1", "y.gguf"},
	} {
		p, err := c.Locate(x.in)
		if err != nil || p.URL != x.url || p.Name() != x.name {
			t.Errorf("%s: %+v, %q, %v", x.in, p, p.Name(), err)
		}
	}
	for _, bad := range []string{"", "a", "a/../c", "a//b", "https://", "ftp://a/b", "https://other.example/", "a/b/..", "a/b/c?d"} {
		if p, err := c.Locate(bad); err == nil {
			t.Errorf("%q is taken as %+v", bad, p)
		}
	}
}

func (s *server) download(c *Client, dir, name string) *Download {
	return &Download{
		Client: c, Place: Place{URL: s.URL + "/a/b/resolve/main/" + name, Repo: "a/b", File: name},
		Dest: filepath.Join(dir, name), Wait: time.Millisecond,
	}
}

func onlyFile(t *testing.T, dir string, want []byte) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want == nil {
		if len(list) > 0 {
			t.Errorf("left behind: %v", list)
		}
		return
	}
	if len(list) != 1 {
		t.Fatalf("%d files, want one: %v", len(list), list)
	}
	got, err := os.ReadFile(filepath.Join(dir, list[0].Name()))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes (%v), want %d", list[0].Name(), len(got), err, len(want))
	}
}

func TestDownload(t *testing.T) {
	s, c := newServer(t)
	b := content(1_000_000)
	s.files["a/b/m.gguf"] = b
	dir := t.TempDir()
	d := s.download(c, dir, "m.gguf")
	var last int64
	d.Progress = func(done, total int64) {
		if done <= last || total != int64(len(b)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}
	got, err := d.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got.Bytes != int64(len(b)) || !got.Checked || got.Resumed != 0 || last != got.Bytes {
		t.Errorf("%+v, progress up to %d", got, last)
	}
	onlyFile(t, dir, b)

	// Once more: it is there already. Then another file has the name.
	if got, err = d.Run(context.Background()); err != nil || !got.Already {
		t.Errorf("again: %+v, %v", got, err)
	}
	s.files["a/b/m.gguf"] = content(999)
	var exists *ExistsError
	if _, err = d.Run(context.Background()); !errors.As(err, &exists) {
		t.Errorf("over another file: %v", err)
	}
	onlyFile(t, dir, b)
}

func TestDownloadGoesOn(t *testing.T) {
	s, c := newServer(t)
	b := content(1_000_000)
	s.files["a/b/m.gguf"] = b
	s.cut = 400_000
	dir := t.TempDir()
	got, err := s.download(c, dir, "m.gguf").Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.asked) < 3 || s.asked[0] != "" || s.asked[1] != "bytes=400000-" || !got.Checked {
		t.Errorf("ranges asked for: %q; %+v", s.asked, got)
	}
	onlyFile(t, dir, b)
}

func TestDownloadGoesOnInAnotherRun(t *testing.T) {
	for _, changed := range []bool{false, true} {
		s, c := newServer(t)
		b := content(1_000_000)
		s.files["a/b/m.gguf"] = b
		s.cut = 300_000
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		d := s.download(c, dir, "m.gguf")
		d.Progress = func(done, total int64) {
			if done >= 300_000 {
				cancel()
			}
		}
		_, err := d.Run(ctx)
		var more *ContinueError
		if !errors.As(err, &more) || more.Have < 300_000 || more.Want != 1_000_000 || more.Hint() == "" {
			t.Fatalf("interrupted: %v", err)
		}
		if _, err := os.Stat(d.Dest); err == nil {
			t.Fatal("half a file has the name of the whole")
		}
		s.mu.Lock()
		s.cut = 0
		if changed {
			b = append([]byte("GGUF other "), content(900_000)...)
			s.files["a/b/m.gguf"] = b
		}
		s.mu.Unlock()
		got, err := s.download(c, dir, "m.gguf").Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if (got.Resumed > 0) == changed {
			t.Errorf("file changed: %v, but %d bytes were kept", changed, got.Resumed)
		}
		onlyFile(t, dir, b)
	}
}

func TestDownloadWithoutRanges(t *testing.T) {
	s, c := newServer(t)
	s.plain = true
	b := content(5000)
	s.files["a/b/m.gguf"] = b
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "m.gguf.part"), b[:100], 0o644)
	if _, err := s.download(c, dir, "m.gguf").Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, dir, b)
}

// A disk that is full keeps what has arrived and what it belongs to, so that the
// next attempt goes on; /dev/full and small disks are no part of a test, so the
// tag's file is one that cannot be written to.
func TestDownloadKeepsTag(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "tag")
	if err := keepTag(name, `"one"`); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(name)
	time.Sleep(10 * time.Millisecond)
	if err := keepTag(name, `"one"`); err != nil {
		t.Errorf("the same tag: %v", err)
	}
	if after, err := os.Stat(name); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the same tag was written again")
	}
	if h := (&ContinueError{Err: fmt.Errorf("write: %w", syscall.ENOSPC), Part: "m.part"}).Hint(); !strings.Contains(h, "make room") {
		t.Errorf("hint for a full disk: %s", h)
	}
}

func TestDownloadErrors(t *testing.T) {
	s, c := newServer(t)
	s.files["a/b/page.gguf"] = []byte("<!doctype html> log in, please")
	s.files["a/b/m.gguf"] = content(5000)
	dir := t.TempDir()
	for name, want := range map[string]string{"page.gguf": "sends no GGUF", "gone.gguf": "there is no such repository or file"} {
		if _, err := s.download(c, dir, name).Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		onlyFile(t, dir, nil)
	}
	s.sum = strings.Repeat("0", 64)
	if _, err := s.download(c, dir, "m.gguf").Run(context.Background()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("with a wrong SHA-256: %v", err)
	}
	onlyFile(t, dir, nil)
	s.Close()
	d := s.download(c, dir, "m.gguf")
	d.Tries = 2
	var n *NetworkError
	if _, err := d.Run(context.Background()); !errors.As(err, &n) {
		t.Errorf("without a server: %v", err)
	}
	onlyFile(t, dir, nil)
	d.Dest = filepath.Join(dir, "no", "such", "folder")
	if _, err := d.Run(context.Background()); err == nil {
		t.Error("into a folder that is not there")
	}
}

func TestDownloadStalls(t *testing.T) {
	quit := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "5000")
		w.Write(content(1000))
		w.(http.Flusher).Flush()
		<-quit
	}))
	defer srv.Close()
	defer close(quit)
	c, _ := New(srv.URL)
	c.Stall = 500 * time.Millisecond
	d := &Download{Client: c, Place: Place{URL: srv.URL + "/m.gguf", File: "m.gguf"}, Dest: filepath.Join(t.TempDir(), "m.gguf"), Tries: 1, Wait: time.Millisecond}
	_, err := d.Run(context.Background())
	var more *ContinueError
	if !errors.As(err, &more) || !errors.Is(err, errStalled) || more.Have != 1000 {
		t.Errorf("got %v", err)
	}
}

func TestExact(t *testing.T) {
	s, c := newServer(t)
	f := Catalog()[1].Shape // TinyLLama-v0
	z, err := f.encode()
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]byte, z.size)
	copy(whole, z.head)
	s.files["a/b/m.f16.gguf"] = whole
	m := &Found{Repo: "a/b", Best: &RemoteFile{Path: "m.f16.gguf", Bytes: int64(len(whole))}}
	c.Exact(context.Background(), m)
	want, _ := Catalog()[1].Boards()
	if !m.Exact || fmt.Sprint(m.Fits) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", m, want)
	}
	if len(s.asked) > 3 {
		t.Errorf("%d requests for a directory of about a megabyte", len(s.asked))
	}
	s.files["a/b/m.f16.gguf"] = content(5000)
	m = &Found{Repo: "a/b", Best: &RemoteFile{Path: "m.f16.gguf", Bytes: 5000}}
	if c.Exact(context.Background(), m); m.Exact || m.ExactError == "" {
		t.Errorf("of no GGUF: %+v", m)
	}
}

// Names and headers come from a server: none may make the client panic or
// write outside its folder.
func FuzzLocate(f *testing.F) {
	for _, s := range []string{"a/b/c.gguf", "https://huggingface.co/a/b/blob/main/c.gguf", "https://x/..", "a/b/../c", "http://[::1]/x"} {
		f.Add(s)
	}
	c, _ := New("")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := c.Locate(s)
		if err != nil || p.File == "" {
			return
		}
		if n := p.Name(); n == "" || n == "." || n == ".." || strings.ContainsRune(n, '/') {
			t.Errorf("%q would be saved as %q", s, n)
		}
	})
}
