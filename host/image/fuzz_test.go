package image_test

import (
	"bytes"
	"io"
	"testing"

	"ssnail-kit/host/image"
)

// FuzzOpen: whatever opens can be listed, named and tokenized with, or says
// what is wrong.
func FuzzOpen(f *testing.F) {
	good := toyImage(f, toySPM())
	f.Add(good)
	f.Add(toyImage(f, toyWordPiece()))
	f.Add(good[:256])
	f.Add(good[:5])
	f.Fuzz(func(t *testing.T, file []byte) {
		im, err := image.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		enc := im.Header.Encode()
		if again, err := image.ParseHeader(enc[:]); err != nil || again != im.Header {
			t.Fatalf("header %+v becomes %+v (%v)", im.Header, again, err)
		}
		image.Disassemble(io.Discard, im) // an error is fine, a panic is not
		if tok, err := image.NewTokenizer(im, im.Header); err == nil {
			tok.Encode([]byte("a b, ab 11's\n\n A_"), false)
			for id := range min(im.NVocab, 100) {
				tok.Piece(id)
			}
		}
	})
}

// FuzzTokenizer: tables of random bytes and any text give tokens or an error,
// in bounded time; every token is one of the vocabulary.
func FuzzTokenizer(f *testing.F) {
	for _, spec := range []image.TableSpec{toySPM(), toyBPE(), toyWordPiece()} {
		im := open(f, toyImage(f, spec))
		tables := make([]byte, im.Tokenizer+image.TokBlockBytes-im.Vocab)
		if err := im.Read(im.Vocab, tables); err != nil {
			f.Fatal(err)
		}
		f.Add(tables, im.NVocab, im.Tokenizer-im.Vocab, []byte("un wanted abab 11's\n\n<s>"))
	}
	f.Fuzz(func(t *testing.T, tables []byte, nVocab, block uint32, text []byte) {
		const at = 0x8006000
		m := append(make(ram, at-image.Payload), tables...)
		h := image.Header{Vocab: at, NVocab: nVocab, Tokenizer: at + block, Scratch: at + uint32(len(tables)), LoadAddr: image.Payload}
		if uint64(block)+image.TokBlockBytes > uint64(len(tables)) {
			return
		}
		tok, err := image.NewTokenizer(m, h)
		if err != nil {
			return
		}
		ids, err := tok.Encode(text, false)
		if err != nil {
			return
		}
		if len(ids) > len(text)+3 {
			t.Fatalf("%d bytes became %d tokens", len(text), len(ids))
		}
		for _, id := range ids {
			if id >= nVocab {
				t.Fatalf("token %d of %d", id, nVocab)
			}
		}
		// A search compares with at most 33 entries; a text has at most 4
		// searches for every byte, WordPiece one for every byte of a word.
		if limit := 33 * 101 * uint64(len(text)+1); tok.Probes() > limit {
			t.Fatalf("%d probes for %d bytes", tok.Probes(), len(text))
		}
	})
}
