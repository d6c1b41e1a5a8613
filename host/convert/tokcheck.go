package convert

import (
	"fmt"
	"slices"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

// SampleLines are texts on which tokenizers tend to differ.
var SampleLines = []string{
	"Once upon a time",
	"Hello, world!",
	"The quick brown fox jumps over the lazy dog.",
	"Tom and Lily went to the park. They saw a big, red ball!",
	"It's what they've said: I'm sure we'll go, he'd say; you're right.",
	"DON'T SHOUT! I'LL LISTEN.",
	"1 12 123 1234 12345 3333 33333333",
	"3.14159 -17 +4 1,000,000 50% $9.99 #1",
	"a  b   c    d",
	" leading space",
	"  two leading spaces",
	"trailing space ",
	"trailing spaces   ",
	" ",
	"   ",
	"!",
	"...",
	"?!?!",
	"(brackets) [square] {curly} <angle>",
	"under_score snake_case CamelCase kebab-case",
	"path/to/file.txt C:\\DIR\\FILE http://example.com/?q=1&r=2",
	"10 PRINT \"HELLO\":GOTO 10",
	"for (i = 0; i < 10; i++) { a[i] += 2; }",
	"LDA #$00 : STA $D020",
	"~`@#$%^&*()-=+|\\;:'\",./<>?",
	"</s> <s> <unk> [CLS] [SEP] <|endoftext|>",
	"<0x41>",
	"unwanted running unbelievable antidisestablishmentarianism",
	"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
	"x",
	"He said \"yes\" and she said 'no'.",
	"What is 2+2? It is 4.",
}

// LineCheck is one line, tokenized twice.
type LineCheck struct {
	Text   string // folded to ASCII
	Image  []uint32
	GGUF   []uint32
	Probes uint64 // index probes of the image's tokenizer
}

// Differs reports whether the two disagree.
func (l *LineCheck) Differs() bool { return !slices.Equal(l.Image, l.GGUF) }

// CheckTokens tokenizes lines with an image's tables and with a GGUF's own
// tokenizer. Both get what the MEGA65 can hold: the text folded to ASCII.
func CheckTokens(im *image.Image, f *gguf.File, lines []string) ([]LineCheck, error) {
	t, err := image.NewTokenizer(im, im.Header)
	if err != nil {
		return nil, err
	}
	v, err := tokenizer.FromGGUF(f)
	if err != nil {
		return nil, err
	}
	if n := len(v.Pieces); uint32(n) != im.NVocab {
		return nil, fmt.Errorf("the image has %d tokens, the GGUF %d: they are not the same model", im.NVocab, n)
	}
	judge, err := tokenizer.New(v)
	if err != nil {
		return nil, err
	}
	var out []LineCheck
	for _, line := range lines {
		var fold image.Folder
		text := fold.Fold(nil, []byte(line))
		before := t.Probes()
		ids, err := t.Encode(text, false)
		if err != nil {
			return nil, err
		}
		out = append(out, LineCheck{
			Text: string(text), Image: ids, Probes: t.Probes() - before,
			GGUF: judge.Encode(string(text), tokenizer.Options{AddSpecial: true}),
		})
	}
	return out, nil
}
