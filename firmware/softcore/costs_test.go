package softcore

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// TestCosts prints what each kind of instruction takes in the first token of
// three models, and then each routine (SOFTCORE_BENCH=costs). The instructions
// are run as jobs of their own, from emu/core's registers; DMA is apart.
func TestCosts(t *testing.T) {
	if os.Getenv("SOFTCORE_BENCH") != "costs" {
		t.Skip("skipped: a benchmark; SOFTCORE_BENCH=costs runs it")
	}
	own := func(raw []byte) []byte {
		file, err := gguf.NewFile(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		return convertModel(t, file, convert.Options{WType: "q8_0", Yes: true})
	}
	for name, img := range map[string][]byte{
		"stories260K-q8_0":      convertFile(t, filepath.Join(shared(t, "models"), "stories260K-q8_0.gguf"), convert.Options{}),
		"the kit's own as q8_0": own(builtin.Story()),
		"its gpt2 as q8_0":      own(builtin.GPT2()),
	} {
		w := newTwin(newRig(t, machine.Options{Profile: true}), img)
		w.words(image.TokenBuffer, w.head.BOS)
		w.words(image.Base+image.OffPos, 0, 1, 1, 0, 0, 0)
		before := w.byRoutine()
		costs, sum := map[string][3]uint64{}, uint64(0)
		w.ref.OnStep = func(pc uint32, ins [16]byte) {
			if op := image.Op(ins[0]); op == image.HALT || op >= image.BEQ && op <= image.BLT || op == image.SETN {
				return
			}
			what, cycles, dma := w.one(ins)
			c := costs[what]
			costs[what] = [3]uint64{c[0] + 1, c[1] + cycles, c[2] + dma}
			sum += cycles
		}
		w.ref.Start(w.head.Script)
		for {
			done, err := w.ref.Step()
			if err != nil {
				t.Fatal(err)
			}
			if done {
				break
			}
		}
		const from = image.OutputVector // behind the jobs
		want, err := w.mem.Slice(from, w.head.MemNeeded-(from-image.Base))
		if err != nil {
			t.Fatal(err)
		}
		w.same(name, from, w.m.Peek(from, len(want)), want)
		fmt.Printf("%s: %d cycles, %.3f s\n", name, sum, float64(sum)/40.5e6)
		for _, what := range slices.SortedFunc(maps.Keys(costs), func(a, b string) int { return cmp.Compare(costs[b][1], costs[a][1]) }) {
			c := costs[what]
			fmt.Printf("  %-32s %3d x %8d = %9d  DMA %7d\n", what, c[0], c[1]/c[0], c[1], c[2])
		}
		after := w.byRoutine()
		for a, n := range before {
			after[a] -= n
		}
		for _, a := range slices.SortedFunc(maps.Keys(after), func(a, b string) int { return cmp.Compare(after[b], after[a]) })[:70] {
			fmt.Printf("    %-20s %9d\n", a, after[a])
		}
	}
}

func (r *rig) byRoutine() map[string]uint64 {
	m := map[string]uint64{}
	for _, l := range r.m.Profile() {
		if uint32(l.Addr) >= r.at("WINDOW") {
			m[l.Name] = l.Cycles
		}
	}
	return m
}

// one runs one instruction, which emu/core is about to, and returns its kind,
// cycles and cycles of DMA. What the core remembers of the vector quantised
// last is kept from one to the next.
func (w *twin) one(ins [16]byte) (what string, cycles, dma uint64) {
	in := image.Op(ins[0])
	n := w.ref.N
	for i := range uint32(16) {
		w.pokeWord(w.flat("R_")+4*i, w.ref.R[i])
		w.pokeWord(w.flat("A_")+4*i, w.ref.A[i])
	}
	for i, v := range n {
		w.pokeWord(w.flat("N_")+4*uint32(i), v)
	}
	w.m.Poke(jobAt, ins[:])
	w.m.Poke(jobAt+16, []byte{byte(image.HALT), 15: 0})
	w.pokeWord(w.at("SOFT_JOB"), jobAt)
	valid := w.m.Peek(w.flat("xq_valid"), 1)
	w.call("SOFT_GO")
	w.m.Poke(w.flat("xq_valid"), valid)
	before, own := w.m.Stats().DMABytes, w.cycles()
	w.order(2, w.at("SOFT_RUN"))
	if code := w.m.Peek(w.at("SOFT_ERROR"), 1)[0]; code != 0 {
		w.t.Fatalf("%v: error %d", in, code)
	}
	what = fmt.Sprintf("%v %d", in, n[0])
	switch in {
	case image.GEMV:
		what = fmt.Sprintf("GEMV %d %d x %d", ins[1], n[1], n[0])
	case image.ATTN:
		what = "ATTN"
	}
	return what, w.cycles() - own, 2 * (w.m.Stats().DMABytes - before)
}
