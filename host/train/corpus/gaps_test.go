package corpus

import (
	"strings"
	"testing"
)

// The hero is named at least once in any 30 words, so that a run of that
// length in a story of a held-out hero is in no training story of its plot.
func TestTheHeroIsNamedOften(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(20000) {
		s, err := g.Story(11, i)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(s.Text)
		last := -1
		for j, w := range words {
			if strings.Contains(w, s.Hero) {
				last = j
			}
			if j-last >= 30 {
				t.Fatalf("plot %s: 30 words without %s: %q", s.Plot, s.Hero, strings.Join(words[last+1:j+1], " "))
			}
		}
	}
}

// An opening belongs to one plot: else a story that begins with a hero kept
// from its plot could go on as another plot that has the hero in training.
func TestOpeningsTellThePlot(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(500) {
		s, err := g.Story(12, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range g.plots {
			if p.name == s.Plot {
				continue
			}
			for _, slots := range casts(s.Text) {
				m := matcher{plot: &p, length: len(s.Text)}
				m.steps(p.steps, s.Text, slots)
				if m.furthest >= len(s.Opening) {
					t.Fatalf("plots %s and %s both begin %q", s.Plot, p.name, s.Opening)
				}
			}
		}
	}
}
