package core

import "math"

// chords approximates a function on [lo, hi) by 256 straight pieces of equal
// width: y = c0[i] + c1[i]*x, each operation rounded. All numbers but the
// bounds are the bits of IEEE singles.
type chords struct {
	lo, hi float32
	k      uint32 // 256/(hi-lo)
	c0, c1 [256]uint32
}

// at evaluates the chord of an x inside [lo, hi).
func (c *chords) at(x float32) float32 {
	d := x - c.lo
	i := int32(d * math.Float32frombits(c.k)) // x >= lo, so truncation is floor
	i = min(i, 255)
	p := float32(math.Float32frombits(c.c1[i]) * x)
	return math.Float32frombits(c.c0[i]) + p
}

// silu is x/(1+exp(-x)) as the hardware has it. A NaN stays one.
func silu(x float32) float32 { return passAbove(&siluChords, x) }

// gelu is the tanh approximation of GELU as the hardware has it.
func gelu(x float32) float32 { return passAbove(&geluChords, x) }

func passAbove(c *chords, x float32) float32 {
	switch {
	case x < c.lo:
		return 0
	case x < c.hi:
		return c.at(x)
	}
	return x
}

// expNeg is exp(x) for x <= 0 as the hardware has it.
func expNeg(x float32) float32 {
	switch {
	case x < expChords.lo:
		return 0
	case x < expChords.hi:
		return expChords.at(x)
	}
	return 1
}

// Chords returns the coefficients of "silu", "gelu" or "exp": y = c0[i] +
// c1[i]*x, as bits of IEEE singles. Both are nil for another name.
func Chords(name string) (c0, c1 []uint32) {
	c, ok := map[string]*chords{"silu": &siluChords, "gelu": &geluChords, "exp": &expChords}[name]
	if !ok {
		return nil, nil
	}
	a, b := c.c0, c.c1
	return a[:], b[:]
}
