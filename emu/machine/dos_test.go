package machine

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"ssnail-kit/emu/cpu"
)

// testDisk makes a D81 with the given files, each in a chain of its own from
// track 1 on. No BAM: the DOS here only reads.
func testDisk(files ...testFile) []byte {
	d := make([]byte, diskBytes)
	track, sector := 1, 0
	at := func(t, s int) []byte { return d[((t-1)*40+s)*256:][:256] }
	dir := at(40, 3)
	dir[0], dir[1] = 0, 0xFF
	for i, f := range files {
		e := dir[i*32 : i*32+32]
		e[2], e[3], e[4] = f.kind, byte(track), byte(sector)
		copy(e[5:21], bytes.Repeat([]byte{0xA0}, 16))
		copy(e[5:21], f.name)
		data := f.data
		for {
			b := at(track, sector)
			n := copy(b[2:], data)
			data = data[n:]
			if sector++; sector == 40 {
				track, sector = track+1, 0
			}
			e[30]++
			if len(data) == 0 {
				b[0], b[1] = 0, byte(n+1)
				break
			}
			b[0], b[1] = byte(track), byte(sector)
		}
	}
	return d
}

type testFile struct {
	name string
	kind byte
	data []byte
}

func TestAutoboot(t *testing.T) {
	boot := program(0xA9, 0x15, 0x8D, 0x00, 0x09, 0x60)
	m := newMachine(t, Options{Disk: testDisk(
		testFile{"README", 0x81, []byte("text")},
		testFile{"AUTOBOOT.C65", 0x82, append(boot, bytes.Repeat([]byte{0xEA}, 700)...)},
	)})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 20)
	if m.chip[0x900] != 0x15 {
		t.Error("AUTOBOOT.C65 did not run")
	}
	m.TypeText("dir\rload \"readme\"\rload \"auto*\"\rrun\rdload \"none\"\r")
	runUntilIdle(t, m, 300)
	s := m.Screen().String()
	for _, want := range []string{`1    "README"            SEQ`, `3    "AUTOBOOT.C65"      PRG`, "?README IS NO PROGRAM FOR $2001 ERROR", "?NONE: FILE NOT FOUND ERROR"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q on the screen:\n%s", want, s)
		}
	}
}

func TestDiskWithoutAutoboot(t *testing.T) {
	m := newMachine(t, Options{Disk: testDisk(testFile{"README", 0x81, []byte("text")})})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 20)
}

// Without a disk power-on mounts MEGA65.D81 from the card's root.
func TestDefaultImage(t *testing.T) {
	disk := testDisk(testFile{"AUTOBOOT.C65", 0x82, program(0xA9, 0x15, 0x8D, 0x00, 0x09, 0x60)})
	m := newMachine(t, Options{SD: fstest.MapFS{"Mega65.d81": {Data: disk}}})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	runUntilIdle(t, m, 20)
	if m.chip[0x900] != 0x15 {
		t.Error("AUTOBOOT.C65 did not run")
	}
}

// Disks that do not add up: an error that names the place, and the prompt.
func TestCorruptDisks(t *testing.T) {
	good := func() []byte { return testDisk(testFile{"AUTOBOOT.C65", 0x82, program(make([]byte, 600)...)}) }
	for name, c := range map[string]struct {
		spoil func(d []byte)
		want  string
	}{
		"directory loop":    {func(d []byte) { d[0x61B00], d[0x61B01], d[0x61B05] = 40, 3, 'X' }, "directory: track 40 sector 3"},
		"directory leaves":  {func(d []byte) { d[0x61B00], d[0x61B01], d[0x61B05] = 81, 0, 'X' }, "directory: track 81 sector 0"},
		"chain loop":        {func(d []byte) { d[256], d[257] = 1, 0 }, "AUTOBOOT.C65: track 1 sector 0"},
		"chain leaves":      {func(d []byte) { d[0], d[1] = 1, 40 }, "AUTOBOOT.C65: track 1 sector 40"},
		"first sector":      {func(d []byte) { d[0x61B03] = 0 }, "AUTOBOOT.C65: track 0 sector 0: "},
		"last sector short": {func(d []byte) { d[512], d[513] = 0, 0 }, "track 1 sector 2"},
	} {
		t.Run(name, func(t *testing.T) {
			d := good()
			c.spoil(d)
			m := newMachine(t, Options{Disk: d})
			err := m.Boot()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			runUntilIdle(t, m, 20)
			if !strings.Contains(m.Screen().String(), "READY.") {
				t.Error("no prompt")
			}
		})
	}
	if _, err := New(Options{Disk: make([]byte, 822_400)}); err == nil || !strings.Contains(err.Error(), "819200") {
		t.Errorf("a disk with error bytes: %v", err)
	}
}

// A directory that is broken behind AUTOBOOT.C65 boots, as with a real drive;
// listing it shows what there is, then the error.
func TestBrokenBehindAutoboot(t *testing.T) {
	for name, link := range map[string][2]byte{"loop": {40, 3}, "leaves": {81, 0}} {
		t.Run(name, func(t *testing.T) {
			d := testDisk(testFile{"AUTOBOOT.C65", 0x82, program(0xA9, 0x15, 0x8D, 0x00, 0x09, 0x60)})
			copy(d[0x61B00:], link[:])
			m := newMachine(t, Options{Disk: d})
			if err := m.Boot(); err != nil {
				t.Fatal(err)
			}
			runUntilIdle(t, m, 20)
			if m.chip[0x900] != 0x15 {
				t.Error("AUTOBOOT.C65 did not run")
			}
			m.TypeText("dir\rload \"none\"\r")
			runUntilIdle(t, m, 200)
			s := m.Screen().String()
			for _, want := range []string{`"AUTOBOOT.C65"`, "?DIRECTORY: TRACK "} {
				if !strings.Contains(s, want) {
					t.Errorf("no %q on the screen:\n%s", want, s)
				}
			}
		})
	}
}

// call does a KERNAL call as a program's JSR would, and runs to its return.
func (m *Machine) call(t *testing.T, addr uint16, a, x, y byte) (carry bool) {
	t.Helper()
	c := &m.cpu
	m.Poke(0x2000, []byte{0x20, byte(addr), byte(addr >> 8), 0x80, 0xFE})
	c.A, c.X, c.Y, c.PC, c.SP, c.P = a, x, y, 0x2000, 0x1F0, cpu.FlagE|cpu.FlagI
	for range 100000 {
		m.sliceEnd = m.now() + 1000
		c.Step()
		if c.PC == 0x2003 {
			return c.P&cpu.FlagC != 0
		}
	}
	t.Fatalf("KERNAL call $%04X does not return", addr)
	return false
}

func TestKernalFiles(t *testing.T) {
	text := bytes.Repeat([]byte("some text, "), 60)
	m := newMachine(t, Options{Disk: testDisk(
		testFile{"TEXT", 0x81, text},
		testFile{"PROG", 0x82, append([]byte{0x00, 0x40}, text...)},
	)})
	name := func(s string) {
		m.Poke(0x3000, []byte(s))
		m.call(t, 0xFFBD, byte(len(s)), 0x00, 0x30)
	}
	m.call(t, 0xFF6B, 0, 0, 0)
	name("TEXT,S,R")
	m.call(t, 0xFFBA, 2, 8, 2)
	if m.call(t, 0xFFC0, 0, 0, 0) {
		t.Fatalf("OPEN: error %d", m.cpu.A)
	}
	if !m.call(t, 0xFFC0, 0, 0, 0) || m.cpu.A != kernalOpen {
		t.Error("a second OPEN of the file number")
	}
	if m.call(t, 0xFFC6, 0, 2, 0) {
		t.Fatalf("CHKIN: error %d", m.cpu.A)
	}
	var got []byte
	for len(got) < 1000 {
		m.call(t, 0xFFCF, 0, 0, 0)
		got = append(got, m.cpu.A)
		m.call(t, 0xFFB7, 0, 0, 0)
		if m.cpu.A&0x40 != 0 {
			break
		}
	}
	if !bytes.Equal(got, text) {
		t.Errorf("%d bytes read, %d wanted", len(got), len(text))
	}
	m.call(t, 0xFFCC, 0, 0, 0)
	m.call(t, 0xFFC3, 2, 0, 0)
	if !m.call(t, 0xFFC6, 0, 2, 0) || m.cpu.A != kernalNotOpen {
		t.Error("CHKIN of a closed file")
	}
	// A missing file: OPEN succeeds, the command channel tells.
	name("NONE")
	m.call(t, 0xFFBA, 3, 8, 3)
	if m.call(t, 0xFFC0, 0, 0, 0) {
		t.Error("OPEN of a missing file fails")
	}
	name("")
	m.call(t, 0xFFBA, 15, 8, 15)
	m.call(t, 0xFFC0, 0, 0, 0)
	m.call(t, 0xFFC6, 0, 15, 0)
	m.call(t, 0xFFCF, 0, 0, 0)
	if m.cpu.A != '6' {
		t.Errorf("command channel begins with %c", m.cpu.A)
	}
	m.call(t, 0xFFCC, 0, 0, 0)
	// LOAD.
	name("PROG")
	m.call(t, 0xFFBA, 1, 8, 1)
	if m.call(t, 0xFFD5, 0, 0, 0) {
		t.Fatalf("LOAD: error %d", m.cpu.A)
	}
	if end := int(m.cpu.X) | int(m.cpu.Y)<<8; end != 0x4000+len(text) || !bytes.Equal(m.chip[0x4000:end], text) {
		t.Errorf("LOAD ended at $%04X", end)
	}
	name("NONE")
	if !m.call(t, 0xFFD5, 0, 0, 0) || m.cpu.A != kernalNotFound {
		t.Errorf("LOAD of a missing file: %d", m.cpu.A)
	}
	m.call(t, 0xFFBA, 1, 9, 1)
	if !m.call(t, 0xFFD5, 0, 0, 0) || m.cpu.A != kernalNoDevice {
		t.Errorf("LOAD from unit 9: %d", m.cpu.A)
	}
}

func TestKernalScreen(t *testing.T) {
	m := newMachine(t, Options{})
	m.Boot()
	for _, c := range []byte("\x93HI\x0D\x12R\x92\x05W\x13\x11\x1D!") {
		m.call(t, 0xFFD2, c, 0, 0)
	}
	if s := m.Screen(); s.Line(0) != "HI" || s.Line(1) != "R!" || s.At(0, 1).Code != 'R'-0x40|0x80 {
		t.Errorf("%q %q", s.Line(0), s.Line(1))
	}
	for range 30 {
		m.call(t, 0xFFD2, 13, 0, 0)
	}
	if s := m.Screen().String(); s != "" {
		t.Errorf("not scrolled away: %q", s)
	}
	// PRIMM prints what follows the JSR and returns behind it.
	m.Poke(0x2000, []byte{0x20, 0x7D, 0xFF, 'O', 'K', 0, 0x80, 0xFE})
	m.cpu.PC, m.cpu.SP = 0x2000, 0x1F0
	for range 20 {
		m.sliceEnd = m.now() + 1000
		m.cpu.Step()
	}
	if m.cpu.PC != 0x2006 || !strings.Contains(m.Screen().String(), "OK") {
		t.Errorf("PC $%04X", m.cpu.PC)
	}
}

func FuzzDisk(f *testing.F) {
	f.Add([]byte{0}, uint32(0))
	f.Add([]byte{40, 3}, uint32(0x61B00))
	f.Fuzz(func(t *testing.T, patch []byte, at uint32) {
		d := testDisk(testFile{"AUTOBOOT.C65", 0x82, program(0x60)}, testFile{"X", 0x81, make([]byte, 600)})
		copy(d[at%diskBytes:], patch)
		var files []dirEntry
		err := directory(d, func(e dirEntry) bool {
			files = append(files, e)
			return true
		})
		if err != nil {
			var de *diskError
			if !errors.As(err, &de) {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		for _, e := range files {
			if b, err := diskFile(d, e.name); err == nil && len(b) > diskBytes {
				t.Errorf("%q has %d bytes", e.name, len(b))
			}
		}
	})
}

// CHRIN waits for a line, shows it, and gives it out a byte a call.
func TestKernalLine(t *testing.T) {
	m := newMachine(t, Options{})
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	// Store what CHRIN gives from $4000 on, up to RETURN; then back to BASIC.
	if err := m.LoadPRG(program(
		0x20, 0xCF, 0xFF, // JSR $FFCF
		0xAA,             // TAX
		0xAC, 0x20, 0x50, // LDY $5020
		0x99, 0x00, 0x40, // STA $4000,Y
		0xEE, 0x20, 0x50, // INC $5020
		0xE0, 0x0D, // CPX #13
		0xD0, 0xEF, // BNE
		0x60)); err != nil {
		t.Fatal(err)
	}
	m.TypeText("hxi\x14\x14ELLO\r")
	runUntilIdle(t, m, 600)
	if got := string(m.chip[0x4000:0x4006]); got != "H\xC5\xCC\xCC\xCF\r" {
		t.Errorf("got % X", got)
	}
}
