package builtin

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/session"
	"ssnail-kit/host/train"
	"ssnail-kit/host/train/corpus"
)

// load converts a model as users have it, to Q8_0, and opens it.
func load(t testing.TB, model []byte) *session.Session {
	t.Helper()
	f, err := gguf.NewFile(bytes.NewReader(model), int64(len(model)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := convert.New(f, convert.Options{WType: "q8_0"})
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
	s, err := session.Open(im, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The models are as large as they may be, and say whose they are.
func TestSizesAndNames(t *testing.T) {
	for _, c := range []struct {
		model []byte
		most  int
		arch  string
	}{{Story(), 600_000, "llama"}, {Encoder(), 500_000, "bert"}, {GPT2(), 500_000, "gpt2"}} {
		if len(c.model) > c.most {
			t.Errorf("%s: %d bytes, at most %d", c.arch, len(c.model), c.most)
		}
		f, err := gguf.NewFile(bytes.NewReader(c.model), int64(len(c.model)))
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{"general.architecture": c.arch, "general.license": "MIT"} {
			if got, _, err := f.Str(key); got != want || err != nil {
				t.Errorf("%s: %s is %q, %v", c.arch, key, got, err)
			}
		}
		for _, key := range []string{"general.name", "general.description"} {
			if got, _, err := f.Str(key); got == "" || err != nil {
				t.Errorf("%s: %s is %q, %v", c.arch, key, got, err)
			}
		}
	}
}

// told reads continuations.txt: the greedy continuation of each opening.
func told(t *testing.T) (openings, greedy []string) {
	t.Helper()
	f, err := os.Open("continuations.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		l := in.Text()
		var n int
		if _, err := fmt.Sscanf(l, "%d. ", &n); err == nil && n == len(openings)+1 {
			_, opening, _ := strings.Cut(l, ". ")
			openings = append(openings, opening)
		}
		if strings.HasPrefix(l, "   greedy (") && in.Scan() {
			greedy = append(greedy, strings.TrimSpace(in.Text()))
		}
	}
	if len(openings) != 20 || len(greedy) != 20 {
		t.Fatalf("continuations.txt has %d openings and %d greedy continuations, want 20", len(openings), len(greedy))
	}
	return openings, greedy
}

// What stands in continuations.txt is what the model tells; it ends, and keeps
// to its characters as the story grammar does.
func TestContinuations(t *testing.T) {
	openings, greedy := told(t)
	prompts, err := os.ReadFile("prompts.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(prompts)) != strings.Join(openings, "\n") {
		t.Error("continuations.txt is not of prompts.txt")
	}
	g, err := corpus.New()
	if err != nil {
		t.Fatal(err)
	}
	s := load(t, Story())
	ended, kept := 0, 0
	for i, opening := range openings {
		s.Reset()
		if _, err := s.Say([]byte(opening)); err != nil {
			t.Fatal(err)
		}
		var out []byte
		var p session.Printer
		r, err := s.Generate(context.Background(), session.Turn{N: 200, OnToken: func(k session.Token) error {
			out = p.Append(out, k.Piece)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != greedy[i] {
			t.Errorf("%q goes on:\n%s\ncontinuations.txt says:\n%s", opening, got, greedy[i])
		}
		if r.Reason == session.EOS {
			ended++
		}
		if _, _, ok := g.Follows(opening + " " + greedy[i]); ok {
			kept++
		}
	}
	if kept < 18 {
		t.Errorf("%d of 20 keep the grammar to the word, want 18", kept)
	}
	if ended < 18 {
		t.Errorf("%d of 20 end with EOS inside 200 tokens, want 18", ended)
	}
}

// No run of 30 words of opening and continuation stands in what the model was
// trained on.
func TestNothingIsCopied(t *testing.T) {
	const run = 30
	openings, greedy := told(t)
	runs := map[string]int{}
	for i := range openings {
		words := strings.Fields(openings[i] + " " + greedy[i])
		for j := 0; j+run <= len(words); j++ {
			runs[strings.Join(words[j:j+run], " ")] = i
		}
	}
	g, err := corpus.New()
	if err != nil {
		t.Fatal(err)
	}
	r := train.Recipes["story"]
	copied := map[int]bool{}
	err = g.Training(r.Seed, r.Steps*r.Batch, func(s corpus.Story) error {
		// The start of every word, to cut runs out of the text.
		var at []int
		for k := range len(s.Text) {
			if k == 0 || s.Text[k-1] == ' ' {
				at = append(at, k)
			}
		}
		at = append(at, len(s.Text)+1)
		for j := 0; j+run < len(at); j++ {
			if i, ok := runs[s.Text[at[j]:at[j+run]-1]]; ok && !copied[i] {
				copied[i] = true
				t.Errorf("opening %d: a run of %d words is of the training text: %q", i+1, run, s.Text[at[j]:at[j+run]-1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The encoder finds the paraphrase of 200 held-out sentences.
func TestEncoderFindsParaphrases(t *testing.T) {
	g, err := corpus.New()
	if err != nil {
		t.Fatal(err)
	}
	const n = 200
	a, b, err := train.HeldOutPairs(g, train.Recipes["encoder"].Seed, n)
	if err != nil {
		t.Fatal(err)
	}
	s := load(t, Encoder())
	embed := func(texts []string) [][]float32 {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			v, _, err := s.Embed([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			out[i] = v
		}
		return out
	}
	x, y := embed(a), embed(b)
	right := 0
	for i := range x {
		best := 0
		for j := range y {
			if session.Cosine(x[i], y[j]) > session.Cosine(x[i], y[best]) {
				best = j
			}
		}
		if best == i {
			right++
		}
	}
	t.Logf("top-1 among %d: %d", n, right)
	if right <= n*9/10 {
		t.Errorf("top-1 among %d is %d, want more than %d", n, right, n*9/10)
	}
}

// The gpt2 model tells something and ends it.
func TestGPT2Tells(t *testing.T) {
	s := load(t, GPT2())
	if _, err := s.Say([]byte("Once upon a time, there was a")); err != nil {
		t.Fatal(err)
	}
	r, err := s.Generate(context.Background(), session.Turn{N: 220})
	if err != nil {
		t.Fatal(err)
	}
	if r.Reason != session.EOS {
		t.Errorf("the story ends with: %v", r.Reason)
	}
}
