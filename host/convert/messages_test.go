package convert

import (
	"strings"
	"testing"
)

// When the fallback format is what costs bits, more memory is no remedy.
func TestConsentHintNamesTheCause(t *testing.T) {
	if h := (&ConsentError{"q", "keep"}).Hint(); strings.Contains(h, "--mem-mb") || !strings.Contains(h, "--fallback") {
		t.Errorf("keep: %s", h)
	}
	if h := (&ConsentError{"q", "q4_0"}).Hint(); !strings.Contains(h, "--mem-mb") || !strings.Contains(h, "--wtype q4_0") {
		t.Errorf("q4_0: %s", h)
	}
}

// A metadata value that cannot be converted is named on one line, cut, and
// without a terminal's control sequences.
func TestForeignValuesInMessages(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"gemma", "general.architecture = gemma: no"},
		{"a\n\x1b[2J", `general.architecture = "a\n\x1b[2J": no`},
	} {
		if got := (&KeyError{Key: "general.architecture", Value: c.value, Msg: "no"}).Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	long := (&KeyError{Key: "k", Value: strings.Repeat("x", 1<<20), Msg: "no"}).Error()
	if len(long) > 200 {
		t.Errorf("%d bytes", len(long))
	}
}
