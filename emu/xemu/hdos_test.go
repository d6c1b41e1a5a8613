package xemu

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ssnail-kit/disk/sdimage"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/mega65/hw"
)

// traps is a test program that calls HDOS and writes what comes back to a
// screen at $4000: carry, A, X, Y and Z of each call in hexadecimal.
type traps struct {
	code  []byte
	names []byte   // a page each, from $5000 on
	what  []string // the calls
}

const (
	trapScreen = 0x4000
	trapNames  = 0x5000
	trapBuffer = 0x7000
	trapLog    = 0x2020
	trapCalls  = 0x2080
)

func (p *traps) emit(b ...byte) { p.code = append(p.code, b...) }

func (p *traps) log(what string) {
	p.emit(0x20, trapLog&0xFF, trapLog>>8)
	p.what = append(p.what, what)
}

// call does a trap with given registers.
func (p *traps) call(name string, fn, x, y, z byte) {
	p.emit(0xA3, z, 0xA0, y, 0xA2, x, 0xA9, fn, 0x8D, 0x40, 0xD6, 0xB8)
	p.log(name)
}

// on chooses the file of the next call by name.
func (p *traps) on(name string) {
	page := byte(trapNames>>8) + byte(len(p.names)/256)
	p.names = append(p.names, append([]byte(name), make([]byte, 256-len(name))...)...)
	p.call("setname "+name, 0x2E, 0, page, 0)
}

// read does a readfile and looks at the buffer.
func (p *traps) read() {
	p.call("readfile", 0x1A, 0, 0, 0)
	p.emit(0xA9, 0x80, 0x8D, 0x89, 0xD6) // the SD card's buffer
	p.emit(0x8D, 0x07, 0xD7, 0x0B, 0x80, 0xFF, 0x81, 0, 0, 0, 0, 2, 0, 0x6E, 0x0D, trapBuffer&0xFF, trapBuffer>>8, 0, 0, 0, 0)
	p.peek("buffer", trapBuffer)
}

// free shows which descriptor is the next.
func (p *traps) free() {
	p.call("opendir", 0x12, 1, 2, 3)
	p.emit(0xAA) // TAX
	p.emit(0xA9, 0x16, 0x8D, 0x40, 0xD6, 0xB8)
	p.log("closedir")
}

// peek logs bytes 0, 100, 255 and 511 at an address.
func (p *traps) peek(what string, at int) {
	p.emit(0xAD, byte(at), byte(at>>8), 0xAE, byte(at+100), byte((at+100)>>8), 0xAC, byte(at+255), byte((at+255)>>8),
		0x18, 0x08, 0xDA, 0xA2, 0xFF, 0xAB, byte(at+256), byte((at+256)>>8), 0xFA, 0x28) // LDZ abs,X
	p.log(what)
}

// prg is the program, whose SYS goes to $2011.
func (p *traps) prg() []byte {
	b := []byte{0x01, 0x20, 0x0B, 0x20, 10, 0, 0x9E, '8', '2', '0', '9', 0, 0, 0}
	at := func(a int) {
		for len(b) < 2+a-0x2001 {
			b = append(b, 0)
		}
	}
	at(0x2011)
	b = append(b, 0x78, 0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0, 0x4C, trapCalls&0xFF, trapCalls>>8)
	at(trapLog)
	log := []byte{
		0x85, 0xF1, 0x86, 0xF2, 0x84, 0xF3, 0x64, 0xF4, // STA STX STY STZ $F1-$F4
		0xA9, 0, 0x2A, 0x09, 0x30, 0xA0, 0, 0xA3, 0, // LDA #0, ROL, ORA #$30, LDY #0, LDZ #0
		0x91, 0xFB, 0xC8, // STA ($FB),Y; INY
		0xA2, 0, // LDX #0
		0xB5, 0xF1, 0x4A, 0x4A, 0x4A, 0x4A, 0x20, 0, 0, // high digit
		0xB5, 0xF1, 0x29, 0x0F, 0x20, 0, 0, // low digit
		0xE8, 0xE0, 4, 0xD0, 0xEB, // INX; CPX #4; BNE
		0x18, 0xA5, 0xFB, 0x69, 10, 0x85, 0xFB, 0x90, 2, 0xE6, 0xFC, 0x60,
	}
	digit := trapLog + len(log)
	for i := range log {
		if log[i] == 0x20 && i+2 < len(log) && log[i+1] == 0 {
			log[i+1], log[i+2] = byte(digit), byte(digit>>8)
		}
	}
	b = append(b, log...)
	b = append(b, 0xC9, 10, 0x90, 2, 0xE9, 57, 0x18, 0x69, 0x30, 0x91, 0xFB, 0xC8, 0x60) // A-F are codes 1-6
	at(trapCalls)
	b = append(b, p.code...)
	b = append(b, 0xA9, 0x2A, 0x8D, 0xC0, 0x47, 0x8D, 0xC1, 0x47, 0x8D, 0xC2, 0x47, 0x80, 0xFE) // ***
	at(trapNames)
	return append(b, p.names...)
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

// TestHDOS does the same traps here and under xmega65, whose HDOS is the real
// one on the image of a card.
func TestHDOS(t *testing.T) {
	path := tool(t)
	files := map[string][]byte{
		"HELLO.TXT": pattern(700), "EMPTY.BIN": {}, "WHOLE.BIN": pattern(1024),
		"SUB/INNER.TXT": pattern(513),
	}
	p := &traps{}
	p.emit(0xA9, 0x20, 0xA2, 0, 0x9D, 0, 0x40, 0x9D, 0, 0x41, 0x9D, 0, 0x42, 0x9D, 0, 0x43, 0x9D, 0, 0x44, 0x9D, 0, 0x45, 0x9D, 0, 0x46, 0x9D, 0, 0x47, 0xE8, 0xD0, 0xE5)
	p.emit(0xA9, 0, 0x85, 0xFB, 0xA9, 0x40, 0x85, 0xFC)
	p.call("closeall", 0x22, 1, 2, 3)
	p.call("current drive", 0x04, 1, 2, 3)
	p.call("cdrootdir", 0x3C, 0, 2, 3)
	open := func(name string) {
		p.on(name)
		p.call("findfile", 0x34, 1, 2, 3)
		p.call("openfile", 0x18, 1, 2, 3)
	}
	open("HELLO.TXT")
	for range 4 {
		p.read()
	}
	p.call("closefile", 0x20, 0, 2, 3)
	open("whole.bin")
	for range 4 {
		p.read()
	}
	p.call("closeall", 0x22, 1, 2, 3)
	open("empty.bin")
	p.call("readfile", 0x1A, 0, 0, 0)
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("NOPE.TXT")
	p.call("findfile", 0x34, 1, 2, 3)
	p.call("geterrorcode", 0x38, 1, 2, 3)
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("HELLO.TXT")
	p.call("findfile", 0x34, 1, 2, 3)
	p.call("chdir to a file", 0x0C, 1, 2, 3)
	p.on("SUB")
	p.call("findfile", 0x34, 1, 2, 3)
	p.call("openfile of a folder", 0x18, 1, 2, 3)
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("SUB")
	p.call("findfile", 0x34, 1, 2, 3)
	p.call("chdir", 0x0C, 1, 2, 3)
	open("INNER.TXT")
	for range 3 {
		p.read()
	}
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("HELLO.TXT")
	p.call("findfile in the folder", 0x34, 1, 2, 3)
	p.call("cdrootdir", 0x3C, 0, 2, 3)
	p.call("findfile in the root", 0x34, 1, 2, 3)
	p.on("SUB/INNER.TXT")
	p.call("findfile of a path", 0x34, 1, 2, 3)
	p.on("HELLO*")
	p.call("findfile of a wildcard", 0x34, 1, 2, 3)
	p.on("HELLO.TXT")
	for range 4 {
		p.call("findfile", 0x34, 1, 2, 3)
		p.call("openfile", 0x18, 1, 2, 3)
	}
	p.call("findfile without a descriptor left", 0x34, 1, 2, 3)
	p.call("geterrorcode", 0x38, 1, 2, 3)
	p.call("closefile 9", 0x20, 9, 2, 3)
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("HELLO.TXT")
	p.call("findfirst", 0x30, 1, 2, 3)
	p.call("findnext", 0x32, 1, 2, 3)
	p.free()
	p.call("closeall", 0x22, 1, 2, 3)
	p.on(strings.Repeat("N", 63))
	p.on(strings.Repeat("N", 64))
	p.call("setname at $8000", 0x2E, 0, 0x80, 3)
	p.call("setname at $7F00", 0x2E, 0, 0x7F, 3)
	p.on("HELLO.TXT")
	p.call("loadfile", 0x36, 0x03, 0x70, 0)
	p.peek("loaded", trapBuffer+3)
	p.free()
	p.on("NOPE.TXT")
	p.call("loadfile of none", 0x36, 0x03, 0x70, 0)
	p.free()
	p.call("loadfile_attic of none", 0x3E, 0x03, 0x70, 0)
	p.free()
	p.on("HELLO.TXT")
	p.call("d81attach0 of a text", 0x40, 1, 2, 3)
	p.call("geterrorcode", 0x38, 1, 2, 3)
	p.free()
	p.call("closeall", 0x22, 1, 2, 3)
	p.on("SUB")
	p.call("findfile", 0x34, 1, 2, 3)
	p.call("d81attach1 of a folder", 0x46, 1, 2, 3)
	p.free()
	p.on("NOPE.D81")
	p.call("d81attach1 of none", 0x46, 1, 2, 3)
	p.call("geterrorcode", 0x38, 1, 2, 3)
	p.free()
	p.call("closeall", 0x22, 1, 2, 3)
	p.call("opendir", 0x12, 1, 2, 3)
	for range 5 { // four entries, and the end; behind it HDOS reads on in the void
		p.call("readdir", 0x14, 0, 0x70, 3)
	}
	p.call("geterrorcode", 0x38, 1, 2, 3)
	p.free()
	p.call("closedir", 0x16, 0, 2, 3)
	p.call("readdir of descriptor 9", 0x14, 9, 0x70, 3)
	p.on("SUB")
	p.call("loadfile of a folder", 0x36, 0x03, 0x70, 0)
	p.free()
	p.call("no such function", 0x68, 1, 2, 3)
	p.free()
	p.call("closeall", 0x22, 1, 2, 3)

	card, folder := []sdimage.File{}, fstest.MapFS{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		card = append(card, sdimage.File{Name: name, Data: data})
		folder[name] = &fstest.MapFile{Data: data}
	}
	m, err := machine.New(machine.Options{SD: folder, NoSSNAIL: true, Board: hw.BoardR3})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(p.prg()); err != nil {
		t.Fatal(err)
	}
	r := drive.Run{M: m, For: 5 * time.Second}
	if _, err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	ours := strings.Join(decode(m.Peek(trapScreen, cols*rows)), "")
	if !strings.Contains(ours, "***") {
		t.Fatalf("the program did not end here:\n%s", ours)
	}
	res, err := Run(context.Background(), Options{Path: path, PRG: p.prg(), Start: 0x2011, Card: card, Screen: trapScreen, Until: "***", Limit: 40 * time.Second})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, strings.Join(res.Lines, "\n"), res.Log)
	}
	var theirs strings.Builder
	for _, l := range res.Lines {
		fmt.Fprintf(&theirs, "%-*s", cols, l)
	}
	for i, what := range p.what {
		o, x := ours[10*i:10*i+9], theirs.String()[10*i:10*i+9]
		if o != x {
			t.Errorf("%d %s: ours %s, xmega65's %s", i, what, o, x)
		}
	}
}
