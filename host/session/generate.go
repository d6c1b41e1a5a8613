package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ssnail-kit/host/image"
	"ssnail-kit/host/sampler"
)

// Reason is why a turn ended.
type Reason int

// The reasons.
const (
	Count     Reason = image.StopCount     // as many tokens as asked for
	EOS       Reason = image.StopEOS       // the model's end token
	Context   Reason = image.StopContext   // no room for more
	Requested Reason = image.StopRequested // stopped from outside
	BOS       Reason = 16                  // a begin token: some models end texts so
)

// String says it to the user.
func (r Reason) String() string {
	switch r {
	case Count:
		return "count reached"
	case EOS:
		return "end of text (EOS)"
	case Context:
		return "context full"
	case Requested:
		return "stopped"
	case BOS:
		return "end of text (BOS)"
	}
	return fmt.Sprintf("stop reason %d", int(r))
}

// Name is a word for scripts.
func (r Reason) Name() string {
	switch r {
	case Count:
		return "count"
	case EOS:
		return "eos"
	case Context:
		return "context"
	case Requested:
		return "stopped"
	case BOS:
		return "bos"
	}
	return fmt.Sprint(int(r))
}

// Token is one token that the model made.
type Token struct {
	ID     uint32
	Piece  []byte    // its bytes as the image's vocabulary has them
	EOS    float64   // the probability that EOS had in its place, if Turn.EOS asked for it
	Logits []float32 // that it was chosen from, if Turn has a Sampler or asks for EOS
}

// Turn says what to generate.
type Turn struct {
	// N is the most tokens to make, 0 none: then what was said waits for the
	// next turn.
	N int
	// Sampler chooses tokens; nil leaves it to the image's ARGMAX.
	Sampler *sampler.Sampler
	// PassBOS does not stop at a begin token; the script itself does not.
	PassBOS bool
	// EOS asks for the probability of EOS with each token.
	EOS bool
	// OnToken, if set, sees each token as it comes. An error ends the turn.
	OnToken func(Token) error
	// OnPosition, if set, sees how many of the prompt's tokens were
	// processed.
	OnPosition func(done, total int)
	// OnLogits, if set, sees the logits of every position, the prompt's too,
	// as little-endian singles.
	OnLogits func(raw []byte)
}

// Result is how a turn went.
type Result struct {
	Reason       Reason
	Generated    []uint32
	Positions    int // tokens processed, the prompt's too
	Instructions uint64
	BytesRead    uint64
	BytesWritten uint64
	Elapsed      time.Duration
}

var errNothing = errors.New("nothing to go on from: the context is empty and this model has no begin token; type some text")

// Generate runs a turn. Cancelling ctx asks the script to stop after the
// current token, as a key does on the MEGA65: then the reason is Requested,
// the context stays whole and the next turn goes on from there. A fault of the
// core, or logits that are not numbers, is an error.
func (s *Session) Generate(ctx context.Context, t Turn) (Result, error) {
	var res Result
	switch {
	case s.Encoder():
		return res, ErrEncoder
	case t.N < 0:
		return res, fmt.Errorf("%d tokens to generate: want 0 or more", t.N)
	case t.N == 0:
		res.Reason = Count
		return res, nil
	case len(s.tokens) == 0:
		return res, errNothing
	case len(s.tokens) > int(s.im.MaxCtx):
		res.Reason = Context
		return res, &FullError{0, len(s.tokens), int(s.im.MaxCtx)}
	}
	s.core.ResetCounters()
	start := time.Now()
	var err error
	if t.Sampler == nil || t.Sampler.Options().Greedy() {
		err = s.run(ctx, &t, t.N, &res, nil)
	} else {
		err = s.sample(ctx, &t, &res)
	}
	res.Elapsed = time.Since(start)
	res.Instructions, res.BytesRead, res.BytesWritten = s.core.Instructions, s.core.BytesRead, s.core.BytesWritten
	return res, err
}

// sample makes one token a job and replaces it by the sampler's choice.
func (s *Session) sample(ctx context.Context, t *Turn, res *Result) error {
	for range t.N {
		if err := s.run(ctx, t, 1, res, t.Sampler); err != nil {
			return err
		}
		if res.Reason != Count {
			return nil
		}
	}
	return nil
}

// run starts the script once. With a sampler n is 1.
func (s *Session) run(ctx context.Context, t *Turn, n int, res *Result, smp *sampler.Sampler) error {
	if len(s.tokens) > int(s.im.MaxCtx) {
		res.Reason = Context
		return nil
	}
	first := len(s.tokens) // index of the first new token
	if err := s.put(s.im.Tokens+4*uint32(s.stored), s.tokens[s.stored:]...); err != nil {
		return err
	}
	s.stored = first
	if err := s.put(image.Base+image.OffPos, uint32(s.pos), uint32(first), uint32(n), 0, 0, 0); err != nil {
		return err
	}
	j := &job{s: s, t: t, res: res, smp: smp, ctx: ctx, first: first, prompt: first - s.pos, budget: s.budget(1)}
	s.core.OnArgmax, s.core.OnSync = j.position, j.sync
	s.port.SetBusy(true)
	s.core.Start(s.im.Script)
	err := j.steps()
	s.port.SetBusy(false)
	s.core.OnArgmax, s.core.OnSync = nil, nil
	s.pos = int(s.runtime(image.OffPos))
	res.Positions += j.positions
	if err == nil {
		err = j.err
	}
	if err == nil {
		res.Reason = j.reason()
	}
	return err
}

// job is one start of the script.
type job struct {
	s   *Session
	t   *Turn
	res *Result
	smp *sampler.Sampler
	ctx context.Context

	first     int // index of the first new token
	prompt    int // positions until then
	seen      int // new tokens read
	positions int
	budget    budget
	asked     Reason // why the script was asked to stop, 0 if it was not
	cut       bool   // the job was cut off in the prompt
	err       error
}

// steps runs the core to the end of the job. The script looks at stop_request
// only after a token that it made; in a prompt the job is cut off between two
// instructions instead, and what was processed stays.
func (j *job) steps() error {
	for n := 0; ; n++ {
		if n%64 == 0 && j.seen == 0 && j.ctx.Err() != nil {
			j.s.core.Abort()
			j.cut = true
			return nil
		}
		if done, err := j.s.core.Step(); done || err != nil {
			return err
		}
		if err := j.budget.spend(); err != nil {
			return err
		}
	}
}

// position is called by each ARGMAX.
func (j *job) position(_ uint32, raw []byte, _ uint32) {
	j.positions++
	j.budget.renew()
	if j.t.OnLogits != nil {
		j.t.OnLogits(raw)
	}
	if j.t.OnPosition != nil && j.positions <= j.prompt {
		j.t.OnPosition(j.positions, j.prompt)
	}
}

// sync is called by each SYNC: it takes the tokens that are new.
func (j *job) sync() {
	done := int(j.s.runtime(image.OffGenerated))
	for ; j.seen < done && j.err == nil && j.asked != BOS; j.seen++ {
		id, err := j.take(j.first + j.seen)
		switch {
		case err != nil:
			j.err = err
			j.stop(Requested)
		case j.s.ends(id) && !j.t.PassBOS:
			j.stop(BOS)
		}
	}
	if j.ctx.Err() != nil {
		j.stop(Requested)
	}
}

// stop writes stop_request, past the load port, which is not READY now.
func (j *job) stop(r Reason) {
	if j.asked == 0 {
		j.asked = r
	}
	if err := j.s.mem.PutUint32(image.Base+image.OffStopRequest, 1); err != nil && j.err == nil {
		j.err = err
	}
}

// take reads the token at index i, or chooses one in its place, and hands it
// on.
func (j *job) take(i int) (uint32, error) {
	s := j.s
	id, err := s.mem.Uint32(s.im.Tokens + 4*uint32(i))
	if err != nil {
		return 0, err
	}
	tk := Token{ID: id}
	if j.smp != nil || j.t.EOS {
		if s.logits, err = s.vector(s.logits, s.im.Output, s.im.OutputLen); err != nil {
			return 0, err
		}
		tk.Logits = s.logits
	}
	if j.smp != nil {
		if tk.ID, err = j.smp.Next(tk.Logits, s.own); err != nil {
			return 0, err
		}
	}
	if j.t.EOS {
		tk.EOS = sampler.Probability(tk.Logits, s.im.EOS)
	}
	s.tokens = append(s.tokens, tk.ID)
	s.own = append(s.own, tk.ID)
	if tk.ID == id {
		s.stored = len(s.tokens)
	}
	j.res.Generated = append(j.res.Generated, tk.ID)
	if j.t.OnToken == nil {
		return tk.ID, nil
	}
	if tk.Piece, err = s.tok.Piece(tk.ID); err != nil {
		return 0, err
	}
	return tk.ID, j.t.OnToken(tk)
}

// reason is why the job ended, seen from outside.
func (j *job) reason() Reason {
	last := uint32(image.NoToken)
	if n := len(j.res.Generated); n > 0 && j.seen > 0 {
		last = j.res.Generated[n-1]
	}
	script := Reason(j.s.runtime(image.OffStopReason))
	sampled := j.smp != nil
	switch {
	case j.cut:
		return Requested
	case j.asked == BOS:
		return BOS
	case sampled && last == j.s.im.EOS:
		return EOS
	case sampled && j.asked == Requested:
		return Requested
	case sampled && script == EOS: // that was the script's token, not ours
		return Count
	}
	return script
}
