package firmware

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
)

// A rig is the program in the emulated machine, stopped behind its start, so
// that tests call its routines one by one.
type rig struct {
	t   testing.TB
	m   *machine.Machine
	sym map[string]uint32
}

// Where the caller's few instructions lie: the first page that the program
// leaves free.
const rigAt = 0xC000

// built is the program, assembled once for all tests.
var built = sync.OnceValues(func() (*Program, error) { return Build(Options{}) })

func newRig(t testing.TB, opt machine.Options) *rig {
	t.Helper()
	p, err := built()
	if err != nil {
		t.Fatal(err)
	}
	opt.Break = []uint16{rigAt}
	m, err := machine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(p.PRG); err != nil {
		t.Fatal(err)
	}
	r := &rig{t, m, p.Symbols}
	m.Poke(r.at("chat"), []byte{0x4C, rigAt & 0xFF, rigAt >> 8})
	m.Poke(rigAt, []byte{
		0xAD, 0x40, 0xC0, // lda $c040
		0xAE, 0x41, 0xC0, // ldx $c041
		0x20, 0x00, 0x00, // jsr routine
		0x8D, 0x42, 0xC0, // sta $c042
		0x8E, 0x43, 0xC0, // stx $c043
		0x08, 0x68, // php, pla
		0x8D, 0x44, 0xC0, // sta $c044
		0x4C, rigAt & 0xFF, rigAt >> 8,
	})
	r.run()
	return r
}

// at returns the address of a symbol.
func (r *rig) at(name string) uint32 {
	r.t.Helper()
	v, ok := r.sym[name]
	if !ok {
		r.t.Fatalf("the program has no symbol %s", name)
	}
	return v
}

// base returns the flat address of a base page variable.
func (r *rig) base(name string) uint32 { return r.at("BASE_PAGE")<<8 + r.at(name) }

func (r *rig) run() {
	r.t.Helper()
	for range 50 * 60 {
		if err := r.m.RunFrame(); err != nil {
			r.t.Fatal(err)
		}
		if r.m.Stopped() == machine.AtBreak {
			return
		}
	}
	r.t.Fatal("the routine does not return within a minute of emulated time")
}

// result is what a routine left in the registers.
type result struct {
	A, X   byte
	C, Z   bool
	Cycles uint64
}

// call runs a routine with A and X.
func (r *rig) call(name string, a, x byte) result {
	r.t.Helper()
	addr := r.at(name)
	r.m.Poke(rigAt+7, []byte{byte(addr), byte(addr >> 8)})
	r.m.Poke(rigAt+0x40, []byte{a, x})
	before := r.m.Stats().Cycles
	r.m.Continue()
	r.run()
	b := r.m.Peek(rigAt+0x42, 3)
	return result{b[0], b[1], b[2]&1 != 0, b[2]&2 != 0, r.m.Stats().Cycles - before}
}

func (r *rig) byteAt(addr uint32) byte { return r.m.Peek(addr, 1)[0] }

func (r *rig) word(addr uint32) uint32 { return binary.LittleEndian.Uint32(r.m.Peek(addr, 4)) }

func (r *rig) pokeWord(addr, v uint32) {
	r.m.Poke(addr, binary.LittleEndian.AppendUint32(nil, v))
}

// load puts an image into SSNAIL's memory and opens it as the loader does.
func (r *rig) load(img []byte) {
	r.t.Helper()
	if r.call("core_find", 0, 0).C { // also chooses the RAM at image.Base
		r.t.Fatal("the program finds no SSNAIL")
	}
	r.m.Poke(image.Base, img[:image.HeaderSize])
	r.m.Poke(image.Payload, img[image.HeaderSize:])
	r.m.Poke(r.at("header"), img[:image.HeaderSize])
	r.call("image_open", 0, 0)
}

// line puts a text where the editor leaves it.
func (r *rig) line(text string) {
	r.m.Poke(r.at("line"), []byte(text))
	r.m.Poke(r.base("line_len"), []byte{byte(len(text))})
}

// shared returns the folder of shared test data, or skips the test.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no go.mod above the test: cannot find ../shared")
		}
		dir = filepath.Dir(dir)
	}
	s := filepath.Join(filepath.Dir(dir), "shared")
	if _, err := os.Stat(s); err != nil {
		t.Skip("skipped: ../shared is not there")
	}
	return s
}
