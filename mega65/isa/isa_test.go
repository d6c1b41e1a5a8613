package isa

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTableIsConsistent(t *testing.T) {
	seen := map[string]string{}
	for i, op := range All() {
		if i < 256 && (int(op.Code) != i || op.Prefix != None) {
			t.Errorf("entry $%02X is for opcode $%02X, prefix %d", i, op.Code, op.Prefix)
		}
		if want := len(op.Encoding()) + op.Mode.OperandBytes(); int(op.Bytes) != want {
			t.Errorf("%s %s: %d bytes, want %d", op.Name, op.Mode, op.Bytes, want)
		}
		if op.Cycles == 0 || op.Cycles > 20 {
			t.Errorf("%s %s: %d cycles", op.Name, op.Mode, op.Cycles)
		}
		key := op.Name + " " + op.Mode.String()
		if other, dup := seen[key]; dup {
			t.Errorf("%s is encoded % X and %s", key, op.Encoding(), other)
		}
		seen[key] = fmt.Sprintf("% X", op.Encoding())
		if got, ok := Lookup(op.Name, op.Mode); !ok || got != op {
			t.Errorf("Lookup(%s, %s) = %v, %v", op.Name, op.Mode, got, ok)
		}
		if got, ok := Prefixed(op.Prefix, op.Code); !ok || got != op {
			t.Errorf("Prefixed(%d, $%02X) = %v, %v", op.Prefix, op.Code, got, ok)
		}
		if !Known(op.Name) {
			t.Errorf("Known(%s) is false", op.Name)
		}
	}
	if n := len(All()); n != 256+8+34+33 {
		t.Errorf("%d instructions, want 256 plain, 8 far, 34+33 with 32 bits", n)
	}
	for _, name := range []string{"nop", "aug", "cmpq", "oraq", "negq", "ina", ""} {
		if Known(name) {
			t.Errorf("Known(%q) is true", name)
		}
	}
	Table()[0].Name = "changed"
	if Table()[0].Name != "brk" {
		t.Error("a caller can change the table")
	}
}

// TestDisassemble pins encodings and spellings; the text is ACME's.
func TestDisassemble(t *testing.T) {
	for _, c := range []struct{ code, text string }{
		{"00", "brk"},
		{"EA", "eom"},
		{"EA B2 40", "lda [$40],z"},
		{"EA 92 40", "sta [$40],z"},
		{"EA B1 40", "eom"},
		{"B2 40", "lda ($40),z"},
		{"42", "neg"},
		{"42 42 A5 40", "ldq $40"},
		{"42 42 AD 34 12", "ldq $1234"},
		{"42 42 B2 40", "ldq ($40)"},
		{"42 42 EA B2 40", "ldq [$40]"},
		{"42 42 EA 92 40", "stq [$40]"},
		{"42 42 D2 40", "cpq ($40)"},
		{"42 42 1A", "inq"},
		{"42 42 1E 34 12", "aslq $1234,x"},
		{"42 42 B5 40", "neg"},
		{"42 42 42 A5 40", "!byte $42,$42"},
		{"AD 12 00", "lda $0012"},
		{"E2 05", "lda ($05,sp),y"},
		{"F4 34 12", "phw #$1234"},
		{"FC 34 12", "phw $1234"},
		{"62 02", "rtn #$02"},
		{"23 34 12", "jsr ($1234,x)"},
		{"D0 FE", "bne $2000"},
		{"D3 03 00", "lbne $2005"},
		{"63 FE FF", "bsr $2000"},
		{"3F 40 07", "bbr3 $40,$200a"},
		{"B7 40", "smb3 $40"},
		{"AD 34", "!byte $ad"},
		{"42 42 EA B2", "!byte $42"},
	} {
		var code []byte
		if _, err := fmt.Sscanf(strings.ReplaceAll(c.code, " ", ""), "%x", &code); err != nil {
			t.Fatal(err)
		}
		if text, n := Disassemble(code, 0x2000, nil); text != c.text {
			t.Errorf("%s: %q (%d bytes), want %q", c.code, text, n, c.text)
		}
	}
	name := func(addr uint16) string { return map[uint16]string{0x1234: "table", 0x2000: "loop"}[addr] }
	if text, _ := Disassemble([]byte{0xBD, 0x34, 0x12}, 0x2000, name); text != "lda table,x" {
		t.Errorf("with symbols: %q", text)
	}
	if text, _ := Disassemble([]byte{0x80, 0xFE}, 0x2000, name); text != "bra loop" {
		t.Errorf("with symbols: %q", text)
	}
}

// TestACME has ACME assemble the disassembly of every instruction and compares
// the bytes.
func TestACME(t *testing.T) {
	acme, err := exec.LookPath("acme")
	if err != nil {
		t.Skip("skipped: acme is not installed, spellings are not checked against it")
	}
	const origin = 0x2000
	var code []byte
	for _, op := range All() {
		code = append(code, op.Encoding()...)
		for i := range op.Mode.OperandBytes() {
			code = append(code, [2]byte{0x34, 0x02}[i])
		}
		if op.Name == "neg" || op.Name == "eom" {
			code = append(code, 0xB8) // clv: keep the next from becoming a prefixed one
		}
	}
	got := assemble(t, acme, origin, code)
	if !bytes.Equal(got, code) {
		for i := range code {
			if i >= len(got) || got[i] != code[i] {
				t.Fatalf("ACME differs from byte %d on: % X, want % X", i, got[i:min(i+8, len(got))], code[i:min(i+8, len(code))])
			}
		}
		t.Fatalf("ACME made %d bytes, want %d", len(got), len(code))
	}
}

// assemble disassembles code and assembles the text with ACME.
func assemble(t *testing.T, acme string, origin uint16, code []byte) []byte {
	t.Helper()
	var src strings.Builder
	fmt.Fprintf(&src, "\t!cpu m65\n\t* = $%04x\n", origin)
	for at := 0; at < len(code); {
		text, n := Disassemble(code[at:], origin+uint16(at), nil)
		fmt.Fprintf(&src, "\t%s\n", text)
		at += n
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "t.a"), filepath.Join(dir, "t.bin")
	if err := os.WriteFile(in, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	msg, err := exec.Command(acme, "-f", "plain", "-o", out, in).CombinedOutput()
	if err != nil || len(msg) > 0 {
		t.Fatalf("acme: %v\n%s", err, msg)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// FuzzDecode: any bytes decode to an instruction that encodes to those bytes.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x42, 0x42, 0xEA, 0xB2, 0x40})
	f.Add([]byte{0xEA, 0x92, 0xFF})
	f.Add([]byte{0x0F, 0x10, 0x80})
	f.Add([]byte{0x42, 0x42, 0x42, 0x42})
	f.Fuzz(func(t *testing.T, code []byte) {
		for pc := uint16(0xFFF0); len(code) > 0; {
			text, n := Disassemble(code, pc, nil)
			if text == "" || n < 1 || n > len(code) {
				t.Fatalf("% X: %q, %d bytes", code, text, n)
			}
			op, arg, m := Decode(code, pc)
			if m != 0 {
				if !bytes.HasPrefix(code, op.Encoding()) || int(op.Bytes) != m {
					t.Fatalf("% X: decoded as % X", code, op.Encoding())
				}
				if op.Mode.OperandBytes() == 1 && op.Mode != Relative && arg.Value > 0xFF {
					t.Fatalf("% X: operand $%X", code, arg.Value)
				}
			}
			code, pc = code[n:], pc+uint16(n)
		}
	})
}
