package image

import "container/heap"

// encodeSentencePiece appends the tokens of text: one chunk with a space put
// in front. Empty text has no tokens.
func (t *Tokenizer) encodeSentencePiece(ids []uint32, text []byte) ([]uint32, error) {
	if len(text) == 0 {
		return ids, nil
	}
	chunk := make([]byte, 0, len(text)+1)
	chunk = append(append(chunk, ' '), text...)
	return t.merge(ids, chunk)
}

// encodeBPE appends the tokens of text, chunk by chunk.
func (t *Tokenizer) encodeBPE(ids []uint32, text []byte) ([]uint32, error) {
	for len(text) > 0 {
		n := bpeChunk(text)
		var err error
		if ids, err = t.merge(ids, text[:n]); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return ids, nil
}

// symbol is a token of a chunk while it is merged. Symbols form a list; one
// that was merged into its left neighbour has n = 0.
type symbol struct {
	at, n      int    // its bytes in the chunk
	prev, next int    // -1 at the ends
	id         uint32 // NoToken: a byte that no token stands for
}

// pair is a possible merge, as it was looked up: left's text plus right's, n
// bytes together, make token id.
type pair struct {
	priority uint32
	left     int
	n        int
	id       uint32
}

// pairs is a heap with the pair to merge next on top: lowest priority, and
// leftmost of equal ones. On the 45GS02 it is a scan over the pairs that the
// symbols cache; the order is the same.
type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	if p[i].priority != p[j].priority {
		return p[i].priority < p[j].priority
	}
	return p[i].left < p[j].left
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// merge appends the tokens of one chunk: one per byte at first, then the
// adjacent pair with the lowest priority becomes one token until no pair is in
// the index. Each pair of neighbours is looked up once: a merge makes two new
// pairs, no more.
func (t *Tokenizer) merge(ids []uint32, chunk []byte) ([]uint32, error) {
	syms := make([]symbol, len(chunk))
	for i, b := range chunk {
		syms[i] = symbol{at: i, n: 1, prev: i - 1, next: i + 1, id: t.bytes[b]}
	}
	syms[len(syms)-1].next = -1
	var queue pairs
	offer := func(left int) error {
		if left < 0 || syms[left].next < 0 {
			return nil
		}
		right := syms[left].next
		if syms[left].id == NoToken || syms[right].id == NoToken {
			return nil
		}
		n := syms[left].n + syms[right].n
		id, err := t.lookup(chunk[syms[left].at : syms[left].at+n])
		if err != nil || id == NoToken {
			return err
		}
		p, err := t.priority(id)
		if err != nil || p == NoPriority32 {
			return err
		}
		heap.Push(&queue, pair{p, left, n, id})
		return nil
	}
	for i := range len(syms) - 1 {
		if err := offer(i); err != nil {
			return nil, err
		}
	}
	for len(queue) > 0 {
		p := heap.Pop(&queue).(pair)
		left := &syms[p.left]
		if left.n == 0 || left.next < 0 || left.n+syms[left.next].n != p.n {
			continue // one of the two has merged elsewhere since
		}
		right := &syms[left.next]
		left.n, left.id, left.next = p.n, p.id, right.next
		right.n = 0
		if left.next >= 0 {
			syms[left.next].prev = p.left
		}
		if err := offer(left.prev); err != nil {
			return nil, err
		}
		if err := offer(p.left); err != nil {
			return nil, err
		}
	}
	for i := 0; i >= 0; i = syms[i].next {
		switch {
		case syms[i].id != NoToken:
			ids = append(ids, syms[i].id)
		case t.kind != BPE && t.unknown != NoToken:
			ids = append(ids, t.unknown)
		}
	}
	return ids, nil
}
