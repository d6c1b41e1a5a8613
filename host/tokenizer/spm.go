package tokenizer

import (
	"container/heap"
	"fmt"
	"strings"
	"unicode/utf8"
)

// spmSpace stands for a space in SentencePiece and WordPiece vocabularies.
const spmSpace = "\u2581"

// encodeSentencePiece appends the tokens of text: characters, of which the
// neighbours whose text is the token with the best score are joined until no
// pair is a token; what is in no token becomes byte tokens.
func (t *Tokenizer) encodeSentencePiece(ids []uint32, text string, prefix bool) []uint32 {
	if text == "" {
		return ids
	}
	text = strings.ReplaceAll(text, " ", spmSpace)
	if prefix {
		text = spmSpace + text
	}
	chain := newChain(text)
	var queue candidates
	offer := func(left int) {
		if left < 0 || chain[left].next < 0 {
			return
		}
		n := chain[left].n + chain[chain[left].next].n
		if id, ok := t.ids[text[chain[left].at:chain[left].at+n]]; ok {
			heap.Push(&queue, candidate{key: -float64(t.score(id)), left: left, n: n})
		}
	}
	for i := range chain {
		offer(i)
	}
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		if chain.join(c) {
			offer(chain[c.left].prev)
			offer(c.left)
		}
	}
	for i := 0; i >= 0; i = chain[i].next {
		piece := text[chain[i].at : chain[i].at+chain[i].n]
		if id, ok := t.ids[piece]; ok {
			ids = append(ids, id)
			continue
		}
		for _, b := range []byte(piece) {
			ids = append(ids, t.byteToken(b))
		}
	}
	return ids
}

func (t *Tokenizer) score(id uint32) float32 { return t.v.Scores[id] }

// byteToken returns the token for a byte of a character that is in no token.
func (t *Tokenizer) byteToken(b byte) uint32 {
	if id, ok := t.ids[fmt.Sprintf("<0x%02X>", b)]; ok {
		return id
	}
	if id, ok := t.ids[fmt.Sprintf("<0x%02x>", b)]; ok {
		return id
	}
	if id, ok := t.ids[string([]byte{b})]; ok {
		return id
	}
	return t.v.UnknownToken()
}

// link is a part of a text while its neighbours are joined. A part that was
// joined to the one before it has n = 0.
type link struct {
	at, n      int
	prev, next int // -1 at the ends
}

type chain []link

// newChain makes a link of every character of text, which is not empty; a byte
// that is no UTF-8 is a character of its own.
func newChain(text string) chain {
	c := make(chain, 0, utf8.RuneCountInString(text))
	for at := 0; at < len(text); {
		_, n := utf8.DecodeRuneInString(text[at:])
		c = append(c, link{at, n, len(c) - 1, len(c) + 1})
		at += n
	}
	c[len(c)-1].next = -1
	return c
}

// join joins a candidate's two links, unless one of them has changed since it
// was queued.
func (c chain) join(k candidate) bool {
	left := &c[k.left]
	if left.n == 0 || left.next < 0 || left.n+c[left.next].n != k.n {
		return false
	}
	right := &c[left.next]
	left.n, left.next = k.n, right.next
	right.n = 0
	if left.next >= 0 {
		c[left.next].prev = k.left
	}
	return true
}

// candidate is a pair that may be joined: lowest key first, leftmost of equals.
type candidate struct {
	key  float64
	left int
	n    int // bytes of both together
}

type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	if c[i].key != c[j].key {
		return c[i].key < c[j].key
	}
	return c[i].left < c[j].left
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
