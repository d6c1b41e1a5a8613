package vocab

import (
	"strings"
	"testing"

	"ssnail-kit/host/train/corpus"
)

func texts(t *testing.T, n int) []string {
	t.Helper()
	g, err := corpus.New()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if err := g.Training(1, n, func(s corpus.Story) error { out = append(out, s.Text); return nil }); err != nil {
		t.Fatal(err)
	}
	return out
}

// A vocabulary has the asked size and gives every text back.
func TestRoundTrip(t *testing.T) {
	all := texts(t, 1500)
	for _, c := range []struct {
		name  string
		train func([]string, int) (*Vocab, error)
		text  func(v *Vocab, ids []int) string
	}{
		{"sentencepiece", TrainSPM, func(v *Vocab, ids []int) string {
			s := ""
			for _, id := range ids {
				s += v.Pieces[id]
			}
			return strings.TrimPrefix(strings.ReplaceAll(s, space, " "), " ")
		}},
		{"byte bpe", TrainByteBPE, func(v *Vocab, ids []int) string {
			s := ""
			for _, id := range ids {
				s += v.Pieces[id]
			}
			return strings.ReplaceAll(s, byteChar(' '), " ")
		}},
		{"wordpiece", TrainWordPiece, func(v *Vocab, ids []int) string {
			s := ""
			for _, id := range ids {
				s += v.Pieces[id]
			}
			return s
		}},
	} {
		v, err := c.train(all, 512)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(v.Pieces) != 512 || len(v.Types) != 512 {
			t.Errorf("%s: %d pieces", c.name, len(v.Pieces))
		}
		tokens, bytes := 0, 0
		for _, s := range all {
			ids, err := v.Encode(s)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			tokens += len(ids)
			bytes += len(s)
			got := c.text(v, ids)
			if c.name == "wordpiece" {
				want := ""
				for _, w := range splitWords(s) {
					want += space + w
				}
				if got != want {
					t.Fatalf("%s: %q came back as %q", c.name, want, got)
				}
			} else if got != s {
				t.Fatalf("%s: %q came back as %q", c.name, s, got)
			}
		}
		t.Logf("%s: %.2f bytes a token", c.name, float64(bytes)/float64(tokens))
	}
}

// Training twice gives the same vocabulary.
func TestSameTextsSameVocabulary(t *testing.T) {
	all := texts(t, 200)
	for _, f := range []func([]string, int) (*Vocab, error){TrainSPM, TrainByteBPE, TrainWordPiece} {
		a, err := f(all, 400)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f(all, 400)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(a.Pieces, " ") != strings.Join(b.Pieces, " ") {
			t.Error("two trainings differ")
		}
	}
}

func TestTooSmall(t *testing.T) {
	for _, f := range []func([]string, int) (*Vocab, error){TrainSPM, TrainByteBPE, TrainWordPiece} {
		if _, err := f([]string{"a b c d e f g h"}, 5); err == nil {
			t.Error("a vocabulary of 5 was made")
		}
	}
	if _, err := TrainSPM([]string{"aa bb"}, 512); err == nil {
		t.Error("two words gave 512 pieces")
	}
}
