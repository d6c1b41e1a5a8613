package d81

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func newDisk(t testing.TB) *Image {
	t.Helper()
	d, err := New("TEST DISK", "SN")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustValid(t testing.TB, d *Image) {
	t.Helper()
	for _, err := range d.Validate() {
		t.Errorf("validate: %v", err)
	}
}

func random(seed int64, n int) []byte {
	b := make([]byte, n)
	rand.New(rand.NewSource(seed)).Read(b)
	return b
}

func TestEmptyDisk(t *testing.T) {
	d := newDisk(t)
	mustValid(t, d)
	if d.BlocksFree() != 3160 || d.Name() != "TEST DISK" || d.ID() != "SN" {
		t.Errorf("free %d name %q id %q", d.BlocksFree(), d.Name(), d.ID())
	}
	// The entry of track 40 on an empty 1581 disk.
	if e := d.bamEntry(40); !bytes.Equal(e, []byte{0x24, 0xF0, 0xFF, 0xFF, 0xFF, 0xFF}) {
		t.Errorf("track 40: % X", e)
	}
}

func TestFilesComeBack(t *testing.T) {
	d := newDisk(t)
	want := map[string][]byte{}
	for i, n := range []int{1, 253, 254, 255, 508, 509, 40 * 254, 40*254 + 1, 300000} {
		name := fmt.Sprintf("FILE%d", i)
		want[name] = random(int64(i), n)
		if err := d.Add(strings.ToLower(name), SEQ, want[name]); err != nil {
			t.Fatal(err)
		}
	}
	mustValid(t, d)
	e, err := Open(d.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	files, err := e.Files()
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for i, f := range files {
		if f.Name != fmt.Sprintf("FILE%d", i) || f.Type != SEQ || !f.Closed || f.Blocks != BlocksFor(len(want[f.Name])) {
			t.Errorf("entry %+v", f)
		}
		got, err := e.ReadFile(f)
		if err != nil || !bytes.Equal(got, want[f.Name]) {
			t.Errorf("%s: %d bytes, %v", f.Name, len(got), err)
		}
	}
}

// B23: exactly full, one byte more, and a directory with every slot taken.
func TestB23FullDisk(t *testing.T) {
	d := newDisk(t)
	before := append([]byte(nil), d.Bytes()...)
	var full *FullError
	if err := d.Add("BIG", PRG, random(1, MaxFile+1)); !errors.As(err, &full) || full.Blocks != 3161 || full.Free != 3160 {
		t.Fatalf("one byte too many: %v", err)
	}
	if !bytes.Equal(before, d.Bytes()) {
		t.Fatal("a refused file changed the disk")
	}
	big := random(2, MaxFile)
	if err := d.Add("BIG", PRG, big); err != nil {
		t.Fatal(err)
	}
	mustValid(t, d)
	if d.BlocksFree() != 0 {
		t.Errorf("%d blocks free", d.BlocksFree())
	}

	d = newDisk(t)
	for i := range MaxFiles {
		if err := d.Add(fmt.Sprintf("F%d", i), SEQ, []byte{1}); err != nil {
			t.Fatal(i, err)
		}
	}
	mustValid(t, d)
	if err := d.Add("ONE MORE", SEQ, []byte{1}); !errors.Is(err, ErrDirectoryFull) {
		t.Errorf("297th file: %v", err)
	}
}

// B23: a replacement that does not fit leaves the old file.
func TestB23ReplaceKeepsTheOld(t *testing.T) {
	d := newDisk(t)
	old := random(3, 5000)
	if err := d.Add("A", SEQ, old); err != nil {
		t.Fatal(err)
	}
	if err := d.Add("B", SEQ, random(4, 700000)); err != nil {
		t.Fatal(err)
	}
	before := append([]byte(nil), d.Bytes()...)
	if err := d.Replace("A", SEQ, random(5, 200000)); err == nil {
		t.Fatal("no error")
	}
	if !bytes.Equal(before, d.Bytes()) {
		t.Fatal("the disk changed")
	}
	next := random(6, 90000)
	if err := d.Replace("a", SEQ, next); err != nil {
		t.Fatal(err)
	}
	mustValid(t, d)
	e, err := d.Find("A")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.ReadFile(e); err != nil || !bytes.Equal(got, next) {
		t.Errorf("replaced: %v", err)
	}
}

// B22: names that the machine could not open, or would confuse.
func TestB22Names(t *testing.T) {
	d := newDisk(t)
	if err := d.Add("autoboot.c65", PRG, []byte{1, 32, 0}); err != nil {
		t.Fatal(err)
	}
	f, _ := d.Files()
	if string(f[0].Raw) != "AUTOBOOT.C65" {
		t.Errorf("stored as % X", f[0].Raw)
	}
	for _, name := range []string{"", "SEVENTEEN LETTERS", "A*", "A?", "A,B", "A:B", "A=B", "@A", "$A", "A/B", `A"B`, "é", "straße", "A\xa0", " A", "A "} {
		if err := d.Add(name, SEQ, []byte{1}); err == nil {
			t.Errorf("took the name %q", name)
		}
	}
	if err := d.Add("AUTOBOOT.C65", SEQ, []byte{1}); !errors.Is(err, ErrExists) {
		t.Errorf("same name twice: %v", err)
	}
	if err := d.Add("EMPTY", SEQ, nil); err == nil {
		t.Error("took an empty file")
	}
}

func TestImageNames(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range []struct{ path, want string }{
		{"../models/stories260K-q8_0.gguf", "STORIES260K.SSNL"},
		{"stories260K-f16.gguf", "STORIES26-2.SSNL"},
		{"stories260K-q4_0.gguf", "STORIES26-3.SSNL"},
		{"tiny_bert.v2.ssnail", "TINY-BERTV2.SSNL"},
		{"é.gguf", "MODEL.SSNL"},
		{"é2é.gguf", "2.SSNL"},
	} {
		got := ImageName(c.path, func(n string) bool { return taken[n] })
		taken[got] = true
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
		if _, err := FileName(got); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenRefusesWhatIsNoD81(t *testing.T) {
	d := newDisk(t)
	for name, b := range map[string][]byte{
		"empty": nil, "short": d.Bytes()[:Size-1], "long": append(append([]byte(nil), d.Bytes()...), 0), "unformatted": make([]byte, Size),
	} {
		if _, err := Open(b); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := Open(append(append([]byte(nil), d.Bytes()...), make([]byte, 3200)...)); err != nil {
		t.Errorf("with error bytes: %v", err)
	}
}

// Every kind of damage is found, named by place, and never hangs a reader.
func TestDamageIsFound(t *testing.T) {
	make1 := func() (*Image, Entry) {
		d := newDisk(t)
		if err := d.Add("DATA", SEQ, random(7, 3000)); err != nil {
			t.Fatal(err)
		}
		f, _ := d.Files()
		return d, f[0]
	}
	for name, damage := range map[string]func(d *Image, e Entry){
		"loop":           func(d *Image, e Entry) { s := d.sector(TS{1, 3}); s[0], s[1] = 1, 1 },
		"off the disk":   func(d *Image, e Entry) { d.sector(TS{1, 3})[0] = 81 },
		"bad sector":     func(d *Image, e Entry) { d.sector(TS{1, 3})[1] = 40 },
		"bad end":        func(d *Image, e Entry) { s := d.sector(TS{1, 3}); s[0], s[1] = 0, 1 },
		"count":          func(d *Image, e Entry) { d.sector(e.at)[e.pos+30]++ },
		"unclosed":       func(d *Image, e Entry) { d.sector(e.at)[e.pos+2] &^= 0x80 },
		"marked free":    func(d *Image, e Entry) { d.release(TS{1, 2}) },
		"lost block":     func(d *Image, e Entry) { d.allocate(TS{70, 2}) },
		"free count":     func(d *Image, e Entry) { d.bamEntry(3)[0]-- },
		"version":        func(d *Image, e Entry) { d.sector(TS{40, 1})[2] = 0 },
		"directory loop": func(d *Image, e Entry) { s := d.sector(TS{40, 3}); s[0], s[1] = 40, 3 },
		"directory off":  func(d *Image, e Entry) { s := d.sector(TS{40, 3}); s[0], s[1] = 99, 3 },
		"shared block":   func(d *Image, e Entry) { d.sector(TS{1, 3})[1] = 9; d.sector(TS{1, 9})[0] = 0 },
		"twice":          func(d *Image, e Entry) { s := d.sector(e.at); copy(s[32:64], s[:32]); s[32], s[33] = 0, 0 },
	} {
		d, e := make1()
		damage(d, e)
		if bad := d.Validate(); len(bad) == 0 {
			t.Errorf("%s: not found", name)
		}
		d.Files()
		d.ReadFile(e)
	}
}

// cc1541 lists the disk and reads the files back.
func TestCC1541ReadsOurDisk(t *testing.T) {
	tool, err := exec.LookPath("cc1541")
	if err != nil {
		t.Skip("cc1541 is not installed: make deps")
	}
	d := newDisk(t)
	want := random(9, 12345)
	if err := d.Add("AUTOBOOT.C65", PRG, want); err != nil {
		t.Fatal(err)
	}
	if err := d.Add("STORIES.SSNL", SEQ, random(10, 300000)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	img := filepath.Join(dir, "x.d81")
	if err := os.WriteFile(img, d.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, img).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := strings.ToLower(string(out))
	for _, w := range []string{"autoboot.c65", "stories.ssnl", "prg", "seq", fmt.Sprint(d.BlocksFree(), " blocks free")} {
		if !strings.Contains(text, w) {
			t.Errorf("cc1541 does not show %q:\n%s", w, out)
		}
	}
}

// And we read the disks that cc1541 makes.
func TestWeReadCC1541sDisk(t *testing.T) {
	tool, err := exec.LookPath("cc1541")
	if err != nil {
		t.Skip("cc1541 is not installed: make deps")
	}
	dir := t.TempDir()
	data := random(11, 70000)
	if err := os.WriteFile(filepath.Join(dir, "in"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "-n", "NAME", "-i", "sn 3d", "-f", "hello", "-w", "in", "x.d81")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "x.d81"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(b)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Find("HELLO")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.ReadFile(e); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := d.Add("MORE", SEQ, random(12, 99999)); err != nil {
		t.Error(err)
	}
}

func TestSameCallsSameBytes(t *testing.T) {
	make1 := func() []byte {
		d := newDisk(t)
		d.Add("A", PRG, random(1, 999))
		d.Add("B", SEQ, random(2, 99999))
		return d.Bytes()
	}
	if !bytes.Equal(make1(), make1()) {
		t.Error("two builds differ")
	}
}

// FuzzOpen damages a good disk at random places: readers must end, without a
// panic, and with no more data than the disk holds.
func FuzzOpen(f *testing.F) {
	base := newDisk(f)
	base.Add("A", PRG, random(1, 9000))
	base.Add("B", SEQ, random(2, 99999))
	f.Add([]byte{39, 3, 0, 1, 0, 0})
	f.Add([]byte{0, 0, 0, 1, 1, 200, 39, 1, 20, 7})
	f.Fuzz(func(t *testing.T, edits []byte) {
		b := append([]byte(nil), base.Bytes()...)
		for ; len(edits) >= 4; edits = edits[4:] {
			p := TS{edits[0]%Tracks + 1, edits[1] % Sectors}
			b[p.Offset()+int(edits[2])] = edits[3]
		}
		d, err := Open(b)
		if err != nil {
			return
		}
		files, _ := d.Files()
		for _, e := range files {
			if data, _ := d.ReadFile(e); len(data) > Size {
				t.Fatalf("%d bytes from a disk of %d", len(data), Size)
			}
		}
		d.Validate()
		if err := d.Add("NEW FILE", SEQ, random(3, 3000)); err == nil {
			e, err := d.Find("NEW FILE")
			if err != nil {
				return // a directory in blocks that are marked free is written over
			}
			if got, err := d.ReadFile(e); err == nil && !bytes.Equal(got, random(3, 3000)) {
				t.Fatal("the new file came back changed")
			}
		}
	})
}
