package machine

import (
	"strings"
	"testing"

	"ssnail-kit/mega65/hw"
)

// program makes a PRG at $2001 with the BASIC line "10 BANK 0:SYS 8210" in front
// of code, which starts at $2012.
func program(code ...byte) []byte {
	prg := []byte{0x01, 0x20}
	prg = append(prg, 0x0F, 0x20, 10, 0, 0xFE, 0x02, '0', ':', 0x9E, '8', '2', '1', '0', 0, 0, 0, 0)
	for len(prg) < 2+0x11 {
		prg = append(prg, 0)
	}
	return append(prg, code...)
}

const codeStart = 0x2012

func newMachine(t testing.TB, opt Options) *Machine {
	t.Helper()
	if opt.Warn == nil {
		opt.Warn = testWriter{t}
	}
	if opt.Board == 0 {
		opt.Board = hw.BoardR3 // 8 MB to clear instead of 72
	}
	m, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

// runUntilIdle runs at most n frames.
func runUntilIdle(t testing.TB, m *Machine, n int) {
	t.Helper()
	for range n {
		if err := m.RunFrame(); err != nil {
			t.Fatal(err)
		}
		if m.Idle() {
			return
		}
	}
	t.Fatalf("not idle after %d frames, PC $%04X; screen:\n%s", n, m.cpu.PC, m.Screen())
}

// start loads code as a program and runs it up to its RTS, or n frames.
func start(t testing.TB, opt Options, code ...byte) *Machine {
	t.Helper()
	m := newMachine(t, opt)
	if err := m.LoadPRG(program(code...)); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 200)
	return m
}

func TestBootWithoutDisk(t *testing.T) {
	m := newMachine(t, Options{})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 10)
	if s := m.Screen().String(); !strings.Contains(s, "READY.\n") {
		t.Errorf("screen:\n%s", s)
	}
}

func TestPromptObeys(t *testing.T) {
	m := newMachine(t, Options{})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	m.TypeText("hello\rrem nothing\rsys 57360\r")
	runUntilIdle(t, m, 400)
	if s := m.Screen().String(); !strings.Contains(s, "HELLO\n\n?SYNTAX ERROR\n") || strings.Count(s, "READY.") != 4 {
		t.Errorf("screen:\n%s", s)
	}
}

// A program gets the registers and the map that BASIC would give it, and RTS
// comes back to the prompt.
func TestProgramReturns(t *testing.T) {
	m := start(t, Options{},
		0xA9, 'H'-'A'+1, // LDA #8
		0x8D, 0x00, 0x09, // STA $0900
		0xA9, 0x05,
		0x8D, 0x21, 0xD0, // STA $D021
		0x60)
	s := m.Screen()
	if s.Background != 5 || m.chip[0x900] != 8 {
		t.Errorf("background %d, $0900 = %d", s.Background, m.chip[0x900])
	}
	if !strings.Contains(s.String(), "READY.") {
		t.Errorf("screen:\n%s", s)
	}
}

func TestBreakReturnsToPrompt(t *testing.T) {
	m := start(t, Options{}, 0x00)
	if s := m.Screen().String(); !strings.Contains(s, "BREAK AT $2012") {
		t.Errorf("screen:\n%s", s)
	}
}

func TestLoadPRGRefuses(t *testing.T) {
	for name, prg := range map[string][]byte{
		"empty":    {},
		"too long": append([]byte{0x01, 0xF0}, make([]byte, 0x1000)...),
		"no SYS":   {0x01, 0x20, 0x0F, 0x20, 10, 0, 0x99, 0, 0, 0},
		"port":     {0, 0, 1, 2},
	} {
		m := newMachine(t, Options{})
		if err := m.LoadPRG(prg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The speed switch at $0000: the same loop takes 40.5 times as long at 1 MHz.
func TestSpeed(t *testing.T) {
	loop := []byte{0xA2, 0, 0xA0, 0, 0x88, 0xD0, 0xFD, 0xCA, 0xD0, 0xFA} // 65,536 turns
	slow := append([]byte{
		0x78, 0xA9, 0x00, 0x8D, 0x31, 0xD0, // SEI; STA $D031: FAST off
		0xA9, 64, 0x85, 0, // STA 0
	}, loop...)
	fast := append([]byte{
		0x78, 0xA9, 0x00, 0x8D, 0x31, 0xD0,
		0xA9, 65, 0x85, 0,
	}, loop...)
	times := [2]uint64{}
	for i, code := range [][]byte{slow, fast} {
		// Unlock MEGA65 I/O first, or $D031 is a mirror.
		code = append([]byte{0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0}, code...)
		code = append(code, 0x4C, 0x10, 0xE0) // JMP romReturn
		m := newMachine(t, Options{})
		if err := m.LoadPRG(program(code...)); err != nil {
			t.Fatal(err)
		}
		t0 := m.now()
		for m.cpu.PC < 0xE000 {
			m.slice()
		}
		times[i] = m.now() - t0
	}
	if r := float64(times[0]) / float64(times[1]); r < 38 || r > 43 {
		t.Errorf("1 MHz takes %.1f times as long as 40.5 MHz", r)
	}
	if hw.ClockHz != 40_500_000 {
		t.Error("clock")
	}
}
