package ggml

import (
	"math"
	"os"
	"testing"

	"github.com/x448/float16"
)

// TestHalfFloats holds the short ways for normal numbers against the library:
// all half floats, and of float32 every exponent with the fractions around
// which rounding turns, or all of them with GGML_ALL_FLOATS=1 (a minute).
func TestHalfFloats(t *testing.T) {
	for h := range 1 << 16 {
		got, want := math.Float32bits(F16ToF32(uint16(h))), math.Float32bits(float16.Frombits(uint16(h)).Float32())
		if got != want {
			t.Fatalf("half %04x is %08x, want %08x", h, got, want)
		}
	}
	check := func(b uint32) {
		f := math.Float32frombits(b)
		if got, want := F32ToF16(f), float16.Fromfloat32(f).Bits(); got != want {
			t.Fatalf("half of %08x is %04x, want %04x", b, got, want)
		}
	}
	if os.Getenv("GGML_ALL_FLOATS") != "" {
		for b := range uint64(1 << 32) {
			check(uint32(b))
		}
		return
	}
	for top := range uint32(1 << 16) {
		for _, low := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x2fff, 0x3000, 0x7fff, 0x8000, 0xefff, 0xf000, 0xf001, 0xffff} {
			check(top<<16 | low)
		}
	}
}

func TestBF16(t *testing.T) {
	for _, c := range []struct {
		f    uint32
		want uint16
	}{
		{0, 0}, {0x80000000, 0x8000}, {0x3f800000, 0x3f80},
		{0x3f808000, 0x3f80}, // ties go to even
		{0x3f818000, 0x3f82},
		{0x3f808001, 0x3f81},
		{0x7f7fffff, 0x7f80}, // rounds to infinity
		{0x7f800000, 0x7f80},
		{0x7f800001, 0x7fc0}, // a NaN stays one
		{0xff812345, 0xffc1},
	} {
		if got := F32ToBF16(math.Float32frombits(c.f)); got != c.want {
			t.Errorf("bfloat16 of %08x is %04x, want %04x", c.f, got, c.want)
		}
	}
}
