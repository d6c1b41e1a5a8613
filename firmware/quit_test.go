package firmware

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware/asm"
	"ssnail-kit/host/image"
)

// restored are the registers that the program must leave as it found them.
var restored = []uint16{
	0xD011, 0xD016, 0xD018, 0xD020, 0xD021, 0xD030, 0xD031, 0xD054,
	0xD058, 0xD059, 0xD05A, 0xD05B, 0xD05C, 0xD05D, 0xD05E, 0xD060, 0xD061, 0xD062, 0xD063, 0xD064, 0xD065,
	0xD068, 0xD069, 0xD06A, 0xD07B, 0xD689, 0xD7FE,
}

// The caller: it brings the machine into a state, notes that state, calls the
// program as SYS does, and notes the state after RTS.
const quitCaller = `!cpu m65
* = $9000
  jmp first
before:
  !fill 64, 0
after:
  !fill 64, 0
first:
  lda #$47
  sta $d02f
  lda #$53
  sta $d02f
  !src "setup.s"
  jsr note
  jsr swap
stop_before:
  jsr $2011
  jsr note
stop_after:
  jmp stop_after
swap:
  ldx #63
@copy:
  lda after,x
  sta before,x
  dex
  bpl @copy
  rts
; A, X, Y are free; B, Z, SP and P are noted first
note:
  php
  pla
  sta after
  tba
  sta after+1
  stz after+2
  tsx
  stx after+3
  tsy
  sty after+4
  tba
  pha
  lda #0
  tab
  lda $00
  sta after+5
  lda $01
  sta after+6
  pla
  tab
  !src "registers.s"
  lda #$74
  ldy #$18
  sta $d640
  clv
  ldx #5
@map:
  lda $1800,x
  sta after+7,x
  dex
  bpl @map
  rts
`

// assembleCaller returns the caller's bytes and symbols.
func assembleCaller(t *testing.T, setup string) *asm.Result {
	t.Helper()
	var regs bytes.Buffer
	for i, r := range restored {
		fmt.Fprintf(&regs, "  lda $%04x\n  sta after+%d\n", r, 16+i)
	}
	files := map[string]string{"main.s": quitCaller, "setup.s": setup, "registers.s": regs.String()}
	r, err := asm.Assemble("main.s", func(name string) ([]byte, error) { return []byte(files[name]), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// states are what the machine may be in when SYS is typed.
var states = []struct{ name, setup string }{
	{"as BASIC has it", ""},
	{"interrupts on, Z 0", "  ldz #0\n  cli\n"},
	{"base page and Z elsewhere", "  sei\n  lda #$14\n  tab\n  ldz #$77\n"},
	{"DMA list format, speed", "  sei\n  lda #0\n  sta $d703\n  lda #64\n  ldx #0\n  pha\n  lda #0\n  tab\n  pla\n  lda #64\n  sta $00\n  lda #$40\n  trb $d031\n  trb $d054\n"},
	{"40 columns", "  sei\n  lda #$80\n  tsb $d05d\n  trb $d031\n  lda #$c8\n  sta $d016\n"},
	{"50 rows, hot registers off", "  sei\n  lda #$e8\n  sta $d031\n  lda #$80\n  trb $d05d\n  lda #49\n  sta $d07b\n  lda #0\n  sta $d05b\n"},
	{"16-bit characters, another screen", "  sei\n  lda #$80\n  trb $d05d\n  lda #$47\n  sta $d054\n  lda #160\n  sta $d058\n  lda #$12\n  sta $d061\n  lda #1\n  sta $d062\n"},
	{"decimal mode", "  sei\n  sed\n"},
	{"SD buffer, SDRAM", "  sei\n  lda #$80\n  tsb $d689\n  lda #$10\n  tsb $d7fe\n"},
	{"16-bit stack", "  sei\n  cle\n"},
}

// After /quit the machine is as it was at SYS: memory from $0100 to $15ff,
// CPU port, base page, Z, stack, flags, memory map, screen mode. Not compared:
// what lies below the stack pointer, the I/O personality (MEGA65 afterwards),
// the raster's bit in $d011, and A, X, Y, which SYS does not keep.
func TestQuitRestores(t *testing.T) {
	type run struct {
		name, setup, keys string
		opt               machine.Options
	}
	var runs []run
	for _, c := range states {
		runs = append(runs, run{c.name, c.setup, "x", machine.Options{NoSSNAIL: true}})
	}
	img := toy(t, nil, faultAt(1000)...)
	runs = append(runs, run{"after a chat", "", "ab\\r/temp 1\\rab\\r{F1}/model\\r{DOWN}\\r/quit\\r", machine.Options{
		Disk: disk(t, file{"M.SSNL", img}), SD: fstest.MapFS{"SSNAIL/M.SSNAIL": {Data: img}, "SSNAIL/CONFIG.TXT": {Data: []byte("model m\n")}},
	}})
	for _, c := range runs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := built()
			if err != nil {
				t.Fatal(err)
			}
			caller := assembleCaller(t, c.setup)
			sym := map[string]int64{}
			for _, s := range caller.Symbols {
				sym[s.Name] = s.Value
			}
			stops := []uint16{uint16(sym["stop_before"]), uint16(sym["stop_after"])}
			c.opt.Break = stops
			m, err := machine.New(c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.LoadPRG(p.PRG); err != nil {
				t.Fatal(err)
			}
			entry := p.Symbols["start"]
			original := bytes.Clone(m.Peek(entry, 3))
			m.Poke(uint32(caller.Origin), caller.Code)
			m.Poke(entry, []byte{0x4C, byte(caller.Origin), byte(caller.Origin >> 8)})
			run := func() {
				t.Helper()
				for range 300 {
					if err := m.RunFrame(); err != nil {
						t.Fatal(err)
					}
					if m.Stopped() == machine.AtBreak {
						return
					}
				}
				t.Fatalf("the program does not come back; screen:\n%s", m.Screen())
			}
			run()
			m.Poke(entry, original)
			memory := bytes.Clone(m.Peek(0x100, 0x1500))
			note := bytes.Clone(m.Peek(uint32(sym["before"]), 64))
			keys, err := machine.ParseKeys(c.keys)
			if err != nil {
				t.Fatal(err)
			}
			m.TypeKeys(keys...)
			m.Continue()
			run()
			if got := m.Screen(); got == nil {
				t.Fatal("no screen")
			}
			after := m.Peek(uint32(sym["after"]), 64)
			names := []string{"flags", "base page", "Z", "SP", "SP high", "$00", "$01", "map 0", "map 1", "map 2", "map 3", "map 4", "map 5"}
			for i, n := range names {
				a, b := note[i], after[i]
				if i == 0 { // N, V, Z and C are the routine's own
					a, b = a&0x2C, b&0x2C
				}
				if a != b {
					t.Errorf("%s: $%02X before, $%02X after", n, a, b)
				}
			}
			for i, reg := range restored {
				a, b := note[16+i], after[16+i]
				if reg == 0xD011 {
					a, b = a&0x7F, b&0x7F
				}
				if a != b {
					t.Errorf("$%04X: $%02X before, $%02X after", reg, a, b)
				}
			}
			now := m.Peek(0x100, 0x1500)
			sp := int(note[3]) + 2 | int(note[4])<<8 // note's return address differs
			for i := range now {
				if addr := 0x100 + i; memory[i] != now[i] && (addr > sp || addr < sp&0xFF00) {
					t.Errorf("$%04X: $%02X before, $%02X after", addr, memory[i], now[i])
				}
			}
		})
	}
}

// Whatever state the machine is in, the program starts, reads the disk, loads
// a model and takes a line.
func TestStartsInAnyState(t *testing.T) {
	model := disk(t, file{"M.SSNL", toy(t, nil, image.Instruction{Op: image.HALT})})
	var all strings.Builder // one after the other
	for _, c := range states {
		all.WriteString(c.setup)
	}
	for _, c := range []struct{ name, setup string }{
		{"all of the states", all.String()},
		{"interrupts on", "  cli\n"},
		{"C64 personality", "  sei\n  lda #0\n  sta $d02f\n"},
		{"40 MHz forced", "  sei\n  lda #0\n  tab\n  lda #65\n  sta $00\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := built()
			if err != nil {
				t.Fatal(err)
			}
			entry := p.Symbols["start"]
			src := fmt.Sprintf("!cpu m65\n* = $9000\n  lda #$47\n  sta $d02f\n  lda #$53\n  sta $d02f\n%s", c.setup)
			for i, b := range p.PRG[2+entry-uint32(p.Load):][:3] {
				src += fmt.Sprintf("  lda #$%02x\n  sta $%x\n", b, entry+uint32(i))
			}
			src += fmt.Sprintf("  jmp $%x\n", entry)
			r, err := asm.Assemble("main.s", func(string) ([]byte, error) { return []byte(src), nil }, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := machine.New(machine.Options{Disk: model})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.LoadPRG(p.PRG); err != nil {
				t.Fatal(err)
			}
			m.Poke(uint32(r.Origin), r.Code)
			m.Poke(entry, []byte{0x4C, byte(r.Origin), byte(r.Origin >> 8)})
			m.TypeText("/tok ab\n")
			for range 50 * 20 {
				if err := m.RunFrame(); err != nil {
					t.Fatal(err)
				}
				if m.Idle() {
					break
				}
			}
			s := m.Screen()
			if text := s.String(); !strings.Contains(text, "toy") || !strings.Contains(text, "tokens: 1||") || s.Cols != 80 || s.Rows != 25 {
				t.Errorf("%d x %d:\n%s", s.Cols, s.Rows, text)
			}
		})
	}
}
