package tokenizer_test

import (
	"slices"
	"strings"
	"testing"

	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

func newTokenizer(t testing.TB, v *tokenizer.Vocab) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.New(v)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// toySPM has every byte as a token but newline's.
func toySPM() *tokenizer.Vocab {
	v := &tokenizer.Vocab{Kind: image.SentencePiece, BOS: 1, EOS: 2, Unknown: 0, CLS: tokenizer.None, SEP: tokenizer.None, AddBOS: true, AddSpacePrefix: true}
	add := func(piece string, score float32, typ int32) {
		v.Pieces = append(v.Pieces, piece)
		v.Scores = append(v.Scores, score)
		v.Types = append(v.Types, typ)
	}
	add("<unk>", 0, image.TypeUnknown)
	add("<s>", 0, image.TypeControl)
	add("</s>", 0, image.TypeControl)
	add("<|user|>", 0, image.TypeUserDefined) // 3
	for _, b := range []string{"<0x41>", "<0xC3>", "<0xA9>", "<0x0A>"} {
		add(b, 0, image.TypeByte) // 4-7
	}
	for _, c := range []string{"\u2581", "a", "b", "A", "<", "/", "s", ">"} {
		add(c, -100, 1) // 8-15
	}
	add("ab", -1, 1)           // 16
	add("\u2581a", -2, 1)      // 17
	add("</", -3, 1)           // 18
	add("s>", -4, 1)           // 19
	add("\u2581\u2581", -5, 1) // 20
	return v
}

func toyBPE(pre string) *tokenizer.Vocab {
	v := &tokenizer.Vocab{Kind: image.BPE, Pre: pre, BOS: tokenizer.None, EOS: tokenizer.None, Unknown: tokenizer.None, CLS: tokenizer.None, SEP: tokenizer.None}
	for b := range 256 {
		v.Pieces = append(v.Pieces, string(image.ByteRune(byte(b))))
	}
	for _, m := range []string{"Ċ Ċ", "3 3", "33 3", "Ġ a", "' s", "a b", "b a"} {
		left, right, _ := image.SplitMerge(m)
		v.Merges = append(v.Merges, m)
		v.Pieces = append(v.Pieces, left+right) // 256 ...
	}
	v.Pieces = append(v.Pieces, "aba", "<|end|>") // 263: no merge makes it; 264
	v.Types = slices.Repeat([]int32{image.TypeNormal}, len(v.Pieces))
	v.Types[264] = image.TypeControl
	return v
}

func toyWordPiece() *tokenizer.Vocab {
	return &tokenizer.Vocab{
		Kind: image.WordPiece, BOS: tokenizer.None, EOS: tokenizer.None, Unknown: 0, CLS: 1, SEP: 2,
		Pieces: []string{"[UNK]", "[CLS]", "[SEP]", "\u2581un", "want", "ed", "\u2581runn", "ing", "\u2581.", "\u2581a", "a", "\u2581$", "\u25815", "\u2581'", "\u2581don", "\u2581t", "\u2581_", "\u2581我"},
	}
}

func TestEncode(t *testing.T) {
	noFallback := toySPM()
	for i := 4; i < 8; i++ {
		noFallback.Pieces[i] = "x"
	}
	noPrefix := toySPM()
	noPrefix.AddSpacePrefix = false
	fake := toySPM()
	fake.Types[1] = image.TypeNormal
	long := func(n int) string { return strings.Repeat("a", n) }
	plain, special := tokenizer.Options{}, tokenizer.Options{ParseSpecial: true}
	add := tokenizer.Options{AddSpecial: true}
	for _, c := range []struct {
		name string
		v    *tokenizer.Vocab
		text string
		opt  tokenizer.Options
		want []uint32
	}{
		{"SPM best score first", toySPM(), "aba", plain, []uint32{8, 16, 9}},
		{"SPM BOS", toySPM(), "a", add, []uint32{1, 17}},
		{"B11 byte fallback", toySPM(), "é\n", plain, []uint32{8, 5, 6, 7}},
		{"B11 no byte tokens: crash is no answer", noFallback, "é\n", plain, []uint32{8, 0, 0, 0}},
		{"B11 the plain letter wins", toySPM(), "A", plain, []uint32{8, 11}},
		{"B11 byte token's text is text", toySPM(), "<0x41>", plain, []uint32{8, 12, 0, 0, 0, 0, 15}},
		{"B13 empty", toySPM(), "", plain, nil},
		{"B13 one space", toySPM(), " ", plain, []uint32{20}},
		{"B13 no prefix", noPrefix, "a", plain, []uint32{9}},
		{"B14 control token's text is text", toySPM(), "</s>", plain, []uint32{8, 18, 19}},
		{"B14 unless asked for", toySPM(), "a</s>b", special, []uint32{17, 2, 8, 10}},
		{"B14 a token of type normal is no control token", fake, "<s>", special, []uint32{8, 12, 19}},
		{"user-defined tokens always count", toySPM(), "<|user|>a", plain, []uint32{3, 17}},

		{"B16 contractions", toyBPE("gpt-2"), "a's a'S", plain, []uint32{'a', 260, 259, '\'', 'S'}},
		{"B16 gpt-2: digits in one chunk", toyBPE("gpt-2"), "33333", plain, []uint32{257, 258}},
		{"B16 llama-bpe: digits by three", toyBPE("llama-bpe"), "33333", plain, []uint32{258, 257}},
		{"B16 qwen2: digits one by one", toyBPE("qwen2"), "333", plain, []uint32{'3', '3', '3'}},
		{"B16 starcoder: digits one by one", toyBPE("starcoder"), "333", plain, []uint32{'3', '3', '3'}},
		{"B16 gpt-2: newlines before text", toyBPE("gpt-2"), "\n\na", plain, []uint32{'\n', '\n', 'a'}},
		{"B16 llama-bpe: newlines before text", toyBPE("llama-bpe"), "\n\na", plain, []uint32{256, 'a'}},
		{"B16 gpt-2: merges do not reach the whole word", toyBPE("gpt-2"), "aba", plain, []uint32{261, 'a'}},
		{"B16 llama-bpe: the whole word is a token", toyBPE("llama-bpe"), "aba", plain, []uint32{263}},
		{"BPE bytes", toyBPE("gpt-2"), "\xff\u00e9", plain, []uint32{0xFF, 0xC3, 0xA9}},
		{"B14 BPE", toyBPE("gpt-2"), "<|end|>", special, []uint32{264}},
		{"BPE empty", toyBPE("gpt-2"), "", add, nil},

		{"B17 whole or unknown", toyWordPiece(), "unwantedX running", plain, []uint32{0, 6, 7}},
		{"B17 100 characters", toyWordPiece(), long(100), plain, append([]uint32{9}, slices.Repeat([]uint32{10}, 99)...)},
		{"B17 101 characters", toyWordPiece(), long(101), plain, []uint32{0}},
		{"B17 punctuation", toyWordPiece(), "don't a.a $5", plain, []uint32{14, 13, 15, 9, 8, 9, 11, 12}},
		{"B17 dropped and blank characters", toyWordPiece(), "a\u200ba\x00a\ufffd\ta\n", plain, []uint32{9, 10, 10, 9}},
		{"WordPiece underscore", toyWordPiece(), "a_a", plain, []uint32{9, 16, 9}},
		{"WordPiece ideographs, case, accents", toyWordPiece(), "A我Á", plain, []uint32{9, 17, 9}},
		{"WordPiece [CLS] and [SEP]", toyWordPiece(), "", add, []uint32{1, 2}},
	} {
		if got := newTokenizer(t, c.v).Encode(c.text, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gave %d, want %d", c.name, c.text, got, c.want)
		}
	}
}

// B13: decode(encode(s)) == s, and when streaming only the first piece loses
// its space.
func TestRoundTrip(t *testing.T) {
	noPrefix := toySPM()
	noPrefix.AddSpacePrefix = false
	for _, v := range []*tokenizer.Vocab{toySPM(), noPrefix, toyBPE("gpt-2"), toyBPE("llama-bpe")} {
		tok := newTokenizer(t, v)
		for _, s := range []string{"", " ", "a", " a", "  a", "a ", "ab  ba", "é\n", "A</s>", "a<|user|>b", "<|user|> a"} {
			for _, add := range []bool{false, true} {
				ids := tok.Encode(s, tokenizer.Options{AddSpecial: add})
				if got := tok.Decode(ids); string(got) != s {
					t.Errorf("%v %q: %d comes back as %q", v.Kind, s, ids, got)
				}
			}
		}
	}
	tok := newTokenizer(t, toySPM())
	d := tok.Decoder()
	var parts []string
	for _, id := range []uint32{1, 17, 17, 99999} {
		parts = append(parts, string(d.Next(id)))
	}
	if want := []string{"", "a", " a", ""}; !slices.Equal(parts, want) {
		t.Errorf("streamed %q, want %q", parts, want)
	}
}

func TestWarning(t *testing.T) {
	for pre, want := range map[string]string{
		"gpt-2": "", "llama-bpe": "", "smollm": "", "qwen2": "", "starcoder": "", "falcon": "",
		"": "not named", "default": "not named", "deepseek-coder": `"deepseek-coder"`,
	} {
		got := newTokenizer(t, toyBPE(pre)).Warning()
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", pre, got, want)
		}
	}
	if w := newTokenizer(t, toySPM()).Warning(); w != "" {
		t.Errorf("SentencePiece: %q", w)
	}
}

// FuzzEncode: any text of any kind gives tokens of the vocabulary, and those
// that keep all bytes give the text back.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"", "I've  been\n\n3333", "é🦙\xff", "</s><|user|> a", "我 想 \u200d"} {
		f.Add(s)
	}
	full := toySPM()
	full.Pieces, full.Scores, full.Types = full.Pieces[:4], full.Scores[:4], full.Types[:4]
	for b := range 256 {
		full.Pieces = append(full.Pieces, byteName(byte(b)))
		full.Scores = append(full.Scores, 0)
		full.Types = append(full.Types, image.TypeByte)
	}
	full.Pieces = append(full.Pieces, "\u2581", "a", "\u2581a")
	full.Scores = append(full.Scores, -9, -9, -1)
	full.Types = append(full.Types, 1, 1, 1)
	var toks []*tokenizer.Tokenizer
	for _, v := range []*tokenizer.Vocab{full, toyWordPiece(), toyBPE("gpt-2"), toyBPE("llama-bpe"), toyBPE("qwen2"), toyBPE("smollm"), toyBPE("falcon")} {
		toks = append(toks, newTokenizer(f, v))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range toks {
			ids := tok.Encode(text, tokenizer.Options{AddSpecial: true})
			for _, id := range ids {
				if int(id) >= len(tok.Vocab().Pieces) {
					t.Fatalf("token %d", id)
				}
			}
			lossless := tok.Vocab().Kind == image.BPE ||
				tok.Vocab().Kind == image.SentencePiece && !strings.Contains(text, "\u2581")
			if got := tok.Decode(ids); lossless && string(got) != text {
				t.Fatalf("%v %q: %d comes back as %q", tok.Vocab().Pre, text, ids, got)
			}
		}
	})
}

func byteName(b byte) string {
	const hex = "0123456789ABCDEF"
	return "<0x" + string(hex[b>>4]) + string(hex[b&15]) + ">"
}

// BenchmarkEncode encodes a page of text with a toy vocabulary.
func BenchmarkEncode(b *testing.B) {
	tok := newTokenizer(b, toySPM())
	text := strings.Repeat("ab ba A ", 500)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tok.Encode(text, tokenizer.Options{})
	}
}
