package push

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"ssnail-kit/disk/d81"
	"ssnail-kit/host/image"
)

func TestMailbox(t *testing.T) {
	img := []byte("an image")
	b := Mailbox(MailLoaded, img, "Hi")
	want := append([]byte("SSKP\x01\x05\x00\x00"), make([]byte, 8)...)
	binary.LittleEndian.PutUint32(want[8:], 8)
	binary.LittleEndian.PutUint32(want[12:], crc32.ChecksumIEEE(img))
	if want = append(want, 'H', 'i', 0); !bytes.Equal(b, want) {
		t.Errorf("got % x\nwant % x", b, want)
	}
	if b := Mailbox(0, nil, ""); len(b) != 16 || b[5] != 0 {
		t.Errorf("empty: % x", b)
	}
}

func TestLine(t *testing.T) {
	if l, err := Line("Grüße — “x”"); err != nil || strings.ContainsFunc(l, func(r rune) bool { return r > '~' }) || !strings.HasPrefix(l, "Gru") {
		t.Errorf("%q, %v", l, err)
	}
	if l, err := Line(strings.Repeat("x", MaxPrompt)); err != nil || len(l) != MaxPrompt {
		t.Errorf("%d characters: %v", MaxPrompt, err)
	}
	for _, bad := range []string{"two\nlines", "a\ttab", strings.Repeat("x", MaxPrompt+1)} {
		if _, err := Line(bad); err == nil {
			t.Errorf("%.20q is accepted", bad)
		}
	}
}

func TestParseProgram(t *testing.T) {
	for _, c := range []struct {
		prg   string
		entry uint16
		err   string
	}{
		{"\x01\x20\x0c\x20\x0a\x00\xfe\x020:\x9e8206\x00\x00\x00", 8206, ""},
		{"\x01\x20\x0c\x20\x0a\x00\x9e $200E:\x80\x00", 0x200E, ""},
		{"\x01\x20\x0c\x20\x0a\x00\x99\x00", 0, ""},
		{"\x01\x20\x0c\x20\x0a\x00\x9e99999\x00", 0, ""},
		{"\x00\xc0\x60", 0xC000, ""},
		{"\x01\x20", 0, "2 bytes"},
		{"\x00\x08\x60", 0, "below $2001"},
		{"\x00\x17\x60", 0, "below $2001"},
		{"\xff\xff\x60\x60", 0, "beyond $FFFF"},
	} {
		p, err := parseProgram([]byte(c.prg))
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: %v, want %q", c.prg, err, c.err)
		case c.err == "" && (err != nil || p.entry != c.entry):
			t.Errorf("%q: %+v, %v, want entry $%04X", c.prg, p, err, c.entry)
		}
	}
}

func TestFromDisk(t *testing.T) {
	img := madeImage(t, 3000)
	d, err := d81.New("TEST", "XY")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := FromDisk(d.Bytes()); err == nil || !strings.Contains(err.Error(), "AUTOBOOT.C65") {
		t.Errorf("without a program: %v", err)
	}
	prg := standIn()
	for _, f := range []struct {
		name string
		kind d81.FileType
		data []byte
	}{{d81.NameProgram, d81.PRG, prg}, {"README", d81.SEQ, []byte("read me")}, {"A.SSNL", d81.SEQ, img}, {"B.SSNL", d81.SEQ, madeImage(t, 4000)}} {
		if err := d.Add(f.name, f.kind, f.data); err != nil {
			t.Fatal(err)
		}
	}
	p, i, name, err := FromDisk(d.Bytes())
	if err != nil || !bytes.Equal(p, prg) || !bytes.Equal(i, img) || name != "A.SSNL" {
		t.Errorf("%d and %d bytes, %q, %v", len(p), len(i), name, err)
	}
	if _, _, _, err := FromDisk([]byte("short")); err == nil {
		t.Error("a short disk is accepted")
	}
}

func TestMemoryImage(t *testing.T) {
	img := madeImage(t, 3000)
	m, err := MemoryImage(img)
	if err != nil {
		t.Fatal(err)
	}
	gap := image.Payload - image.Base
	if !bytes.Equal(m[:image.HeaderSize], img[:image.HeaderSize]) || !bytes.Equal(m[gap:], img[image.HeaderSize:]) ||
		len(bytes.Trim(m[image.HeaderSize:gap], "\x00")) != 0 {
		t.Error("the image does not stand where SSNAIL wants it")
	}
}

// FuzzParseProgram: whatever a PRG holds, its start lies in 16 bits and its
// parts inside it.
func FuzzParseProgram(f *testing.F) {
	f.Add([]byte("\x01\x20\x0c\x20\x0a\x00\xfe\x020:\x9e8206\x00\x00\x00"))
	f.Add([]byte("\x01\x20\x9e"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parseProgram(b)
		if err == nil && (int(p.load)+len(p.body) > 0x10000 || len(p.body) != len(b)-2) {
			t.Fatalf("%+v", p)
		}
	})
}
