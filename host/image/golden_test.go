package image_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ssnail-kit/host/image"
)

type tokenizeCase struct {
	Text        string
	First, Cont []uint32
}

type tokGolden struct {
	Vocab        string
	NIndex       uint32 `json:"n_index"`
	Flags        byte
	Begin, End   uint32
	Unk          uint32
	TablesBytes  int    `json:"tables_bytes"`
	TablesSHA256 string `json:"tables_sha256"`
	VocabAddr    uint32 `json:"vocab_addr"`
	TokAddr      uint32 `json:"tok_addr"`
	Tokenize     []tokenizeCase
	LlamaCPP     []struct {
		Text  string
		Image []uint32
	} `json:"llama_cpp"`
}

// ram is a Memory over a payload at its load address.
type ram []byte

func (m ram) Read(addr uint32, dst []byte) error {
	copy(dst, m[addr-image.Payload:])
	return nil
}

// bare builds an image's tables behind the slots of a script without layers.
func bare(t testing.TB, spec image.TableSpec) (ram, image.Header, *image.Tables) {
	t.Helper()
	const slots = image.ScriptSlotsBase * image.InstructionBytes
	tables, err := image.BuildTables(spec, image.Payload+slots)
	if err != nil {
		t.Fatal(err)
	}
	m := append(make(ram, slots), tables.Bytes...)
	h := image.Header{
		Vocab: tables.Vocab, NVocab: uint32(len(spec.Pieces)), Tokenizer: tables.Tokenizer,
		Scratch: tables.End, LoadAddr: image.Payload,
	}
	return m, h, tables
}

// corrected returns what a golden list should say where the reference that
// made it is wrong. Empty SentencePiece text has no tokens; the reference
// makes a lone space of it. WordPiece takes "_" for punctuation as BERT does;
// the reference takes it for a letter, so what it gives for a text with spaces
// around each "_" cannot be had, and our own splitting is held against that
// text instead.
func corrected(t *testing.T, tok *image.Tokenizer, text string, cont bool, want []uint32) []uint32 {
	switch {
	case tok.Kind() == image.SentencePiece && text == "":
		if cont {
			return nil
		}
		return []uint32{tok.Begin()}
	case tok.Kind() == image.WordPiece && strings.Contains(text, "_"):
		ids, err := tok.Encode(ascii(strings.ReplaceAll(text, "_", " _ ")), cont)
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	return want
}

func TestRealVocabularies(t *testing.T) {
	dir := shared(t)
	for _, name := range []string{"llama-spm", "gpt-2", "bert-bge"} {
		t.Run(name, func(t *testing.T) {
			var g tokGolden
			readJSON(t, filepath.Join(dir, "golden", "tok-"+name+".json"), &g)
			spec, err := readVocab(t, filepath.Join(dir, "vocab", g.Vocab)).TableSpec()
			if err != nil {
				t.Fatal(err)
			}
			m, h, tables := bare(t, spec)
			if len(m) != g.TablesBytes || tables.NIndex != g.NIndex || tables.Vocab != g.VocabAddr || tables.Tokenizer != g.TokAddr {
				t.Errorf("%d bytes, %d entries, vocab $%X, block $%X; want %d, %d, $%X, $%X", len(m), tables.NIndex, tables.Vocab,
					tables.Tokenizer, g.TablesBytes, g.NIndex, g.VocabAddr, g.TokAddr)
			}
			if sum := sha256.Sum256(m); hex.EncodeToString(sum[:]) != g.TablesSHA256 {
				t.Error("the tables differ from the reference's")
			}
			tok, err := image.NewTokenizer(m, h)
			if err != nil {
				t.Fatal(err)
			}
			if tok.Begin() != g.Begin || tok.End() != g.End || tok.Unknown() != g.Unk {
				t.Errorf("begin %d end %d unknown %d, want %d %d %d", tok.Begin(), tok.End(), tok.Unknown(), g.Begin, g.End, g.Unk)
			}
			if name == "bert-bge" {
				want := []uint32{101, 1037, 1035, 1038, 1035, 1035, 1039, 1035, 1035, 1035, 102}
				if got, err := tok.Encode([]byte("a_b __c__ _"), false); err != nil || !slices.Equal(got, want) {
					t.Errorf("underscores are punctuation: got %d (%v), want %d", got, err, want)
				}
			}
			checkTokenize(t, tok, g.Tokenize)
			for _, c := range g.LlamaCPP {
				got, err := tok.Encode(ascii(c.Text), true)
				if err != nil {
					t.Fatal(err)
				}
				if tok.Kind() == image.WordPiece {
					got = got[1 : len(got)-1]
				}
				if want := corrected(t, tok, c.Text, true, c.Image); !slices.Equal(got, want) {
					t.Errorf("llama.cpp's case %q: got %d, want %d", c.Text, got, want)
				}
			}
		})
	}
}

func checkTokenize(t *testing.T, tok *image.Tokenizer, cases []tokenizeCase) {
	t.Helper()
	for _, c := range cases {
		for _, turn := range []struct {
			cont bool
			want []uint32
		}{{false, c.First}, {true, c.Cont}} {
			got, err := tok.Encode(ascii(c.Text), turn.cont)
			if err != nil {
				t.Fatal(err)
			}
			if want := corrected(t, tok, c.Text, turn.cont, turn.want); !slices.Equal(got, want) {
				t.Errorf("%q cont %v: got %d, want %d", c.Text, turn.cont, got, want)
			}
		}
	}
}

// TestGoldenModels rebuilds the tables of every golden model and tokenizes the
// golden texts with them.
func TestGoldenModels(t *testing.T) {
	dir := filepath.Join(shared(t), "golden")
	files, err := filepath.Glob(filepath.Join(dir, "*.default.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files in %s (%v)", dir, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			var g struct {
				Model    string
				Tokenize []tokenizeCase
			}
			readJSON(t, file, &g)
			if len(g.Tokenize) == 0 {
				t.Fatal("no texts")
			}
			model := filepath.Join(dir, g.Model)
			if _, err := os.Stat(model); err != nil {
				t.Skipf("skipped: %v", err)
			}
			spec, err := readVocab(t, model).TableSpec()
			if err != nil {
				t.Fatal(err)
			}
			m, h, _ := bare(t, spec)
			tok, err := image.NewTokenizer(m, h)
			if err != nil {
				t.Fatal(err)
			}
			checkTokenize(t, tok, g.Tokenize)
		})
	}
}

// TestGoldenImages opens the golden images: their headers survive a round
// trip, and their tables are what BuildTables makes.
func TestGoldenImages(t *testing.T) {
	dir := filepath.Join(shared(t), "golden")
	files, err := filepath.Glob(filepath.Join(dir, "images", "*.ssnail"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden images in %s (%v)", dir, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ssnail")
		t.Run(name, func(t *testing.T) {
			im, b := openImage(t, file)
			if enc := im.Header.Encode(); !bytes.Equal(enc[:], b[:image.HeaderSize]) {
				t.Errorf("header\n%x encodes to\n%x", b[:image.HeaderSize], enc)
			}
			script, err := im.Instructions()
			if err != nil {
				t.Fatal(err)
			}
			if last := script[len(script)-1]; last.Op != image.HALT {
				t.Errorf("the script ends with %v", last.Op)
			}
			for i, in := range script {
				enc := in.Encode()
				at := int(im.Script-image.Payload) + image.HeaderSize + i*image.InstructionBytes
				if !in.Op.Known() || !bytes.Equal(enc[:], b[at:at+image.InstructionBytes]) {
					t.Errorf("instruction %d: %v encodes to %x", i, in, enc)
				}
			}
			var g struct {
				Model    string
				Tokenize []tokenizeCase
			}
			readJSON(t, filepath.Join(dir, name+".json"), &g)
			v := readVocab(t, filepath.Join(dir, g.Model))
			spec, err := v.TableSpec()
			if err != nil {
				t.Fatal(err)
			}
			tables, err := image.BuildTables(spec, im.Weights)
			if err != nil {
				t.Fatal(err)
			}
			at := int(tables.Addr-image.Payload) + image.HeaderSize
			if !bytes.Equal(tables.Bytes, b[at:at+len(tables.Bytes)]) || tables.Tokenizer != im.Tokenizer {
				t.Error("the tables differ from the image's")
			}
			if bos, eos := v.HeaderTokens(); bos != im.BOS || eos != im.EOS {
				t.Errorf("BOS %d EOS %d, the image has %d %d", bos, eos, im.BOS, im.EOS)
			}
			tok, err := image.NewTokenizer(im, im.Header)
			if err != nil {
				t.Fatal(err)
			}
			checkTokenize(t, tok, g.Tokenize)
			for id := range spec.Pieces {
				if got, err := tok.Piece(uint32(id)); err != nil || !bytes.Equal(got, spec.PieceText(id)) {
					t.Errorf("piece %d is %q (%v), want %q", id, got, err, spec.PieceText(id))
				}
			}
		})
	}
}

func openImage(t testing.TB, file string) (*image.Image, []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	im, err := image.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return im, b
}

// TestTraffic compares with what the reference counted for single
// instructions.
func TestTraffic(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(shared(t), "golden", "ops.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	if len(lines) < 100 {
		t.Fatalf("only %d cases", len(lines))
	}
	for _, line := range lines {
		var g struct {
			Name, Ins     string
			N             [3]uint32
			R             map[string]uint32
			Mem           [][2]any
			Read, Written uint64
		}
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		raw, err := hex.DecodeString(g.Ins)
		if err != nil {
			t.Fatal(err)
		}
		in := image.Decode((*[image.InstructionBytes]byte)(raw))
		s := image.State{N: g.N, R: g.R[strconv.Itoa(int(in.A&15))]}
		if in.Op == image.ATTN {
			for _, m := range g.Mem {
				if m[0].(float64) == float64(in.X) {
					raw, err := hex.DecodeString(m[1].(string))
					if err != nil {
						t.Fatal(err)
					}
					s.Attn = image.DecodeAttn((*[image.AttnBlockBytes]byte)(raw))
				}
			}
		}
		if read, written := in.Traffic(s); read != g.Read || written != g.Written {
			t.Errorf("%s: read %d written %d, want %d %d", g.Name, read, written, g.Read, g.Written)
		}
	}
}

// TestFoldGolden also feeds every case byte by byte.
func TestFoldGolden(t *testing.T) {
	var cases [][2]string
	readJSON(t, filepath.Join(shared(t), "golden", "fold.json"), &cases)
	if len(cases) < 500 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		src, err := hex.DecodeString(c[0])
		if err != nil {
			t.Fatal(err)
		}
		var f image.Folder
		if got := f.Fold(nil, src); string(got) != c[1] {
			t.Errorf("%s: got %q, want %q", c[0], got, c[1])
		}
		f.Reset()
		var got []byte
		for i := range src {
			got = f.Fold(got, src[i:i+1])
		}
		if string(got) != c[1] {
			t.Errorf("%s byte by byte: got %q, want %q", c[0], got, c[1])
		}
	}
}
