package xemu

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/mega65/hw"
)

// tool is the user's xmega65, from the environment as `make xemu-test` sets it.
func tool(t *testing.T) string {
	t.Helper()
	p := os.Getenv("XMEGA65")
	if p == "" {
		t.Skip("skipped: no xmega65; make xemu-test XMEGA65=/path/to/xmega65")
	}
	return p
}

// both runs the program here and under xmega65, without SSNAIL, with the same
// disk and keys, and compares the screens from the row that says since.
func both(t *testing.T, disk []byte, keys []byte, until string) {
	t.Helper()
	path := tool(t)
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.New(machine.Options{Disk: disk, NoSSNAIL: true, Board: hw.BoardR3})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(prog.PRG); err != nil {
		t.Fatal(err)
	}
	steps := []drive.Step{}
	if len(keys) > 0 {
		steps = append(steps, drive.Step{Keys: keys})
	}
	r := drive.Run{M: m, Steps: steps}
	if end, err := r.Do(context.Background()); err != nil || end != drive.Idle {
		t.Fatalf("our emulator: end %v, %v\n%s", end, err, m.Screen())
	}
	res, err := Run(context.Background(), Options{
		Path: path, PRG: prog.PRG, Start: uint16(prog.Symbols["start"]), Disk: disk, Screen: prog.Symbols["SCREEN"],
		Steps: []drive.Step{{Wait: until}, {Pause: time.Second}, {Keys: keys}, {Pause: time.Second}}, Limit: 40 * time.Second,
	})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, strings.Join(res.Lines, "\n"), res.Log)
	}
	if p := os.Getenv("XMEGA65_PICTURES"); p != "" {
		if err := os.WriteFile(p+"/"+t.Name()+".png", res.Picture, 0o644); err != nil {
			t.Error(err)
		}
	}
	ours := m.Screen()
	for y := range rows {
		if o, x := ours.Line(y), res.Lines[y]; o != x {
			t.Errorf("row %d: ours %q, xmega65's %q", y, o, x)
		}
	}
}

// The program says the same words without SSNAIL, with and without a disk.
func TestMissingSSNAIL(t *testing.T) {
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := bootdisk.Build(bootdisk.Options{Program: prog.PRG})
	if err != nil {
		t.Fatal(err)
	}
	both(t, d.Image.Bytes(), nil, "SSNAIL")
}

// What cannot be run is an error, not a hang.
func TestErrors(t *testing.T) {
	if _, err := Run(context.Background(), Options{Path: "/no/such/xmega65", PRG: []byte{1, 32}, Limit: time.Second}); err == nil {
		t.Error("a missing xmega65 was run")
	}
	sh, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Options{Path: sh, PRG: []byte{1, 32}, Limit: time.Second})
	if err == nil || errors.Is(err, ErrText) {
		t.Errorf("a program that is no xmega65: %v", err)
	}
}

func TestSYS(t *testing.T) {
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := SYS(prog.PRG); err != nil || uint32(a) != prog.Symbols["start"] {
		t.Errorf("SYS %d, %v, want %d", a, err, prog.Symbols["start"])
	}
	for _, b := range [][]byte{nil, {1, 32}, {1, 8, 0, 0}, {1, 32, 0, 0, 10, 0, 0x99, 0}, {1, 32, 0x9E}} {
		if _, err := SYS(b); err == nil {
			t.Errorf("% X has a SYS", b)
		}
	}
}
