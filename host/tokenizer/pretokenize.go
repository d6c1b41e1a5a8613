package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// preTokenizer splits text into the chunks within which byte-level BPE merges.
type preTokenizer struct {
	rules      []func(text string) int // each splits the chunks of the one before it
	wholeFirst bool                    // a chunk that is a token needs no merges
}

// preTokenizerFor returns the pre-tokenizer that tokenizer.ggml.pre names;
// GPT-2's and false for a name that is not known.
func preTokenizerFor(name string) (preTokenizer, bool) {
	switch name {
	case "gpt-2", "gpt2":
		return preTokenizer{rules: []func(string) int{gpt2Chunk}}, true
	case "llama-bpe", "llama3", "llama-v3":
		return preTokenizer{rules: []func(string) int{llama3Chunk(3)}, wholeFirst: true}, true
	case "qwen2":
		return preTokenizer{rules: []func(string) int{llama3Chunk(1)}}, true
	case "smollm", "starcoder":
		return preTokenizer{rules: []func(string) int{singleDigit, gpt2Chunk}}, true
	case "falcon":
		return preTokenizer{rules: []func(string) int{punctuationRun, gpt2Chunk, threeDigits}}, true
	}
	return preTokenizer{rules: []func(string) int{gpt2Chunk}}, false
}

// split returns the chunks of text, none of them empty.
func (p preTokenizer) split(text string) []string {
	chunks := []string{text}
	for _, rule := range p.rules {
		var next []string
		for _, chunk := range chunks {
			for len(chunk) > 0 {
				n := rule(chunk)
				next = append(next, chunk[:n])
				chunk = chunk[n:]
			}
		}
		chunks = next
	}
	return chunks
}

// Classes of characters as the rules see them.
type class uint8

const (
	other  class = iota
	letter       // \p{L}
	number       // \p{N}
	space        // \s
)

// charAt returns the class and length of the first character of text; length 0
// at its end. A byte that is no UTF-8 is of no class.
func charAt(text string) (class, int, rune) {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case n == 0, r == utf8.RuneError && n == 1:
		return other, n, r
	case unicode.IsLetter(r):
		return letter, n, r
	case unicode.IsNumber(r):
		return number, n, r
	case unicode.Is(unicode.White_Space, r):
		return space, n, r
	}
	return other, n, r
}

// run returns the length of the characters of class c that text begins with,
// at most limit of them (0: all).
func run(text string, c class, limit int) int {
	n := 0
	for count := 0; limit == 0 || count < limit; count++ {
		class, width, _ := charAt(text[n:])
		if width == 0 || class != c {
			break
		}
		n += width
	}
	return n
}

// gpt2Chunk is GPT-2's rule: a contraction; letters, digits or other symbols
// with one space before them if there is one; white space, of which the last
// character is kept for the text after it.
func gpt2Chunk(text string) int {
	if n := contraction(text, false); n > 0 {
		return n
	}
	lead := 0
	if text[0] == ' ' {
		lead = 1
	}
	if c, n, _ := charAt(text[lead:]); n > 0 && c != space {
		return lead + run(text[lead:], c, 0)
	}
	return spaceRun(text)
}

// llama3Chunk is Llama 3's rule, and Qwen 2's with digits one by one:
// contractions in either case; letters with any one character before them that
// is no line end, letter or digit; up to digits digits; symbols with one space
// before and all line ends after them; white space up to its last line end;
// other white space.
func llama3Chunk(digits int) func(string) int {
	return func(text string) int {
		if n := contraction(text, true); n > 0 {
			return n
		}
		c, width, r := charAt(text)
		if c == letter {
			return run(text, letter, 0)
		}
		if r != '\r' && r != '\n' && c != number {
			if n := run(text[width:], letter, 0); n > 0 {
				return width + n
			}
		}
		if c == number {
			return run(text, number, digits)
		}
		lead := 0
		if text[0] == ' ' {
			lead = 1
		}
		if n := run(text[lead:], other, 0); n > 0 {
			n += lead
			for n < len(text) && (text[n] == '\r' || text[n] == '\n') {
				n++
			}
			return n
		}
		blank := run(text, space, 0)
		for i := blank; i > 0; i-- {
			if text[i-1] == '\r' || text[i-1] == '\n' {
				return i
			}
		}
		return spaceRun(text)
	}
}

// spaceRun returns the length of a chunk of white space, which text begins
// with: all of it at the end of the text, else all but its last character,
// else that character alone.
func spaceRun(text string) int {
	n := run(text, space, 0)
	if n == len(text) {
		return n
	}
	_, last := utf8.DecodeLastRuneInString(text[:n])
	if n > last {
		return n - last
	}
	return n
}

// contraction returns the length of 's 't 're 've 'm 'll 'd at the beginning of
// text, 0 if there is none.
func contraction(text string, anyCase bool) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	at := func(i int) byte {
		if i >= len(text) {
			return 0
		}
		if c := text[i]; anyCase && c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return text[i]
	}
	switch at(1) {
	case 's', 't', 'm', 'd':
		return 2
	}
	switch string([]byte{at(1), at(2)}) {
	case "re", "ve", "ll":
		return 3
	}
	return 0
}

// singleDigit splits every digit off.
func singleDigit(text string) int {
	n := 0
	for n < len(text) {
		c, width, _ := charAt(text[n:])
		if c == number {
			if n == 0 {
				return width
			}
			return n
		}
		n += width
	}
	return n
}

// punctuationRun splits runs of punctuation off, and of the ASCII symbols that
// Falcon counts as such.
func punctuationRun(text string) int {
	punct := func(i int) (bool, int) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '$', '+', '<', '=', '>', '^', '~', '|', '`':
			return true, n
		case utf8.RuneError:
			return false, n
		}
		return unicode.IsPunct(r), n
	}
	is, n := punct(0)
	for n < len(text) {
		same, width := punct(n)
		if same != is {
			break
		}
		n += width
	}
	return n
}

// threeDigits splits groups of three ASCII digits off.
func threeDigits(text string) int {
	for i := range len(text) - 2 {
		if isDigit(text[i]) && isDigit(text[i+1]) && isDigit(text[i+2]) {
			if i == 0 {
				return 3
			}
			return i
		}
	}
	return len(text)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
