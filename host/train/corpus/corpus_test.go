package corpus

import (
	"crypto/md5"
	"strings"
	"testing"
)

// Every way to say every step is complete for every plot: no slot missing, no
// double blank, sentences end.
func TestStoriesAreWhole(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	held, words, longest := 0, 0, 0
	const n = 20000
	for i := range uint64(n) {
		s, err := g.Story(1, i)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(s.Text, "{}\n") || strings.Contains(s.Text, "  ") || !strings.ContainsAny(s.Text[len(s.Text)-1:], `.!"`) {
			t.Fatalf("story %d: %q", i, s.Text)
		}
		seen[s.Text] = true
		if s.HeldOut {
			held++
		}
		w := len(strings.Fields(s.Text))
		words += w
		longest = max(longest, w)
	}
	if len(seen) < n*99/100 {
		t.Errorf("only %d of %d stories are distinct", len(seen), n)
	}
	if held < n/20 || held > n/4 {
		t.Errorf("%d of %d stories are held out", held, n)
	}
	t.Logf("mean %d words, longest %d, %d%% held out", words/n, longest, held*100/n)
}

// The grammar has at least 300,000 different stories.
func TestStoriesAreMany(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 330,000 stories")
	}
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[16]byte]bool{}
	for i := range uint64(330000) {
		s, err := g.Story(9, i)
		if err != nil {
			t.Fatal(err)
		}
		seen[md5.Sum([]byte(s.Text))] = true
	}
	if len(seen) < 300000 {
		t.Errorf("%d distinct stories of 330,000", len(seen))
	}
}

// Paraphrases are complete, and the two ways differ.
func TestParaphrases(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3000) {
		p, err := g.Paraphrase(1, i, i%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.A == p.B || strings.ContainsAny(p.A+p.B, "{}") {
			t.Fatalf("pair %d: %q", i, p)
		}
	}
}

func TestSameNumberSameStory(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := g.Story(7, 123)
	b, _ := g.Story(7, 123)
	c, _ := g.Story(8, 123)
	if a != b || a == c {
		t.Error("stories do not follow their number and seed")
	}
}

func TestHeldOutHeroesAreNotTrained(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	pairs := map[[2]string]bool{}
	g.Training(3, 5000, func(s Story) error {
		pairs[[2]string{s.Hero, s.Plot}] = true
		return nil
	})
	g.HeldOut(4, 500, func(s Story) error {
		if pairs[[2]string{s.Hero, s.Plot}] {
			t.Errorf("%s is trained as the hero of the plot %s", s.Hero, s.Plot)
		}
		return nil
	})
	held := map[string]int{}
	for _, p := range g.plots {
		for _, h := range heroes {
			if heldOut(h.name, p.name) {
				held[p.name]++
			}
		}
	}
	for _, p := range g.plots {
		if held[p.name] == 0 || held[p.name] > len(heroes)/3 {
			t.Errorf("plot %s keeps %d of %d heroes from training", p.name, held[p.name], len(heroes))
		}
	}
}

func TestPlotErrors(t *testing.T) {
	for _, text := range []string{"", "A sentence.", "plot x\nA.", "plot x thing=nothing\nA."} {
		if _, err := parsePlots(text); err == nil {
			t.Errorf("parsePlots(%q) took it", text)
		}
	}
}
