package session

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// shared returns the folder of test data beside the repository, or skips.
func shared(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
	p := filepath.Join(dir, "..", "shared", name)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("skipped: no %s beside the repository", filepath.Join("shared", name))
	}
	return p
}

type goldenRun struct {
	Generated    []uint32
	StopReason   int    `json:"stop_reason"`
	Instructions uint64 `json:"instructions"`
	BytesRead    uint64 `json:"bytes_read"`
	BytesWritten uint64 `json:"bytes_written"`
	FinalPos     int    `json:"final_pos"`
	Logits       string
	Shape        []int
}

type golden struct {
	name    string
	Model   string
	Options struct {
		Ctx      int
		WType    string
		Mem      float64
		KV       string
		Fallback string
		N        int
	}
	PromptIDs   []uint32   `json:"prompt_ids"`
	Float       *goldenRun `json:"float"`
	HW          *goldenRun `json:"hw"`
	StopRequest *goldenRun `json:"stop_request"`
	Chat        []struct {
		Text       string
		Pos        int
		PromptLen  int `json:"prompt_len"`
		Generated  int
		StopReason int `json:"stop_reason"`
		Tokens     []uint32
		Printed    string
	}
}

// goldens lists the golden sets.
func goldens(t testing.TB) []golden {
	dir := shared(t, "golden")
	paths, err := filepath.Glob(filepath.Join(dir, "*.*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		g := golden{name: strings.TrimSuffix(filepath.Base(p), ".json")}
		if err := json.Unmarshal(b, &g); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if g.Model != "" {
			all = append(all, g)
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d golden sets", len(all))
	}
	return all
}

// convertModel makes the image of a golden set.
func (g *golden) image(t testing.TB) *image.Image {
	t.Helper()
	name, _, _ := strings.Cut(g.Model, " ") // a packed one says how to unpack it
	path := filepath.Join(shared(t, "golden"), name)
	f, err := openModel(t, path)
	if err != nil {
		t.Fatal(err)
	}
	o := g.Options
	return makeImage(t, f, convert.Options{Ctx: o.Ctx, WType: o.WType, MemMB: int(o.Mem), KV: o.KV, Fallback: o.Fallback, Yes: true})
}

func openModel(t testing.TB, path string) (*gguf.File, error) {
	if !strings.HasSuffix(path, ".gz") {
		if _, err := os.Stat(path); err == nil {
			f, err := gguf.Open(path)
			if err == nil {
				t.Cleanup(func() { f.Close() })
			}
			return f, err
		}
		path += ".gz"
	}
	z, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	r, err := gzip.NewReader(z)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return gguf.NewFile(bytes.NewReader(b), int64(len(b)))
}

func makeImage(t testing.TB, f *gguf.File, o convert.Options) *image.Image {
	t.Helper()
	p, err := convert.New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	im, err := image.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func open(t testing.TB, im *image.Image, num core.Numerics) *Session {
	t.Helper()
	s, err := Open(im, Options{Numerics: num})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run does what the golden run did and returns its logits.
func run(t testing.TB, s *Session, prompt []uint32, n int) (Result, []byte) {
	t.Helper()
	var logits []byte
	if s.Encoder() {
		v, res, err := s.EmbedTokens(prompt)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v {
			logits = binary.LittleEndian.AppendUint32(logits, math.Float32bits(f))
		}
		return res, logits
	}
	if err := s.SayTokens(prompt); err != nil {
		t.Fatal(err)
	}
	res, err := s.Generate(context.Background(), Turn{N: n, PassBOS: true, OnLogits: func(raw []byte) { logits = append(logits, raw...) }})
	if err != nil {
		t.Fatal(err)
	}
	return res, logits
}

// TestGolden converts the golden models and runs them in both numerics: hw to
// the bit, float within the reference's own error.
func TestGolden(t *testing.T) {
	dir := shared(t, "golden")
	for _, g := range goldens(t) {
		if g.HW == nil || g.Float == nil {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			im := g.image(t)
			for _, num := range []core.Numerics{core.HW, core.Float} {
				want, tol := g.HW, 0.0
				if num == core.Float {
					want, tol = g.Float, 2e-3
					if g.Options.KV == "f32" {
						tol = 2e-6
					}
				}
				s := open(t, im, num)
				res, logits := run(t, s, g.PromptIDs, g.Options.N)
				checkGolden(t, dir, num, res, logits, want, tol)
				if !s.Encoder() && s.pos != want.FinalPos {
					t.Errorf("%v: pos %d, want %d", num, s.pos, want.FinalPos)
				}
			}
		})
	}
}

func checkGolden(t *testing.T, dir string, num core.Numerics, res Result, logits []byte, want *goldenRun, tol float64) {
	t.Helper()
	reason := int(res.Reason)
	if !slices.Equal(res.Generated, want.Generated) || reason != want.StopReason && reason != 0 {
		t.Errorf("%v: %v %v, want %v %d", num, res.Generated, res.Reason, want.Generated, want.StopReason)
	}
	if res.Instructions != want.Instructions || res.BytesRead != want.BytesRead || res.BytesWritten != want.BytesWritten {
		t.Errorf("%v: %d instructions, %d read, %d written; want %d, %d, %d", num,
			res.Instructions, res.BytesRead, res.BytesWritten, want.Instructions, want.BytesRead, want.BytesWritten)
	}
	if want.Logits == "" {
		return
	}
	file, err := os.ReadFile(filepath.Join(dir, want.Logits))
	if err != nil {
		t.Fatal(err)
	}
	if len(file) != len(logits) {
		t.Fatalf("%v: %d bytes of logits, want %d", num, len(logits), len(file))
	}
	var worst, largest float64
	for i := 0; i < len(file); i += 4 {
		a := math.Float32frombits(binary.LittleEndian.Uint32(logits[i:]))
		b := math.Float32frombits(binary.LittleEndian.Uint32(file[i:]))
		if tol == 0 && math.Float32bits(a) != math.Float32bits(b) {
			t.Fatalf("%v: logit %d is %v, want %v", num, i/4, a, b)
		}
		worst = max(worst, math.Abs(float64(a)-float64(b)))
		largest = max(largest, math.Abs(float64(b)))
	}
	if !(worst <= tol*largest) {
		t.Errorf("%v: logits off by %.3g of the largest, want at most %.3g", num, worst/largest, tol)
	}
}

// TestGoldenStop stops a run from outside when three tokens are there.
func TestGoldenStop(t *testing.T) {
	n := 0
	for _, g := range goldens(t) {
		if g.StopRequest == nil {
			continue
		}
		n++
		t.Run(g.name, func(t *testing.T) {
			s := open(t, g.image(t), core.Float)
			if err := s.SayTokens(g.PromptIDs); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			count := 0
			res, err := s.Generate(ctx, Turn{N: g.Options.N, PassBOS: true, OnToken: func(Token) error {
				if count++; count == 3 {
					cancel()
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			w := g.StopRequest
			if !slices.Equal(res.Generated, w.Generated) || int(res.Reason) != w.StopReason || s.pos != w.FinalPos ||
				res.Instructions != w.Instructions || res.BytesRead != w.BytesRead || res.BytesWritten != w.BytesWritten {
				t.Errorf("%+v, pos %d; want %+v", res, s.pos, *w)
			}
		})
	}
	if n == 0 {
		t.Error("no golden set has a stop request")
	}
}

// TestGoldenChat holds three turns in one context.
func TestGoldenChat(t *testing.T) {
	n := 0
	for _, g := range goldens(t) {
		if g.Chat == nil {
			continue
		}
		n++
		t.Run(g.name, func(t *testing.T) {
			s := open(t, g.image(t), core.Float)
			var p Printer
			for _, w := range g.Chat {
				if _, err := s.Say([]byte(w.Text)); err != nil {
					t.Fatal(err)
				}
				if len(s.Tokens()) != w.PromptLen {
					t.Fatalf("%q: %d tokens of prompt, want %d", w.Text, len(s.Tokens()), w.PromptLen)
				}
				var printed []byte
				res, err := s.Generate(context.Background(), Turn{N: 4, PassBOS: true, OnToken: func(tk Token) error {
					printed = p.Append(printed, tk.Piece)
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				printed = append(printed, '\n')
				if s.pos != w.Pos || len(res.Generated) != w.Generated || int(res.Reason) != w.StopReason ||
					fmt.Sprint(s.Tokens()) != fmt.Sprint(w.Tokens) || string(printed) != w.Printed {
					t.Fatalf("%q: pos %d, %v, %v, %q;\nwant %+v", w.Text, s.pos, s.Tokens(), res.Reason, printed, w)
				}
			}
		})
	}
	if n == 0 {
		t.Error("no golden set has a chat")
	}
}
