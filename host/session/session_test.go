package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/image"
	"ssnail-kit/host/internal/toy"
	"ssnail-kit/host/reference"
	"ssnail-kit/host/sampler"
)

func imageOf(t testing.TB, m toy.Model, o convert.Options) *image.Image {
	t.Helper()
	return makeImage(t, m.File(t), o)
}

func generate(t *testing.T, s *Session, turn Turn) Result {
	t.Helper()
	res, err := s.Generate(context.Background(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func say(t *testing.T, s *Session, text string) {
	t.Helper()
	if _, err := s.Say([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestToyReference compares models of our own with the double precision
// forward pass, qwen2 with its other order of rotated pairs and its biases
// among them.
func TestToyReference(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "bert"} {
		t.Run(arch, func(t *testing.T) {
			y := toy.Model{Arch: arch}
			m, err := reference.Load(y.File(t))
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, imageOf(t, y, convert.Options{KV: "f32"}), core.Float)
			ids := []uint32{1, 40, 50, 60, 70, 5, 2}
			res, logits := run(t, s, ids, 20)
			var want []float64
			if arch == "bert" {
				if want, err = m.Embed(ids); err != nil {
					t.Fatal(err)
				}
			} else {
				r := m.NewRun()
				for _, id := range s.Tokens()[:res.Positions] {
					l, err := r.Next(id)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, l...)
				}
			}
			if len(logits) != 4*len(want) || len(want) < toy.Dim {
				t.Fatalf("%d values, the reference has %d", len(logits)/4, len(want))
			}
			var worst, largest float64
			for i, w := range want {
				worst = max(worst, math.Abs(float64(single(logits, i))-w))
				largest = max(largest, math.Abs(w))
			}
			if !(worst <= 1e-6*largest) {
				t.Errorf("off by %.3g of the largest", worst/largest)
			}
		})
	}
}

func single(raw []byte, i int) float32 {
	return math.Float32frombits(uint32(raw[4*i]) | uint32(raw[4*i+1])<<8 | uint32(raw[4*i+2])<<16 | uint32(raw[4*i+3])<<24)
}

// TestTurns: texts in turns are the same as one text, in a job of many tokens
// or many jobs of one.
func TestTurns(t *testing.T) {
	im := imageOf(t, toy.Model{Arch: "llama"}, convert.Options{})
	a := open(t, im, core.HW)
	say(t, a, "hello")
	first := generate(t, a, Turn{N: 8, PassBOS: true})
	say(t, a, "you")
	second := generate(t, a, Turn{N: 8, PassBOS: true})

	// The same context at once.
	b := open(t, im, core.HW)
	if err := b.SayTokens(a.Tokens()[:len(a.Tokens())-8]); err != nil {
		t.Fatal(err)
	}
	if got := generate(t, b, Turn{N: 8, PassBOS: true}); !slices.Equal(got.Generated, second.Generated) {
		t.Errorf("turns gave %v, at once %v", second.Generated, got.Generated)
	}
	if first.Positions != 1+6+7 || second.Positions != 1+4+7 {
		t.Errorf("%d and %d positions", first.Positions, second.Positions)
	}
	// Token by token, each chosen by a sampler that is bound to the greatest.
	o := sampler.Options{Temperature: 1, TopK: 1, Penalty: 1}
	smp, err := sampler.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, im, core.HW)
	say(t, c, "hello")
	if got := generate(t, c, Turn{N: 8, PassBOS: true, Sampler: smp}); !slices.Equal(got.Generated, first.Generated) {
		t.Errorf("one job gave %v, many %v", first.Generated, got.Generated)
	}
	// Reset begins anew.
	c.Reset()
	say(t, c, "hello")
	if got := generate(t, c, Turn{N: 8, PassBOS: true}); !slices.Equal(got.Generated, first.Generated) {
		t.Errorf("after a reset: %v, want %v", got.Generated, first.Generated)
	}
}

// TestNothingToGenerate: N = 0 keeps the prompt for the next turn.
func TestNothingToGenerate(t *testing.T) {
	im := imageOf(t, toy.Model{Arch: "llama"}, convert.Options{})
	a, b := open(t, im, core.HW), open(t, im, core.HW)
	say(t, a, "ab")
	if res := generate(t, a, Turn{}); res.Reason != Count || len(res.Generated) != 0 {
		t.Errorf("%+v", res)
	}
	say(t, a, "cd")
	say(t, b, "ab")
	say(t, b, "cd")
	if x, y := generate(t, a, Turn{N: 5}), generate(t, b, Turn{N: 5}); !slices.Equal(x.Generated, y.Generated) {
		t.Errorf("%v, want %v", x.Generated, y.Generated)
	}
	if _, err := a.Generate(context.Background(), Turn{N: -1}); err == nil {
		t.Error("N = -1 was taken")
	}
	empty := open(t, im, core.HW)
	if _, err := empty.Generate(context.Background(), Turn{N: 1}); err == nil {
		t.Error("an empty context generated")
	}
}

// TestContext goes to the last position and beyond.
func TestContext(t *testing.T) {
	for _, ctx := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(ctx), func(t *testing.T) {
			s := open(t, imageOf(t, toy.Model{Arch: "llama"}, convert.Options{Ctx: ctx}), core.HW)
			ids := make([]uint32, ctx)
			for i := range ids {
				ids[i] = uint32(10 + i)
			}
			var full *FullError
			if err := s.SayTokens(append(ids, 10)); !errors.As(err, &full) || full.Need != ctx+1 {
				t.Errorf("a prompt of %d tokens: %v", ctx+1, err)
			}
			if len(s.Tokens()) != 0 {
				t.Error("a refused text left something behind")
			}
			// Exactly the context: one token comes, then it is full.
			if err := s.SayTokens(ids); err != nil {
				t.Fatal(err)
			}
			res := generate(t, s, Turn{N: 5, PassBOS: true})
			if len(res.Generated) != 1 || res.Reason != Context {
				t.Errorf("%v, %v", res.Generated, res.Reason)
			}
			if _, err := s.Say([]byte("x")); !errors.As(err, &full) {
				t.Errorf("a full context took text: %v", err)
			}
			if _, err := s.Generate(context.Background(), Turn{N: 1}); !errors.As(err, &full) || full.Need != 0 {
				t.Errorf("a full context generated: %v", err)
			}
			// With a sampler it is the same.
			smp, err := sampler.New(sampler.Defaults())
			if err != nil {
				t.Fatal(err)
			}
			s.Reset()
			if err := s.SayTokens(ids); err != nil {
				t.Fatal(err)
			}
			if res := generate(t, s, Turn{N: 5, PassBOS: true, Sampler: smp}); len(res.Generated) != 1 || res.Reason != Context {
				t.Errorf("sampled: %v, %v", res.Generated, res.Reason)
			}
		})
	}
}

// TestEnds tells an end by EOS from one by BOS.
func TestEnds(t *testing.T) {
	smp, err := sampler.New(sampler.Options{Temperature: 0.1, Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		id   int
		want Reason
		n    int
	}{{2, EOS, 1}, {1, BOS, 1}, {40, Count, 6}} {
		for _, smp := range []*sampler.Sampler{nil, smp} {
			s := open(t, imageOf(t, toy.Always(c.id), convert.Options{WType: "f32"}), core.Float)
			say(t, s, "a")
			var eos float64
			res := generate(t, s, Turn{N: 6, Sampler: smp, EOS: true, OnToken: func(k Token) error { eos = k.EOS; return nil }})
			if res.Reason != c.want || len(res.Generated) != c.n || res.Generated[0] != uint32(c.id) {
				t.Errorf("token %d, sampled %v: %v, %v", c.id, smp != nil, res.Reason, res.Generated)
			}
			if (c.want == EOS) != (eos > 0.5) {
				t.Errorf("token %d: EOS had %v", c.id, eos)
			}
			if c.want == BOS {
				if res := generate(t, s, Turn{N: 3, Sampler: smp, PassBOS: true}); len(res.Generated) != 3 {
					t.Errorf("passing BOS: %v %v", res.Reason, res.Generated)
				}
			}
		}
	}
}

// TestStop stops in the text and in the prompt; both times the next turn goes
// on as if nothing had happened.
func TestStop(t *testing.T) {
	im := imageOf(t, toy.Model{Arch: "llama"}, convert.Options{})
	whole := open(t, im, core.HW)
	say(t, whole, "stop this")
	want := generate(t, whole, Turn{N: 10, PassBOS: true}).Generated

	for at := range 14 {
		s := open(t, im, core.HW)
		say(t, s, "stop this")
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		step := func() {
			if n++; n > at {
				cancel()
			}
		}
		res, err := s.Generate(ctx, Turn{N: 10, PassBOS: true, OnPosition: func(int, int) { step() }, OnToken: func(Token) error { step(); return nil }})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if res.Reason != Requested {
			t.Errorf("stopped at %d: %v after %d tokens", at, res.Reason, len(res.Generated))
		}
		got := res.Generated
		rest := generate(t, s, Turn{N: 10 - len(got), PassBOS: true})
		if got = append(got, rest.Generated...); !slices.Equal(got, want) {
			t.Errorf("stopped at %d: %v, want %v", at, got, want)
		}
	}
	s := open(t, im, core.HW)
	say(t, s, "x")
	broken := errors.New("broken pipe")
	if _, err := s.Generate(context.Background(), Turn{N: 5, OnToken: func(Token) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("an error of OnToken became %v", err)
	}
}

// TestBadTokens: ids beyond the model's rows never reach the core.
func TestBadTokens(t *testing.T) {
	s := open(t, imageOf(t, toy.Model{Arch: "llama"}, convert.Options{}), core.HW)
	if err := s.SayTokens([]uint32{1, 98}); err == nil || !strings.Contains(err.Error(), "token 2 of the text is 98") {
		t.Errorf("%v", err)
	}
	e := open(t, imageOf(t, toy.Model{Arch: "bert"}, convert.Options{}), core.HW)
	if _, _, err := e.EmbedTokens([]uint32{1, 4000, 2}); err == nil {
		t.Error("an encoder took token 4000")
	}
	if _, _, err := e.EmbedTokens(nil); err == nil {
		t.Error("an encoder embedded nothing")
	}
	var full *FullError
	if _, _, err := e.EmbedTokens(make([]uint32, 41)); !errors.As(err, &full) {
		t.Errorf("an encoder took 41 tokens: %v", err)
	}
	if _, err := e.Say([]byte("x")); !errors.Is(err, ErrEncoder) {
		t.Errorf("%v", err)
	}
	if _, _, err := s.Embed([]byte("x")); !errors.Is(err, ErrDecoder) {
		t.Errorf("%v", err)
	}
}

// TestEmbed: the same text has the same embedding, and is the nearest.
func TestEmbed(t *testing.T) {
	s := open(t, imageOf(t, toy.Model{Arch: "bert"}, convert.Options{}), core.HW)
	var m Memory
	for _, text := range []string{"a cat", "b d", "x y z"} {
		v, _, err := s.Embed([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m.Add(text, v)
	}
	v, _, err := s.Embed([]byte("b d"))
	if err != nil {
		t.Fatal(err)
	}
	near := m.Nearest(v, 2)
	if len(near) != 2 || near[0].Text != "b d" || math.Abs(near[0].Cosine-1) > 1e-9 || near[1].Cosine >= near[0].Cosine {
		t.Errorf("%+v", near)
	}
	if c := Cosine([]float32{0, 0}, []float32{1, 0}); c != 0 {
		t.Errorf("cosine with nothing is %v", c)
	}
}

func TestPrinter(t *testing.T) {
	for _, c := range []struct {
		utf8   bool
		pieces []string
		want   string
	}{
		{false, []string{"na\xc3", "\xafve"}, "naive"},
		{true, []string{"na\xc3", "\xafve"}, "na\u00efve"},
		{true, []string{"\xe2\x80", "\x94", "x\x00\x07\n"}, "\u2014x\n"},
		{true, []string{"\xff", "a\xc3", "b"}, "\ufffda\ufffdb"},
		{true, []string{"half \xf0\x9f"}, "half "},
	} {
		p := Printer{UTF8: c.utf8}
		var out []byte
		for _, s := range c.pieces {
			out = p.Append(out, []byte(s))
		}
		if string(out) != c.want {
			t.Errorf("%q became %q, want %q", c.pieces, out, c.want)
		}
	}
}

// TestTooBig: no board holds it.
func TestTooBig(t *testing.T) {
	im := *imageOf(t, toy.Model{Arch: "llama"}, convert.Options{})
	im.MemNeeded = image.MaxMemMB<<20 + 1
	if _, err := Open(&im, Options{}); err == nil {
		t.Error("opened")
	}
}

// TestMeasure runs the benchmark's own loop once.
func TestMeasure(t *testing.T) {
	for _, arch := range []string{"llama", "bert"} {
		s := open(t, imageOf(t, toy.Model{Arch: arch}, convert.Options{}), core.HW)
		sp, err := s.Measure(context.Background(), 20, 1)
		if err != nil || sp.Positions != 20 || sp.PerSecond <= 0 || sp.Bytes <= 0 {
			t.Errorf("%s: %+v, %v", arch, sp, err)
		}
		kinds, err := s.Profile(context.Background(), 20)
		if err != nil || len(kinds) < 5 {
			t.Errorf("%s: %v %v", arch, kinds, err)
		}
	}
}
