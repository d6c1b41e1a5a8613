package firmware

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
	"ssnail-kit/host/sampler"
)

// sampling prepares the machine to sample from n logits.
func (r *rig) sampling(n int, o sampler.MachineOptions) {
	if r.call("core_find", 0, 0).C {
		r.t.Fatal("the program finds no SSNAIL")
	}
	r.pokeWord(r.at("header")+image.OffOutput, logitsAt)
	r.pokeWord(r.at("header")+image.OffOutputLen, uint32(n))
	r.pokeWord(r.at("set_temp"), o.Temperature)
	r.pokeWord(r.at("set_topk"), o.TopK)
	r.pokeWord(r.at("set_penalty"), o.Penalty)
	r.pokeWord(r.at("set_seed"), o.Seed)
	r.call("random_seed", 0, 0)
	r.call("recent_clear", 0, 0)
}

const logitsAt = image.Base + 0x1FFF00 // the logits cross a megabyte

// choose lets the machine choose a token.
func (r *rig) choose(logits []float32) (id uint32, cycles uint64) {
	b := make([]byte, 0, 4*len(logits))
	for _, l := range logits {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(l))
	}
	r.m.Poke(logitsAt, b)
	cycles = r.call("sample", 0, 0).Cycles
	id = r.word(r.base("t2"))
	r.pokeWord(r.base("t0"), id)
	r.call("recent_add", 0, 0)
	return id, cycles
}

// randomLogits look like a model's, with ties, zeros and extremes between them.
func randomLogits(rng *rand.Rand, n int, wild bool) []float32 {
	l := make([]float32, n)
	for i := range l {
		l[i] = float32(rng.NormFloat64() * 4)
		if !wild {
			continue
		}
		switch rng.IntN(12) {
		case 0:
			l[i] = float32(rng.IntN(5))
		case 1:
			l[i] = float32(math.Copysign(0, -1))
		case 2:
			l[i] = math.Float32frombits(rng.Uint32() &^ 0x40000000) // small, denormal
		case 3:
			if v := math.Float32frombits(rng.Uint32()); v-v == 0 {
				l[i] = v
			}
		}
	}
	return l
}

// The program's sampler equals the sampler package's model on every token.
func TestSampler(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for i, o := range []sampler.MachineOptions{
		{Temperature: 80, TopK: 40, Penalty: 115, Seed: 1},
		{Temperature: 1, TopK: 0, Penalty: 100, Seed: 0},
		{Temperature: 1000, TopK: 128, Penalty: 400, Seed: 0xFFFFFFFF},
		{Temperature: 100, TopK: 1, Penalty: 130, Seed: 3},
		{Temperature: 150, TopK: 2, Penalty: 101, Seed: 99},
	} {
		for _, n := range []int{1, 64, 65, 1000} {
			t.Run(fmt.Sprintf("%d-%d", i, n), func(t *testing.T) {
				model, err := sampler.NewMachine(o)
				if err != nil {
					t.Fatal(err)
				}
				r := newRig(t, machine.Options{})
				r.sampling(n, o)
				var recent []uint32
				for k := range 24 {
					logits := randomLogits(rng, n, k%2 == 1)
					want, err := model.Next(logits, recent)
					if err != nil {
						t.Fatal(err)
					}
					if got, _ := r.choose(logits); got != want {
						t.Fatalf("token %d: machine %d (%v), Go %d (%v)", k, got, logits[got%uint32(n)], want, logits[want])
					}
					recent = append(recent, want)
				}
			})
		}
	}
}

// A long run with the default settings: the window of recent tokens turns over.
func TestSamplerLong(t *testing.T) {
	o := sampler.MachineOptions{Temperature: 80, TopK: 40, Penalty: 115, Seed: 1}
	model, err := sampler.NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, machine.Options{})
	r.sampling(512, o)
	rng := rand.New(rand.NewPCG(1, 13))
	var recent []uint32
	for k := range 1000 {
		logits := randomLogits(rng, 512, false)
		want, err := model.Next(logits, recent)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := r.choose(logits); got != want {
			t.Fatalf("token %d: machine %d, Go %d", k, got, want)
		}
		recent = append(recent, want)
	}
}

// The exact division against Go's.
func TestDivide(t *testing.T) {
	r := newRig(t, machine.Options{})
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		a, b := rng.Uint32()>>rng.IntN(32), 1+rng.Uint32()>>rng.IntN(32)
		if b == 0 {
			b = 1
		}
		r.pokeWord(r.base("t0"), a)
		r.pokeWord(r.base("t1"), b)
		r.call("divide", 0, 0)
		if q, m := r.word(r.base("t0")), r.word(r.base("t2")); q != a/b || m != a%b {
			t.Fatalf("%d / %d = %d rest %d, want %d rest %d", a, b, q, m, a/b, a%b)
		}
	}
}

// BenchmarkSampler reports the cycles that choosing a token takes.
func BenchmarkSampler(b *testing.B) {
	for _, n := range []int{512, 32000} {
		for _, k := range []uint32{40, 128} {
			b.Run(fmt.Sprintf("%d-topk%d", n, k), func(b *testing.B) {
				r := newRig(b, machine.Options{})
				r.sampling(n, sampler.MachineOptions{Temperature: 80, TopK: k, Penalty: 115, Seed: 1})
				rng := rand.New(rand.NewPCG(1, 1))
				for range 64 {
					r.choose(randomLogits(rng, n, false))
				}
				var cycles uint64
				for b.Loop() {
					_, cycles = r.choose(randomLogits(rng, n, false))
				}
				b.ReportMetric(float64(cycles)/40500, "ms/token")
			})
		}
	}
}

// The end token's share is that of the softmax, and is shown from 5 % on.
func TestEndTokenShare(t *testing.T) {
	r := newRig(t, machine.Options{})
	r.sampling(300, sampler.MachineOptions{Temperature: 100, TopK: 5, Penalty: 200, Seed: 1})
	rng := rand.New(rand.NewPCG(51, 52))
	shown := 0
	for range 60 {
		logits := randomLogits(rng, 300, false)
		eos := rng.Uint32N(300)
		logits[eos] += 9
		r.pokeWord(r.at("header")+image.OffEOS, eos)
		b := make([]byte, 0, 4*len(logits))
		for _, l := range logits {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(l))
		}
		r.m.Poke(logitsAt, b)
		r.capture()
		r.call("sample_end_token", 0, 0)
		p, got := 100*sampler.Probability(logits, eos), r.captured()
		var n float64
		if _, err := fmt.Sscanf(got, "<EOS %f%%>", &n); err != nil {
			n = 0
		}
		switch {
		case got == "" && p > 6, got != "" && p < 4.5, got != "" && math.Abs(n-p) > 2:
			t.Errorf("share %.2f %%: %q", p, got)
		}
		if got != "" {
			shown++
		}
	}
	if shown < 10 || shown > 50 {
		t.Errorf("%d of 60 shown: the test has lost its point", shown)
	}
}
