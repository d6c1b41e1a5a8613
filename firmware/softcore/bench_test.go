package softcore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// fillCaches puts random values into all rows of all KV caches, on both cores.
func (w *twin) fillCaches() {
	w.t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	for at := w.head.Script; at < w.head.Weights; at += image.InstructionBytes {
		ins := w.m.Peek(at, 16)
		if image.Op(ins[0]) != image.ATTN {
			continue
		}
		b := w.m.Peek(binary.LittleEndian.Uint32(ins[4:]), 32)
		n := int(w.head.MaxCtx * binary.LittleEndian.Uint32(b[12:]) * binary.LittleEndian.Uint32(b[16:]))
		for i := range 2 {
			var data []byte
			for range n {
				data = binary.LittleEndian.AppendUint16(data, ggml.F32ToF16(float32(rng.NormFloat64())))
			}
			w.write(binary.LittleEndian.Uint32(b[4*i:]), data)
		}
	}
}

// TestBench prints how long a token takes, by the cycle table, for make
// softcore-bench. Results are compared with emu/core's all the same.
func TestBench(t *testing.T) {
	if os.Getenv("SOFTCORE_BENCH") == "" {
		t.Skip("skipped: a benchmark; make softcore-bench runs it")
	}
	fmt.Println("model               position  s/token  of it DMA  without DMA  estimated")
	bench := func(name string, img []byte) {
		w := newTwin(newRig(t, machine.Options{Profile: true}), img)
		w.fillCaches()
		w.words(image.TokenBuffer, w.head.BOS)
		for _, pos := range []uint32{0, 50, 100, 200} {
			w.words(image.TokenBuffer+4*pos, 300%w.head.NVocab)
			before, own := w.m.Stats(), w.cycles()
			w.run(fmt.Sprint("position ", pos), pos, pos+1, 1)
			after := w.m.Stats()
			took := float64(w.cycles() - own)
			dma := 2 * float64(after.DMABytes-before.DMABytes)
			est, err := Estimate(memory{w.rig}, w.head, int(pos))
			if err != nil {
				t.Fatal(err)
			}
			w.pokeWord(w.at("SOFT_POSITION"), pos)
			w.call("SOFT_ESTIMATE")
			fmt.Printf("%-20s %7d %8.2f %10.3f %12.3f %10.2f %.2f\n", name, pos, (took+dma)/40.5e6, dma/40.5e6, took/40.5e6, est.Seconds(), float64(w.word(w.at("SOFT_TIME")))/100)
			if os.Getenv("SOFTCORE_BENCH") == "2" {
				for _, l := range w.m.Profile()[:24] { // from the start on
					fmt.Printf("    %-20s %10d\n", l.Name, l.Cycles)
				}
			}
		}
	}
	story := builtin.Story()
	f, err := gguf.NewFile(bytes.NewReader(story), int64(len(story)))
	if err != nil {
		t.Fatal(err)
	}
	bench("ssnail-story-q8_0", convertModel(t, f, convert.Options{WType: "q8_0"}))
	if os.Getenv("SOFTCORE_BENCH") == "2" {
		return
	}
	dir := shared(t, "models")
	for _, name := range []string{"stories260K-q8_0", "stories260K-q4_0", "stories260K-f16"} {
		bench(name, convertFile(t, filepath.Join(dir, name+".gguf"), convert.Options{}))
	}
}

// cycles is what the core itself has taken so far, without DMA.
func (r *rig) cycles() (n uint64) {
	for _, l := range r.m.Profile() {
		if uint32(l.Addr) >= r.at("WINDOW") {
			n += l.Cycles
		}
	}
	return n
}

// memory is the emulated machine's, for Estimate.
type memory struct{ r *rig }

func (m memory) Read(addr uint32, dst []byte) error {
	copy(dst, m.r.m.Peek(addr, len(dst)))
	return nil
}
