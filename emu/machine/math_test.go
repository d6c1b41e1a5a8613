package machine

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// setMath stores A and B byte by byte, as a program does.
func setMath(m *Machine, a, b uint32) {
	var in [8]byte
	binary.LittleEndian.PutUint32(in[:], a)
	binary.LittleEndian.PutUint32(in[4:], b)
	for i, v := range in {
		m.writePhys(0xFFD3770+uint32(i), v)
	}
}

func mathResult(m *Machine, at uint32) uint64 {
	var b [8]byte
	for i := range b {
		b[i] = m.readPhys(at + uint32(i))
	}
	return binary.LittleEndian.Uint64(b[:])
}

// B29: what boards give, which is not always the exact quotient.
func TestDivider(t *testing.T) {
	m := newMachine(t, Options{})
	for _, c := range []struct {
		a, b uint32
		want uint64
	}{
		{20, 3, 0x6_AAAA_AAAB},      // seen on an R3
		{5211, 193, 0x1B_0000_0003}, // seen on a board: 27 and a little
		{1, 0x40, 0x0400_0000},      // from the change that made it right
		{0x8000_0000, 0xC000_0000, 0xAAAA_AAAA},
		{4, 2, 0x2_0000_0000},
		{1, 1, 0x1_0000_0000},
		{0, 7, 0},
	} {
		setMath(m, c.a, c.b)
		if got := mathResult(m, 0xFFD3768); got != c.want {
			t.Errorf("%d/%d = $%X, want $%X", c.a, c.b, got, c.want)
		}
	}
}

// The quotient is never far from the exact one.
func TestDividerIsNearlyExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a, b := r.Uint32()>>r.IntN(32), r.Uint32()>>r.IntN(32)
		if b == 0 {
			continue
		}
		exact := uint64(a) << 32 / uint64(b)
		got := divide(a, b)
		// One part in 2^31 of the result, and a last bit.
		if diff := int64(got - exact); diff > int64(exact>>31)+1 || -diff > int64(exact>>31)+1 {
			t.Fatalf("%d/%d = $%X, exactly $%X", a, b, got, exact)
		}
	}
}

func TestDivideByZeroKeepsTheQuotient(t *testing.T) {
	m := newMachine(t, Options{})
	if got := mathResult(m, 0xFFD3768); got != ^uint64(0) {
		t.Errorf("before any division: $%X", got)
	}
	setMath(m, 10, 4)
	want := mathResult(m, 0xFFD3768)
	setMath(m, 99, 0)
	if got := mathResult(m, 0xFFD3768); got>>32 > 99 {
		t.Errorf("99/0 after 10/4: $%X, first $%X", got, want)
	}
}

func TestMultiplier(t *testing.T) {
	m := newMachine(t, Options{})
	for _, c := range [][2]uint32{{0, 0}, {3, 5}, {0xFFFFFFFF, 0xFFFFFFFF}, {0x12345678, 0x9ABCDEF0}} {
		setMath(m, c[0], c[1])
		if got := mathResult(m, 0xFFD3778); got != uint64(c[0])*uint64(c[1]) {
			t.Errorf("%d*%d = $%X", c[0], c[1], got)
		}
	}
}

func TestDividerIsBusy(t *testing.T) {
	m := newMachine(t, Options{})
	setMath(m, 1, 3)
	if m.readPhys(0xFFD370F)&0x80 == 0 {
		t.Error("not busy after a write")
	}
	m.stall(20)
	if m.readPhys(0xFFD370F) != 0 {
		t.Error("still busy after 20 ticks")
	}
}
