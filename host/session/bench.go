package session

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// Speed is what a benchmark of one set-up measured.
type Speed struct {
	Numerics  string  `json:"numerics"`
	Threads   int     `json:"threads"`
	Kernels   string  `json:"kernels"`
	Positions int     `json:"positions"` // of one run
	PerSecond float64 `json:"tokens_per_second"`
	Bytes     float64 `json:"bytes_per_second"` // RAM traffic as the hardware would have it
}

// Kind is the time that one kind of instruction took.
type Kind struct {
	Name    string  `json:"name"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"`
}

// benchRun is one run of a benchmark: the begin token first, then whatever the
// model makes of it, n positions in all; for an encoder any n tokens.
func (s *Session) benchRun(ctx context.Context, n int) (Result, error) {
	first := s.tok.Begin()
	if first >= s.im.OutputLen {
		first = min(1, s.im.OutputLen-1)
	}
	if s.Encoder() {
		ids := make([]uint32, n)
		for i := range ids {
			ids[i] = uint32(i) % s.im.NVocab
		}
		_, res, err := s.EmbedTokens(ids)
		return res, err
	}
	s.Reset()
	if err := s.SayTokens([]uint32{first}); err != nil {
		return Result{}, err
	}
	return s.Generate(ctx, Turn{N: n, PassBOS: true})
}

// Measure runs n positions from an empty context again and again for at least
// d and returns the best run's speed. A model that ends its text early counts
// what it made.
func (s *Session) Measure(ctx context.Context, n int, d time.Duration) (Speed, error) {
	sp := Speed{Numerics: s.core.Numerics().String(), Threads: s.core.Threads(), Kernels: s.core.KernelSet()}
	n = min(n, int(s.im.MaxCtx))
	if _, err := s.benchRun(ctx, n); err != nil { // warm up
		return sp, err
	}
	for start, first := time.Now(), true; first || time.Since(start) < d; first = false {
		if err := ctx.Err(); err != nil {
			return sp, err
		}
		res, err := s.benchRun(ctx, n)
		if err != nil {
			return sp, err
		}
		if v := res.Speed(); v > sp.PerSecond {
			sp.PerSecond, sp.Positions = v, res.Positions
			sp.Bytes = float64(res.BytesRead+res.BytesWritten) / res.Elapsed.Seconds()
		}
	}
	return sp, nil
}

// Profile runs n positions and measures each instruction, less what reading
// the clock takes. The kinds come by falling time.
func (s *Session) Profile(ctx context.Context, n int) ([]Kind, error) {
	n = min(n, int(s.im.MaxCtx))
	if _, err := s.benchRun(ctx, n); err != nil {
		return nil, err
	}
	clock := clockCost()
	type sum struct {
		n int
		d time.Duration
	}
	sums := map[string]*sum{}
	var last time.Time
	var current *sum
	flush := func(now time.Time) {
		if current != nil {
			current.n++
			current.d += max(0, now.Sub(last)-clock)
		}
	}
	s.core.OnStep = func(_ uint32, raw [16]byte) {
		flush(time.Now())
		in := image.Decode(&raw)
		name := in.Op.String()
		if in.Op == image.GEMV || in.Op == image.DEQROW {
			name += " " + ggml.Type(in.A).String()
		}
		if current = sums[name]; current == nil {
			current = &sum{}
			sums[name] = current
		}
		last = time.Now()
	}
	_, err := s.benchRun(ctx, n)
	s.core.OnStep = nil
	if err != nil {
		return nil, err
	}
	var kinds []Kind
	var total time.Duration
	for name, v := range sums {
		kinds = append(kinds, Kind{Name: name, Count: v.n, Seconds: v.d.Seconds()})
		total += v.d
	}
	for i := range kinds {
		if total > 0 {
			kinds[i].Share = kinds[i].Seconds / total.Seconds()
		}
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return kinds, nil
}

// clockCost is the least time between two readings of the clock.
func clockCost() time.Duration {
	least := time.Second
	for range 1000 {
		a := time.Now()
		least = min(least, time.Since(a))
	}
	return least
}

// CopyBandwidth measures how many bytes a second this machine copies with one
// thread, from buffers larger than its caches: bytes read plus bytes written.
func CopyBandwidth(d time.Duration) float64 {
	const size = 64 << 20
	a, b := make([]byte, size), make([]byte, size)
	for i := 0; i < size; i += 4096 {
		a[i], b[i] = 1, 1
	}
	best := 0.0
	for start := time.Now(); time.Since(start) < d; {
		t := time.Now()
		copy(b, a)
		best = max(best, 2*size/time.Since(t).Seconds())
	}
	runtime.KeepAlive(b)
	return best
}
