// Package sampler chooses the next token from a model's logits: temperature,
// top-k and a repetition penalty, as llama.cpp defines them. The same seed
// gives the same tokens on every machine: the random numbers and the
// exponential are the package's own choice of operations.
package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Options say how to choose.
type Options struct {
	// Temperature divides the logits; 0 always takes the greatest, as the
	// image's ARGMAX does, whatever the other options are.
	Temperature float64
	// TopK keeps the k likeliest tokens; 0 keeps all, 1 takes the greatest.
	TopK int
	// Penalty divides positive logits of recent tokens and multiplies
	// negative ones; 1 leaves them alone.
	Penalty float64
	// Window is how many recent tokens the penalty looks at.
	Window int
	// Seed starts the random numbers.
	Seed uint64
}

// Defaults are the PC's: temperature 0.8, top-k 40, penalty 1.15 over 64
// tokens, seed 1.
func Defaults() Options {
	return Options{Temperature: 0.8, TopK: 40, Penalty: 1.15, Window: 64, Seed: 1}
}

// Greedy is whether the options take the greatest logit as it is.
func (o Options) Greedy() bool { return o.Temperature == 0 }

// Check tells which option has a value it cannot have.
func (o Options) Check() error {
	switch {
	case !(o.Temperature >= 0) || o.Temperature > 100:
		return fmt.Errorf("temperature %v: want 0 (greedy) to 100", o.Temperature)
	case o.TopK < 0:
		return fmt.Errorf("top-k %d: want 0 (off) or more", o.TopK)
	case !(o.Penalty > 0) || o.Penalty > 100:
		return fmt.Errorf("penalty %v: want 1 (off), above 0, at most 100", o.Penalty)
	case o.Window < 0:
		return fmt.Errorf("penalty window %d: want 0 (off) or more", o.Window)
	}
	return nil
}

// Sampler chooses tokens. It keeps the state of the random numbers.
type Sampler struct {
	opt  Options
	rng  *rand.PCG
	cand []candidate
}

type candidate struct {
	id    uint32
	logit float64
}

// New returns a sampler at the start of its random numbers.
func New(o Options) (*Sampler, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return &Sampler{opt: o, rng: rand.NewPCG(o.Seed, 0x5353_4E41_494C)}, nil
}

// Options are those the sampler was made with.
func (s *Sampler) Options() Options { return s.opt }

// Set changes the options in the middle of a conversation: the random numbers
// go on where they are, whatever seed o names. The options must pass Check.
func (s *Sampler) Set(o Options) { s.opt = o }

// Next chooses a token. recent are the tokens that the model itself made so
// far, oldest first: the prompt is not penalised, which would drive a model
// out of its prompt's words. A logit that is NaN or infinite is an error.
func (s *Sampler) Next(logits []float32, recent []uint32) (uint32, error) {
	best, err := Argmax(logits)
	if err != nil {
		return 0, err
	}
	if s.opt.Temperature == 0 {
		return best, nil
	}
	cand := s.cand[:0]
	for i, l := range logits {
		cand = append(cand, candidate{uint32(i), float64(l)})
	}
	s.cand = cand
	s.penalise(cand, recent)
	if k := s.opt.TopK; k > 0 && k < len(cand) {
		cand = greatest(cand, k)
	}
	slices.SortFunc(cand, before)
	if s.opt.TopK == 1 {
		return cand[0].id, nil
	}
	return s.draw(cand), nil
}

// penalise changes the logits of recent tokens, each once.
func (s *Sampler) penalise(cand []candidate, recent []uint32) {
	if s.opt.Penalty == 1 {
		return
	}
	if n := len(recent) - s.opt.Window; n > 0 {
		recent = recent[n:]
	}
	for i, id := range recent {
		if int64(id) >= int64(len(cand)) || slices.Contains(recent[:i], id) {
			continue
		}
		if l := &cand[id].logit; *l > 0 {
			*l /= s.opt.Penalty
		} else {
			*l *= s.opt.Penalty
		}
	}
}

// draw picks from candidates sorted by falling logit.
func (s *Sampler) draw(cand []candidate) uint32 {
	top := cand[0].logit
	var total float64
	for i := range cand {
		// From here on the weight.
		cand[i].logit = exp((cand[i].logit - top) / s.opt.Temperature)
		total += cand[i].logit
	}
	r := float64(float64(s.rng.Uint64()>>11)*0x1p-53) * total
	for _, c := range cand {
		if r -= c.logit; r < 0 {
			return c.id
		}
	}
	return cand[len(cand)-1].id
}

// before orders by falling logit, then rising id.
func before(a, b candidate) int {
	switch {
	case a.logit > b.logit:
		return -1
	case a.logit < b.logit:
		return 1
	}
	return int(a.id) - int(b.id)
}

// greatest returns the k first of cand in the order of before, themselves in
// any order: a heap whose root is the last of them.
func greatest(cand []candidate, k int) []candidate {
	h := cand[:k]
	down := func(i int) {
		for {
			c := 2*i + 1
			if c >= k {
				return
			}
			if c+1 < k && before(h[c+1], h[c]) > 0 {
				c++
			}
			if before(h[i], h[c]) >= 0 {
				return
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	for i := k/2 - 1; i >= 0; i-- {
		down(i)
	}
	for _, c := range cand[k:] {
		if before(c, h[0]) < 0 {
			h[0] = c
			down(0)
		}
	}
	return h
}

// Argmax is the index of the first greatest logit. A logit that is NaN or
// infinite is an error that names it.
func Argmax(logits []float32) (uint32, error) {
	if len(logits) == 0 {
		return 0, fmt.Errorf("no logits")
	}
	best := 0
	for i, l := range logits {
		if l-l != 0 {
			return 0, fmt.Errorf("logit %d of %d is %v", i, len(logits), l)
		}
		if l > logits[best] {
			best = i
		}
	}
	return uint32(best), nil
}

// Probability is the softmax of logits at one token.
func Probability(logits []float32, id uint32) float64 {
	if int64(id) >= int64(len(logits)) {
		return 0
	}
	best, err := Argmax(logits)
	if err != nil {
		return 0
	}
	top := float64(logits[best])
	var total float64
	for _, l := range logits {
		total += exp(float64(l) - top)
	}
	return exp(float64(logits[id])-top) / total
}

// exp is e to a power of at most 0. math.Exp differs in last bits between
// processors; this does not.
func exp(x float64) float64 {
	if !(x > -700) {
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*0x1.62e42fee00000p-1)
	r -= float64(k * 0x1.a39ef35793c76p-33)
	p := 0.0
	for i := 14.0; i >= 1; i-- {
		p = float64(r*(1+p)) / i
	}
	return math.Ldexp(1+p, int(k))
}
