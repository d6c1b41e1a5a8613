package session

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/reference"
)

// TestReference holds float numerics against the independent forward pass:
// 1e-6 of the largest value with an F32 KV cache. Only models whose weights
// are stored as they are can be compared.
func TestReference(t *testing.T) {
	n := 0
	for _, g := range goldens(t) {
		if g.Options.KV != "f32" || g.Options.WType != "keep" && !strings.HasSuffix(g.name, ".kvf32") {
			continue
		}
		n++
		t.Run(g.name, func(t *testing.T) {
			name, _, _ := strings.Cut(g.Model, " ")
			f, err := openModel(t, filepath.Join(shared(t, "golden"), name))
			if err != nil {
				t.Fatal(err)
			}
			m, err := reference.Load(f)
			if err != nil {
				t.Fatal(err)
			}
			s := open(t, g.image(t), core.Float)
			res, logits := run(t, s, g.PromptIDs, g.Options.N)
			var want []float64
			if s.Encoder() {
				if want, err = m.Embed(g.PromptIDs); err != nil {
					t.Fatal(err)
				}
			} else {
				r := m.NewRun()
				for _, id := range s.Tokens()[:res.Positions] {
					l, err := r.Next(id)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, l...)
				}
			}
			if len(logits) != 4*len(want) {
				t.Fatalf("%d values, the reference has %d", len(logits)/4, len(want))
			}
			var worst, largest float64
			for i, w := range want {
				v := float64(math.Float32frombits(binary.LittleEndian.Uint32(logits[4*i:])))
				worst = max(worst, math.Abs(v-w))
				largest = max(largest, math.Abs(w))
			}
			t.Logf("off by %.2g of the largest", worst/largest)
			if !(worst <= 1e-6*largest) {
				t.Errorf("off by %.3g of the largest, want at most 1e-6", worst/largest)
			}
		})
	}
	if n == 0 {
		t.Error("no golden set with an F32 KV cache")
	}
}
