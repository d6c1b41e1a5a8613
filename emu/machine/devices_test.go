package machine

import (
	"bytes"
	"testing"

	"ssnail-kit/mega65/hw"
)

const mega65IO = 0xFFD3000

func (m *Machine) io(reg uint32) byte       { return m.readPhys(mega65IO | reg&0xFFF) }
func (m *Machine) setIO(reg uint32, v byte) { m.writePhys(mega65IO|reg&0xFFF, v) }

func TestKnock(t *testing.T) {
	m := newMachine(t, Options{Board: hw.BoardR4})
	for _, c := range []struct {
		keys        []byte
		personality byte
	}{
		{nil, personC64},
		{[]byte{0x47, 0x53}, personMEGA65},
		{[]byte{0x00}, personC64},
		{[]byte{0xA5, 0x96}, personC65},
		{[]byte{0x45, 0x54}, personEthernet},
		{[]byte{0x53, 0x47}, personC64},
		{[]byte{0x47, 0x47, 0x53}, personMEGA65},
	} {
		for _, k := range c.keys {
			m.cpu.Poke(0xD02F, k)
		}
		if m.vic.personality != c.personality {
			t.Errorf("% X: personality %d, want %d", c.keys, m.vic.personality, c.personality)
		}
		want := byte(0)
		if c.personality != personC64 {
			want = byte(hw.BoardR4)
		}
		if got := m.cpu.Peek(hw.BoardID); got != want {
			t.Errorf("% X: $D629 = %d, want %d", c.keys, got, want)
		}
	}
	m.cpu.Poke(0xD02F, 0)
}

func TestKeyQueue(t *testing.T) {
	m := newMachine(t, Options{})
	for _, c := range []byte("abcdefg") {
		m.keys.press(eventFor(c))
	}
	var got []byte
	for m.io(hw.KeyASCII) != 0 {
		if m.io(hw.KeyModifiersEv)&0x80 == 0 {
			t.Error("$D60A bit 7 clear with keys in the queue")
		}
		got = append(got, m.io(hw.KeyASCII))
		m.setIO(hw.KeyASCII, 0)
	}
	if string(got) != "abcde" {
		t.Errorf("queue gave %q of seven keys, want the first five", got)
	}
	m.keys.press(eventFor('A'))
	if m.io(hw.KeyPETSCII) != 0xC1 || m.io(hw.KeyModifiersEv) != 0x80|modLShift {
		t.Errorf("A: PETSCII $%02X, $D60A $%02X", m.io(hw.KeyPETSCII), m.io(hw.KeyModifiersEv))
	}
	m.setIO(hw.KeyModifiersEv, 0x7F)
	if m.io(hw.KeyASCII) != 0 || m.io(hw.KeyModifiersEv) != 0 {
		t.Error("flush left a key")
	}
}

// Typed text waits until the program looks for a key, and then until it has
// taken the key before.
func TestTypedKeysWait(t *testing.T) {
	m := newMachine(t, Options{})
	m.TypeText("xy\n")
	m.cpu.P |= 4 // no KERNAL interrupt
	m.cpu.PC = 0x2000
	m.Poke(0x2000, []byte{0x80, 0xFE}) // BRA *
	for range 10 {
		m.slice()
	}
	if m.io(hw.KeyASCII) != 0 {
		t.Error("a key before the program looked for one")
	}
	m.slice()
	if n := m.KeysPending(); n != 3 || m.io(hw.KeyASCII) != 'x' {
		t.Errorf("%d keys pending, head %c", n, m.io(hw.KeyASCII))
	}
	m.setIO(hw.KeyASCII, 0)
	if m.io(hw.KeyASCII) != 0 {
		t.Error("the next key came at once")
	}
	m.slice()
	if m.io(hw.KeyASCII) != 'y' {
		t.Error("the next key did not come")
	}
}

// The KERNAL's interrupt takes keys away from a program that leaves it on.
func TestKernalTakesKeys(t *testing.T) {
	m := newMachine(t, Options{})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(program(0x80, 0xFE)); err != nil { // BRA *
		t.Fatal(err)
	}
	m.keys.press(eventFor('q'))
	for range 3 {
		m.RunFrame()
	}
	if m.io(hw.KeyASCII) != 0 || m.chip[keyBuffer] != 'q' {
		t.Errorf("queue $%02X, buffer % X", m.io(hw.KeyASCII), m.chip[keyBuffer:keyBuffer+2])
	}
}

func TestVirtualKeys(t *testing.T) {
	m := newMachine(t, Options{})
	type_ := func(keys ...byte) {
		for i, k := range keys {
			m.setIO(hw.KeyVirtual1+uint32(i), k)
		}
		for i := range keys {
			m.setIO(hw.KeyVirtual1+uint32(i), hw.VirtualNone)
		}
	}
	type_(10)       // A
	type_(0x0F, 10) // SHIFT, A
	type_(1)        // RETURN
	var got []byte
	for m.io(hw.KeyASCII) != 0 {
		got = append(got, m.io(hw.KeyASCII))
		m.setIO(hw.KeyASCII, 0)
	}
	if string(got) != "aA\r" {
		t.Errorf("got %q", got)
	}
	m.setIO(hw.KeyVirtual2, 0x0F)
	if m.io(hw.KeyModifiers) != modLShift {
		t.Errorf("$D611 = $%02X with SHIFT held", m.io(hw.KeyModifiers))
	}
	// The matrix through CIA 1: column 7, row 7 is RUN/STOP.
	m.setIO(hw.KeyVirtual1, 63)
	m.setIO(0xDC02, 0xFF)
	m.setIO(0xDC00, 0x7F)
	if got := m.io(0xDC01); got != 0x7F {
		t.Errorf("$DC01 = $%02X with RUN/STOP held", got)
	}
	m.setIO(0xDC00, 0xFE)
	if got := m.io(0xDC01); got != 0xFF {
		t.Errorf("$DC01 = $%02X in a column without a key", got)
	}
}

func TestParseKeys(t *testing.T) {
	got, err := ParseKeys(`Hi\r{up}{F1}{{\x03\\`)
	if want := []byte{'H', 'i', 13, hw.KeyUp, hw.KeyF1, '{', 3, '\\'}; err != nil || !bytes.Equal(got, want) {
		t.Errorf("% X, %v; want % X", got, err, want)
	}
	for _, bad := range []string{`\`, `\q`, `\x0`, `\x00`, `{nokey}`, `{`, "\x80", `{F15}`, `{F0}`} {
		if _, err := ParseKeys(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestRasterAndFrames(t *testing.T) {
	m := newMachine(t, Options{})
	m.cpu.P |= 4
	f0, seen := m.io(hw.FrameCounter), map[byte]bool{}
	for m.io(hw.FrameCounter) == f0 {
		m.slice()
		seen[m.io(hw.VICRaster)] = true
	}
	if len(seen) != 256 {
		t.Errorf("%d values of $D012 in a frame", len(seen))
	}
	m.RunFor(1e9)
	if d := m.io(hw.FrameCounter) - f0; d < 50 || d > 52 {
		t.Errorf("%d frames in a second", d)
	}
}

func TestRasterInterrupt(t *testing.T) {
	m := newMachine(t, Options{})
	m.cpu.P |= 4
	m.setIO(hw.VICIRQMask, 1)
	m.setIO(hw.VICControl1, 0x1B)
	m.setIO(hw.VICRaster, 100)
	m.setIO(hw.VICIRQ, 0xFF)
	for range 400 {
		m.slice()
		if m.io(hw.VICIRQ)&0x80 != 0 {
			break
		}
	}
	if l := m.io(hw.VICRaster); l != 100 || !m.irqLevel {
		t.Errorf("interrupt in line %d, line to the CPU %v", l, m.irqLevel)
	}
	m.setIO(hw.VICIRQ, 1)
	if m.irqLevel || m.io(hw.VICIRQ)&1 != 0 {
		t.Error("not acknowledged")
	}
}

func TestCIATimer(t *testing.T) {
	m := newMachine(t, Options{})
	m.setIO(0xDC04, 0xE8) // 1000
	m.setIO(0xDC05, 0x03)
	m.setIO(0xDC0D, 0x81)
	m.setIO(0xDC0E, 0x11)
	m.stall(500 * ciaTicks)
	if v := int(m.io(0xDC04)) | int(m.io(0xDC05))<<8; v != 500 {
		t.Errorf("timer at %d after 500 counts of 1000", v)
	}
	m.stall(600 * ciaTicks)
	if v := int(m.io(0xDC04)) | int(m.io(0xDC05))<<8; v != 901 {
		t.Errorf("timer at %d, want 901: it began anew", v)
	}
	m.timers(m.now())
	m.updateIRQ()
	if !m.irqLevel || m.io(0xDC0D) != 0x81 || m.io(0xDC0D) != 0 || m.irqLevel {
		t.Error("interrupt of timer A")
	}
	m.setIO(0xDC0E, 0x19) // one shot
	m.stall(5000 * ciaTicks)
	if m.io(0xDC0E)&1 != 0 {
		t.Error("a one-shot timer still runs")
	}
}

func TestSDRAMSelect(t *testing.T) {
	m := newMachine(t, Options{Board: hw.BoardR6})
	m.writePhys(0x8000000, 1)
	m.setIO(hw.SDRAMSelect, 0x10)
	m.writePhys(0x8000000, 2)
	m.writePhys(0xBFFFFFF, 3)
	if m.readPhys(0x8000000) != 2 || m.readPhys(0xBFFFFFF) != 3 {
		t.Error("SDRAM")
	}
	m.setIO(hw.SDRAMSelect, 0)
	if m.readPhys(0x8000000) != 1 || m.readPhys(0x8800000) == 0 {
		t.Error("HyperRAM")
	}
	m = newMachine(t, Options{Board: hw.BoardR3})
	m.setIO(hw.SDRAMSelect, 0x10)
	if m.io(hw.SDRAMSelect)&0x10 != 0 {
		t.Error("SDRAM on an R3")
	}
}

// MAP with megabyte offsets reaches attic RAM, and the page tables follow $D7FE.
func TestMapToAttic(t *testing.T) {
	m := start(t, Options{Board: hw.BoardR6},
		0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
		0xA9, 0x80, 0xA2, 0x0F, 0xA0, 0x00, 0xA3, 0x00, 0x5C, // low half's megabyte $80
		0xA9, 0x00, 0xA2, 0x40, 0xA0, 0x00, 0xA3, 0x83, 0x5C, 0xEA, // $4000 mapped there
		0xA9, 0x5A, 0x8D, 0x34, 0x42, // STA $4234
		0xAD, 0x34, 0x42, 0x8D, 0x00, 0x18, // LDA; STA $1800
		0xA9, 0x00, 0xA2, 0x00, 0x5C, 0xEA, // MAP low half off
		0x60)
	if m.hyper[0x4234] != 0x5A || m.chip[0x1800] != 0x5A {
		t.Errorf("attic $%02X, read back $%02X", m.hyper[0x4234], m.chip[0x1800])
	}
}

func TestROMIsProtected(t *testing.T) {
	m := newMachine(t, Options{})
	before := m.chip[0x2D008]
	m.writePhys(0x2D008, before+1)
	if m.chip[0x2D008] != before {
		t.Error("ROM was written")
	}
	m.cpu.A = 2
	m.setIO(0xD641, 2)
	m.writePhys(0x2D008, before+1)
	if m.chip[0x2D008] != before+1 {
		t.Error("ROM released by $D641 was not written")
	}
}
