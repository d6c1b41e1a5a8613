package machine

import (
	"encoding/binary"
	"math/bits"
)

// divideTicks is how long the divider is busy after a write of A or B.
const divideTicks = 18

// mathUnit is the multiplier and divider of $D768-$D77F.
type mathUnit struct {
	in       [8]byte // A, B
	quotient uint64  // 32.32 fixed point
	stale    bool    // A or B changed since quotient was computed
	busy     uint64  // tick at which the divider is done
}

func (u *mathUnit) reset() { *u = mathUnit{quotient: ^uint64(0)} }

func (u *mathUnit) a() uint32 { return binary.LittleEndian.Uint32(u.in[:]) }
func (u *mathUnit) b() uint32 { return binary.LittleEndian.Uint32(u.in[4:]) }

// write stores byte i of A (0-3) or B (4-7). A divisor of 0 does not start the
// divider: the last quotient stays, as on the chip.
func (u *mathUnit) write(i uint32, v byte, now uint64) {
	old := *u
	u.in[i] = v
	if u.b() == 0 {
		if old.stale {
			u.quotient, u.stale = divide(old.a(), old.b()), false
		}
		return
	}
	u.stale, u.busy = true, now+divideTicks
}

// read reads byte i of $D768-$D77F: fraction, whole part, A, B, product.
func (u *mathUnit) read(i uint32) byte {
	switch {
	case i < 8:
		if u.stale {
			u.quotient, u.stale = divide(u.a(), u.b()), false
		}
		return byte(u.quotient >> (8 * i))
	case i < 16:
		return u.in[i-8]
	}
	return byte(uint64(u.a()) * uint64(u.b()) >> (8 * (i - 16)))
}

// divide is n/d as the chip's divider gives it, a 32.32 fixed point number. It
// is Goldschmidt's method: d is shifted up to just below 1 (36 bits of
// fraction), n likewise (68 bits, 36 of them fraction), then both are
// multiplied by 2-d until d is nearly 1. Every product is cut, so the last bits
// are those of the chip, not of exact division: 5211/193 is 27 + 3/2^32.
func divide(n, d uint32) uint64 {
	shift := bits.LeadingZeros32(d)
	den := uint64(d) << shift << 4              // 36 bits
	hi, lo := shiftLeft(uint64(n)<<4, shift, 4) // 68 bits in hi (4 bits), lo
	const one = 1<<36 - 1
	for step := 0; ; step++ {
		last := step == 5 || den == one
		f := uint64(1)<<37 - den
		hi, lo = mulShift36(hi, lo, f)
		h, l := bits.Mul64(den, f)
		den = (h<<28 | l>>36) & one
		if last {
			break
		}
	}
	lo, carry := bits.Add64(lo, 1, 0)
	hi += carry
	return hi<<60 | lo>>4
}

// shiftLeft is v<<n as a number of 64+extra bits.
func shiftLeft(v uint64, n, extra int) (hi, lo uint64) {
	if n > 0 {
		hi = v >> (64 - n)
	}
	return hi & (1<<extra - 1), v << n
}

// mulShift36 is (hi:lo * f) >> 36, cut to 68 bits.
func mulShift36(hi, lo, f uint64) (rhi, rlo uint64) {
	h, l := bits.Mul64(lo, f)
	h += hi * f
	return h >> 36 & 15, h<<28 | l>>36
}
