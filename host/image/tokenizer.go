package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Tokenizer turns text into tokens with nothing but an image's tables, read
// through Memory as the 45GS02 reads them: it holds no copy of them but the
// byte table. Every method that reads fails only if the memory or a table is
// bad.
//
// The tables know the bytes 9, 10 and 32..126; text from elsewhere is folded
// first (Folder). A byte that no token stands for becomes the unknown token
// (SentencePiece, WordPiece) or nothing (byte-level BPE).
type Tokenizer struct {
	m        Memory
	kind     Kind
	lower    bool
	wide     bool
	nVocab   uint32
	vocab    uint32 // addresses
	index    uint32
	nIndex   uint32
	prio     uint32
	bytes    [256]uint32
	begin    uint32
	end      uint32
	unknown  uint32
	maxPiece uint32 // no piece of a sound image is longer
	probes   uint64
	buf      []byte
}

// NewTokenizer reads and checks the tokenizer block that h points to.
func NewTokenizer(m Memory, h Header) (*Tokenizer, error) {
	var b [TokBlockBytes]byte
	if err := m.Read(h.Tokenizer, b[:]); err != nil {
		return nil, fmt.Errorf("the tokenizer block: %w", err)
	}
	word := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	t := &Tokenizer{
		m:       m,
		kind:    Kind(b[TokOffKind]),
		lower:   b[TokOffFlags]&TokFlagLowercase != 0,
		wide:    b[TokOffFlags]&TokFlagWide != 0,
		nVocab:  word(TokOffNVocab),
		vocab:   h.Vocab,
		index:   word(TokOffIndex),
		nIndex:  word(TokOffNIndex),
		prio:    word(TokOffPriorities),
		begin:   word(TokOffBegin),
		end:     word(TokOffEnd),
		unknown: word(TokOffUnknown),
	}
	bad := func(off int, format string, args ...any) error {
		return fmt.Errorf("the tokenizer block at $%07X, offset %d: %s", h.Tokenizer, off, fmt.Sprintf(format, args...))
	}
	if t.kind > WordPiece {
		return nil, bad(TokOffKind, "kind %d, expected 0 (SentencePiece), 1 (byte-level BPE) or 2 (WordPiece)", t.kind)
	}
	if t.nVocab != h.NVocab || t.nVocab == 0 {
		return nil, bad(TokOffNVocab, "%d tokens, but the header says %d", t.nVocab, h.NVocab)
	}
	if t.nIndex > t.nVocab {
		return nil, bad(TokOffNIndex, "%d index entries for %d tokens", t.nIndex, t.nVocab)
	}
	width := uint64(2)
	if t.wide {
		width = 4
	}
	for _, table := range []struct {
		off  int
		addr uint32
		size uint64
	}{
		{TokOffIndex, t.index, 4 * uint64(t.nIndex)},
		{TokOffPriorities, t.prio, width * uint64(t.nVocab)},
		{TokOffBytes, word(TokOffBytes), ByteTableBytes},
		{-1, h.Vocab, 4 * (uint64(t.nVocab) + 1)},
	} {
		if table.addr < Payload || uint64(table.addr)+table.size > uint64(h.Scratch) {
			if table.off < 0 {
				return nil, fmt.Errorf("a vocab table of %d tokens at $%07X lies outside the payload ($%07X-$%07X)", t.nVocab, table.addr, Payload, h.Scratch)
			}
			return nil, bad(table.off, "a table of %d bytes at $%07X lies outside the payload ($%07X-$%07X)", table.size, table.addr, Payload, h.Scratch)
		}
	}
	for _, s := range []struct {
		off int
		id  uint32
	}{{TokOffBegin, t.begin}, {TokOffEnd, t.end}, {TokOffUnknown, t.unknown}} {
		if s.id != NoToken && s.id >= t.nVocab {
			return nil, bad(s.off, "token %d of %d", s.id, t.nVocab)
		}
	}
	t.maxPiece = h.Scratch - h.Vocab
	var table [ByteTableBytes]byte
	if err := m.Read(word(TokOffBytes), table[:]); err != nil {
		return nil, fmt.Errorf("the byte table: %w", err)
	}
	for i := range t.bytes {
		id := binary.LittleEndian.Uint32(table[4*i:])
		if id != NoToken && id >= t.nVocab {
			return nil, fmt.Errorf("the byte table at $%07X: byte %d starts as token %d of %d", word(TokOffBytes), i, id, t.nVocab)
		}
		t.bytes[i] = id
	}
	return t, nil
}

// Kind is the tokenizer's kind.
func (t *Tokenizer) Kind() Kind { return t.kind }

// Begin is the token that begins a context, NoToken if there is none.
func (t *Tokenizer) Begin() uint32 { return t.begin }

// End is the token that ends an encoder's text, NoToken if there is none.
func (t *Tokenizer) End() uint32 { return t.end }

// Unknown is the token for what the vocabulary lacks.
func (t *Tokenizer) Unknown() uint32 { return t.unknown }

// Probes returns how many index entries have been compared with since the
// tokenizer was made.
func (t *Tokenizer) Probes() uint64 { return t.probes }

// Encode returns the tokens of text. cont says that the text follows earlier
// tokens in the context, so it gets no begin token. An encoder's text
// (WordPiece) always gets its begin and end tokens. Text that looks like a
// special token is plain text.
func (t *Tokenizer) Encode(text []byte, cont bool) ([]uint32, error) {
	var ids []uint32
	if t.begin != NoToken && (!cont || t.kind == WordPiece) {
		ids = append(ids, t.begin)
	}
	var err error
	switch t.kind {
	case SentencePiece:
		ids, err = t.encodeSentencePiece(ids, text)
	case BPE:
		ids, err = t.encodeBPE(ids, text)
	case WordPiece:
		ids, err = t.encodeWordPiece(ids, text)
	}
	if err != nil {
		return nil, err
	}
	if t.end != NoToken {
		ids = append(ids, t.end)
	}
	return ids, nil
}

// Piece returns the text of token id; nothing for ids beyond the vocab table,
// which a model with padded embeddings can generate.
func (t *Tokenizer) Piece(id uint32) ([]byte, error) {
	if id >= t.nVocab {
		return nil, nil
	}
	addr, n, err := t.span(id)
	if err != nil || n == 0 {
		return nil, err
	}
	text := make([]byte, n)
	if err := t.m.Read(addr, text); err != nil {
		return nil, fmt.Errorf("the text of token %d: %w", id, err)
	}
	return text, nil
}

// span returns where the text of a token lies.
func (t *Tokenizer) span(id uint32) (addr, n uint32, err error) {
	var b [8]byte
	if err := t.m.Read(t.vocab+4*id, b[:]); err != nil {
		return 0, 0, fmt.Errorf("the vocab table's entry %d: %w", id, err)
	}
	from, to := binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:])
	if from > to || to > t.maxPiece {
		return 0, 0, fmt.Errorf("the vocab table's entry %d at $%07X: the text goes from %d to %d, the payload ends at %d",
			id, t.vocab+4*id, from, to, t.maxPiece)
	}
	return t.vocab + from, to - from, nil
}

// compare compares key with the text of index entry i. common is how many
// bytes the two begin with alike.
func (t *Tokenizer) compare(key []byte, i uint32) (order int, id uint32, common int, err error) {
	t.probes++
	var b [4]byte
	if err := t.m.Read(t.index+4*i, b[:]); err != nil {
		return 0, 0, 0, fmt.Errorf("the index entry %d: %w", i, err)
	}
	id = binary.LittleEndian.Uint32(b[:])
	if id >= t.nVocab {
		return 0, 0, 0, fmt.Errorf("the index entry %d at $%07X is token %d of %d", i, t.index+4*i, id, t.nVocab)
	}
	addr, n, err := t.span(id)
	if err != nil {
		return 0, 0, 0, err
	}
	// One byte more than the key tells a longer text from an equal one.
	n = min(n, uint32(len(key))+1)
	if uint32(cap(t.buf)) < n {
		t.buf = make([]byte, n)
	}
	text := t.buf[:n]
	if err := t.m.Read(addr, text); err != nil {
		return 0, 0, 0, fmt.Errorf("the text of token %d: %w", id, err)
	}
	for common < len(key) && common < len(text) && key[common] == text[common] {
		common++
	}
	return bytes.Compare(key, text), id, common, nil
}

// find searches the index for key between entries 0 and limit. If no entry
// equals it, id is NoToken; below is then the number of entries that sort
// before key, and common the length of the longest beginning that key shares
// with the last of these: no entry that is a beginning of key is longer.
func (t *Tokenizer) find(key []byte, limit uint32) (id, below uint32, common int, err error) {
	lo, hi := uint32(0), limit
	for lo < hi {
		mid := lo + (hi-lo)/2
		order, id, n, err := t.compare(key, mid)
		switch {
		case err != nil:
			return NoToken, 0, 0, err
		case order == 0:
			return id, mid, len(key), nil
		case order > 0:
			lo, common = mid+1, n
		default:
			hi = mid
		}
	}
	return NoToken, lo, common, nil
}

// lookup returns the token whose text is key, NoToken if there is none.
func (t *Tokenizer) lookup(key []byte) (uint32, error) {
	id, _, _, err := t.find(key, t.nIndex)
	return id, err
}

// priority returns a token's merge priority, NoPriority32 for one that no
// merge makes.
func (t *Tokenizer) priority(id uint32) (uint32, error) {
	var b [4]byte
	if t.wide {
		if err := t.m.Read(t.prio+4*id, b[:]); err != nil {
			return 0, fmt.Errorf("the priority of token %d: %w", id, err)
		}
		return binary.LittleEndian.Uint32(b[:]), nil
	}
	if err := t.m.Read(t.prio+2*id, b[:2]); err != nil {
		return 0, fmt.Errorf("the priority of token %d: %w", id, err)
	}
	if p := binary.LittleEndian.Uint16(b[:]); p != NoPriority16 {
		return uint32(p), nil
	}
	return NoPriority32, nil
}
