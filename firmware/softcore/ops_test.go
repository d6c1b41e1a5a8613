package softcore

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
)

type memBytes struct {
	addr uint32
	data []byte
}

func (m *memBytes) UnmarshalJSON(b []byte) error {
	var raw [2]any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		return err
	}
	n, err := raw[0].(json.Number).Int64()
	if err != nil {
		return err
	}
	m.addr = uint32(n)
	m.data, err = hex.DecodeString(raw[1].(string))
	return err
}

// registers are written as a list of all or as an object of some.
type registers [16]uint32

func (r *registers) UnmarshalJSON(b []byte) error {
	var some map[int]uint32
	if json.Unmarshal(b, &some) == nil {
		for i, v := range some {
			r[i&15] = v
		}
		return nil
	}
	return json.Unmarshal(b, (*[16]uint32)(r))
}

// step is one instruction with what it needs and what it makes.
type step struct {
	Name   string
	Ins    string
	N      [3]uint32
	R, A   registers
	Mem    []memBytes
	Out    []memBytes
	RAfter *registers `json:"r_after"`
	AAfter *registers `json:"a_after"`
}

// jobAt is where single instructions are put.
const jobAt = image.JobSlots

// run executes one instruction and a HALT, and returns the error code.
func (r *rig) run(s *step) byte {
	r.t.Helper()
	ins, err := hex.DecodeString(s.Ins)
	if err != nil || len(ins) != 16 {
		r.t.Fatalf("instruction %q", s.Ins)
	}
	for _, m := range s.Mem {
		r.m.Poke(m.addr, m.data)
	}
	for i := range uint32(16) {
		r.pokeWord(r.flat("R_")+4*i, s.R[i])
		r.pokeWord(r.flat("A_")+4*i, s.A[i])
	}
	for i, n := range s.N {
		r.pokeWord(r.flat("N_")+4*uint32(i), n)
	}
	r.m.Poke(jobAt, ins)
	r.m.Poke(jobAt+16, []byte{byte(image.HALT), 15: 0})
	return r.job(jobAt)
}

func TestGoldenOps(t *testing.T) {
	file, err := os.Open(filepath.Join(shared(t, "golden"), "ops.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := newRig(t, machine.Options{})
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, 1<<20)
	n := 0
	for sc.Scan() {
		var c step
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			r.t = t
			for _, o := range c.Out {
				r.m.Poke(o.addr, make([]byte, len(o.data)))
			}
			code := r.run(&c)
			if c.Ins[:2] == "29" || c.Ins[:2] == "10" && c.Ins[4:6] == "02" {
				if code == byte(core.CodeNaN) && notFinite16(c.Out) {
					return
				}
			} else if c.Ins[:2] != "03" && notFinite(c.Out) { // noticed here, not only when it reaches ATTN or ARGMAX
				if code != byte(core.CodeNaN) {
					t.Fatalf("error %d for a result that is not finite", code)
				}
				return
			}
			if code != 0 {
				t.Fatalf("error %d at $%07X", code, r.word(r.at("SOFT_FAULT_ADDR")))
			}
			for _, o := range c.Out {
				r.same("result", o.addr, r.m.Peek(o.addr, len(o.data)), o.data)
			}
			for i := range uint32(15) {
				if c.RAfter != nil {
					if got := r.word(r.flat("R_") + 4*i); got != c.RAfter[i] {
						t.Errorf("R%d = %d, want %d", i, got, c.RAfter[i])
					}
				}
				if c.AAfter != nil {
					if got := r.word(r.flat("A_") + 4*i); got != c.AAfter[i] {
						t.Errorf("A%d = %07x, want %07x", i, got, c.AAfter[i])
					}
				}
			}
		})
	}
	if n < 100 {
		t.Fatalf("only %d instructions", n)
	}
}

// notFinite16 tells the same of halves.
func notFinite16(out []memBytes) bool {
	for _, o := range out {
		for i := 1; i < len(o.data); i += 2 {
			if o.data[i]&0x7C == 0x7C {
				return true
			}
		}
	}
	return false
}

// notFinite tells whether results of singles hold an infinity or a NaN.
func notFinite(out []memBytes) bool {
	for _, o := range out {
		for i := 0; i+4 <= len(o.data); i += 4 {
			if binary.LittleEndian.Uint32(o.data[i:])>>23&255 == 255 {
				return true
			}
		}
	}
	return false
}

// same compares memory with what it should be.
func (r *rig) same(what string, addr uint32, got, want []byte) {
	r.t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	first, n := -1, 0
	for i := range want {
		if got[i] != want[i] {
			if first < 0 {
				first = i
			}
			n++
		}
	}
	i := first &^ 3
	r.t.Errorf("%s: %d of %d bytes differ, first at $%07X: % x, want % x", what, n, len(want), addr+uint32(first), got[i:min(i+8, len(got))], want[i:min(i+8, len(want))])
}

// both runs an instruction on the software core and on emu/core, from the same
// memory, and compares error code, registers and all memory in [from, from+n).
func (r *rig) both(s *step, from uint32, n int) {
	r.t.Helper()
	mem := core.NewMemory(core.R3)
	ref := core.New(mem, core.Options{Numerics: core.HW})
	r.m.Poke(from, make([]byte, n))
	code := r.run(s)
	for _, m := range s.Mem {
		if err := mem.Write(m.addr, m.data); err != nil {
			r.t.Fatal(err)
		}
	}
	ins, _ := hex.DecodeString(s.Ins)
	mem.Write(jobAt, ins)
	mem.Write(jobAt+16, []byte{byte(image.HALT), 15: 0})
	ref.R, ref.A, ref.N = s.R, s.A, s.N
	ref.Start(jobAt)
	err := ref.Run(context.Background())
	var fault *core.Fault
	want := byte(0)
	if errors.As(err, &fault) {
		want = byte(fault.Code)
	}
	if code == byte(core.CodeNaN) && want == 0 {
		// Noticed here, not only when it reaches ATTN or ARGMAX: then the result
		// must hold such a value.
		b, _ := mem.Slice(from, uint32(n))
		odd := notFinite
		if s.Ins[:2] == "29" || s.Ins[:2] == "10" && s.Ins[4:6] == "02" {
			odd = notFinite16
		}
		if !odd([]memBytes{{from, b}}) {
			r.t.Errorf("%s: error 4 for results that are finite", s.Name)
		}
		return
	}
	if code != want {
		r.t.Errorf("%s: error %d, want %d (%v)", s.Name, code, want, err)
		return
	}
	if want != 0 {
		if pc := r.word(r.at("SOFT_FAULT_PC")); pc != fault.PC {
			r.t.Errorf("%s: fault at PC $%07X, want $%07X", s.Name, pc, fault.PC)
		}
		if a := r.word(r.at("SOFT_FAULT_ADDR")); a != fault.Addr && want != byte(core.CodeNaN) {
			r.t.Errorf("%s: fault at address $%07X, want $%07X", s.Name, a, fault.Addr)
		}
		return
	}
	b, err := mem.Slice(from, uint32(n))
	if err != nil {
		r.t.Fatal(err)
	}
	r.same(s.Name, from, r.m.Peek(from, n), b)
	for i := range uint32(15) {
		if got := r.word(r.flat("R_") + 4*i); got != ref.R[i] {
			r.t.Errorf("%s: R%d = %d, want %d", s.Name, i, got, ref.R[i])
		}
		if got := r.word(r.flat("A_") + 4*i); got != ref.A[i] {
			r.t.Errorf("%s: A%d = %07x, want %07x", s.Name, i, got, ref.A[i])
		}
	}
}
