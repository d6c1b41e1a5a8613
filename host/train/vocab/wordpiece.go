package vocab

import (
	"fmt"
	"sort"
	"strings"
)

// TrainWordPiece learns a WordPiece vocabulary: [PAD] [UNK] [CLS] [SEP], the
// characters as starts of words and as continuations, then the pieces that the
// most frequent neighbours make. Pieces are in the form that GGUF has: a word's
// start has U+2581 in front, a continuation nothing.
func TrainWordPiece(texts []string, size int) (*Vocab, error) {
	words := counts(texts, splitWords)
	v := &Vocab{Kind: WordPiece, Unk: 1, BOS: 2, EOS: 3}
	for _, s := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"} {
		v.Pieces, v.Types = append(v.Pieces, s), append(v.Types, Control)
	}
	v.Types[1] = Unknown
	chars := map[string]bool{}
	for w := range words {
		for _, c := range startWord(w) {
			chars[c] = true
		}
	}
	single := make([]string, 0, len(chars))
	for c := range chars {
		single = append(single, c)
	}
	sort.Strings(single)
	for _, c := range single {
		v.Pieces, v.Types = append(v.Pieces, c), append(v.Types, Normal)
	}
	room := size - len(v.Pieces)
	if room < 0 {
		return nil, fmt.Errorf("a vocabulary of %d has no room for %d characters", size, len(single))
	}
	for _, m := range learn(words, startWord, room, func(l, r string) string { return l + r }) {
		v.Pieces, v.Types = append(v.Pieces, m.left+m.right), append(v.Types, Normal)
	}
	v.index()
	return v, nil
}

// startWord cuts a word into characters, the first marked as a start.
func startWord(w string) []string {
	parts := strings.Split(w, "")
	parts[0] = space + parts[0]
	return parts
}

// splitWords is BERT's idea of words: lower case, letters and digits together,
// other signs alone.
func splitWords(text string) []string {
	var out []string
	cur := ""
	for _, r := range strings.ToLower(text) + " " {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			cur += string(r)
			continue
		}
		if cur != "" {
			out = append(out, cur)
			cur = ""
		}
		if r != ' ' && r != '\n' {
			out = append(out, string(r))
		}
	}
	return out
}

// longest is WordPiece's greedy match; a word without one is [UNK].
func (v *Vocab) longest(w string) ([]int, error) {
	var ids []int
	for at := 0; at < len(w); {
		n := len(w)
		for ; n > at; n-- {
			p := w[at:n]
			if at == 0 {
				p = space + p
			}
			if id, ok := v.ids[p]; ok {
				ids = append(ids, id)
				break
			}
		}
		if n == at {
			return []int{v.Unk}, nil
		}
		at = n
	}
	return ids, nil
}
