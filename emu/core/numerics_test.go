package core

import (
	"math"
	"testing"
)

// TestExp64 holds the double exponential against the library's.
func TestExp64(t *testing.T) {
	for x := -690.0; x <= 690; x += 0.0137 {
		got, want := exp64(x), math.Exp(x)
		if !(math.Abs(got-want) <= 2e-13*want) {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1e9, math.Inf(1), math.NaN()} {
		if got := exp64(x); !(got > 1e300) {
			t.Errorf("exp(%v) = %v", x, got)
		}
		if got := exp64(-x); x == x && !(got < 1e-300) {
			t.Errorf("exp(%v) = %v", -x, got)
		}
	}
}
