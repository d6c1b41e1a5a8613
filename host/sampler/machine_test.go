package sampler

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func machine(t *testing.T, o MachineOptions) *Machine {
	t.Helper()
	m, err := NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The machine's integers follow the PC's definition closely: over many draws
// the tokens come as often as their softmax says.
func TestMachineFollowsSoftmax(t *testing.T) {
	logits := []float32{2, 1.5, -1, 0.25, 1.9, -30}
	const n, temp = 40000, 0.8
	m := machine(t, MachineOptions{Temperature: 80, TopK: 0, Penalty: 100, Seed: 7})
	count := make([]int, len(logits))
	for range n {
		id, err := m.Next(logits, nil)
		if err != nil {
			t.Fatal(err)
		}
		count[id]++
	}
	var sum float64
	for _, l := range logits {
		sum += math.Exp(float64(l) / temp)
	}
	for i, l := range logits {
		want := math.Exp(float64(l)/temp) / sum
		if got := float64(count[i]) / n; math.Abs(got-want) > 0.01 {
			t.Errorf("token %d: share %.3f, softmax %.3f", i, got, want)
		}
	}
}

// Top-k 1 is the greatest logit, the lowest id of equal ones; penalties act as
// in llama.cpp.
func TestMachineTopKAndPenalty(t *testing.T) {
	m := machine(t, MachineOptions{Temperature: 100, TopK: 1, Penalty: 100, Seed: 1})
	if id, _ := m.Next([]float32{1, 3, 3, 2}, nil); id != 1 {
		t.Errorf("greatest: %d, want 1", id)
	}
	m = machine(t, MachineOptions{Temperature: 100, TopK: 1, Penalty: 200, Seed: 1})
	if id, _ := m.Next([]float32{1, 3, 2.9, 2}, []uint32{1, 1, 900}); id != 2 {
		t.Errorf("penalised 3 -> 1.5: %d, want 2", id)
	}
	if id, _ := m.Next([]float32{-1, -1.5, -9}, []uint32{0}); id != 1 {
		t.Errorf("penalised -1 -> -2: %d, want 1", id)
	}
	if _, err := m.Next([]float32{1, float32(math.NaN())}, nil); err == nil {
		t.Error("NaN was taken")
	}
}

// scale and fixed stay within their cut of the true values.
func TestMachineArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		f := float32((rng.Float64() - 0.5) * math.Exp2(float64(rng.IntN(20)-6)))
		factor := 16384 + rng.Uint32N(245760)
		got := math.Float32frombits(scale(math.Float32bits(f), factor))
		want := float64(f) * float64(factor) / 65536
		if math.Abs(float64(got)-want) > math.Abs(want)*0x1p-21 {
			t.Fatalf("scale(%v, %d) = %v, want %v", f, factor, got, want)
		}
		v := float64(fixed(keyOf(math.Float32bits(f)))) / 65536
		if d := float64(f) - v; math.Abs(d) > 0x1p-16 && math.Abs(float64(f)) < 32767 {
			t.Fatalf("fixed(%v) = %v", f, v)
		}
	}
	if keyOf(math.Float32bits(-1)) >= keyOf(math.Float32bits(-0.5)) || keyOf(math.Float32bits(-0.5)) >= keyOf(0) {
		t.Error("keys do not sort like numbers")
	}
}

// The same seed gives the same tokens, another one others.
func TestMachineSeeds(t *testing.T) {
	run := func(seed uint32) (ids []uint32) {
		m := machine(t, MachineOptions{Temperature: 150, Penalty: 115, Seed: seed})
		for range 50 {
			id, err := m.Next([]float32{1, 2, 3, 2, 1, 2.5}, ids)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	if !slices.Equal(run(1), run(1)) || slices.Equal(run(1), run(2)) {
		t.Error("seeds do nothing, or too much")
	}
	for _, o := range []MachineOptions{{}, {Temperature: 1001, Penalty: 100}, {Temperature: 1, TopK: 129, Penalty: 100}, {Temperature: 1, Penalty: 99}} {
		if _, err := NewMachine(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
