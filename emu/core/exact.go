package core

import "math"

// exactDot is the sum of n exact products of singles, rounded once to double
// and then to single. Any way to get there is right as long as it always
// does: sums are first made in plain double arithmetic together with the sum
// of magnitudes, which bounds the error. Only when both ends of that interval
// do not round to the same single are the products added exactly.
//
// A product of two singles is exact in double, so a fused multiply-add gives
// the same bits as a product and a sum.

// settle returns the single that the exact sum rounds to, given a double sum
// s of n products in any order and the sum a of their magnitudes; ok is false
// when that does not decide it.
func settle(s, a float64, n int) (y float32, ok bool) {
	// The error of s is below n*2^-53*sum|p| and a is short of that sum by
	// the same share; twice that covers the rounding of the bounds as well.
	e := a * float64(2*n) * 0x1p-53
	lo, hi := float32(s-e), float32(s+e)
	return lo, math.Float32bits(lo) == math.Float32bits(hi) && !math.IsInf(a, 0)
}

// An exactSum adds doubles without loss: a list of non-overlapping partial
// sums, smallest first (Shewchuk 1997).
type exactSum struct {
	parts   []float64
	special float64 // sum of infinities and NaNs
	odd     bool    // special holds something
}

func (e *exactSum) reset() { e.parts, e.special, e.odd = e.parts[:0], 0, false }

func (e *exactSum) add(x float64) {
	if x-x != 0 {
		e.special += x
		e.odd = true
		return
	}
	n := 0
	for _, y := range e.parts {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		hi := x + y
		lo := y - (hi - x)
		if lo != 0 {
			e.parts[n] = lo
			n++
		}
		x = hi
	}
	e.parts = append(e.parts[:n], x)
}

// value is the sum rounded to the nearest double, ties to even.
func (e *exactSum) value() float64 {
	if e.odd {
		return e.special
	}
	n := len(e.parts)
	if n == 0 {
		return 0
	}
	n--
	hi := e.parts[n]
	lo := 0.0
	for n > 0 {
		x := hi
		n--
		y := e.parts[n]
		hi = x + y
		lo = y - (hi - x)
		if lo != 0 {
			break
		}
	}
	// hi+lo rounded to hi; if lo was half an ulp, what remains below decides.
	if n > 0 && (lo < 0 && e.parts[n-1] < 0 || lo > 0 && e.parts[n-1] > 0) {
		y := lo * 2
		x := hi + y
		if y == x-hi {
			hi = x
		}
	}
	return hi
}
