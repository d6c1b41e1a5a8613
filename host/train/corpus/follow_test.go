package corpus

import (
	"strings"
	"testing"
)

func TestEveryStoryFollows(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(500) {
		s, err := g.Story(5, i)
		if err != nil {
			t.Fatal(err)
		}
		if plot, at, ok := g.Follows(s.Text); !ok || plot != s.Plot {
			t.Fatalf("story %d of plot %s: plot %s, followed for %d of %d bytes: %s", i, s.Plot, plot, at, len(s.Text), s.Text)
		}
	}
}

// One name, thing or pronoun changed anywhere, and a story follows no more.
func TestSwappedWordsDoNotFollow(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}
	swaps := [][2]string{{"Nina", "Ella"}, {"Hugo", "Otto"}, {"Lily", "Nina"}, {" he ", " she "}, {" her ", " his "}, {" boy ", " girl "}, {" mom", " dad"}, {"kite", "boat"}}
	tried := 0
	for i := range uint64(1000) {
		s, err := g.Story(6, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range swaps {
			// Two places at least, else the swap makes another good story.
			if strings.Count(s.Text, w[0]) < 2 {
				continue
			}
			tried++
			k := strings.LastIndex(s.Text, w[0])
			text := s.Text[:k] + w[1] + s.Text[k+len(w[0]):]
			if _, at, ok := g.Follows(text); ok || at > k+len(w[1])+1 {
				t.Fatalf("%q for %q at %d is not seen (%v, %d): %s", w[1], w[0], k, ok, at, text)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d swaps tried", tried)
	}
}
