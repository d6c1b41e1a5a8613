package machine

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ssnail-kit/mega65/hw"
)

// busyProgram unlocks the I/O, works on memory for a while, then waits for keys.
var busyProgram = []byte{
	0x78, 0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
	0xA2, 0x00, 0xA0, 0x00, 0x88, 0xD0, 0xFD, 0xCA, 0xD0, 0xFA,
	0xAD, 0x10, 0xD6, 0xF0, 0xFB, // wait: LDA $D610; BEQ
	0x8D, 0x10, 0xD6, // take it
	0xEE, 0x21, 0xD0, // INC $D021
	0x80, 0xF3,
}

func TestIdle(t *testing.T) {
	m := newMachine(t, Options{})
	if err := m.LoadPRG(program(busyProgram...)); err != nil {
		t.Fatal(err)
	}
	m.RunFrame()
	if m.Idle() {
		t.Error("idle at once")
	}
	runUntilIdle(t, m, 20)
	m.TypeText("abc")
	if m.Idle() {
		t.Error("idle with keys to come")
	}
	runUntilIdle(t, m, 20)
	if m.Screen().Background != 9 {
		t.Errorf("background %d: the keys were not taken", m.Screen().Background)
	}
}

// A program that computes and asks for a key now and then is not idle, nor is
// one that stands in a loop without asking.
func TestNotIdle(t *testing.T) {
	for name, code := range map[string][]byte{
		"computes": {0x78, 0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
			0xAD, 0x10, 0xD6, 0xA2, 0x40, 0xA0, 0x00, 0x88, 0xD0, 0xFD, 0xCA, 0xD0, 0xFA, 0x80, 0xF1},
		"stands": {0x78, 0x80, 0xFE},
	} {
		m := newMachine(t, Options{})
		if err := m.LoadPRG(program(code...)); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			m.RunFrame()
		}
		if m.Idle() {
			t.Errorf("%s: idle", name)
		}
	}
}

func TestBreakpoint(t *testing.T) {
	m := newMachine(t, Options{Break: []uint16{codeStart + 26}}) // INC $D021's key was taken
	if err := m.LoadPRG(program(busyProgram...)); err != nil {
		t.Fatal(err)
	}
	m.TypeText("ab")
	hits := 0
	for range 60 {
		m.RunFrame()
		if m.Stopped() == AtBreak {
			hits++
			before := m.Time()
			if m.RunFrame(); m.Time() != before {
				t.Fatal("runs on at a breakpoint")
			}
			m.Continue()
		}
	}
	if hits != 2 {
		t.Errorf("%d stops, want 2", hits)
	}
}

func TestTraceAndProfile(t *testing.T) {
	var trace bytes.Buffer
	m := newMachine(t, Options{Trace: &trace, Profile: true, Symbols: map[string]uint32{
		"start": codeStart, "delay": codeStart + 11, "wait": codeStart + 21, "FAR": 0x123456,
	}})
	if err := m.LoadPRG(program(busyProgram...)); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 40)
	lines := strings.SplitN(trace.String(), "\n", 40)
	if !strings.Contains(lines[0], " 2012 00 00 00 00 00 01F8 ..E.....  78") || !strings.Contains(lines[0], "sei start:") {
		t.Errorf("first line %q", lines[0])
	}
	p := m.Profile()
	total := uint64(0)
	for _, l := range p {
		total += l.Cycles
	}
	if len(p) != 3 || p[2].Name != "start" || p[2].Instructions != 5 {
		t.Errorf("profile %+v", p)
	}
	if s := m.Stats(); total > s.Cycles || total < s.Cycles*95/100 || s.Instructions == 0 {
		t.Errorf("%d of %d cycles accounted for", total, s.Cycles)
	}
}

func TestExit(t *testing.T) {
	code := []byte{0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
		0xA9, 0x07, 0x8D, 0xCF, 0xD6, 0xA9, 0x42, 0x8D, 0xCF, 0xD6, 0x80, 0xFE}
	for _, allowed := range []bool{true, false} {
		m := newMachine(t, Options{TestExit: allowed})
		if err := m.LoadPRG(program(code...)); err != nil {
			t.Fatal(err)
		}
		m.RunFrame()
		status, ok := m.Exited()
		if ok != allowed || ok && status != 7 {
			t.Errorf("allowed %v: exited %v with %d", allowed, ok, status)
		}
		if real := m.io(hw.KeyFlags)&0x20 != 0; real == allowed {
			t.Errorf("allowed %v: $D60F says board %v", allowed, real)
		}
	}
}

// The same inputs give the same run, to the tick.
func TestDeterminism(t *testing.T) {
	run := func() (string, Stats, []byte) {
		m := newMachine(t, Options{Disk: numberedDisk(), SD: card()})
		if err := m.LoadPRG(program(busyProgram...)); err != nil {
			t.Fatal(err)
		}
		m.TypeText("hello")
		m.RunFor(time.Second)
		return m.Screen().String(), m.Stats(), bytes.Clone(m.chip[:])
	}
	s1, st1, c1 := run()
	s2, st2, c2 := run()
	if s1 != s2 || st1 != st2 || !bytes.Equal(c1, c2) {
		t.Errorf("two runs differ: %+v, %+v", st1, st2)
	}
}

// 80x50, attributes and a charset of the program's own, in a layout of its own.
func TestScreenLayout(t *testing.T) {
	m := newMachine(t, Options{})
	m.setIO(hw.VICHotReg, m.io(hw.VICHotReg)&^0x80)
	m.setIO(hw.VICControlB, 0xE8)
	for r, v := range map[uint32]byte{
		hw.VICRows: 49, hw.VICLineStepLo: 90, hw.VICScaleY: 0,
		hw.VICScreen: 0x00, hw.VICScreen + 1: 0x20, hw.VICScreen + 2: 0x04,
		hw.VICColourOffset: 0x00, hw.VICColourOffset + 1: 0x10,
		hw.VICCharset: 0x00, hw.VICCharset + 1: 0x00, hw.VICCharset + 2: 0x05,
		hw.VICBackground: 3,
	} {
		m.setIO(r, v)
	}
	m.Poke(0x42000+90*49+79, []byte{1})
	m.Poke(0xFF81000+90*49+79, []byte{0xA5})
	m.Poke(0x50008, []byte{0xFF})
	s := m.Screen()
	if s.Cols != 80 || s.Rows != 50 || s.Background != 3 {
		t.Fatalf("%dx%d, background %d", s.Cols, s.Rows, s.Background)
	}
	c := s.At(79, 49)
	if c.Code != 1 || c.Colour != 5 || byte(c.Attr) != 0xA0 || s.Font[8] != 0xFF {
		t.Errorf("cell %+v, font % X", c, s.Font[8:16])
	}
}

// With $D05D bit 7 a write to an old register puts the layout back.
func TestHotRegisters(t *testing.T) {
	for _, hot := range []bool{true, false} {
		m := newMachine(t, Options{})
		if !hot {
			m.setIO(hw.VICHotReg, 0)
		}
		m.setIO(hw.VICScreen+1, 0x40)
		m.setIO(hw.VICRows, 40)
		m.setIO(hw.VICControl2, 0xC9)
		l := m.layout()
		if back := l.screen == 0x800 && l.rows == 25; back != hot {
			t.Errorf("hot %v: screen at $%X, %d rows", hot, l.screen, l.rows)
		}
	}
}
