package firmware

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// tokenize calls the program's tokenizer.
func (r *rig) tokenize(text string, cont bool) (ids []uint32, cycles uint64) {
	r.t.Helper()
	r.line(text)
	c := byte(0)
	if cont {
		c = 1
	}
	r.m.Poke(r.base("tok_cont"), []byte{c})
	cycles = r.call("tokenize", 0, 0).Cycles
	b := r.m.Peek(r.base("tok_count"), 2)
	n := int(b[0]) | int(b[1])<<8
	for i := range n {
		ids = append(ids, r.word(r.at("TOKENS")+uint32(4*i)))
	}
	return ids, cycles
}

// convertModel makes an image of a shared model.
func convertModel(t testing.TB, name string) []byte {
	t.Helper()
	f, err := gguf.Open(filepath.Join(shared(t), "models", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := convert.New(f, convert.Options{Yes: true, MemMB: 72})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flat is an image in memory.
type flat []byte

func (f flat) Read(addr uint32, dst []byte) error {
	off := int(addr) - image.Payload + image.HeaderSize
	if addr < image.Payload {
		off = int(addr) - image.Base
	}
	if off < 0 || off+len(dst) > len(f) {
		return fmt.Errorf("address $%X outside the image", addr)
	}
	copy(dst, f[off:])
	return nil
}

// pair is the same image in Go and on the machine.
func tokenizers(t testing.TB, img []byte) (*image.Tokenizer, *rig) {
	t.Helper()
	h, err := image.ParseHeader(img)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := image.NewTokenizer(flat(img), h)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, machine.Options{})
	r.load(img)
	return tok, r
}

func compareTokens(t testing.TB, tok *image.Tokenizer, r *rig, text string, cont bool) uint64 {
	t.Helper()
	want, err := tok.Encode([]byte(text), cont)
	if err != nil {
		t.Fatal(err)
	}
	got, cycles := r.tokenize(text, cont)
	if !slices.Equal(got, want) {
		t.Fatalf("%q (cont %v):\nmachine %d\nGo      %d", text, cont, got, want)
	}
	return cycles
}

// toyImage is an image without layers on a small random vocabulary.
func toyImage(t testing.TB, rng *rand.Rand, kind image.Kind, wide bool) []byte {
	t.Helper()
	spec := image.TableSpec{Kind: kind, Begin: 1, End: image.NoToken, Unknown: 0, Lowercase: true}
	seen := map[string]bool{}
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			spec.Pieces = append(spec.Pieces, s)
			spec.Scores = append(spec.Scores, float32(rng.IntN(40)))
		}
	}
	add("[UNK]")
	add("<s>")
	space := map[image.Kind]string{image.SentencePiece: "\u2581", image.BPE: "\u0120", image.WordPiece: "\u2581"}[kind]
	letters := []string{space, "a", "b", "c", "t", "s", "'", "1", "2", ".", "x"}
	for _, l := range letters {
		if l != "x" { // a letter that the vocabulary lacks
			add(l)
		}
	}
	for range 400 {
		var s strings.Builder
		for range 2 + rng.IntN(4) {
			s.WriteString(letters[rng.IntN(len(letters)-1)])
		}
		add(s.String())
	}
	if kind == image.BPE {
		for _, p := range spec.Pieces[2:] {
			runes := []rune(p)
			if len(runes) > 1 {
				cut := 1 + rng.IntN(len(runes)-1)
				spec.Merges = append(spec.Merges, string(runes[:cut])+" "+string(runes[cut:]))
			}
		}
		rng.Shuffle(len(spec.Merges), func(i, j int) { spec.Merges[i], spec.Merges[j] = spec.Merges[j], spec.Merges[i] })
	}
	if wide { // more than $FFFE tokens make priorities of four bytes
		for i := len(spec.Pieces); i < 0x10010; i++ {
			add(fmt.Sprintf("zz%d", i))
		}
	}
	return layout(t, spec)
}

// layout wraps the tables of a vocabulary in a header that the program takes.
func layout(t testing.TB, spec image.TableSpec) []byte {
	t.Helper()
	tables, err := image.BuildTables(spec, image.Payload+64*image.InstructionBytes)
	if err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, tables.Addr-image.Payload)
	payload = append(payload, tables.Bytes...)
	for len(payload)%image.EndAlign != 0 {
		payload = append(payload, 0)
	}
	end := uint32(image.Payload + len(payload))
	h := image.Header{
		Version: image.Version, Script: image.Payload, Weights: image.Payload + 64*image.InstructionBytes, Scratch: end,
		Tokens: image.TokenBuffer, Vocab: tables.Vocab, NVocab: uint32(len(spec.Pieces)), MaxCtx: 512, BOS: 1, EOS: 2,
		PayloadLen: uint32(len(payload)), Output: end, OutputLen: 64, MemNeeded: end + 256 - image.Base,
		LoadAddr: image.Payload, Tokenizer: tables.Tokenizer, Description: "toy",
	}
	head := h.Encode()
	return append(head[:], payload...)
}

// Small vocabularies of our own with every kind of clash: equal priorities,
// overlapping pieces, bytes without a token.
func TestTokenizerOnToyVocabularies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := " abcts'12.x  ABt's"
	for _, kind := range []image.Kind{image.SentencePiece, image.BPE, image.WordPiece} {
		for round, wide := range []bool{false, kind == image.BPE} {
			t.Run(fmt.Sprintf("%v-%d", kind, round), func(t *testing.T) {
				tok, r := tokenizers(t, toyImage(t, rng, kind, wide))
				lines := []string{"", " ", "  ", "a", "x", "aa", "'s", "'", "a't", "'ll'", "1  2", "a   ", "   a", strings.Repeat("a", 255),
					strings.Repeat("ab ", 85), strings.Repeat(" ", 255), strings.Repeat("a", 101) + " " + strings.Repeat("b", 100)}
				for range 120 {
					n := 1 + rng.IntN(40)
					if rng.IntN(20) == 0 {
						n = 1 + rng.IntN(255)
					}
					b := make([]byte, n)
					for i := range b {
						b[i] = alphabet[rng.IntN(len(alphabet))]
					}
					lines = append(lines, string(b))
				}
				for _, l := range lines {
					compareTokens(t, tok, r, l, rng.IntN(2) == 0)
				}
			})
		}
	}
}

var realModels = []struct{ kind, model string }{
	{"sentencepiece-512", "stories260K-q8_0.gguf"},
	{"sentencepiece-32000", "llama-rand-15M-q8_0.gguf"},
	{"bpe-50257", "gpt2-rand-50257-q8_0.gguf"},
	{"wordpiece", "bert-rand-3k-q8_0.gguf"},
}

// The program's tokenizer against the image package's, on real vocabularies:
// every ASCII line of the shared vocabulary tests, and random lines. The full
// 10,000 random lines a kind take minutes: set TOKENIZER_LINES to a number.
func TestTokenizerOnRealVocabularies(t *testing.T) {
	n := 60
	if s := os.Getenv("TOKENIZER_LINES"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatal(err)
		}
	}
	lines := asciiLines(t)
	for _, m := range realModels {
		t.Run(m.kind, func(t *testing.T) {
			tok, r := tokenizers(t, convertModel(t, m.model))
			for _, l := range lines {
				compareTokens(t, tok, r, l, false)
			}
			rng := rand.New(rand.NewPCG(7, uint64(len(m.kind))))
			for range n {
				compareTokens(t, tok, r, randomLine(rng, lines), rng.IntN(2) == 0)
			}
		})
	}
}

// asciiLines returns the lines of the shared vocabulary tests that can be
// typed.
func asciiLines(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared(t), "vocab", "*.inp"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vocabulary tests: %v", err)
	}
	seen := map[string]bool{}
	var lines []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(string(b), "\n") {
			if len(l) <= 255 && !seen[l] && strings.Trim(l, printable) == "" {
				seen[l] = true
				lines = append(lines, l)
			}
		}
	}
	return lines
}

var printable = func() string {
	b := make([]byte, 0, 95)
	for c := byte(' '); c <= '~'; c++ {
		b = append(b, c)
	}
	return string(b)
}()

// randomLine mixes words of the lines with random characters.
func randomLine(rng *rand.Rand, lines []string) string {
	var b []byte
	for range 1 + rng.IntN(14) {
		switch rng.IntN(6) {
		case 0:
			for range 1 + rng.IntN(6) {
				b = append(b, printable[rng.IntN(len(printable))])
			}
		case 1:
			b = append(b, strings.Repeat(" ", 1+rng.IntN(3))...)
		default:
			w := strings.Fields(lines[rng.IntN(len(lines))])
			if len(w) > 0 {
				b = append(append(b, w[rng.IntN(len(w))]...), ' ')
			}
		}
	}
	return string(b[:min(len(b), 255)])
}

// BenchmarkTokenizer reports the cycles of an 80-character line.
func BenchmarkTokenizer(b *testing.B) {
	text := "The quick brown fox jumps over the lazy dog, and nobody knows why it isn't tired"
	for _, m := range realModels {
		b.Run(m.kind, func(b *testing.B) {
			tok, r := tokenizers(b, convertModel(b, m.model))
			var cycles uint64
			for b.Loop() {
				cycles = compareTokens(b, tok, r, text, false)
			}
			b.ReportMetric(float64(cycles), "cycles/line")
			b.ReportMetric(float64(tok.Probes()), "probes")
		})
	}
}
