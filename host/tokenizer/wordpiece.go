package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ssnail-kit/host/image"
)

// encodeWordPiece appends the tokens of text as BERT's uncased tokenizer does.
func (t *Tokenizer) encodeWordPiece(ids []uint32, text string) []uint32 {
	for _, word := range bertWords(text) {
		ids = t.encodeWord(ids, word)
	}
	return ids
}

// bertWords cleans text and splits it: control characters, NUL and U+FFFD are
// dropped, letters lower-cased, accents stripped; white space ends words,
// punctuation and Chinese characters are words of their own.
func bertWords(text string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.White_Space, r):
			end()
		case r == 0, r == utf8.RuneError, unicode.Is(unicode.C, r):
		case unicode.Is(unicode.Mn, r): // accents
		case unicode.IsPunct(r), r < 0x7F && unicode.IsSymbol(r), chinese(r):
			end()
			words = append(words, string(unicode.ToLower(r)))
		default:
			word.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	return words
}

// chinese reports whether r is a CJK ideograph.
func chinese(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0x20000 && r <= 0x2A6DF,
		r >= 0x2A700 && r <= 0x2B73F, r >= 0x2B740 && r <= 0x2B81F, r >= 0x2B820 && r <= 0x2CEAF,
		r >= 0xF900 && r <= 0xFAFF, r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}

// encodeWord appends the tokens of a word: the longest token that it begins
// with, again and again; if there is none anywhere, or the word is too long,
// the whole word is unknown.
func (t *Tokenizer) encodeWord(ids []uint32, word string) []uint32 {
	mark := len(ids)
	if utf8.RuneCountInString(word) > image.MaxWord {
		return append(ids, t.v.UnknownToken())
	}
	rest := spmSpace + word
	for len(rest) > 0 {
		n := min(len(rest), t.longest)
		for ; n > 0; n-- {
			if id, ok := t.ids[rest[:n]]; ok && rest[:n] != spmSpace {
				ids = append(ids, id)
				break
			}
		}
		if n == 0 {
			return append(ids[:mark], t.v.UnknownToken())
		}
		rest = rest[n:]
	}
	return ids
}
