package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/hw"
)

const namePage, direntPage = 0x17, 0x18

// trap calls an HDOS function with registers set; carry is success.
func (m *Machine) trap(fn, x, y, z byte) (ok bool) {
	m.cpu.A, m.cpu.X, m.cpu.Y, m.cpu.Z = fn, x, y, z
	m.setIO(hw.HyperTrap, fn)
	return m.cpu.P&cpu.FlagC != 0
}

func (m *Machine) setname(name string) bool {
	m.Poke(namePage<<8, append([]byte(name), 0))
	return m.trap(0x2E, 0, namePage, 0)
}

func card() fstest.MapFS {
	return fstest.MapFS{
		"hello.txt":             {Data: []byte("hello")},
		"Empty":                 {Data: nil},
		"two.bin":               {Data: bytes.Repeat([]byte{1, 2, 3, 4}, 256)}, // two whole sectors
		"big.bin":               {Data: numbered(300_001)},
		"SSNAIL/Model-1.ssnail": {Data: numbered(700)},
		"SSNAIL/deep/x":         {Data: []byte("x")},
		"disk.d81":              {Data: numberedDisk()},
		"bad.d81":               {Data: make([]byte, 822_400)},
	}
}

func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i>>8) + byte(i)
	}
	return b
}

// readAll reads the open file by readfile and a DMA from $FFD6E00 a sector, as
// libc does.
func (m *Machine) readAll(t *testing.T, fd byte) []byte {
	t.Helper()
	var out []byte
	for range 2000 {
		ok := m.trap(0x1A, fd, 0, 0)
		n := int(m.cpu.X) | int(m.cpu.Y)<<8
		if n == 0 {
			if ok || m.cpu.A != 0 {
				t.Errorf("end of file: C = %v, A = $%02X; want C clear and A = 0", ok, m.cpu.A)
			}
			return out
		}
		if !ok {
			t.Fatalf("readfile gave %d bytes with C clear", n)
		}
		m.setIO(hw.SDControl, m.io(hw.SDControl)|0x80)
		runDMAList(m, []byte{0x0A, 0x80, 0xFF, 0, 0, 0x00, 0x02, 0x00, 0x6E, 0x0D, 0x00, 0x20, 0x04, 0, 0})
		out = append(out, m.chip[0x42000:0x42000+n]...)
	}
	t.Fatal("no end of file")
	return nil
}

func TestHDOSReadsFiles(t *testing.T) {
	fs := card()
	m := newMachine(t, Options{SD: fs})
	for host, asked := range map[string]string{
		"hello.txt": "HELLO.TXT", "Empty": "empty", "two.bin": "Two.Bin", "big.bin": "big.bin",
	} {
		if !m.setname(asked) || !m.trap(0x34, 0, 0, 0) || !m.trap(0x18, 0, 0, 0) {
			t.Fatalf("%s: not opened, A = $%02X", asked, m.cpu.A)
		}
		fd := m.cpu.A
		if got := m.readAll(t, fd); !bytes.Equal(got, fs[host].Data) {
			t.Errorf("%s: %d bytes read, %d wanted, or they differ", asked, len(got), len(fs[host].Data))
		}
		if !m.trap(0x20, fd, 0, 0) {
			t.Errorf("%s: close: $%02X", asked, m.cpu.A)
		}
	}
}

// No wildcards, no parts of a name, no paths; folders are entered one by one.
func TestHDOSNames(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	for _, name := range []string{"HELLO", "HELLO.TX?", "*", "SSNAIL/MODEL-1.SSNAIL", "/HELLO.TXT", "HELLO.TXT ", ""} {
		if !m.setname(name) {
			t.Errorf("setname %q: $%02X", name, m.cpu.A)
		}
		if m.trap(0x34, 0, 0, 0) || m.cpu.A != hdosNotFound {
			t.Errorf("%q was found, or A = $%02X", name, m.cpu.A)
		}
		if !m.trap(0x38, 0, 0, 0) || m.cpu.A != hdosNotFound {
			t.Errorf("last error $%02X", m.cpu.A)
		}
	}
	if m.setname(strings.Repeat("N", 64)) || m.cpu.A != hdosNameLong {
		t.Errorf("64 characters: A = $%02X", m.cpu.A)
	}
	if m.trap(0x2E, 0, 0x7F, 0) || m.cpu.A != hdosAddress || m.trap(0x2E, 0, 0x80, 0) {
		t.Error("a name at $7F00 or above")
	}
	enter := func(dir string) {
		t.Helper()
		if !m.setname(dir) || !m.trap(0x34, 0, 0, 0) || !m.trap(0x0C, 0, 0, 0) {
			t.Fatalf("chdir %s: $%02X", dir, m.cpu.A)
		}
	}
	found := func(name string, want bool) {
		t.Helper()
		m.setname(name)
		if m.trap(0x34, 0, 0, 0) != want {
			t.Errorf("find %s: %v", name, !want)
		}
	}
	enter("ssnail")
	found("MODEL-1.SSNAIL", true)
	found("HELLO.TXT", false)
	enter("DEEP")
	found("X", true)
	enter("..")
	found("model-1.ssnail", true)
	if !m.trap(0x3C, 0, 0, 0) {
		t.Error("cdrootdir")
	}
	found("HELLO.TXT", true)
	if m.trap(0x0C, 0, 0, 0) || m.cpu.A != hdosNotDir {
		t.Errorf("chdir into a file: A = $%02X", m.cpu.A)
	}
	m.setname("SSNAIL")
	m.trap(0x34, 0, 0, 0)
	if m.trap(0x18, 0, 0, 0) || m.cpu.A != hdosIsDir {
		t.Errorf("open of a folder: A = $%02X", m.cpu.A)
	}
}

func TestHDOSReaddir(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	if !m.trap(0x12, 0, 0, 0) {
		t.Fatalf("opendir: $%02X", m.cpu.A)
	}
	fd := m.cpu.A
	var got []string
	for {
		m.chip[direntPage<<8+direntSize] = 0xEE
		if !m.trap(0x14, fd, direntPage, 0) {
			break
		}
		r := m.chip[direntPage<<8:][:direntSize+1]
		n := bytes.IndexByte(r, 0)
		if int(r[0x40]) != n || r[direntSize] != 0xEE {
			t.Errorf("record % X", r)
		}
		got = append(got, fmt.Sprintf("%s|%s|%d|%02X", r[:n], r[0x41:0x4C], binary.LittleEndian.Uint32(r[0x52:]), r[0x56]))
	}
	if m.cpu.A != hdosCluster {
		t.Errorf("end of directory: A = $%02X", m.cpu.A)
	}
	want := []string{
		"EMPTY|EMPTY      |0|20", "SSNAIL|SSNAIL     |0|10", "BAD.D81|BAD     D81|822400|20", "BIG.BIN|BIG     BIN|300001|20",
		"DISK.D81|DISK    D81|819200|20", "HELLO.TXT|HELLO   TXT|5|20", "TWO.BIN|TWO     BIN|1024|20",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("directory:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !m.trap(0x16, fd, 0, 0) {
		t.Errorf("closedir: $%02X", m.cpu.A)
	}
}

// Four descriptors for files and folders; findfirst keeps one, findfile none.
func TestHDOSDescriptors(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	m.setname("HELLO.TXT")
	for i := range 10 {
		if !m.trap(0x34, 0, 0, 0) {
			t.Fatalf("findfile %d: $%02X", i, m.cpu.A)
		}
	}
	for i := range hdosDescriptors {
		if !m.trap(0x30, 0, 0, 0) || m.cpu.A != byte(i) {
			t.Fatalf("findfirst %d: $%02X", i, m.cpu.A)
		}
	}
	if m.trap(0x30, 0, 0, 0) || m.cpu.A != hdosTooMany {
		t.Errorf("a fifth: A = $%02X", m.cpu.A)
	}
	if m.trap(0x18, 0, 0, 0) || m.cpu.A != hdosTooMany {
		t.Errorf("open without a descriptor: A = $%02X", m.cpu.A)
	}
	if !m.trap(0x20, 2, 0, 0) || m.trap(0x20, 2, 0, 0) || m.cpu.A != hdosDescriptor {
		t.Errorf("close twice: A = $%02X", m.cpu.A)
	}
	if !m.trap(0x22, 0, 0, 0) || !m.trap(0x30, 0, 0, 0) || m.cpu.A != 0 {
		t.Errorf("after closeall: A = $%02X", m.cpu.A)
	}
	if m.trap(0x32, 0, 0, 0) || m.cpu.A != hdosNotFound {
		t.Errorf("findnext of a whole name: A = $%02X", m.cpu.A)
	}
	if !m.trap(0x30, 0, 0, 0) || m.cpu.A != 0 {
		t.Errorf("findfirst after a findnext that found nothing: A = $%02X, its descriptor was not closed", m.cpu.A)
	}
}

// The file that was opened last is the one that is read, whatever X says.
func TestHDOSReadsOneFile(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	open := func(name string) byte {
		m.setname(name)
		if !m.trap(0x34, 0, 0, 0) || !m.trap(0x18, 0, 0, 0) {
			t.Fatalf("%s: $%02X", name, m.cpu.A)
		}
		return m.cpu.A
	}
	first := open("two.bin")
	open("hello.txt")
	if got := m.readAll(t, first); string(got) != "hello" {
		t.Errorf("read %q through the first descriptor", got)
	}
}

// The last sector is read whole: nothing of the one before is left behind the
// file's bytes.
func TestHDOSLastSector(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	m.setname("BIG.BIN")
	if !m.trap(0x34, 0, 0, 0) || !m.trap(0x18, 0, 0, 0) {
		t.Fatalf("$%02X", m.cpu.A)
	}
	last := 0
	for m.trap(0x1A, 0, 0, 0) {
		last = int(m.cpu.X) | int(m.cpu.Y)<<8
	}
	if last != 300_001%512 {
		t.Fatalf("the last sector has %d bytes", last)
	}
	if !bytes.Equal(m.sd.buffer[last:], make([]byte, 512-last)) {
		t.Errorf("behind the file: % X", m.sd.buffer[last:])
	}
}

// Side effects: the buffer is unmapped, $D030 bit 0 cleared, other registers
// kept.
func TestHDOSSideEffects(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	m.setname("HELLO.TXT")
	m.setIO(hw.SDCommand, 0x81)
	m.setIO(hw.VICROMBank, m.io(hw.VICROMBank)|1)
	m.setIO(hw.SDControl, 0)
	if !m.trap(0x34, 0x11, 0x22, 0x33) {
		t.Fatal("findfile")
	}
	if m.cpu.X != 0x11 || m.cpu.Y != 0x22 || m.cpu.Z != 0x33 {
		t.Errorf("X, Y, Z = %02X %02X %02X", m.cpu.X, m.cpu.Y, m.cpu.Z)
	}
	if m.sd.mapped || m.io(hw.VICROMBank)&1 != 0 || m.io(hw.SDControl)&0x80 == 0 {
		t.Errorf("mapped %v, $D030 $%02X, $D689 $%02X", m.sd.mapped, m.io(hw.VICROMBank), m.io(hw.SDControl))
	}
	m.trap(0x18, 0, 0, 0)
	m.trap(0x1A, 0, 0, 0)
	if m.io(0xDE00) != 0xFF {
		t.Error("the buffer shows at $DE00 after a trap")
	}
	m.setIO(hw.SDCommand, 0x81)
	if m.io(0xDE00) != 'h' {
		t.Error("the buffer does not show at $DE00")
	}
}

func TestHDOSLoadfile(t *testing.T) {
	fs := card()
	m := newMachine(t, Options{SD: fs})
	m.setname("big.bin")
	if !m.trap(0x3E, 0x21, 0x43, 0x05) {
		t.Fatalf("loadfile_attic: $%02X", m.cpu.A)
	}
	if !bytes.Equal(m.Peek(0x8054321, 300_001), fs["big.bin"].Data) {
		t.Error("attic holds something else")
	}
	m.setname("TWO.BIN")
	if !m.trap(0x36, 0, 0x30, 0x04) {
		t.Fatalf("loadfile: $%02X", m.cpu.A)
	}
	if !bytes.Equal(m.chip[0x43000:0x43400], fs["two.bin"].Data) {
		t.Error("chip RAM holds something else")
	}
	m.setname("nowhere")
	if m.trap(0x36, 0, 0, 4) || m.cpu.A != hdosNotFound {
		t.Errorf("no such file: A = $%02X", m.cpu.A)
	}
}

func TestHDOSMounts(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	m.setIO(hw.F011Control, 0x60)
	m.setname("DISK.D81")
	if !m.trap(0x40, 0, 0, 0) {
		t.Fatalf("d81attach0: $%02X", m.cpu.A)
	}
	m.setIO(hw.SDControl, 0) // HDOS left its own buffer selected
	if b, ok := readSector(t, m, 0, 8, 0); !ok || b[0] != 7 {
		t.Error("the mounted disk is not read")
	}
	m.setname("BAD.D81")
	if m.trap(0x40, 0, 0, 0) || m.cpu.A != hdosImageLength {
		t.Errorf("822,400 bytes: A = $%02X", m.cpu.A)
	}
	// A folder is opened before it turns out to be one, and stays open.
	m.trap(0x22, 0, 0, 0)
	m.setname("SSNAIL")
	if m.trap(0x40, 0, 0, 0) || m.cpu.A != hdosIsDir {
		t.Errorf("a folder: A = $%02X", m.cpu.A)
	}
	if !m.trap(0x12, 0, 0, 0) || m.cpu.A != 1 {
		t.Errorf("the next descriptor is %d, want 1", m.cpu.A)
	}
	m.trap(0x22, 0, 0, 0)
	if !m.trap(0x42, 0, 0, 0) {
		t.Error("detach")
	}
	if _, ok := readSector(t, m, 0, 8, 0); ok {
		t.Error("read of a detached disk")
	}
}

func TestHDOSWithoutCard(t *testing.T) {
	m := newMachine(t, Options{})
	m.setname("X")
	if m.trap(0x34, 0, 0, 0) || m.cpu.A != hdosNoDrive || m.trap(0x3C, 0, 0, 0) {
		t.Errorf("A = $%02X", m.cpu.A)
	}
}

func TestHDOSUnknown(t *testing.T) {
	m := newMachine(t, Options{SD: card()})
	for _, fn := range []byte{0x08, 0x4A, 0x1C, 0x60} {
		if m.trap(fn, 0, 0, 0) || m.cpu.A != 0xFF {
			t.Errorf("function $%02X: A = $%02X", fn, m.cpu.A)
		}
	}
	if !m.trap(0x00, 0, 0, 0) || m.cpu.A != 1 || m.cpu.X != 2 {
		t.Error("version")
	}
	if !m.trap(0x2F, 0, namePage, 0) {
		t.Error("odd functions are the even ones")
	}
}

func TestSerialOut(t *testing.T) {
	var out bytes.Buffer
	m := newMachine(t, Options{Serial: &out})
	m.trap(0x7C, 0, 'h', 0)
	m.cpu.A = 'i'
	m.setIO(0xD643, 'i')
	if out.String() != "hi" {
		t.Errorf("%q", out.String())
	}
}
