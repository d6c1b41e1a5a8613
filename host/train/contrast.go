package train

import (
	"ssnail-kit/host/train/corpus"
	"ssnail-kit/host/train/grad"
)

// enclose is a sentence in tokens between [CLS] and [SEP].
func (t *Trainer) enclose(text string) ([]int, error) {
	ids, err := t.sequence(text) // for WordPiece, BOS is [CLS] and EOS is [SEP]
	if err == nil && len(ids) > t.Shape.Ctx {
		ids = append(ids[:t.Shape.Ctx-1], t.Vocab.EOS)
	}
	return ids, err
}

// pairBatch takes the next pairs of paraphrases. In each share every sentence
// must find its partner among the others' (a softmax over cosines, both ways).
func (t *Trainer) pairBatch() (func(i int, s *share), error) {
	a, b := make([][]int, t.Batch), make([][]int, t.Batch)
	for i := range t.Batch {
		p, err := t.grammar.Paraphrase(t.Seed, t.next, false)
		if err != nil {
			return nil, err
		}
		t.next++
		if a[i], err = t.enclose(p.A); err != nil {
			return nil, err
		}
		if b[i], err = t.enclose(p.B); err != nil {
			return nil, err
		}
	}
	each := t.Batch / t.Shares
	return func(i int, s *share) {
		s.tape.Reset()
		embed := func(list [][]int) *grad.Matrix {
			rows := make([]*grad.Matrix, len(list))
			for j, ids := range list {
				rows[j] = s.model.Embedding(s.tape, ids)
			}
			return s.tape.Stack(rows)
		}
		x, y := embed(a[i*each:(i+1)*each]), embed(b[i*each:(i+1)*each])
		f := float32(1 / t.Temperature)
		part := float32(0.5 / float64(t.Shares))
		l1, _ := s.tape.CrossEntropy(s.tape.Scale(s.tape.Linear(x, y, nil), f), upTo(each), part)
		l2, _ := s.tape.CrossEntropy(s.tape.Scale(s.tape.Linear(y, x, nil), f), upTo(each), part)
		s.tape.Backward()
		s.loss = (l1 + l2) / 2 / float64(t.Shares)
	}, nil
}

// Top1 is the share of n held-out sentences whose nearest of n others by cosine
// is their paraphrase.
func (t *Trainer) Top1(n int) (float64, error) {
	embed := func(texts []string) (*grad.Matrix, error) {
		tape := grad.NewTape()
		rows := make([]*grad.Matrix, len(texts))
		for i, s := range texts {
			ids, err := t.enclose(s)
			if err != nil {
				return nil, err
			}
			rows[i] = t.Model.Embedding(tape, ids)
		}
		return tape.Stack(rows), nil
	}
	a, b, err := HeldOutPairs(t.grammar, t.Seed, n)
	if err != nil {
		return 0, err
	}
	x, err := embed(a)
	if err != nil {
		return 0, err
	}
	y, err := embed(b)
	if err != nil {
		return 0, err
	}
	cos := grad.NewTape().Linear(x, y, nil)
	right := 0
	for i := range n {
		best := 0
		for j := range n {
			if cos.V[i*n+j] > cos.V[i*n+best] {
				best = j
			}
		}
		if best == i {
			right++
		}
	}
	return float64(right) / float64(n), nil
}

// HeldOutPairs gives n paraphrases that no training batch of the seed has,
// without a sentence twice.
func HeldOutPairs(g *corpus.Grammar, seed uint64, n int) (a, b []string, err error) {
	seen := map[string]bool{}
	for i := uint64(0); len(a) < n; i++ {
		p, err := g.Paraphrase(seed+1, i, true)
		if err != nil {
			return nil, nil, err
		}
		if !seen[p.A] && !seen[p.B] {
			seen[p.A], seen[p.B] = true, true
			a, b = append(a, p.A), append(b, p.B)
		}
	}
	return a, b, nil
}
