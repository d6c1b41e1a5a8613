package session

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/internal/toy"
)

// TestChat types commands.
func TestChat(t *testing.T) {
	s := open(t, imageOf(t, toy.Model{Arch: "llama"}, convert.Options{}), core.Float)
	set := DefaultSettings()
	set.N, set.Stats = 4, false
	var out, info bytes.Buffer
	c, err := NewChat(s, set, &out, &info)
	if err != nil {
		t.Fatal(err)
	}
	line := func(text string) string {
		t.Helper()
		info.Reset()
		if quit, err := c.Line(context.Background(), text); err != nil || quit {
			t.Fatalf("%q: quit %v, %v", text, quit, err)
		}
		return strings.TrimSpace(info.String())
	}
	for _, k := range []struct{ in, want string }{
		{"/n", "/n 4"}, {"/n 3", "/n 3"}, {"/n 0", "whole number"}, {"/n 2.5", "whole number"},
		{"/temp", "/temp 0.8"}, {"/temp 1.5", "/temp 1.5"}, {"/temp -1", "want a number"}, {"/temp NaN", "want a number"},
		{"/topk 0", "/topk 0"}, {"/topk 1.5", "whole"}, {"/topk -1", "from 0 to 2147483647"}, {"/penalty 1", "/penalty 1"}, {"/penalty 0", "want"},
		{"/seed 7", "/seed 7"}, {"/seed x", "whole number"}, {"/greedy", "greedy on"}, {"/eos", "on"}, {"/eos", "off"},
		{"/stats", "on"}, {"/stats", "off"}, {"/hw", "hw numerics"}, {"/hw", "float numerics"},
		{"/help", "/penalty"}, {"/nonsense", "no command /nonsense"},
	} {
		if got := line(k.in); !strings.Contains(got, k.want) {
			t.Errorf("%s answered %q, want %q in it", k.in, got, k.want)
		}
	}
	line("hello")
	if n := len(s.Tokens()); n != 1+6+3 {
		t.Errorf("%d tokens after a turn of 3", n)
	}
	line("")
	if n := len(s.Tokens()); n != 1+6+3+3 {
		t.Errorf("%d tokens after going on", n)
	}
	if got := line(strings.Repeat("long ", 20)); !strings.Contains(got, "the context of 40 has room for 27") || !strings.Contains(got, "/reset") {
		t.Errorf("a text too long: %q", got)
	}
	line("/reset")
	if len(s.Tokens()) != 0 {
		t.Error("/reset left tokens")
	}
	if quit, err := c.Line(context.Background(), "/quit"); !quit || err != nil {
		t.Errorf("/quit: %v %v", quit, err)
	}
}

// TestChatSeed: the same seed, the same text; and temperature 0 is greedy
// whatever the penalty.
func TestChatSeed(t *testing.T) {
	im := imageOf(t, toy.Model{Arch: "llama"}, convert.Options{})
	text := func(change func(*Settings)) turnReport {
		t.Helper()
		set := DefaultSettings()
		set.N, set.JSON = 12, true
		change(&set)
		var out bytes.Buffer
		c, err := NewChat(open(t, im, core.Float), set, &out, &bytes.Buffer{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Turn(context.Background(), "caf\u00e9"); err != nil {
			t.Fatal(err)
		}
		var r turnReport
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := text(func(*Settings) {}), text(func(*Settings) {})
	if !slices.Equal(a.Tokens, b.Tokens) || a.Text != b.Text || len(a.Tokens) == 0 {
		t.Errorf("one seed gave %v and %v", a.Tokens, b.Tokens)
	}
	if a.PromptTokens != 1+5 || a.Seed != 1 || a.Numerics != "float" || a.Prompt != "caf\u00e9" {
		t.Errorf("%+v", a)
	}
	if c := text(func(s *Settings) { s.Sampling.Seed = 2 }); slices.Equal(a.Tokens, c.Tokens) {
		t.Errorf("two seeds gave %v", c.Tokens)
	}
	g := text(func(s *Settings) { s.Greedy = true })
	h := text(func(s *Settings) { s.Sampling.Temperature, s.Sampling.Penalty = 0, 9 })
	if !slices.Equal(g.Tokens, h.Tokens) || !g.Greedy || !h.Greedy {
		t.Errorf("greedy %v, temperature 0 %v", g.Tokens, h.Tokens)
	}
}

// TestUnknown: words that the model does not know are not passed over in
// silence.
func TestUnknown(t *testing.T) {
	set := DefaultSettings()
	set.Stats = false
	var out, info bytes.Buffer
	c, err := NewChat(open(t, imageOf(t, toy.Model{Arch: "bert"}, convert.Options{}), core.HW), set, &out, &info)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct{ in, want string }{{"a b", ""}, {"a 7z b", "1 of the text's 5 tokens"}} {
		info.Reset()
		if _, err := c.Line(context.Background(), k.in); err != nil {
			t.Fatal(err)
		}
		if got := info.String(); (k.want == "") != (got == "") || !strings.Contains(got, k.want) {
			t.Errorf("%q: %q", k.in, got)
		}
	}
}
