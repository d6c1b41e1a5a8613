package sdimage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// memory is a card in memory that knows only what was written.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if need := int(off) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[off:], p), nil
}

func random(seed int64, n int) []byte {
	b := make([]byte, n)
	rand.New(rand.NewSource(seed)).Read(b)
	return b
}

func testFiles() []File {
	return []File{
		{"SSNAIL.D81", random(1, 819200)},
		{"SSNAIL/A.SSNAIL", random(2, 300001)},
		{"SSNAIL/a long name of a model.ssnail", random(3, 513)},
		{"SSNAIL/a long name of a mouse.ssnail", random(4, 512)},
		{"ssnail/CONFIG.TXT", []byte("temp = 0.8\n")},
		{"EMPTY.TXT", nil},
	}
}

// list reads a card back by the FAT rules alone.
func list(t *testing.T, b []byte, cluster uint32, prefix string, out map[string][]byte) {
	t.Helper()
	le := binary.LittleEndian
	p := int(le.Uint32(b[446+8:])) * sector
	per := int(b[p+13])
	fat := p + int(le.Uint16(b[p+14:]))*sector
	data := fat + int(b[p+16])*int(le.Uint32(b[p+36:]))*sector
	read := func(c uint32, size int) []byte {
		var f []byte
		for n := 0; c != endOfChain && c >= 2; n++ {
			at := data + (int(c)-2)*per*sector
			f = append(f, b[at:at+per*sector]...)
			next := le.Uint32(b[fat+4*int(c):])
			if next != endOfChain && next != c+1 {
				t.Fatalf("cluster %d: not in one piece", c)
			}
			c = next
		}
		if size >= 0 {
			f = f[:size]
		}
		return f
	}
	d := read(cluster, -1)
	long := ""
	for i := 0; i+entrySize <= len(d) && d[i] != 0; i += entrySize {
		e := d[i:][:entrySize]
		switch {
		case e[11] == attrLong:
			part := ""
			for _, at := range []int{1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30} {
				if v := le.Uint16(e[at:]); v != 0 && v != 0xFFFF {
					part += string(rune(v))
				}
			}
			long = part + long
			continue
		case e[11] == attrVolume || e[0] == '.':
			continue
		}
		name := strings.TrimSpace(string(e[:8]))
		if ext := strings.TrimSpace(string(e[8:11])); ext != "" {
			name += "." + ext
		}
		if long != "" {
			name = long
		}
		long = ""
		c := uint32(le.Uint16(e[20:]))<<16 | uint32(le.Uint16(e[26:]))
		if e[11] == attrDir {
			list(t, b, c, name+"/", out)
			continue
		}
		out[prefix+name] = read(c, int(le.Uint32(e[28:])))
	}
}

func TestFilesComeBack(t *testing.T) {
	var m memory
	if err := Write(&m, testFiles()); err != nil {
		t.Fatal(err)
	}
	if len(m.b) < 64<<20 {
		t.Errorf("the card has %d bytes", len(m.b))
	}
	got := map[string][]byte{}
	list(t, m.b, 2, "", got)
	for _, f := range testFiles() {
		name := strings.Replace(f.Name, "ssnail/", "SSNAIL/", 1)
		b, ok := got[name]
		if !ok || !bytes.Equal(b, f.Data) {
			t.Errorf("%s: %d bytes of %d (there: %v)", name, len(b), len(f.Data), ok)
		}
	}
	if len(got) != len(testFiles()) {
		t.Errorf("%d files, want %d", len(got), len(testFiles()))
	}
}

func TestRefused(t *testing.T) {
	for _, files := range [][]File{
		{{"", nil}}, {{"A/B/C", nil}}, {{"a*b", nil}}, {{"é", nil}}, {{"A", nil}, {"a", nil}}, {{strings.Repeat("x", 65), nil}}, {{"A/", nil}},
	} {
		if err := Write(&memory{}, files); err == nil {
			t.Errorf("%q was taken", files[0].Name)
		}
	}
}

func TestSameFilesSameCard(t *testing.T) {
	var a, b memory
	if Write(&a, testFiles()) != nil || Write(&b, testFiles()) != nil || !bytes.Equal(a.b, b.b) {
		t.Error("two cards differ")
	}
}

// mtools and fsck.vfat read the card, where they are installed.
func TestOthersReadTheCard(t *testing.T) {
	mdir, err := exec.LookPath("mdir")
	if err != nil {
		t.Skip("mtools is not installed: apt install mtools dosfstools")
	}
	var m memory
	if err := Write(&m, testFiles()); err != nil {
		t.Fatal(err)
	}
	img := filepath.Join(t.TempDir(), "card.img")
	if err := os.WriteFile(img, m.b, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(mdir, "-i", fmt.Sprintf("%s@@%d", img, partition*sector), "-/", "-b").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, w := range []string{"SSNAIL.D81", "a long name of a mouse.ssnail", "CONFIG.TXT"} {
		if !strings.Contains(string(out), w) {
			t.Errorf("mdir does not show %s:\n%s", w, out)
		}
	}
	fsck, err := exec.LookPath("fsck.vfat")
	if err != nil {
		return
	}
	part := filepath.Join(t.TempDir(), "part.img")
	if err := os.WriteFile(part, m.b[partition*sector:], 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(fsck, "-n", part).CombinedOutput(); err != nil {
		t.Errorf("fsck.vfat: %v\n%s", err, out)
	}
}
