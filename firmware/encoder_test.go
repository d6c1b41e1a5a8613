package firmware

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
	"ssnail-kit/host/session"
)

// The program's nearest lines against the session package's, on vectors of all
// sizes and scales that an encoder may hand out.
func TestEncoderCosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, dim := range []int{1, 31, 64, 65, 128, 384, 960} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			r := newRig(t, machine.Options{})
			if r.call("core_find", 0, 0).C {
				t.Fatal("the program finds no SSNAIL")
			}
			h := r.at("header")
			r.pokeWord(h+image.OffOutput, image.OutputVector)
			r.pokeWord(h+image.OffOutputLen, uint32(dim))
			r.pokeWord(h+image.OffMemNeeded, 517120)
			r.call("encoder_reset", 0, 0)
			if n := r.byteAt(r.at("en_room")); n != 100 {
				t.Fatalf("room for %d lines, want 100", n)
			}
			var memory session.Memory
			var vectors [][]float32
			for line := range 12 {
				v := make([]float32, dim)
				scale := math.Exp2(float64(rng.IntN(60) - 30))
				for i := range v {
					v[i] = float32(rng.NormFloat64() * scale)
					if line > 0 && rng.IntN(2) == 0 { // like an earlier one
						v[i] += vectors[line/2][i] / (1 + float32(line))
					}
					if rng.IntN(20) == 0 {
						v[i] = 0
					}
				}
				if line == 7 {
					v = vectors[3] // the same again
				}
				var raw []byte
				for _, x := range v {
					raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
				}
				r.m.Poke(image.OutputVector, raw)
				r.line(fmt.Sprint("line ", line))
				r.call("encoder_vector", 0, 0)
				r.call("encoder_search", 0, 0)
				want := memory.Nearest(v, 3)
				for i, w := range want {
					at := r.at("en_best") + uint32(5*i)
					slot := int(r.byteAt(at))
					if slot >= len(vectors) {
						t.Fatalf("line %d: place %d holds slot %d of %d", line, i+1, slot, len(vectors))
					}
					cos := float64(int32(r.word(at+1))) / (1 << 28)
					if math.Abs(cos-w.Cosine) > 1e-4 {
						t.Fatalf("line %d, place %d: machine %.6f (line %d), Go %.6f (%s)", line, i+1, cos, slot, w.Cosine, w.Text)
					}
					if c := session.Cosine(v, vectors[slot]); math.Abs(cos-c) > 1e-4 {
						t.Fatalf("line %d, slot %d: machine %.6f, Go %.6f", line, slot, cos, c)
					}
				}
				r.call("encoder_keep", 0, 0)
				memory.Add(fmt.Sprint(line), v)
				vectors = append(vectors, v)
			}
		})
	}
}

// The cosine is printed with three decimals, rounded.
func TestCosineText(t *testing.T) {
	r := newRig(t, machine.Options{})
	for _, c := range []struct {
		v    float64
		want string
	}{{1, " 1.000"}, {0, " 0.000"}, {-1, "-1.000"}, {0.12345, " 0.123"}, {-0.9996, "-1.000"}, {0.0995, " 0.100"}, {0.5, " 0.500"}} {
		r.capture()
		r.pokeWord(r.base("t0"), uint32(int32(math.Round(c.v*(1<<28)))))
		r.call("encoder_cosine", 0, 0)
		if got := r.captured(); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}
