package image

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// TableSpec is a vocabulary as its GGUF states it, from which the tables of an
// image are made.
type TableSpec struct {
	Kind      Kind
	Pieces    []string  // tokenizer.ggml.tokens
	Types     []int32   // tokenizer.ggml.token_type, empty if the file has none
	Scores    []float32 // SentencePiece
	Merges    []string  // BPE: "left right" in rank order
	Lowercase bool      // WordPiece
	Begin     uint32    // NoToken: none
	End       uint32
	Unknown   uint32
}

// Tables are the blocks that follow the script, in the order of the layout.
type Tables struct {
	Addr       uint32 // of the vocab table, the first block
	Bytes      []byte // all blocks, from Addr to End, padding between them included
	Vocab      uint32
	Index      uint32
	NIndex     uint32
	Priorities uint32
	Wide       bool // priorities are u32
	ByteTable  uint32
	Tokenizer  uint32
	End        uint32 // the tokenizer block's end, not padded
}

// BuildTables lays the vocabulary and tokenizer tables out from addr on: vocab
// table, sorted index, priorities, byte table, tokenizer block. An error names
// the list and the entry that is wrong.
func BuildTables(spec TableSpec, addr uint32) (*Tables, error) {
	n := len(spec.Pieces)
	if err := spec.check(); err != nil {
		return nil, err
	}
	texts := make([][]byte, n)
	total := 4 * (n + 1)
	for id := range texts {
		texts[id] = spec.PieceText(id)
		total += len(texts[id])
	}
	if total > MaxMemMB<<20 {
		return nil, fmt.Errorf("a vocab table of %d bytes is larger than any memory (%d)", total, MaxMemMB<<20)
	}
	index := spec.index(texts)
	prio, wide, err := spec.priorities(texts, index)
	if err != nil {
		return nil, err
	}

	t := &Tables{NIndex: uint32(len(index)), Wide: wide}
	vocab := make([]byte, 0, total)
	off := uint32(4 * (n + 1))
	for _, text := range texts {
		vocab = binary.LittleEndian.AppendUint32(vocab, off)
		off += uint32(len(text))
	}
	vocab = binary.LittleEndian.AppendUint32(vocab, off)
	for _, text := range texts {
		vocab = append(vocab, text...)
	}
	t.Addr = Place(addr, uint32(len(vocab)), BlockAlign)
	t.Vocab = t.add(vocab)
	t.Index = t.add(appendWords(nil, index))
	if wide {
		t.Priorities = t.add(appendWords(nil, prio))
	} else {
		var b []byte
		for _, p := range prio {
			b = binary.LittleEndian.AppendUint16(b, uint16(p))
		}
		t.Priorities = t.add(b)
	}
	t.ByteTable = t.add(appendWords(nil, spec.byteTable(texts, index)))

	block := make([]byte, TokBlockBytes)
	block[TokOffKind] = byte(spec.Kind)
	if spec.Lowercase {
		block[TokOffFlags] |= TokFlagLowercase
	}
	if wide {
		block[TokOffFlags] |= TokFlagWide
	}
	for _, w := range []struct{ off, v uint32 }{
		{TokOffNVocab, uint32(n)}, {TokOffIndex, t.Index}, {TokOffNIndex, t.NIndex}, {TokOffPriorities, t.Priorities},
		{TokOffBytes, t.ByteTable}, {TokOffBegin, spec.Begin}, {TokOffEnd, spec.End}, {TokOffUnknown, spec.Unknown},
	} {
		binary.LittleEndian.PutUint32(block[w.off:], w.v)
	}
	t.Tokenizer = t.add(block)
	t.End = t.Tokenizer + TokBlockBytes
	return t, nil
}

// add appends a block at the next place that the layout allows and returns its
// address.
func (t *Tables) add(block []byte) uint32 {
	addr := Place(t.Addr+uint32(len(t.Bytes)), uint32(len(block)), BlockAlign)
	t.Bytes = append(t.Bytes, make([]byte, int(addr-t.Addr)-len(t.Bytes))...)
	t.Bytes = append(t.Bytes, block...)
	return addr
}

func appendWords(b []byte, words []uint32) []byte {
	b = slices.Grow(b, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func (spec *TableSpec) check() error {
	n := len(spec.Pieces)
	if n == 0 {
		return fmt.Errorf("the vocabulary has no tokens")
	}
	if spec.Kind > WordPiece {
		return fmt.Errorf("%v", spec.Kind)
	}
	if len(spec.Types) != 0 && len(spec.Types) != n {
		return fmt.Errorf("%d token types for %d tokens", len(spec.Types), n)
	}
	if spec.Kind == SentencePiece {
		if len(spec.Scores) != n {
			return fmt.Errorf("%d token scores for %d tokens", len(spec.Scores), n)
		}
		for id, s := range spec.Scores {
			if s != s {
				return fmt.Errorf("the score of token %d (%q) is not a number", id, spec.Pieces[id])
			}
		}
	}
	for _, s := range []struct {
		name string
		id   uint32
	}{{"begin", spec.Begin}, {"end", spec.End}, {"unknown", spec.Unknown}} {
		if s.id != NoToken && s.id >= uint32(n) {
			return fmt.Errorf("the %s token is %d, but the vocabulary has %d tokens", s.name, s.id, n)
		}
	}
	return nil
}

// index returns the ids of the tokens that plain text can contain, sorted by
// their bytes; of equal texts the lowest id.
func (spec *TableSpec) index(texts [][]byte) []uint32 {
	index := make([]uint32, 0, len(texts))
	for id, text := range texts {
		if len(text) == 0 || !plain(text) {
			continue
		}
		if _, ok := ByteToken(spec.Pieces[id]); ok && spec.Kind == SentencePiece {
			continue
		}
		index = append(index, uint32(id))
	}
	slices.SortFunc(index, func(a, b uint32) int {
		return cmp.Or(bytes.Compare(texts[a], texts[b]), cmp.Compare(a, b))
	})
	return slices.CompactFunc(index, func(a, b uint32) bool { return bytes.Equal(texts[a], texts[b]) })
}

func plain(text []byte) bool {
	for _, b := range text {
		if b != 9 && b != 10 && (b < 32 || b > 126) {
			return false
		}
	}
	return true
}

// priorities returns a merge priority per token, lower merging first, and
// whether the table must hold u32.
func (spec *TableSpec) priorities(texts [][]byte, index []uint32) (prio []uint32, wide bool, err error) {
	prio = make([]uint32, len(texts))
	for id := range prio {
		prio[id] = NoPriority32
	}
	wide = len(texts) > NoPriority16-1
	switch spec.Kind {
	case BPE:
		rank := make(map[string]uint32, len(spec.Merges))
		for i, m := range spec.Merges {
			left, right, ok := SplitMerge(m)
			if !ok {
				return nil, false, fmt.Errorf("merge %d is %q, expected two pieces with a space between", i, m)
			}
			text := string(UnmapBytes(left + right))
			if _, seen := rank[text]; !seen {
				rank[text] = uint32(i)
			}
		}
		for _, id := range index {
			if r, ok := rank[string(texts[id])]; ok {
				prio[id] = r
				wide = wide || r >= NoPriority16
			}
		}
	case SentencePiece:
		var ids []uint32
		for _, id := range index {
			if len(texts[id]) > 1 {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(spec.Scores[b], spec.Scores[a]), cmp.Compare(a, b))
		})
		for rank, id := range ids {
			prio[id] = uint32(rank)
		}
	}
	return prio, wide, nil
}

// SplitMerge takes a merge apart at its first space that has something on
// either side.
func SplitMerge(m string) (left, right string, ok bool) {
	if len(m) < 3 {
		return "", "", false
	}
	i := strings.IndexByte(m[1:], ' ') + 1
	if i < 1 || i == len(m)-1 {
		return "", "", false
	}
	return m[:i], m[i+1:], true
}

// byteTable returns the token that each byte starts as.
func (spec *TableSpec) byteTable(texts [][]byte, index []uint32) []uint32 {
	table := make([]uint32, 256)
	for b := range table {
		table[b] = NoToken
	}
	if spec.Kind == SentencePiece {
		for id := len(spec.Pieces) - 1; id >= 0; id-- { // downwards: the lowest id stays
			if b, ok := ByteToken(spec.Pieces[id]); ok && !spec.Special(id) {
				table[b] = uint32(id)
			}
		}
	}
	for _, id := range index {
		if len(texts[id]) == 1 {
			table[texts[id][0]] = id
		}
	}
	return table
}
