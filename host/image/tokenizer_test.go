package image_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"ssnail-kit/host/image"
)

const none = image.NoToken

func TestEncode(t *testing.T) {
	wide := toyBPE() // more tokens than u16 priorities can tell apart
	for len(wide.Pieces) <= 0xFFFF {
		wide.Pieces = append(wide.Pieces, "☃")
	}
	noNewline := toySPM()
	noNewline.Pieces[3] = "x"
	b := func(s string) (ids []uint32) { // the byte tokens of s
		for _, c := range []byte(s) {
			ids = append(ids, uint32(c))
		}
		return ids
	}
	for _, c := range []struct {
		name string
		spec image.TableSpec
		text string
		cont bool
		want []uint32
	}{
		{"B13 empty: BOS only", toySPM(), "", false, []uint32{1}},
		{"B13 empty, later turn", toySPM(), "", true, nil},
		{"B13 a space", toySPM(), " ", true, []uint32{5, 5}},
		{"the best score merges first", toySPM(), "aba", true, []uint32{11, 6}},
		{"leftmost of equals, then longer", toySPM(), "babab", true, []uint32{5, 7, 13}},
		{"text as a whole", toySPM(), "ab", false, []uint32{1, 11}},
		{"B11 newline by its byte token", toySPM(), "\n", true, []uint32{5, 3}},
		{"B11 no newline token", noNewline, "\n", true, []uint32{5, 0}},
		{"B11 the plain letter, not its byte token", toySPM(), "A", true, []uint32{5, 14}},
		{"B11 text that looks like a byte token", toySPM(), "<0x41>", true, []uint32{5, 0, 0, 0, 0, 0, 0}},
		{"B14 text that looks like a special token", toySPM(), "</s>", true, []uint32{5, 0, 0, 0, 0}},
		{"a byte above 127", toySPM(), "\xC3", true, []uint32{5, 16}},

		{"BPE empty", toyBPE(), "", false, nil},
		{"BPE merges within a chunk", toyBPE(), "abab", false, []uint32{259, 259}},
		{"BPE the lower rank wins", toyBPE(), "bab", false, []uint32{'b', 259}},
		{"BPE a space joins the word", toyBPE(), "ab ab", false, []uint32{259, 260}},
		{"B16 contraction", toyBPE(), "a's", false, []uint32{'a', 258}},
		{"B16 newlines before text are chunks of their own", toyBPE(), "1\n\n1", false, b("1\n\n1")},
		{"B16 newlines at the end are one chunk", toyBPE(), "1\n\n", false, []uint32{'1', 256}},
		{"B16 white space keeps its last character back", toyBPE(), "a \n\tb", false, b("a \n\tb")},
		{"B16 two spaces before a word", toyBPE(), "a  ab", false, []uint32{'a', ' ', 260}},
		{"B16 three spaces before a word", toyBPE(), "a   ab", false, []uint32{'a', 257, 260}},
		{"B16 digits", toyBPE(), "111", false, []uint32{261, '1'}},
		{"BPE bytes without a token vanish", toyBPE(), "a\x00\r\x80b", false, b("ab")},
		{"BPE with u32 priorities", wide, "abab 11", false, []uint32{259, 259, ' ', 261}},

		{"B17 a word is whole or unknown", toyWordPiece(), "unwantedX running", false, []uint32{1, 0, 6, 7, 2}},
		// " unw" is the longest beginning; no token begins "anted"
		{"WordPiece longest match first", toyWordPiece(), "unwanted", false, []uint32{1, 0, 2}},
		{"WordPiece lower-cases", toyWordPiece(), "UNed", false, []uint32{1, 3, 5, 2}},
		{"WordPiece later turn", toyWordPiece(), "Runn", true, []uint32{1, 6, 2}},
		{"WordPiece empty", toyWordPiece(), "", false, []uint32{1, 2}},
		{"WordPiece underscore is punctuation", toyWordPiece(), "a_a", false, []uint32{1, 9, 11, 9, 2}},
		{"WordPiece white space", toyWordPiece(), "\ta\n\v\f\ra ", false, []uint32{1, 9, 9, 2}},
		{"B17 a dot stands alone", toyWordPiece(), "a.a", false, []uint32{1, 9, 8, 9, 2}},
		{"B17 100 characters", toyWordPiece(), strings.Repeat("a", 100), false, append(append([]uint32{1, 9}, slices.Repeat([]uint32{10}, 99)...), 2)},
		{"B17 101 characters", toyWordPiece(), strings.Repeat("a", 101), false, []uint32{1, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := newTokenizer(t, c.spec).Encode([]byte(c.text), c.cont)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestTables(t *testing.T) {
	spec := toySPM()
	tables, err := image.BuildTables(spec, image.Payload+5)
	if err != nil {
		t.Fatal(err)
	}
	if tables.Addr != image.Payload+32 || tables.End != tables.Addr+uint32(len(tables.Bytes)) {
		t.Errorf("blocks from $%X to $%X, %d bytes", tables.Addr, tables.End, len(tables.Bytes))
	}
	for _, addr := range []uint32{tables.Vocab, tables.Index, tables.Priorities, tables.ByteTable, tables.Tokenizer} {
		if addr%image.BlockAlign != 0 {
			t.Errorf("a block at $%X", addr)
		}
	}
	// " ", " a", " ab", "A", "a", "ab", "abab", "b", "ba"; neither é nor the second "a"
	want := []uint32{5, 10, 11, 14, 6, 8, 13, 7, 9}
	var got []uint32
	for i := range tables.NIndex {
		at := tables.Index - tables.Addr + 4*i
		got = append(got, uint32(tables.Bytes[at])|uint32(tables.Bytes[at+1])<<8)
	}
	if !slices.Equal(got, want) {
		t.Errorf("index %d, want %d", got, want)
	}
	prio := tables.Bytes[tables.Priorities-tables.Addr:]
	for id, rank := range map[int]byte{8: 0, 9: 1, 10: 2, 11: 3, 13: 4, 5: 0xFF, 6: 0xFF, 12: 0xFF, 15: 0xFF} {
		if prio[2*id] != rank {
			t.Errorf("priority of token %d is %d, want %d", id, prio[2*id], rank)
		}
	}
	again, err := image.BuildTables(spec, image.Payload+5)
	if err != nil || !bytes.Equal(again.Bytes, tables.Bytes) {
		t.Error("the same vocabulary gave other tables")
	}
}

func TestTablesRefuse(t *testing.T) {
	nan := toySPM()
	nan.Scores[7] = float32(math.NaN())
	for _, c := range []struct {
		name string
		spec image.TableSpec
		want string
	}{
		{"no tokens", image.TableSpec{}, "no tokens"},
		{"scores", image.TableSpec{Kind: image.SentencePiece, Pieces: []string{"a"}}, "0 token scores for 1"},
		{"score", nan, `score of token 7 ("b")`},
		{"types", image.TableSpec{Kind: image.BPE, Pieces: []string{"a"}, Types: []int32{1, 1}}, "2 token types for 1"},
		{"merge", image.TableSpec{Kind: image.BPE, Pieces: []string{"a"}, Merges: []string{"ab"}}, `merge 0 is "ab"`},
		{"begin", image.TableSpec{Kind: image.BPE, Pieces: []string{"a"}, Begin: 1}, "begin token is 1"},
	} {
		if _, err := image.BuildTables(c.spec, image.Payload); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Ids beyond the vocab table can be generated; they print nothing.
func TestPiece(t *testing.T) {
	tok := newTokenizer(t, toySPM())
	for id, want := range map[uint32]string{0: "", 1: "", 3: "\n", 4: "A", 5: " ", 11: " ab", 12: "é", 16: "\xC3", 17: "", 1 << 20: "", none: ""} {
		if got, err := tok.Piece(id); err != nil || string(got) != want {
			t.Errorf("piece %d is %q (%v), want %q", id, got, err, want)
		}
	}
}

// A merge looks up its two new pairs and no others.
func TestProbes(t *testing.T) {
	tok := newTokenizer(t, toySPM())
	before := tok.Probes()
	if _, err := tok.Encode([]byte(strings.Repeat("b", 50)), true); err != nil {
		t.Fatal(err)
	}
	few := tok.Probes() - before
	if few == 0 || few > 50*4 { // 9 entries: at most 4 probes a pair
		t.Errorf("%d probes for 50 pairs that never merge", few)
	}
}

func TestTokenizerRefuses(t *testing.T) {
	good := toyImage(t, toySPM())
	h := open(t, good).Header
	block := int(h.Tokenizer-image.Payload) + image.HeaderSize
	for _, c := range []struct {
		name string
		off  int
		v    uint32
		want string
	}{
		{"kind", block, 3, "kind 3"},
		{"n_vocab", block + 4, 16, "16 tokens"},
		{"index address", block + 8, 0, "outside the payload"},
		{"index address at the end", block + 8, 0xFFFFFFFF, "outside the payload"},
		{"index entries", block + 12, 0xFFFFFFFF, "index entries"},
		{"priorities", block + 16, 0x8000000, "outside the payload"},
		{"byte table", block + 20, h.Scratch - 1023, "outside the payload"},
		{"begin", block + 24, 17, "token 17 of 17"},
		{"unknown", block + 32, 99, "token 99 of 17"},
	} {
		b := bytes.Clone(good)
		put32(b, c.off, c.v)
		im := open(t, b)
		if _, err := image.NewTokenizer(im, im.Header); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	// Faults that show only when the entry is used.
	b := bytes.Clone(good)
	put32(b, int(h.Vocab-image.Payload)+image.HeaderSize+4*6, 0xFFFFFFF0)
	im := open(t, b)
	tok, err := image.NewTokenizer(im, im.Header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tok.Piece(6); err == nil || !strings.Contains(err.Error(), "entry 6") {
		t.Errorf("a text that ends before it begins: %v", err)
	}
}

func TestByteMap(t *testing.T) {
	seen := make(map[rune]bool)
	for i := range 256 {
		r := image.ByteRune(byte(i))
		if b, ok := image.RuneByte(r); !ok || b != byte(i) || seen[r] {
			t.Errorf("byte %d is %q and back %d %v", i, r, b, ok)
		}
		seen[r] = true
	}
	for r, want := range map[rune]byte{'Ġ': ' ', 'Ċ': '\n', '!': '!', 'ł': 0xA0, 'Ń': 0xAD, 'é': 0xE9} {
		if b, ok := image.RuneByte(r); !ok || b != want {
			t.Errorf("%q is byte %d %v, want %d", r, b, ok, want)
		}
	}
	for _, r := range []rune{' ', 0x7F, 0xA0, 0xAD, 0x144, '☃'} {
		if _, ok := image.RuneByte(r); ok {
			t.Errorf("%q is in the map", r)
		}
	}
}
