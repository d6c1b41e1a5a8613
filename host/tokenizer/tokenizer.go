package tokenizer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// Tokenizer encodes and decodes with a Vocab. It is safe for use by several
// goroutines.
type Tokenizer struct {
	v       *Vocab
	spec    image.TableSpec
	ids     map[string]uint32 // pieces that text can become
	special [256][]special    // control and user-defined tokens by first byte, longest first
	ranks   map[string]uint32 // byte-level BPE: "left right" -> rank
	pre     preTokenizer
	warning string
	longest int // WordPiece: bytes of the longest piece
}

type special struct {
	text    string
	id      uint32
	control bool // only where special tokens are asked for
}

// Options of Encode.
type Options struct {
	AddSpecial   bool // the tokens that the tokenizer adds by itself: BOS, [CLS], [SEP], EOS
	ParseSpecial bool // text such as "</s>" means the control token; otherwise it is plain text
}

// New prepares a tokenizer; the error names what the vocabulary lacks.
func New(v *Vocab) (*Tokenizer, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	t := &Tokenizer{v: v, spec: v.spec(), ids: make(map[string]uint32, len(v.Pieces))}
	for i, piece := range v.Pieces {
		id := uint32(i)
		if piece == "" {
			continue
		}
		typ := t.typeOf(id)
		switch typ {
		case image.TypeControl, image.TypeUserDefined:
			t.special[piece[0]] = append(t.special[piece[0]], special{piece, id, typ == image.TypeControl})
		}
		if t.spec.Special(i) {
			continue
		}
		if _, seen := t.ids[piece]; !seen {
			t.ids[piece] = id
			t.longest = max(t.longest, len(piece))
		}
	}
	for _, list := range t.special {
		slices.SortStableFunc(list, func(a, b special) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	if v.Kind == image.BPE {
		t.ranks = make(map[string]uint32, len(v.Merges))
		for rank, m := range v.Merges {
			left, right, _ := image.SplitMerge(m)
			if _, seen := t.ranks[left+" "+right]; !seen {
				t.ranks[left+" "+right] = uint32(rank)
			}
		}
		known := false
		if t.pre, known = preTokenizerFor(v.Pre); !known {
			what := gguf.Quote(v.Pre)
			if v.Pre == "" || v.Pre == "default" {
				what = "not named in the file"
			}
			t.warning = fmt.Sprintf("the pre-tokenizer (%s) is %s: text is split by GPT-2's rules, which may give other tokens than the model was trained with", keyPre, what)
		}
	}
	return t, nil
}

// Warning says what the tokenizer could only guess, "" if nothing: a
// pre-tokenizer that it does not know.
func (t *Tokenizer) Warning() string { return t.warning }

// Vocab returns the vocabulary.
func (t *Tokenizer) Vocab() *Vocab { return t.v }

// typeOf is a token's type. In a file that states no types the names tell
// which are control tokens; in one that does, a token of type normal is plain
// text whatever its name.
func (t *Tokenizer) typeOf(id uint32) int32 {
	switch {
	case uint64(id) < uint64(len(t.v.Types)):
		return t.v.Types[id]
	case uint64(id) < uint64(len(t.v.Pieces)) && t.spec.Special(int(id)):
		return image.TypeControl
	}
	return image.TypeNormal
}

// Encode returns the tokens of text. Tokens that users defined are found
// wherever their text stands, control tokens only with ParseSpecial.
func (t *Tokenizer) Encode(text string, opt Options) []uint32 {
	var ids []uint32
	if begin := t.v.BeginToken(); opt.AddSpecial && begin != None {
		ids = append(ids, begin)
	}
	first := true // at the beginning or after a special token
	for _, part := range t.split(text, opt.ParseSpecial) {
		if part.id != None {
			ids = append(ids, part.id)
			first = true
			continue
		}
		switch t.v.Kind {
		case image.SentencePiece:
			ids = t.encodeSentencePiece(ids, part.text, first && t.v.AddSpacePrefix)
		case image.BPE:
			ids = t.encodeBPE(ids, part.text)
		case image.WordPiece:
			ids = t.encodeWordPiece(ids, part.text)
		}
		first = false
	}
	if opt.AddSpecial {
		if end := t.v.EndToken(); end != None {
			ids = append(ids, end)
		} else if t.v.AddEOS && t.v.EOS != None {
			ids = append(ids, t.v.EOS)
		}
	}
	return ids
}

// part is a piece of text, or a special token found in it.
type part struct {
	text string
	id   uint32
}

// split finds special tokens in text: at every place the longest that stands
// there.
func (t *Tokenizer) split(text string, control bool) []part {
	var parts []part
	start := 0
	for i := 0; i < len(text); {
		id, n := t.specialAt(text[i:], control)
		if n == 0 {
			i++
			continue
		}
		if i > start {
			parts = append(parts, part{text[start:i], None})
		}
		parts = append(parts, part{id: id})
		i += n
		start = i
	}
	if start < len(text) {
		parts = append(parts, part{text[start:], None})
	}
	return parts
}

func (t *Tokenizer) specialAt(text string, control bool) (id uint32, n int) {
	for _, s := range t.special[text[0]] {
		if (control || !s.control) && strings.HasPrefix(text, s.text) {
			return s.id, len(s.text)
		}
	}
	return None, 0
}

// Piece returns the bytes that a token prints: nothing for special tokens and
// for ids beyond the vocabulary.
func (t *Tokenizer) Piece(id uint32) []byte {
	if uint64(id) >= uint64(len(t.v.Pieces)) {
		return nil
	}
	return t.spec.PieceText(int(id))
}
