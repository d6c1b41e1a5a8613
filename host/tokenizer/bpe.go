package tokenizer

import (
	"container/heap"
	"strings"

	"ssnail-kit/host/image"
)

// encodeBPE appends the tokens of text: each chunk of the pre-tokenizer is
// spelled in the letters of byte-level BPE and joined by merges, lowest rank
// first.
func (t *Tokenizer) encodeBPE(ids []uint32, text string) []uint32 {
	for _, chunk := range t.pre.split(text) {
		ids = t.encodeChunk(ids, chunk)
	}
	return ids
}

func (t *Tokenizer) encodeChunk(ids []uint32, chunk string) []uint32 {
	var sb strings.Builder
	for i := range len(chunk) {
		sb.WriteRune(image.ByteRune(chunk[i]))
	}
	word := sb.String()
	if t.pre.wholeFirst {
		if id, ok := t.ids[word]; ok {
			return append(ids, id)
		}
	}
	chain := newChain(word)
	var queue candidates
	offer := func(left int) {
		if left < 0 || chain[left].next < 0 {
			return
		}
		l, r := chain[left], chain[chain[left].next]
		if rank, ok := t.ranks[word[l.at:l.at+l.n]+" "+word[r.at:r.at+r.n]]; ok {
			heap.Push(&queue, candidate{key: float64(rank), left: left, n: l.n + r.n})
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
		piece := word[chain[i].at : chain[i].at+chain[i].n]
		if id, ok := t.ids[piece]; ok {
			ids = append(ids, id)
			continue
		}
		for _, r := range piece { // a merge whose result is no token
			if id, ok := t.ids[string(r)]; ok {
				ids = append(ids, id)
			} else if t.v.Unknown != None {
				ids = append(ids, t.v.Unknown)
			}
		}
	}
	return ids
}
