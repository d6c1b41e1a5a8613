package image_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"ssnail-kit/host/image"
)

// toySPM is a SentencePiece vocabulary small enough to merge by hand.
func toySPM() image.TableSpec {
	spec := image.TableSpec{Kind: image.SentencePiece, Begin: 1, End: image.NoToken, Unknown: 0}
	add := func(piece string, score float32, typ int32) {
		spec.Pieces = append(spec.Pieces, piece)
		spec.Scores = append(spec.Scores, score)
		spec.Types = append(spec.Types, typ)
	}
	add("<unk>", 0, image.TypeUnknown) // 0
	add("<s>", 0, image.TypeControl)   // 1
	add("</s>", 0, image.TypeControl)  // 2
	add("<0x0A>", 0, image.TypeByte)   // 3
	add("<0x41>", 0, image.TypeByte)   // 4
	add("\u2581", -10, 1)              // 5
	add("a", -10, 1)                   // 6
	add("b", -10, 1)                   // 7
	add("ab", -1, 1)                   // 8
	add("ba", -2, 1)                   // 9
	add("\u2581a", -3, 1)              // 10
	add("\u2581ab", -4, 1)             // 11
	add("é", -5, 1)                    // 12
	add("abab", -6, 1)                 // 13
	add("A", -10, 1)                   // 14
	add("a", -10, 1)                   // 15: a second spelling of 6
	add("<0xc3>", 0, image.TypeByte)   // 16
	return spec
}

// toyBPE knows single bytes and a few merges.
func toyBPE() image.TableSpec {
	spec := image.TableSpec{Kind: image.BPE, Begin: image.NoToken, End: image.NoToken, Unknown: 0}
	for b := range 256 {
		spec.Pieces = append(spec.Pieces, string(image.ByteRune(byte(b))))
	}
	for _, m := range [][2]string{{"Ċ", "Ċ"}, {"Ġ", "Ġ"}, {"'", "s"}, {"a", "b"}, {"Ġ", "ab"}, {"1", "1"}, {"b", "a"}} {
		spec.Merges = append(spec.Merges, m[0]+" "+m[1])
		spec.Pieces = append(spec.Pieces, m[0]+m[1]) // 256 ...
	}
	return spec
}

// toyWordPiece is the example of BERT's own bug reports.
func toyWordPiece() image.TableSpec {
	return image.TableSpec{
		Kind: image.WordPiece, Lowercase: true, Begin: 1, End: 2, Unknown: 0,
		Pieces: []string{"[UNK]", "[CLS]", "[SEP]", "\u2581un", "want", "ed", "\u2581runn", "ing", "\u2581.", "\u2581a", "a", "\u2581_", "\u2581unw"},
	}
}

// toyImage is a whole image of one llama layer, 32 wide, with a vocabulary.
func toyImage(t testing.TB, spec image.TableSpec) []byte {
	t.Helper()
	const (
		dim, ctx = 32, 4
		script   = image.Payload
		slots    = image.ScriptSlotsBase + image.ScriptSlotsLayer
		weights  = script + slots*image.InstructionBytes
	)
	tables, err := image.BuildTables(spec, weights)
	if err != nil {
		t.Fatal(err)
	}
	next := image.Align(tables.End, image.BlockAlign)
	block := func(size uint32) uint32 {
		addr := image.Place(next, size, image.BlockAlign)
		next = image.Align(addr+size, image.BlockAlign)
		return addr
	}
	row, _ := image.RowBytes(8, dim)
	mat := uint32(row) * dim
	vocab := uint32(len(spec.Pieces))
	embd, anorm, fnorm := block(uint32(row)*vocab), block(4*dim), block(4*dim)
	var w [7]uint32
	for i := range w {
		w[i] = block(mat)
	}
	bias := block(4 * dim)
	onorm, rope, attn := block(4*dim), block(ctx*dim/2*8), block(image.AttnBlockBytes)
	scratch := image.Align(next, image.EndAlign)
	next = scratch
	big := func(size uint32) uint32 {
		addr := image.Place(next, size, image.EndAlign)
		next = image.Align(addr+size, image.EndAlign)
		return addr
	}
	x, xb, q, att, k := big(4*dim), big(4*dim), big(4*dim), big(4*dim), big(4*dim)
	hb, hb2, logits, kc, vc := big(4*dim), big(4*dim), big(4*vocab), big(2*dim*ctx), big(2*dim*ctx)

	rel := image.Rel
	ins := []image.Instruction{
		{Op: image.LDR, A: 0, X: image.Base + image.OffPos},
		{Op: image.LEA, A: 0, X: image.TokenBuffer, Z: 4}, // loop
		{Op: image.LDR, A: 1, X: rel(0, 0)},
		{Op: image.SETN, X: dim, Y: dim, Z: 0x3727C5AC},
		{Op: image.LEA, A: 1, B: 1, X: embd, Z: uint32(row)},
		{Op: image.DEQROW, A: 8, X: rel(1, 0), Z: x},
		{Op: image.LEA, A: 2, X: rope, Z: dim * 4},
		{Op: image.RMSNORM, X: x, Y: anorm, Z: xb},
		{Op: image.GEMV, A: 8, X: w[0], Y: xb, Z: q},
		{Op: image.LEA, A: 3, X: kc, Z: 2 * dim},
		{Op: image.LEA, A: 4, X: vc, Z: 2 * dim},
		{Op: image.GEMV, A: 8, X: w[1], Y: xb, Z: k},
		{Op: image.GEMV, A: 8, B: image.GemvF16, X: w[2], Y: xb, Z: rel(4, 0)},
		{Op: image.VADD, X: q, Y: bias, Z: q},
		{Op: image.ROPE, X: q, Y: rel(2, 0)},
		{Op: image.CVT16, X: k, Z: rel(3, 0)},
		{Op: image.ATTN, A: 0, X: attn, Y: q, Z: att},
		{Op: image.GEMV, A: 8, B: image.GemvAdd, X: w[3], Y: att, Z: x},
		{Op: image.RMSNORM, X: x, Y: fnorm, Z: xb},
		{Op: image.GEMV, A: 8, X: w[4], Y: xb, Z: hb},
		{Op: image.GEMV, A: 8, X: w[5], Y: xb, Z: hb2},
		{Op: image.SILUMUL, X: hb, Y: hb2, Z: hb},
		{Op: image.GEMV, A: 8, B: image.GemvAdd, X: w[6], Y: hb, Z: x},
		{Op: image.RMSNORM, X: x, Y: onorm, Z: xb},
		{Op: image.SETN, X: dim, Y: vocab},
		{Op: image.GEMV, A: 8, X: embd, Y: xb, Z: logits},
		{Op: image.ADDI, A: 0, B: 0, Z: 1},
		{Op: image.BLT, A: 0, B: 9, X: script + 16},
		{Op: image.HALT},
	}
	h := image.Header{
		Version: image.Version, Script: script, Weights: weights, Scratch: scratch, Tokens: image.TokenBuffer,
		Vocab: tables.Vocab, NVocab: vocab, MaxCtx: ctx, BOS: 1, EOS: 2, PayloadLen: scratch - image.Payload,
		Output: logits, OutputLen: vocab, MemNeeded: next - image.Base, Arch: image.Llama, LoadAddr: image.Payload,
		Tokenizer: tables.Tokenizer, Description: "toy",
	}
	head := h.Encode()
	file := append(head[:], make([]byte, h.PayloadLen)...)
	put := func(addr uint32, b []byte) { copy(file[addr-image.Payload+image.HeaderSize:], b) }
	for i, in := range ins {
		b := in.Encode()
		put(script+uint32(i)*image.InstructionBytes, b[:])
	}
	put(tables.Addr, tables.Bytes)
	b := image.AttnBlock{K: kc, V: vc, Heads: 1, KVHeads: 1, HeadDim: dim, KVFormat: 1}.Encode()
	put(attn, b[:])
	return file
}

func open(t testing.TB, file []byte) *image.Image {
	t.Helper()
	im, err := image.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func newTokenizer(t testing.TB, spec image.TableSpec) *image.Tokenizer {
	t.Helper()
	im := open(t, toyImage(t, spec))
	tok, err := image.NewTokenizer(im, im.Header)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func put32(file []byte, off int, v uint32) { binary.LittleEndian.PutUint32(file[off:], v) }
