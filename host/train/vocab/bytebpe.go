package vocab

import (
	"fmt"
	"strings"
)

// TrainByteBPE learns GPT-2's kind of vocabulary: the 256 bytes in their
// printable form, the merges, and <|endoftext|> as the last token.
func TrainByteBPE(texts []string, size int) (*Vocab, error) {
	v := &Vocab{Kind: ByteBPE, ranks: map[string]int{}}
	for _, c := range byteOrder() {
		v.Pieces, v.Types = append(v.Pieces, c), append(v.Types, Normal)
	}
	room := size - 257
	if room < 0 {
		return nil, fmt.Errorf("a vocabulary of %d has no room for 256 bytes and the end of text", size)
	}
	for i, m := range learn(counts(texts, splitGPT2), byteChars, room, func(l, r string) string { return l + r }) {
		v.ranks[m.left+m.right] = i
		v.Merges = append(v.Merges, m.left+" "+m.right)
		v.Pieces, v.Types = append(v.Pieces, m.left+m.right), append(v.Types, Normal)
	}
	if len(v.Pieces) != size-1 {
		return nil, fmt.Errorf("the texts gave only %d pieces, want %d", len(v.Pieces)+1, size)
	}
	v.BOS, v.EOS, v.Unk = size-1, size-1, size-1
	v.Pieces, v.Types = append(v.Pieces, "<|endoftext|>"), append(v.Types, Control)
	v.index()
	return v, nil
}

// byteChar is GPT-2's printable character for a byte: itself where it shows,
// else one from U+0100 up in order.
func byteChar(b int) string {
	if printable(b) {
		return string(rune(b))
	}
	n := 0
	for i := range b {
		if !printable(i) {
			n++
		}
	}
	return string(rune(256 + n))
}

func printable(b int) bool {
	return b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE && b <= 0xFF
}

// byteOrder lists the byte characters in GPT-2's order: the printable first.
func byteOrder() []string {
	var a, b []string
	for i := range 256 {
		if printable(i) {
			a = append(a, byteChar(i))
		} else {
			b = append(b, byteChar(i))
		}
	}
	return append(a, b...)
}

func byteChars(w string) []string {
	out := make([]string, len(w))
	for i := range len(w) {
		out[i] = byteChar(int(w[i]))
	}
	return out
}

// splitGPT2 is GPT-2's pre-tokenizer for the texts of the grammar, which have
// single blanks only: contractions, then runs of letters, digits or other
// signs with at most one blank in front.
func splitGPT2(text string) []string {
	var out []string
	for text != "" {
		n := contraction(text)
		if n == 0 {
			n = run(text)
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func contraction(t string) int {
	for _, c := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(t, c) {
			return len(c)
		}
	}
	return 0
}

func run(t string) int {
	n := 0
	if t[0] == ' ' && len(t) > 1 && t[1] != ' ' {
		n = 1
	}
	k := class(t[n])
	for n < len(t) && class(t[n]) == k {
		n++
	}
	return n
}

func class(c byte) int {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return 0
	case c >= '0' && c <= '9':
		return 1
	case c == ' ', c == '\n', c == '\t':
		return 2
	}
	return 3
}
