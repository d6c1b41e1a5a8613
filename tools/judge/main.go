// Command judge shows what the kit's story model makes of openings that it
// never saw, for a person to read. It is for the kit's developers.
//
//	go run ./tools/judge -openings 20 > host/builtin/prompts.txt
//	go run ./tools/judge -model host/builtin/ssnail-story.gguf -prompts host/builtin/prompts.txt > host/builtin/continuations.txt
//	go run ./tools/judge -model host/builtin/ssnail-story.gguf -check 200
//
// The last counts over how many other openings the model keeps the story grammar
// to the word (names, things and pronouns the same throughout), and prints the
// stories that do not: from where the grammar would have gone on otherwise.
//
// The model runs as the MEGA65 has it: as Q8_0, in the hardware's numerics.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/sampler"
	"ssnail-kit/host/session"
	"ssnail-kit/host/train"
	"ssnail-kit/host/train/corpus"
)

// most tokens of a continuation.
const most = 200

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "judge: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	n := flag.Int("openings", 0, "print this many openings of held-out stories")
	model := flag.String("model", "", "story model, a GGUF")
	prompts := flag.String("prompts", "", "file with one opening a line")
	check := flag.Int("check", 0, "count how many greedy continuations of this many openings keep the grammar")
	flag.Parse()
	if *n > 0 {
		return openings(os.Stdout, train.Recipes["story"].Seed+2, *n)
	}
	s, err := open(*model)
	if err != nil {
		return err
	}
	if *check > 0 {
		return checkOpenings(s, *check)
	}
	b, err := os.ReadFile(*prompts)
	if err != nil {
		return err
	}
	g, err := corpus.New()
	if err != nil {
		return err
	}
	ended, kept := 0, 0
	in := bufio.NewScanner(bytes.NewReader(b))
	for i := 1; in.Scan(); i++ {
		fmt.Printf("%d. %s\n\n", i, in.Text())
		for _, how := range []string{"greedy", "sampled"} {
			text, r, err := tell(s, in.Text(), how == "sampled")
			if err != nil {
				return err
			}
			if how == "greedy" {
				if r.Reason == session.EOS {
					ended++
				}
				if _, _, ok := g.Follows(in.Text() + strings.TrimRight(text, "\n")); ok {
					kept++
				}
			}
			fmt.Printf("   %s (%d tokens, %v):\n   %s\n\n", how, len(r.Generated), r.Reason, strings.TrimSpace(text))
		}
	}
	fmt.Printf("%d greedy continuations ended with EOS inside %d tokens, %d keep the story grammar to the word.\n", ended, most, kept)
	return in.Err()
}

// openings prints the first sentences of held-out stories, the same number of
// each plot.
func openings(w io.Writer, seed uint64, n int) error {
	g, err := corpus.New()
	if err != nil {
		return err
	}
	plots := map[string]int{}
	each := (n + g.Plots() - 1) / g.Plots()
	for i := uint64(0); n > 0; i++ {
		s, err := g.Story(seed, i)
		if err != nil {
			return err
		}
		if !s.HeldOut || plots[s.Plot] == each {
			continue
		}
		plots[s.Plot]++
		n--
		fmt.Fprintln(w, s.Opening)
	}
	return nil
}

// checkOpenings lets the model go on from n openings that are not those of
// prompts.txt.
func checkOpenings(s *session.Session, n int) error {
	g, err := corpus.New()
	if err != nil {
		return err
	}
	var list bytes.Buffer
	if err := openings(&list, train.Recipes["story"].Seed+3, n); err != nil {
		return err
	}
	kept, ended := 0, 0
	in := bufio.NewScanner(&list)
	for i := 1; in.Scan(); i++ {
		text, r, err := tell(s, in.Text(), false)
		if err != nil {
			return err
		}
		if r.Reason == session.EOS {
			ended++
		}
		story := in.Text() + text
		plot, at, ok := g.Follows(strings.TrimRight(story, "\n"))
		if ok {
			kept++
			continue
		}
		fmt.Printf("%d. (%s) %s >>>%s\n", i, plot, story[:at], story[at:])
	}
	fmt.Printf("%d of %d greedy continuations keep the grammar to the word, %d end with EOS inside %d tokens.\n", kept, n, ended, most)
	return in.Err()
}

// open converts the model and loads it.
func open(path string) (*session.Session, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := convert.New(f, convert.Options{WType: "q8_0", Type: "Story"})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		return nil, err
	}
	im, err := image.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	return session.Open(im, session.Options{})
}

// tell lets the model go on from an opening.
func tell(s *session.Session, opening string, sampled bool) (string, session.Result, error) {
	s.Reset()
	if _, err := s.Say([]byte(opening)); err != nil {
		return "", session.Result{}, err
	}
	var out []byte
	var p session.Printer
	t := session.Turn{N: most, OnToken: func(k session.Token) error {
		out = p.Append(out, k.Piece)
		return nil
	}}
	if sampled {
		o := sampler.Defaults()
		var err error
		if t.Sampler, err = sampler.New(o); err != nil {
			return "", session.Result{}, err
		}
	}
	r, err := s.Generate(context.Background(), t)
	return string(out), r, err
}
