package softcore

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// full reports whether the long forms of tests were asked for.
func full() bool { return os.Getenv("SOFTCORE_FULL") != "" }

func convertFile(t testing.TB, path string, o convert.Options) []byte {
	t.Helper()
	file, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return convertModel(t, file, o)
}

func convertModel(t testing.TB, file *gguf.File, o convert.Options) []byte {
	t.Helper()
	p, err := convert.New(file, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// twin is an image on the software core and on emu/core at once.
type twin struct {
	*rig
	ref  *core.Core
	mem  *core.Memory
	head image.Header
}

func newTwin(r *rig, img []byte) *twin {
	r.t.Helper()
	h, err := image.ParseHeader(img)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &twin{rig: r, mem: core.NewMemory(core.R3), head: h}
	w.ref = core.New(w.mem, core.Options{Numerics: core.HW})
	r.loadImage(img)
	w.write(image.Base, img[:image.HeaderSize])
	w.write(image.Payload, img[image.HeaderSize:])
	before := r.m.Stats().Cycles
	r.order(2, r.at("SOFT_PREPARE"))
	r.t.Logf("prepared %d of %d bytes in %.2f s, free to $%07X", r.word(r.at("SOFT_DONE")), r.word(r.at("SOFT_TOTAL")),
		float64(r.m.Stats().Cycles-before)/40.5e6, r.word(r.at("SOFT_FREE")))
	return w
}

// write writes to both memories.
func (w *twin) write(addr uint32, data []byte) {
	w.m.Poke(addr, data)
	if err := w.mem.Write(addr, data); err != nil {
		w.t.Fatal(err)
	}
}

func (w *twin) words(addr uint32, v ...uint32) {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	w.write(addr, b)
}

// run runs the script on both with the runtime block as given and compares all
// of the memory that the image needs.
func (w *twin) run(what string, pos, prompt, n uint32) {
	w.t.Helper()
	w.words(image.Base+image.OffPos, pos, prompt, n, 0, 0, 0)
	w.ref.Start(w.head.Script)
	if err := w.ref.Run(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	if code := w.job(w.head.Script); code != 0 {
		w.t.Fatalf("%s: error %d at PC $%07X", what, code, w.word(w.at("SOFT_FAULT_PC")))
	}
	want, err := w.mem.Slice(image.Base, w.head.MemNeeded)
	if err != nil {
		w.t.Fatal(err)
	}
	w.same(what, image.Base, w.m.Peek(image.Base, len(want)), want)
	if w.t.Failed() {
		w.t.FailNow()
	}
}

func TestModels(t *testing.T) {
	dir := shared(t, "models")
	for _, c := range []struct {
		file    string
		opt     convert.Options
		n, long int // positions
	}{
		{"stories260K-q8_0", convert.Options{}, 3, 40},
		{"stories260K-q4_0", convert.Options{}, 2, 40},
		{"stories260K-f16", convert.Options{}, 1, 40},
		{"stories260K-f32", convert.Options{WType: "f32"}, 1, 40},
		{"stories260K-q8_0", convert.Options{KV: "f32"}, 2, 40},
		{"gpt2-rand-1k-q8_0", convert.Options{}, 1, 40},
		{"bert-rand-3k-q8_0", convert.Options{}, 2, 40},
	} {
		t.Run(fmt.Sprintf("%s%s", c.file, c.opt.KV), func(t *testing.T) {
			if full() {
				t.Parallel()
			}
			img := convertFile(t, filepath.Join(dir, c.file+".gguf"), c.opt)
			w := newTwin(newRig(t, machine.Options{}), img)
			n := c.n
			if full() {
				n = c.long
			}
			w.decode(n)
		})
	}
}

// The kit's own models.
func TestOwnModels(t *testing.T) {
	for name, raw := range map[string][]byte{"story": builtin.Story(), "gpt2": builtin.GPT2(), "encoder": builtin.Encoder()} {
		t.Run(name, func(t *testing.T) {
			file, err := gguf.NewFile(bytes.NewReader(raw), int64(len(raw)))
			if err != nil {
				t.Fatal(err)
			}
			w := newTwin(newRig(t, machine.Options{}), convertModel(t, file, convert.Options{WType: "q8_0", Yes: true}))
			n := 2
			if full() {
				n = 40
			}
			w.decode(n)
		})
	}
}

// stop_request ends a run behind the token in progress, and generated is there
// to be read before the run is over.
func TestStopRequest(t *testing.T) {
	raw := builtin.Story()
	file, err := gguf.NewFile(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	w := newTwin(newRig(t, machine.Options{}), convertModel(t, file, convert.Options{WType: "q8_0", Yes: true}))
	w.words(image.TokenBuffer, w.head.BOS)
	w.words(image.Base+image.OffPos, 0, 1, 50, 0, 0, 0)
	w.pokeWord(w.at("SOFT_JOB"), w.head.Script)
	w.m.Poke(w.at("go"), []byte{2, byte(w.at("SOFT_GO"))})
	w.frames(500, func() bool { return w.word(image.Base+image.OffGenerated) == 2 })
	if w.m.Peek(w.at("SOFT_STATE"), 1)[0] == 0 {
		t.Error("the run was over before its second token could be seen")
	}
	w.pokeWord(image.Base+image.OffStopRequest, 1)
	w.frames(500, func() bool { return w.m.Peek(w.at("go"), 1)[0] == 0 })
	if n, why := w.word(image.Base+image.OffGenerated), w.word(image.Base+image.OffStopReason); n < 2 || n > 3 || why != image.StopRequested {
		t.Errorf("%d tokens, stop reason %d; want 2 or 3 and %d", n, why, image.StopRequested)
	}
}

// decode runs n positions one by one, after a prompt of two; an encoder gets n
// tokens.
func (w *twin) decode(n int) {
	w.t.Helper()
	if w.head.Flags&image.FlagEncoder != 0 {
		for i := range uint32(n) {
			w.words(image.TokenBuffer+4*i, (i*37+5)%w.head.NVocab)
		}
		w.run("embedding", 0, uint32(n), 0)
		return
	}
	w.words(image.TokenBuffer, w.head.BOS, 300%w.head.NVocab)
	before := w.m.Stats().Cycles
	w.run("prompt", 0, min(2, uint32(n)), 1)
	for pos := uint32(min(2, n)); pos < uint32(n); pos++ {
		w.run(fmt.Sprintf("position %d", pos), pos, pos+1, 1)
	}
	w.t.Logf("%.3f s a token", float64(w.m.Stats().Cycles-before)/40.5e6/float64(n))
}
