package asm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/mega65/isa"
)

// row is a line of a table: source and the bytes that it means.
type row struct {
	line int
	src  string
	want []byte
}

func readTable(t testing.TB, name string) []row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for i, l := range strings.Split(string(b), "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		at := strings.LastIndex(l, ";")
		want, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(l[at+1:]), " ", ""))
		if err != nil {
			t.Fatalf("%s:%d: %v", name, i+1, err)
		}
		rows = append(rows, row{i + 1, strings.ReplaceAll(strings.TrimRight(l[:at], " "), " // ", "\n"), want})
	}
	return rows
}

const head = "!cpu m65\n* = $2001\n"

func assembleText(src string) (*Result, error) {
	return Assemble("t.s", func(name string) ([]byte, error) {
		if name != "t.s" {
			return nil, os.ErrNotExist
		}
		return []byte(src), nil
	}, nil)
}

// program puts rows into one source with a label before each.
func program(rows []row) (src string, want []byte) {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range rows {
		fmt.Fprintf(&b, "row%d:\n%s\n", r.line, r.src)
		want = append(want, r.want...)
	}
	return b.String(), want
}

func TestOpcodeTable(t *testing.T) {
	rows := readTable(t, "opcodes.txt")
	src, _ := program(rows)
	r, err := assembleText(src)
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, rows, r, r.Code)
	if n := len(isa.All()); len(rows) != n {
		t.Errorf("the table has %d rows, the instruction set %d", len(rows), n)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		key := fmt.Sprintf("%x", row.want[:1])
		for _, op := range isa.All() {
			if e := op.Encoding(); bytes.HasPrefix(row.want, e) && len(row.want) == int(op.Bytes) && op.Prefix != isa.None {
				key = fmt.Sprintf("%x", e)
			}
		}
		if seen[key] {
			t.Errorf("line %d: encoding %s is in the table twice", row.line, key)
		}
		seen[key] = true
	}
}

func compareRows(t *testing.T, rows []row, r *Result, code []byte) {
	t.Helper()
	for _, row := range rows {
		at, ok := r.Lookup(fmt.Sprintf("row%d", row.line))
		if !ok {
			t.Fatalf("no label for line %d", row.line)
		}
		from := int(at) - r.Origin
		if from+len(row.want) > len(code) || !bytes.Equal(code[from:from+len(row.want)], row.want) {
			t.Errorf("line %d: %q: got % x, want % x", row.line, row.src, code[min(from, len(code)):min(from+len(row.want), len(code))], row.want)
			return
		}
	}
}

func TestStatementTable(t *testing.T) {
	for _, line := range readTable(t, "statements.txt") {
		src, _ := program([]row{line})
		r, err := assembleText(src)
		if err != nil {
			t.Errorf("line %d: %q: %v", line.line, line.src, err)
			continue
		}
		if !bytes.Equal(r.Code, line.want) {
			t.Errorf("line %d: %q: got % x, want % x", line.line, line.src, r.Code, line.want)
		}
	}
}

// need skips a test whose outside judge is not installed.
func need(t *testing.T, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("skipped: %s is not installed; apt install %s", program, pkg)
	}
}

// outside assembles the printed source with the real assembler.
func outside(t *testing.T, r *Result, d Dialect) []byte {
	t.Helper()
	dir := t.TempDir()
	files := r.Source(d, "out.prg")
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said, err := exec.Command("sh", filepath.Join(dir, "build.sh")).CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v: %v, it said:\n%s\n%s", d, err, said, files["t.s"])
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, "out.prg"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOutsideOpcodes(t *testing.T) {
	rows := readTable(t, "opcodes.txt")
	src, want := program(rows)
	r, err := assembleText(src)
	if err != nil {
		t.Fatal(err)
	}
	eachDialect(t, func(t *testing.T, d Dialect) {
		got := outside(t, r, d)
		if got == nil {
			return
		}
		if !bytes.Equal(got, append([]byte{0x01, 0x20}, want...)) {
			compareRows(t, rows, r, got[2:])
			t.Errorf("%d bytes, want %d", len(got)-2, len(want))
		}
	})
}

func TestOutsideStatements(t *testing.T) {
	eachDialect(t, func(t *testing.T, d Dialect) {
		for _, line := range readTable(t, "statements.txt") {
			src, want := program([]row{line})
			r, err := assembleText(src)
			if err != nil {
				t.Fatal(err)
			}
			if got := outside(t, r, d); got != nil && !bytes.Equal(got, append([]byte{0x01, 0x20}, want...)) {
				t.Errorf("line %d: %q: got % x, want % x\n%s", line.line, line.src, got, want, r.Source(d, "out.prg")["t.s"])
			}
		}
	})
}

func eachDialect(t *testing.T, f func(t *testing.T, d Dialect)) {
	t.Run("acme", func(t *testing.T) {
		need(t, "acme", "acme")
		f(t, ACME)
	})
	t.Run("ca65", func(t *testing.T) {
		need(t, "ca65", "cc65")
		f(t, CA65)
	})
}
