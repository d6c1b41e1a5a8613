package cpu

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// flatBus is 64 KB of RAM for the CPU and a sparse 28-bit space beside it.
type flatBus struct {
	ram  [1 << 16]byte
	flat map[uint32]byte
	odd  []uint32 // accesses to bytes that are not in flat
	maps int
}

func (b *flatBus) Read(addr uint16) byte     { return b.ram[addr] }
func (b *flatBus) Write(addr uint16, v byte) { b.ram[addr] = v }
func (b *flatBus) ReadFlat(addr uint32) byte {
	b.known(addr)
	return b.flat[addr]
}
func (b *flatBus) WriteFlat(addr uint32, v byte) {
	b.known(addr)
	b.flat[addr] = v
}

func (b *flatBus) known(addr uint32) {
	if _, ok := b.flat[addr]; !ok {
		b.odd = append(b.odd, addr)
	}
}

func (b *flatBus) MapChanged() { b.maps++ }

// newFlat returns a CPU on such a bus; plain makes all pages plain memory.
func newFlat(plain bool) (*CPU, *flatBus) {
	b := &flatBus{flat: map[uint32]byte{}}
	c := &CPU{Bus: b, P: FlagE}
	if plain {
		for i := range c.RPage {
			p := (*[256]byte)(b.ram[i<<8:])
			c.RPage[i], c.WPage[i] = p, p
		}
	}
	return c, b
}

type vectorState struct {
	PC, SP           uint16
	A, X, Y, Z, B, P byte
	RAM, Flat        [][2]uint32
}

type vector struct {
	Name           string
	Steps          int
	Initial, Final vectorState
}

// check runs one vector and returns what differs, or "".
func (v *vector) check(c *CPU, b *flatBus) string {
	in, want := &v.Initial, &v.Final
	clear(b.flat)
	b.odd = b.odd[:0]
	for _, m := range in.RAM {
		b.ram[m[0]] = byte(m[1])
	}
	for _, m := range in.Flat {
		b.flat[m[0]] = byte(m[1])
	}
	c.A, c.X, c.Y, c.Z, c.B, c.P, c.SP, c.PC = in.A, in.X, in.Y, in.Z, in.B, in.P, in.SP, in.PC
	// A step of the vectors is an opcode byte; here prefixes and their
	// instruction are one.
	c.Step()
	if lone := c.PC - in.PC; v.Steps == 3 && lone == 2 || v.Steps == 2 && lone == 1 {
		c.Step() // the prefix had no meaning here
	}
	got := vectorState{PC: c.PC, SP: c.SP, A: c.A, X: c.X, Y: c.Y, Z: c.Z, B: c.B, P: c.P}
	diff := ""
	if s, t := fmt.Sprintf("%04X", regs(&got)), fmt.Sprintf("%04X", regs(want)); s != t {
		diff = fmt.Sprintf(" registers PC SP A X Y Z B P = %s, want %s;", s, t)
	}
	for _, m := range want.RAM {
		if b.ram[m[0]] != byte(m[1]) {
			diff += fmt.Sprintf(" [%04X] = %02X, want %02X;", m[0], b.ram[m[0]], m[1])
		}
	}
	for _, m := range want.Flat {
		if b.flat[m[0]] != byte(m[1]) {
			diff += fmt.Sprintf(" flat [%07X] = %02X, want %02X;", m[0], b.flat[m[0]], m[1])
		}
	}
	for _, m := range want.RAM {
		b.ram[m[0]] = 0
	}
	if len(b.odd) > 0 {
		diff += fmt.Sprintf(" touched flat bytes %07X, which are not in the vector;", b.odd)
	}
	return diff
}

func regs(s *vectorState) [8]uint16 {
	return [8]uint16{s.PC, s.SP, uint16(s.A), uint16(s.X), uint16(s.Y), uint16(s.Z), uint16(s.B), uint16(s.P)}
}

// sharedDir finds ../shared beside the repository root.
func sharedDir(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no go.mod above the test")
		}
	}
	shared := filepath.Join(dir, "..", "shared")
	if _, err := os.Stat(shared); err != nil {
		t.Skip("skipped: ../shared is not there, the instruction vectors are not checked")
	}
	return shared
}

func TestVectors(t *testing.T) {
	dir := filepath.Join(sharedDir(t), "vectors")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("skipped: no vectors in %s", dir)
	}
	for _, file := range files {
		for _, plain := range []bool{true, false} {
			name := filepath.Base(file)
			if plain {
				name += "/plain"
			} else {
				name += "/bus"
			}
			t.Run(name, func(t *testing.T) { runVectors(t, file, plain) })
		}
	}
}

func runVectors(t *testing.T, file string, plain bool) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, b := newFlat(plain)
	n, bad := 0, 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var v vector
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s line %d: %v", file, n+1, err)
		}
		n++
		if diff := v.check(c, b); diff != "" {
			if bad++; bad <= 40 {
				t.Errorf("%s:%s", v.Name, diff)
			}
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d vectors, %d differ", n, bad)
}
