package softcore

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/machine"
)

// weighCall calls weigh as ATTN does.
const weighCall = `
weigh_call:
  lda #0
  sta err
  ldx #2
  jsr chord_choose
  jmp weigh
`

// expNeg is exp of x <= 0 in hw numerics.
func expNeg(x float32) float32 {
	switch {
	case x < -16:
		return 0
	case x >= 0:
		return 1
	}
	c0, c1 := core.Chords("exp")
	i := min(255, int(float32(x+16)*16))
	return math.Float32frombits(c0[i]) + float32(math.Float32frombits(c1[i])*x)
}

// scoreBytes is a score as attention keeps it: exponent, mantissa with the sign
// in the place of its leading one.
func scoreBytes(x float32) []byte {
	b := math.Float32bits(x)
	if x == 0 {
		b = 0
	}
	return []byte{byte(b >> 23), byte(b), byte(b >> 8), byte(b>>16)&0x7F | byte(b>>24)&0x80}
}

// TestWeigh compares attention's exponentials, their sum and its reciprocal with
// the standard's arithmetic.
func TestWeigh(t *testing.T) {
	r := newRig(t, machine.Options{})
	rng := rand.New(rand.NewPCG(21, 22))
	rounds := 30
	if full() {
		rounds = 1000
	}
	for range rounds {
		scores := make([]float32, 1+rng.IntN(300))
		scale, shift := math.Exp(rng.NormFloat64()*2), rng.NormFloat64()*math.Exp(rng.NormFloat64()*2)
		kind := rng.IntN(4)
		top := float32(math.Inf(-1))
		for i := range scores {
			x := float32(rng.NormFloat64()*scale + shift)
			switch {
			case kind == 0:
				x = -float32(math.Abs(float64(x)))
			case kind == 1 && i > 0:
				x = math.Float32frombits(math.Float32bits(scores[i-1]) ^ uint32(rng.IntN(1<<rng.IntN(24))))
			case kind == 2:
				x = float32(math.Floor(float64(x)*32) / 32)
			}
			switch rng.IntN(40) {
			case 0:
				x = 0
			case 1:
				x *= 1e-4
			case 2:
				x = float32(rng.IntN(40) - 20)
			}
			if e := math.Float32bits(x) >> 23 & 255; e < 16 || e > 164 { // at_factors' limits
				x = 0
			}
			scores[i] = x
			top = max(top, x)
		}
		var b []byte
		for _, x := range scores {
			b = append(b, scoreBytes(x)...)
		}
		r.m.Poke(r.at("SCORES"), b)
		r.m.Poke(r.flat("best"), scoreBytes(top))
		r.m.Poke(r.flat("at_steps"), []byte{byte(len(scores)), byte(len(scores) >> 8)})
		r.batchCall("weigh_call", 0, 0)
		raw := r.m.Peek(r.at("SCORES"), len(b))
		var sum float32
		for i, x := range scores {
			want := expNeg(x - top)
			sum += want
			g := raw[4*i:]
			got := math.Float32frombits(uint32(g[0])<<23 | (binary.LittleEndian.Uint32(g)>>8)&0x7FFFFF)
			if got != want || g[0] != 0 && g[3]&0x80 == 0 {
				t.Fatalf("exp(%v - %v) = %v, want %v (% x)", x, top, got, want, g[:4])
			}
		}
		w := r.m.Peek(r.base("w_sum"), 6)
		if got := math.Float32frombits(uint32(w[4])<<23 | (binary.LittleEndian.Uint32(w)>>8)&0x7FFFFF); got != sum {
			t.Fatalf("sum of %d exponentials %v, want %v", len(scores), got, sum)
		}
		w = r.m.Peek(r.base("w_q"), 6)
		if got, want := math.Float32frombits(uint32(w[4])<<23|(binary.LittleEndian.Uint32(w)>>8)&0x7FFFFF), float32(1/float64(sum)); got != want {
			t.Fatalf("1 / %v = %v, want %v", sum, got, want)
		}
	}
}
