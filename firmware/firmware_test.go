package firmware

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ssnail-kit/firmware/asm"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

func TestBuild(t *testing.T) {
	p, err := Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Load != hw.BASICStart || p.PRG[0] != 0x01 || p.PRG[1] != 0x20 {
		t.Errorf("load address $%04x, PRG begins % x", p.Load, p.PRG[:2])
	}
	again, err := Build(Options{})
	if err != nil || !bytes.Equal(p.PRG, again.PRG) {
		t.Errorf("a second build differs (%v)", err)
	}
	sum := 0
	for _, m := range p.Sizes {
		sum += m.Bytes
	}
	if sum != len(p.PRG)-2 {
		t.Errorf("sizes sum to %d, the program has %d bytes", sum, len(p.PRG)-2)
	}
	if end := int(p.Load) + sum; end > CodeEnd-4096 {
		t.Errorf("the program ends at $%04x: less than 4 KB below $%04x are free", end, CodeEnd)
	}
	if table := p.SizeTable(); !strings.Contains(table, fmt.Sprintf("%6d", sum)) || !strings.Contains(table, "start.s") {
		t.Errorf("size table:\n%s", table)
	}
}

// The stub is BANK 0:SYS with the decimal address behind it.
func TestBASICStub(t *testing.T) {
	p, err := Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	stub := p.PRG[2:]
	next := int(stub[0]) | int(stub[1])<<8
	line := stub[4 : next-int(p.Load)]
	if line[0] != 0xFE || line[1] != 0x02 || line[len(line)-1] != 0 {
		t.Fatalf("BASIC line % x: want BANK (fe 02) ... 00", line)
	}
	at := bytes.IndexByte(line, 0x9E)
	if at < 0 {
		t.Fatalf("BASIC line % x has no SYS", line)
	}
	var addr int
	if _, err := fmt.Sscanf(strings.TrimSpace(string(line[at+1:len(line)-1])), "%d", &addr); err != nil {
		t.Fatal(err)
	}
	if stub[next-int(p.Load)] != 0 || stub[next-int(p.Load)+1] != 0 {
		t.Error("the BASIC program does not end behind its line")
	}
	if r, ok := p.RoutineAt(uint16(addr)); !ok || r.Start != addr {
		t.Errorf("SYS %d jumps to no label (%+v)", addr, r)
	}
}

func TestConstants(t *testing.T) {
	files := Constants()
	seen := map[string]bool{}
	for _, name := range []string{HardwareFile, ImageFile} {
		if _, err := asm.Parse(name, files[name]); err != nil {
			t.Error(err)
		}
		for _, l := range strings.Split(string(files[name]), "\n") {
			if name, _, ok := strings.Cut(l, " = "); ok && l[0] != ';' {
				name = strings.TrimSpace(name)
				if seen[name] {
					t.Errorf("%s is generated twice", name)
				}
				seen[name] = true
			}
		}
	}
	p, err := Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint32{
		"SSN_REGS": hw.SSNAIL, "SSN_RAM": image.Base, "SSN_TOKENS": image.TokenBuffer, "HDR_TOKENIZER": image.OffTokenizer,
		"TOK_UNKNOWN": image.TokOffUnknown, "KEY_RETURN": hw.KeyReturn, "HW_DMA_INLINE": hw.DMAInline, "NO_TOKEN": image.NoToken,
	} {
		if got, ok := p.Symbols[name]; !ok || got != want {
			t.Errorf("%s = $%x %v, want $%x", name, got, ok, want)
		}
	}
}

// The program draws with the font and codes of mega65/hw.
func TestFontIsInTheProgram(t *testing.T) {
	p, err := Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	font := hw.Font()
	codes := hw.ScreenCodes()
	for label, want := range map[string][]byte{"font": font[:hw.FontSize/2], "screen_codes": codes[0x20:0x80]} {
		at, ok := p.Symbols[label]
		if !ok {
			t.Errorf("no label %s", label)
			continue
		}
		from := int(at) - int(p.Load) + 2
		if !bytes.Equal(p.PRG[from:from+len(want)], want) {
			t.Errorf("the bytes at %s are not those of mega65/hw", label)
		}
	}
}

func TestRoutinesAndLabels(t *testing.T) {
	p, err := Build(Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := p.Routines()
	for _, r := range all {
		if f, ok := p.RoutineAt(uint16(r.End - 1)); !ok || f != r {
			t.Fatalf("RoutineAt($%04x) = %+v, want %+v", r.End-1, f, r)
		}
	}
	if _, ok := p.RoutineAt(p.Load - 1); ok {
		t.Error("found a routine outside the program")
	}
	labels := p.Labels()
	if len(labels) != len(all) || labels["core_find"] != p.Symbols["core_find"] {
		t.Errorf("%d labels for %d routines", len(labels), len(all))
	}
	// The label file holds them all, and those that share an address.
	read, err := ReadLabels(bytes.NewReader(p.Asm.ViceLabels()))
	if err != nil {
		t.Fatal(err)
	}
	for name, addr := range labels {
		if read[name] != addr {
			t.Errorf("%s is $%04x in the label file, want $%04x", name, read[name], addr)
		}
	}
}

func TestReadLabels(t *testing.T) {
	got, err := ReadLabels(strings.NewReader("al C:2011 .start\n\nbreak 5\nal 002020 .loop@1\nadd_label 30 .low\n"))
	if err != nil || len(got) != 2 || got["start"] != 0x2011 || got["low"] != 0x30 {
		t.Errorf("got %v, %v", got, err)
	}
	for src, want := range map[string]string{
		"\nal 2011\n":               "line 2: expected",
		"al xyz .a\n":               "line 1: \"xyz\" is no hexadecimal address",
		strings.Repeat("x", 100000): "read label file",
	} {
		if _, err := ReadLabels(strings.NewReader(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", src, err, want)
		}
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add("al C:2011 .start\nal 002020 .loop@1\n")
	f.Add("al 2011\n")
	f.Fuzz(func(t *testing.T, src string) {
		m, err := ReadLabels(strings.NewReader(src))
		if err == nil && len(m) > strings.Count(src, "al") {
			t.Fatalf("%d labels out of %q", len(m), src)
		}
	})
}

func TestErrors(t *testing.T) {
	if _, err := Build(Options{Root: "no-such.s"}); err == nil || !strings.Contains(err.Error(), "no-such.s") {
		t.Errorf("got %v", err)
	}
	if _, err := Build(Options{Root: "../build.go"}); err == nil {
		t.Error("a root outside the sources was read")
	}
}

func TestPRGName(t *testing.T) {
	for root, want := range map[string]string{"": "ssnail.prg", Main: "ssnail.prg", Receiver: "receiver.prg", SoftCore: "softcore.prg"} {
		if got := PRGName(root); got != want {
			t.Errorf("PRGName(%q) = %s, want %s", root, got, want)
		}
	}
}
