// Package vocab trains the vocabularies of the kit's own models from their
// texts, and encodes those texts for training: SentencePiece-style BPE with
// scores and byte fallback, GPT-2's byte-level BPE, and WordPiece.
//
// The encoders here serve training only; that they agree with the tokenizer
// that GGUF readers use is a test.
package vocab

import (
	"fmt"
	"sort"
	"strings"
)

// Kind is the family of a vocabulary.
type Kind int

// The families.
const (
	SentencePiece Kind = iota
	ByteBPE
	WordPiece
)

// Token types as GGUF's tokenizer.ggml.token_type has them.
const (
	Normal  = 1
	Unknown = 2
	Control = 3
	Byte    = 6
)

// Vocab is a trained vocabulary; the indices of the lists are token ids.
type Vocab struct {
	Kind   Kind
	Pieces []string // as they stand in a GGUF
	Types  []int32
	Scores []float32 // SentencePiece only
	Merges []string  // ByteBPE only: "left right"
	BOS    int       // or [CLS]
	EOS    int       // or [SEP]
	Unk    int

	ids   map[string]int
	ranks map[string]int // of merged texts: lower merges first
	cache map[string][]int
}

// space is what stands for a blank in the pieces of SentencePiece.
const space = "\u2581"

// counts gives the words of texts with how often they occur; each Kind has its
// own idea of a word.
func counts(texts []string, split func(string) []string) map[string]int {
	n := map[string]int{}
	for _, t := range texts {
		for _, w := range split(t) {
			n[w]++
		}
	}
	return n
}

// merge is a pair of pieces that became one.
type merge struct{ left, right string }

// learn finds the most frequent neighbours again and again, until there are n
// merges or no pair occurs twice. start cuts a word into its first pieces.
// Ties go to the pair that sorts first, so that the result is always the same.
func learn(words map[string]int, start func(string) []string, n int, join func(l, r string) string) []merge {
	type word struct {
		parts []string
		count int
	}
	var list []word
	keys := make([]string, 0, len(words))
	for w := range words {
		keys = append(keys, w)
	}
	sort.Strings(keys)
	for _, w := range keys {
		list = append(list, word{start(w), words[w]})
	}
	var out []merge
	made := map[string]bool{}
	for len(out) < n {
		pairs := map[merge]int{}
		for _, w := range list {
			for i := 1; i < len(w.parts); i++ {
				pairs[merge{w.parts[i-1], w.parts[i]}] += w.count
			}
		}
		best, count := merge{}, 1
		for p, c := range pairs {
			if c > count || c == count && c > 1 && (p.left < best.left || p.left == best.left && p.right < best.right) {
				best, count = p, c
			}
		}
		if count < 2 {
			break
		}
		text := join(best.left, best.right)
		for i := range list {
			list[i].parts = apply(list[i].parts, best, text)
		}
		if !made[text] { // two pairs can make the same text: one token
			made[text] = true
			out = append(out, best)
		}
	}
	return out
}

func apply(parts []string, m merge, text string) []string {
	out := parts[:0]
	for i := 0; i < len(parts); i++ {
		if i+1 < len(parts) && parts[i] == m.left && parts[i+1] == m.right {
			out = append(out, text)
			i++
		} else {
			out = append(out, parts[i])
		}
	}
	return out
}

// index fills the look-up tables once the pieces are known.
func (v *Vocab) index() {
	v.ids = map[string]int{}
	v.cache = map[string][]int{}
	for i, p := range v.Pieces {
		if v.Types[i] == Normal {
			v.ids[p] = i
		}
	}
}

// Encode gives the ids of a text, without BOS or EOS.
func (v *Vocab) Encode(text string) ([]int, error) {
	var out []int
	for _, w := range v.split(text) {
		ids, ok := v.cache[w]
		if !ok {
			var err error
			if ids, err = v.word(w); err != nil {
				return nil, fmt.Errorf("%q: %w", w, err)
			}
			v.cache[w] = ids
		}
		out = append(out, ids...)
	}
	return out, nil
}

func (v *Vocab) split(text string) []string {
	switch v.Kind {
	case SentencePiece:
		return splitSPM(text)
	case ByteBPE:
		return splitGPT2(text)
	}
	return splitWords(text)
}

func (v *Vocab) word(w string) ([]int, error) {
	switch v.Kind {
	case SentencePiece:
		return v.mergeAll(strings.Split(w, ""))
	case ByteBPE:
		return v.mergeAll(byteChars(w))
	}
	return v.longest(w)
}

// mergeAll joins neighbours, the lowest rank first and leftmost on ties.
func (v *Vocab) mergeAll(parts []string) ([]int, error) {
	for {
		at, best := -1, 0
		for i := 1; i < len(parts); i++ {
			if r, ok := v.ranks[parts[i-1]+parts[i]]; ok && (at < 0 || r < best) {
				at, best = i-1, r
			}
		}
		if at < 0 {
			break
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	ids := make([]int, len(parts))
	for i, p := range parts {
		id, ok := v.ids[p]
		if !ok {
			return nil, fmt.Errorf("%q is not in the vocabulary", p)
		}
		ids[i] = id
	}
	return ids, nil
}
