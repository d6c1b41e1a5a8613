package train

import (
	"math"

	"ssnail-kit/host/train/corpus"
	"ssnail-kit/host/train/grad"
)

// sequence is a story in tokens with BOS in front and EOS behind.
func (t *Trainer) sequence(text string) ([]int, error) {
	ids, err := t.Vocab.Encode(text)
	if err != nil {
		return nil, err
	}
	return append(append([]int{t.Vocab.BOS}, ids...), t.Vocab.EOS), nil
}

// storyBatch takes the next stories that fit the context. A story's loss
// counts by its tokens.
func (t *Trainer) storyBatch() (func(i int, s *share), error) {
	var seqs [][]int
	tokens := 0
	for len(seqs) < t.Batch {
		s, err := t.grammar.Story(t.Seed, t.next)
		if err != nil {
			return nil, err
		}
		t.next++
		if s.HeldOut {
			continue
		}
		ids, err := t.sequence(s.Text)
		if err != nil {
			return nil, err
		}
		if len(ids) > t.Shape.Ctx {
			continue
		}
		seqs = append(seqs, ids)
		tokens += len(ids) - 1
	}
	each := t.Batch / t.Shares
	return func(i int, s *share) {
		s.loss = 0
		for _, ids := range seqs[i*each : (i+1)*each] {
			s.tape.Reset()
			in, want := ids[:len(ids)-1], ids[1:]
			part := float64(len(want)) / float64(tokens)
			loss, _ := s.tape.CrossEntropy(s.model.Logits(s.tape, in), want, float32(part))
			s.tape.Backward()
			s.loss += loss * part
		}
	}, nil
}

// Perplexity is that of n held-out stories.
func (t *Trainer) Perplexity(n int) (float64, error) {
	tape := grad.NewTape()
	var sum float64
	tokens := 0
	err := t.grammar.HeldOut(t.Seed+1, n, func(s corpus.Story) error {
		ids, err := t.sequence(s.Text)
		if err != nil || len(ids) > t.Shape.Ctx {
			return err
		}
		tape.Reset()
		loss, k := tape.CrossEntropy(t.Model.Logits(tape, ids[:len(ids)-1]), ids[1:], 1)
		sum += loss * float64(k)
		tokens += k
		return nil
	})
	return math.Exp(sum / float64(max(tokens, 1))), err
}
