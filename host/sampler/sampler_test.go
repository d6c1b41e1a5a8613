package sampler

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustNew(t *testing.T, o Options) *Sampler {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func next(t *testing.T, s *Sampler, logits []float32, recent ...uint32) uint32 {
	t.Helper()
	id, err := s.Next(logits, recent)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestGreedy: temperature 0 is the first maximum whatever the penalty is.
func TestGreedy(t *testing.T) {
	o := Defaults()
	o.Temperature, o.Penalty = 0, 50
	if id := next(t, mustNew(t, o), []float32{1, 7, 7, -3}, 1, 1, 2); id != 1 {
		t.Errorf("chose %d, want 1", id)
	}
	o = Defaults()
	o.TopK = 1
	if id := next(t, mustNew(t, o), []float32{1, 7, 7, -3}); id != 1 {
		t.Errorf("top-k 1 chose %d, want 1", id)
	}
}

// TestPenalty: positive logits are divided, negative multiplied, each token
// once, and only those in the window.
func TestPenalty(t *testing.T) {
	o := Options{Temperature: 1, TopK: 1, Penalty: 2, Window: 3}
	s := mustNew(t, o)
	for _, c := range []struct {
		logits []float32
		recent []uint32
		want   uint32
	}{
		{[]float32{3, 2, 1}, []uint32{0}, 1},            // 3/2 < 2
		{[]float32{3, 1, 1}, []uint32{0, 0, 0}, 0},      // once: 1.5 > 1
		{[]float32{-1, -1.5, -9}, []uint32{0}, 1},       // -2 < -1.5
		{[]float32{3, 2, 1}, []uint32{0, 2, 2, 2}, 0},   // 0 has left the window
		{[]float32{3, 2, 1}, []uint32{4000000000}, 0},   // an id without a logit
		{[]float32{0, 0, -1}, []uint32{0}, 0},           // 0 stays 0, the lower id wins
		{[]float32{2, 1.5, 1}, []uint32{0, 1}, 0},       // 1, 0.75, 1: tie to the lower id
		{[]float32{2, 1.5, 1.25}, []uint32{0, 1}, 2},    // 1, 0.75, 1.25
		{[]float32{2, 1.5, 1.25}, nil, 0},               // nothing recent
		{[]float32{-2, -5, -1e9}, []uint32{0, 1, 2}, 0}, // -4, -10
	} {
		if id := next(t, s, c.logits, c.recent...); id != c.want {
			t.Errorf("%v after %v: chose %d, want %d", c.logits, c.recent, id, c.want)
		}
	}
	o.Penalty = 1
	if id := next(t, mustNew(t, o), []float32{3, 2, 1}, 0); id != 0 {
		t.Errorf("penalty 1 changed the choice to %d", id)
	}
}

// TestSeed pins the choices of one seed: they must not change between
// versions or machines.
func TestSeed(t *testing.T) {
	logits := make([]float32, 100)
	for i := range logits {
		logits[i] = float32((i*37)%100) / 20
	}
	run := func(seed uint64) []uint32 {
		o := Defaults()
		o.Seed = seed
		s := mustNew(t, o)
		var ids []uint32
		for range 12 {
			ids = append(ids, next(t, s, logits, ids...))
		}
		return ids
	}
	a := run(1)
	if b := run(1); !slices.Equal(a, b) {
		t.Errorf("seed 1 gave %v, then %v", a, b)
	}
	if b := run(2); slices.Equal(a, b) {
		t.Errorf("seeds 1 and 2 both gave %v", a)
	}
	if want := []uint32{53, 89, 97, 27, 81, 16, 16, 8, 21, 32, 43, 51}; !slices.Equal(a, want) {
		t.Errorf("seed 1 gave %v, want %v", a, want)
	}
}

// TestDistribution counts draws against the softmax.
func TestDistribution(t *testing.T) {
	logits := []float32{1, 0, 2, -1, 0.5}
	const n = 100000
	for _, temp := range []float64{0.5, 1, 3} {
		s := mustNew(t, Options{Temperature: temp, Penalty: 1, Seed: 7})
		var count [5]float64
		for range n {
			count[next(t, s, logits)]++
		}
		var total float64
		for _, l := range logits {
			total += math.Exp(float64(l) / temp)
		}
		for i, l := range logits {
			p := math.Exp(float64(l)/temp) / total
			if got := count[i] / n; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n) {
				t.Errorf("temperature %v: token %d drawn %.4f of the time, want %.4f", temp, i, got, p)
			}
		}
	}
}

// TestTopK: only the k greatest are ever drawn, ties by id; 0 is off.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 2 + r.IntN(60)
		logits := make([]float32, n)
		order := make([]uint32, n)
		for i := range logits {
			logits[i] = float32(r.IntN(10))
			order[i] = uint32(i)
		}
		slices.SortStableFunc(order, func(a, b uint32) int { return int(logits[b] - logits[a]) })
		k := r.IntN(n + 5)
		s := mustNew(t, Options{Temperature: 100, TopK: k, Penalty: 1, Seed: r.Uint64()})
		if k == 0 || k > n {
			k = n
		}
		for range 50 {
			if id := next(t, s, logits); !slices.Contains(order[:k], id) {
				t.Fatalf("drew %d, which is not among the first %d of %v", id, k, logits)
			}
		}
	}
}

// TestNotFinite: no choice is made from broken logits.
func TestNotFinite(t *testing.T) {
	s := mustNew(t, Defaults())
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := s.Next([]float32{1, 2, float32(bad)}, nil)
		if err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
	if _, err := s.Next(nil, nil); err == nil {
		t.Error("no logits: no error")
	}
	for _, o := range []Options{{Temperature: -1, Penalty: 1}, {Temperature: math.NaN(), Penalty: 1}, {TopK: -1, Penalty: 1}, {Penalty: 0}, {Penalty: 1, Window: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestExp holds the exponential against the library's.
func TestExp(t *testing.T) {
	for x := 0.0; x > -690; x -= 0.0137 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := Probability([]float32{0, 0, 0, 0}, 2); got != 0.25 {
		t.Errorf("probability %v, want 0.25", got)
	}
}

func BenchmarkNext(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 32000)
	for i := range logits {
		logits[i] = float32(r.NormFloat64() * 3)
	}
	s, err := New(Defaults())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Next(logits, nil); err != nil {
			b.Fatal(err)
		}
	}
}
