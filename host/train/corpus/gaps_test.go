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
