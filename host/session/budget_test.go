package session

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/image"
	"ssnail-kit/host/internal/toy"
)

// TestEndless: a script whose jump leads back to itself ends with an error
// that names the place, before the first token and behind it.
func TestEndless(t *testing.T) {
	for _, arch := range []string{"llama", "bert"} {
		for _, slot := range []uint32{0, 5} {
			t.Run(fmt.Sprint(arch, slot), func(t *testing.T) {
				im := imageOf(t, toy.Model{Arch: arch}, convert.Options{})
				b := make([]byte, im.Size)
				if _, err := im.ReadAt(b, 0); err != nil {
					t.Fatal(err)
				}
				pc := im.Script + slot*image.InstructionBytes
				loop := image.Instruction{Op: image.BEQ, X: pc}.Encode()
				copy(b[image.HeaderSize+int(pc-image.Payload):], loop[:])
				bad, err := image.Open(bytes.NewReader(b), int64(len(b)))
				if err != nil {
					t.Fatal(err)
				}
				s := open(t, bad, core.HW)
				if s.Encoder() {
					_, _, err = s.Embed([]byte("ab"))
				} else {
					say(t, s, "ab")
					_, err = s.Generate(context.Background(), Turn{N: 2})
				}
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("stands at $%07X", pc)) {
					t.Fatalf("error %v, want one that names $%07X", err, pc)
				}
				if s.Core().Busy() {
					t.Error("the job still runs")
				}
			})
		}
	}
}

// TestUsed: a full context is not said to hold more than it can.
func TestUsed(t *testing.T) {
	s := open(t, imageOf(t, toy.Model{Arch: "llama"}, convert.Options{Ctx: 4}), core.HW)
	say(t, s, "ab")
	if res := generate(t, s, Turn{N: 20}); res.Reason != Context || s.used() != 4 {
		t.Errorf("%v with %d of 4 used", res.Reason, s.used())
	}
}
