package softcore

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/firmware/asm"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// A rig is the software core in an emulated machine without SSNAIL, with a
// caller of a few instructions instead of the chat program.
type rig struct {
	t    testing.TB
	m    *machine.Machine
	code []byte
	sym  map[string]uint32
}

// caller starts as the chat program does and then waits for orders: go = 1
// calls function fn once, 2 calls it and then SOFT_RUN until the job is over.
const caller = `!cpu m65
!src "softcore/entries.s"
* = $0400
  sei
  cld
  see
  ldy #$01
  tys
  ldx #$ff
  txs
  lda #$47
  sta $d02f
  lda #$53
  sta $d02f
  lda #65
  sta $00
  lda #$2f
  sta $00
  lda #$35
  sta $01
  lda #$40
  tsb $d031
  tsb $d054
  lda $d030
  and #$46
  sta $d030
wait:
  lda go
  beq wait
  ldx fn
  jsr SOFT_DOOR
  inc calls
  lda go
  cmp #1
  beq done
run:
  lda SOFT_STATE
  beq done
  ldx #SOFT_RUN
  jsr SOFT_DOOR
  inc calls
  bne run
  inc calls+1
  bra run
done:
  lda #0
  sta go
  bra wait
go:
  !byte 0
fn:
  !byte 0
calls:
  !word 0
`

// batch is built behind the software core's sources: it calls a routine for
// each of a list of 16-byte cases in attic RAM.
const batch = `!src "softcore/main.s"
BATCH = $8700000
batch_routine:
  !word 0
batch_left:
  !word 0
batch_case:
  !fill 16, 0
batch_place:
  !32 BATCH
run_batch:
  +set_size 16
  ldq batch_place
  stq place
  lda #<batch_case
  ldx #>batch_case
  jsr fetch
  ldq batch_case
  stq pa
  ldq batch_case+4
  stq pb
  lda #0
  sta err
  ldq zeroq
  stq pr
  jsr (batch_routine)
  ldq pr
  stq batch_case+8
  lda err
  sta batch_case+12
  ldq batch_place
  stq place
  +set_size 16
  lda #<batch_case
  ldx #>batch_case
  jsr store
  +add16to28 batch_place, size
  lda batch_left
  bne batch_low
  dec batch_left+1
batch_low:
  dec batch_left
  lda batch_left
  ora batch_left+1
  lbne run_batch
  rts
t_add:
  jmp add_element
t_mul:
  jmp mul_element
t_recip:
  jsr unpack_u
  jsr recip
  +move6 v_q, t_q
  jmp pack_t
t_sqrt:
  jsr unpack_u
  jsr fsqrt
  jmp pack_t
t_int:
  jsr int_to_acc
  jmp pack_acc
t_half:
  jmp half_to_single
t_tohalf:
  jmp single_to_half
t_compare:
  jsr fcompare
  sta pr
  rts
t_silu:
  ldx #0
  jsr chord_choose
  jmp chord_pass
t_gelu:
  ldx #1
  jsr chord_choose
  jmp chord_pass
`

func assemble(t testing.TB, root string, extra map[string]string) *asm.Result {
	t.Helper()
	made := firmware.Constants()
	read := func(name string) ([]byte, error) {
		if s, ok := extra[name]; ok {
			return []byte(s), nil
		}
		if s, ok := made[name]; ok {
			return s, nil
		}
		return os.ReadFile(filepath.Join("..", "src", filepath.FromSlash(name)))
	}
	r, err := asm.Assemble(root, read, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newRig(t testing.TB, opt machine.Options) *rig {
	t.Helper()
	r := &rig{t: t, sym: map[string]uint32{}}
	core := assemble(t, "batch.s", map[string]string{"batch.s": batch + kernelBatch + weighCall})
	call := assemble(t, "caller.s", map[string]string{"caller.s": caller})
	for _, res := range []*asm.Result{call, core} {
		for _, s := range res.Symbols {
			r.sym[s.Name] = uint32(s.Value)
		}
	}
	r.code = core.Code
	opt.NoSSNAIL = true
	opt.Board = hw.BoardR3
	if opt.Profile {
		opt.Symbols = map[string]uint32{}
		for _, x := range core.Routines() {
			opt.Symbols[x.Name] = uint32(x.Start)
		}
	}
	m, err := machine.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	r.m = m
	m.Poke(r.at("SOFT_LOAD"), r.code)
	m.Poke(r.at("SOFT_DOOR"), r.code[:256])
	if err := m.LoadPRG(append([]byte{0x00, 0x04}, call.Code...)); err != nil {
		t.Fatal(err)
	}
	r.frames(1, nil)
	r.call("SOFT_INIT")
	return r
}

func (r *rig) at(name string) uint32 {
	r.t.Helper()
	v, ok := r.sym[name]
	if !ok {
		r.t.Fatalf("no symbol %s", name)
	}
	return v
}

// flat is the chip RAM address of a symbol of the software core.
func (r *rig) flat(name string) uint32 {
	return r.at(name) - r.at("WINDOW") + r.at("SOFT_LOAD")
}

// base is the same of a name in the core's base page.
func (r *rig) base(name string) uint32 {
	return r.at("BASE")*256 + r.at(name) - r.at("WINDOW") + r.at("SOFT_LOAD")
}

func (r *rig) word(a uint32) uint32 { return binary.LittleEndian.Uint32(r.m.Peek(a, 4)) }

func (r *rig) pokeWord(a, v uint32) { r.m.Poke(a, binary.LittleEndian.AppendUint32(nil, v)) }

func (r *rig) frames(limit int, done func() bool) {
	r.t.Helper()
	for range limit {
		if err := r.m.RunFrame(); err != nil {
			r.t.Fatal(err)
		}
		if done != nil && done() {
			return
		}
	}
	if done != nil {
		r.t.Fatalf("still at work after %d frames", limit)
	}
}

func (r *rig) order(code byte, fn uint32) {
	r.t.Helper()
	r.m.Poke(r.at("go"), []byte{code, byte(fn)})
	r.frames(50*60, func() bool { return r.m.Peek(r.at("go"), 1)[0] == 0 })
}

// call calls one of the functions.
func (r *rig) call(name string) { r.order(1, r.at(name)) }

// job runs a job to its end and returns the error code.
func (r *rig) job(at uint32) byte {
	r.t.Helper()
	r.pokeWord(r.at("SOFT_JOB"), at)
	r.order(2, r.at("SOFT_GO"))
	return r.m.Peek(r.at("SOFT_ERROR"), 1)[0]
}

// batch calls a routine for each case of two words and returns the results and
// whether err was counted.
func (r *rig) batch(routine string, cases [][2]uint32) (out []uint32, bad []bool) {
	r.t.Helper()
	const base = 0x8700000
	var b []byte
	for _, c := range cases {
		b = binary.LittleEndian.AppendUint32(b, c[0])
		b = binary.LittleEndian.AppendUint32(b, c[1])
		b = append(b, make([]byte, 8)...)
	}
	r.m.Poke(base, b)
	a := r.at(routine)
	r.m.Poke(r.flat("batch_routine"), []byte{byte(a), byte(a >> 8)})
	r.batchCall("run_batch", base, len(cases))
	for i := range cases {
		raw := r.m.Peek(base+uint32(16*i), 16)
		out = append(out, binary.LittleEndian.Uint32(raw[8:]))
		bad = append(bad, raw[12] != 0)
	}
	return out, bad
}

// batchCall calls a routine that works on n records at an address.
func (r *rig) batchCall(routine string, at uint32, n int) {
	r.t.Helper()
	r.m.Poke(r.flat("batch_left"), []byte{byte(n), byte(n >> 8)})
	r.pokeWord(r.flat("batch_place"), at)
	a := r.at(routine)
	r.m.Poke(r.flat("functions")+r.at("SOFT_ESTIMATE"), []byte{byte(a), byte(a >> 8)})
	r.call("SOFT_ESTIMATE")
}

// loadImage puts an image where the loader puts it.
func (r *rig) loadImage(img []byte) {
	r.m.Poke(image.Base, img[:image.HeaderSize])
	r.m.Poke(image.Payload, img[image.HeaderSize:])
}

// shared returns a folder of shared test data, or skips the test.
func shared(t testing.TB, name string) string {
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
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	p := filepath.Join(filepath.Dir(dir), "shared", name)
	if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("skipped: no %s beside the repository", filepath.Join("shared", name))
	}
	return p
}

// The core, with the columns that it unrolls, ends below its working space.
func TestRoom(t *testing.T) {
	p, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Symbols
	if s["code_end"] > s["MISC"] || s["soft_end"] > s["MISC"] || s["COLUMNS"] != columns {
		t.Errorf("code to $%04X and $%04X, working space from $%04X, %d columns", s["code_end"], s["soft_end"], s["MISC"], s["COLUMNS"])
	}
	r := newRig(t, machine.Options{})
	if a, b := r.at("batch_routine"), r.at("code_end"); a < b {
		t.Errorf("the tests' code at $%04X lies below the end of the columns at $%04X", a, b)
	}
	if end := int(r.at("WINDOW")) + len(r.code); end > int(r.at("MISC")) {
		t.Errorf("the tests' code ends at $%04X", end)
	}
}
