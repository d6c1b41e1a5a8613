package vocab

import (
	"fmt"
	"sort"
	"strings"
)

// TrainSPM learns a SentencePiece-style vocabulary of size pieces: <unk>, <s>,
// </s>, the 256 bytes, the merges in their order, then the single characters.
// A piece's score is minus its place among the last two.
func TrainSPM(texts []string, size int) (*Vocab, error) {
	words := counts(texts, splitSPM)
	chars := map[string]int{}
	for w, n := range words {
		for _, c := range strings.Split(w, "") {
			chars[c] += n
		}
	}
	single := make([]string, 0, len(chars))
	for c := range chars {
		single = append(single, c)
	}
	sort.Slice(single, func(i, j int) bool {
		a, b := single[i], single[j]
		return chars[a] > chars[b] || chars[a] == chars[b] && a < b
	})
	room := size - 3 - 256 - len(single)
	if room < 0 {
		return nil, fmt.Errorf("a vocabulary of %d has no room for %d characters and 259 fixed pieces", size, len(single))
	}
	v := &Vocab{Kind: SentencePiece, BOS: 1, EOS: 2, ranks: map[string]int{}}
	add := func(p string, typ int32, score float32) {
		v.Pieces, v.Types, v.Scores = append(v.Pieces, p), append(v.Types, typ), append(v.Scores, score)
	}
	add("<unk>", Unknown, 0)
	add("<s>", Control, 0)
	add("</s>", Control, 0)
	for b := range 256 {
		add(fmt.Sprintf("<0x%02X>", b), Byte, 0)
	}
	start := func(w string) []string { return strings.Split(w, "") }
	for i, m := range learn(words, start, room, func(l, r string) string { return l + r }) {
		v.ranks[m.left+m.right] = i
		add(m.left+m.right, Normal, float32(-i))
	}
	if len(v.Pieces)+len(single) != size {
		return nil, fmt.Errorf("the texts gave only %d pieces, want %d", len(v.Pieces)+len(single), size)
	}
	for _, c := range single {
		add(c, Normal, float32(-(len(v.Pieces) - 259)))
	}
	v.index()
	return v, nil
}

// splitSPM cuts a text, with a blank put in front, into what merges stay
// inside of: runs of letters, and runs of other signs, each with the blank
// before it.
func splitSPM(text string) []string {
	var out []string
	cur, last := "", 0
	for _, r := range " " + text {
		kind := 1
		switch {
		case r == ' ':
			kind, r = 2, '\u2581'
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			kind = 3
		}
		if cur != "" && (kind == 2 || kind != last && last != 2) {
			out = append(out, cur)
			cur = ""
		}
		cur += string(r)
		last = kind
	}
	return append(out, cur)
}
