package convert

import (
	"errors"
	"strings"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// bigLlama needs about 17 MB as Q8_0 and 32 MB as F16.
func bigLlama(format ggml.Type) *tiny {
	return tinyLlama(tinyOptions{dim: 512, heads: 8, hidden: 512, layers: 4, vocab: 18000, fast: true}, format)
}

// What a too-big error suggests is true: every alternative converts, and one
// token of context more than the suggested one does not.
func TestTooBigAlternatives(t *testing.T) {
	for _, c := range []struct {
		name  string
		model *tiny
		o     Options
		here  bool // a shorter context fits
		ways  []string
	}{
		{"auto", bigLlama(ggml.Q8_0), Options{}, false, []string{"--mem-mb 64", "--mem-mb 72"}},
		{"forced f32", bigLlama(ggml.Q8_0), Options{WType: "f32", MemMB: 16}, false, []string{"--wtype mixed", "--wtype q4_0", "--mem-mb 64"}},
		{"caches", tinyLlama(tinyOptions{dim: 512, heads: 8, layers: 8}, ggml.Q4_0), Options{Ctx: 3000}, true, []string{"--ctx", "--mem-mb 64 "}},
		{"caches, little memory", tinyLlama(tinyOptions{dim: 512, heads: 8, layers: 8}, ggml.F32), Options{WType: "q4_0", Ctx: 150, MemMB: 7}, true, []string{"--ctx", "--mem-mb 8 "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.model.file(t)
			_, err := New(f, c.o)
			var big *TooBigError
			if !errors.As(err, &big) {
				t.Fatalf("error %v", err)
			}
			for _, w := range c.ways {
				if !strings.Contains(big.Hint(), w) {
					t.Errorf("the hint %q does not say %q", big.Hint(), w)
				}
			}
			try := func(f Fit) Options {
				o := c.o
				o.MemMB, o.WType, o.Ctx, o.Yes = f.MemMB, f.WType, f.Ctx, true
				return o
			}
			for _, list := range [][]Fit{big.Larger, big.Coarse} {
				for _, alt := range list {
					p, err := New(f, try(alt))
					if err != nil {
						t.Errorf("%+v: %v", alt, err)
					} else if uint64(p.Header.MemNeeded) != alt.Needed {
						t.Errorf("%+v: needs %d", alt, p.Header.MemNeeded)
					}
				}
			}
			if (big.Here != nil) != c.here {
				t.Fatalf("context that fits: %+v", big.Here)
			}
			if big.Here == nil {
				return
			}
			o := try(*big.Here)
			if _, err := New(f, o); err != nil {
				t.Errorf("%+v: %v", *big.Here, err)
			}
			o.Ctx++
			if _, err := New(f, o); err == nil {
				t.Errorf("a context of %d fits too", o.Ctx)
			}
		})
	}
}

// A model for which no board has memory says so.
func TestTooBigForAll(t *testing.T) {
	m := tinyLlama(tinyOptions{dim: 1024, heads: 8, hidden: 1024, vocab: 150000, fast: true}, ggml.Q4_0)
	_, err := New(m.file(t), Options{MemMB: 72})
	var big *TooBigError
	if !errors.As(err, &big) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(big.Hint(), "smaller model") {
		t.Errorf("hint %q", big.Hint())
	}
}

// Quantised weights are not made coarser without consent; weights of a float
// source are, and so are those of a format that was asked for.
func TestConsent(t *testing.T) {
	f := bigLlama(ggml.Q8_0).file(t)
	for _, c := range []struct {
		name  string
		o     Options
		taken string // "": refused
		asked bool
	}{
		{"it fits", Options{MemMB: 64}, "keep", false},
		{"nobody to ask", Options{MemMB: 15}, "", false},
		{"yes", Options{MemMB: 15, Yes: true}, "mixed", false},
		{"agreed", Options{MemMB: 15, Consent: func(string) bool { return true }}, "mixed", true},
		{"declined", Options{MemMB: 15, Consent: func(string) bool { return false }}, "", true},
		{"asked for", Options{MemMB: 12, WType: "q4_0"}, "q4_0", false},
	} {
		asked := ""
		if yes := c.o.Consent; yes != nil {
			c.o.Consent = func(q string) bool { asked = q; return yes(q) }
		}
		p, err := New(f, c.o)
		switch {
		case c.taken == "":
			var no *ConsentError
			if !errors.As(err, &no) || !strings.Contains(err.Error(), "--yes") || !strings.Contains(err.Error(), "token_embd") {
				t.Errorf("%s: error %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case p.Policy != c.taken:
			t.Errorf("%s: %s, want %s", c.name, p.Policy, c.taken)
		default:
			// The plan must hold what was decided, not what was measured last.
			for _, w := range p.weights {
				if w.matrix && w.format != choose(c.taken, ggml.Q8_0, w) {
					t.Errorf("%s: %s is planned as %s", c.name, w.name, w.format)
				}
			}
		}
		if (asked != "") != c.asked {
			t.Errorf("%s: asked %q", c.name, asked)
		}
	}
	float := bigLlama(ggml.F16).file(t)
	if p, err := New(float, Options{MemMB: 15}); err != nil || p.Policy != "mixed" {
		t.Errorf("from F16: %v", err)
	}
}

// Fits agrees with what conversion does.
func TestFits(t *testing.T) {
	f := bigLlama(ggml.F16).file(t)
	fits, err := Fits(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(fits) != len(MemSizes)*len(autoOrder) {
		t.Fatalf("%d entries", len(fits))
	}
	yes := 0
	for _, x := range fits {
		p, err := New(f, Options{WType: x.WType, MemMB: x.MemMB})
		if (err == nil) != x.Fits {
			t.Errorf("%+v: %v", x, err)
		}
		if err == nil {
			yes++
			if uint64(p.Header.MemNeeded) != x.Needed {
				t.Errorf("%+v: needs %d", x, p.Header.MemNeeded)
			}
		}
	}
	if yes == 0 || yes == len(fits) {
		t.Errorf("%d of %d fit: the test tells nothing", yes, len(fits))
	}
}

// An image may need its memory to the last byte.
func TestExactFit(t *testing.T) {
	f := tinyLlama(tinyOptions{dim: 256, heads: 4, layers: 4}, ggml.F32).file(t)
	p, err := New(f, Options{MemMB: 72, KV: "f32"})
	if err != nil {
		t.Fatal(err)
	}
	for _, mb := range []int{1, 2, 3, 4, 5, 6, 7, 8, 16} {
		_, err := New(f, Options{MemMB: mb, KV: "f32", WType: "f32"})
		if want := p.Header.MemNeeded <= uint32(mb)<<20; (err == nil) != want {
			t.Errorf("%d MB for %d bytes: %v", mb, p.Header.MemNeeded, err)
		}
	}
	if uint64(p.Header.Scratch) > image.Base+uint64(p.Header.MemNeeded) {
		t.Error("the file is longer than the memory needed")
	}
}
