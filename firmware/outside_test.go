package firmware

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/firmware/asm"
)

// need skips a test whose outside judge is not installed.
func need(t *testing.T, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("skipped: %s is not installed; apt install %s", program, pkg)
	}
}

// buildOutside writes the files of a Source, runs their build.sh, and returns
// the one PRG that it leaves. Any word from the assembler fails the test.
func buildOutside(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", filepath.Join(dir, "build.sh"))
	cmd.Dir = os.TempDir()
	said, err := cmd.CombinedOutput()
	if err != nil || len(said) > 0 {
		if len(said) > 3000 {
			said = said[:3000]
		}
		t.Fatalf("build.sh: %v, it said:\n%s", err, said)
	}
	prgs, err := filepath.Glob(filepath.Join(dir, "*.prg"))
	if err != nil || len(prgs) != 1 {
		t.Fatalf("build.sh left %v, want one .prg (%v)", prgs, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > topLevel(files)+1 {
		t.Errorf("build.sh left other files: %v", left)
	}
	b, err := os.ReadFile(prgs[0])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func topLevel(files map[string][]byte) int {
	top := map[string]bool{}
	for n := range files {
		top[strings.SplitN(n, "/", 2)[0]] = true
	}
	return len(top)
}

// The whole program in both dialects gives the bytes of the built-in
// assembler.
func TestOutsideAssemblersAgree(t *testing.T) {
	for _, root := range Roots() {
		for _, d := range []asm.Dialect{asm.ACME, asm.CA65} {
			t.Run(fmt.Sprint(root, " ", d), func(t *testing.T) {
				if d == asm.ACME {
					need(t, "acme", "acme")
				} else {
					need(t, "ca65", "cc65")
				}
				p, err := Build(Options{Root: root})
				if err != nil {
					t.Fatal(err)
				}
				files, err := Source(Options{Root: root}, d)
				if err != nil {
					t.Fatal(err)
				}
				got := buildOutside(t, files)
				if !bytes.Equal(got, p.PRG) {
					t.Error(difference(p, got))
				}
			})
		}
	}
}

// difference names the first byte that differs and the source line behind it.
func difference(p *Program, got []byte) string {
	n := min(len(got), len(p.PRG))
	for i := range n {
		if got[i] != p.PRG[i] {
			file, line, _ := p.Asm.LineAt(int(p.Load) + i - 2)
			return fmt.Sprintf("byte at $%04x (%s:%d): built in % x, outside % x", int(p.Load)+i-2, file, line,
				p.PRG[i:min(i+8, len(p.PRG))], got[i:min(i+8, len(got))])
		}
	}
	return fmt.Sprintf("built in %d bytes, outside %d", len(p.PRG), len(got))
}
