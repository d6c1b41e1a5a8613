package train

import (
	"context"
	"fmt"
	"math"
	"sync"

	"ssnail-kit/host/train/corpus"
	"ssnail-kit/host/train/grad"
	"ssnail-kit/host/train/vocab"
)

// Trainer is a training run: Step by step, with checkpoints in between.
type Trainer struct {
	Recipe
	Model   *Model
	Vocab   *vocab.Vocab
	Threads int // of the PC; the result does not depend on it

	grammar *corpus.Grammar
	opt     *grad.AdamW
	next    uint64 // number of the next story or pair
	shares  []*share
}

// share is one part of a batch: its own gradients and tape.
type share struct {
	model *Model
	tape  *grad.Tape
	loss  float64
}

// NewTrainer starts a run: it learns the vocabulary and makes the weights.
func NewTrainer(r Recipe, threads int) (*Trainer, error) {
	g, err := corpus.New()
	if err != nil {
		return nil, err
	}
	v, err := r.vocabulary(g)
	if err != nil {
		return nil, err
	}
	m, err := NewModel(r.Shape, r.Seed)
	if err != nil {
		return nil, err
	}
	if r.Shares < 1 || r.Batch%r.Shares != 0 {
		return nil, fmt.Errorf("a batch of %d cannot be shared by %d", r.Batch, r.Shares)
	}
	t := &Trainer{Recipe: r, Model: m, Vocab: v, Threads: max(threads, 1), grammar: g, opt: grad.NewAdamW(m.matrices(), r.Decay)}
	for range r.Shares {
		t.shares = append(t.shares, &share{model: m.shadow(), tape: grad.NewTape()})
	}
	return t, nil
}

// Done is the number of steps made.
func (t *Trainer) Done() int { return t.opt.Step }

// Progress is what one step did.
type Progress struct {
	Step int
	Loss float64 // nats a token (decoders), nats a pair (encoder)
	Norm float64 // of the gradients, before clipping
	Rate float64
}

// Step makes one optimiser step.
func (t *Trainer) Step() (Progress, error) {
	work, err := t.batch()
	if err != nil {
		return Progress{}, err
	}
	var wg sync.WaitGroup
	queue := make(chan int)
	for range min(t.Threads, len(t.shares)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range queue {
				work(i, t.shares[i])
			}
		}()
	}
	for i := range t.shares {
		queue <- i
	}
	close(queue)
	wg.Wait()
	p := Progress{Step: t.opt.Step, Rate: t.rate(t.opt.Step)}
	for _, s := range t.shares { // in this order on every machine
		t.Model.collect(s.model)
		p.Loss += s.loss
	}
	if math.IsNaN(p.Loss) || math.IsInf(p.Loss, 0) {
		return p, fmt.Errorf("step %d: the loss is %v; lower the learning rate", p.Step, p.Loss)
	}
	params := t.Model.matrices()
	p.Norm = grad.ClipNorm(params, 1)
	t.opt.Update(params, p.Rate)
	return p, nil
}

// batch fetches the next batch and gives the work on one share of it.
func (t *Trainer) batch() (func(i int, s *share), error) {
	if t.Shape.Arch == "bert" {
		return t.pairBatch()
	}
	return t.storyBatch()
}

// Run steps to the recipe's end. Each is told after every step; an error of it
// ends the run.
func (t *Trainer) Run(ctx context.Context, each func(Progress) error) error {
	for t.Done() < t.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := t.Step()
		if err != nil {
			return err
		}
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}
