package xemu

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/mega65/hw"
)

// storyDisk is a disk with program, software core and the stories model that
// lies beside the repository.
func storyDisk(t *testing.T) (disk []byte, prog *firmware.Program) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "models", "stories260K-q8_0.gguf")
	if _, err := os.Stat(path); err != nil {
		t.Skip("skipped: no shared/models/stories260K-q8_0.gguf beside the repository")
	}
	file, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := convert.New(file, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var img bytes.Buffer
	if _, err := p.WriteTo(&img); err != nil {
		t.Fatal(err)
	}
	prog, err = firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	soft, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		t.Fatal(err)
	}
	d, err := bootdisk.Build(bootdisk.Options{Program: prog.PRG, Softcore: soft.PRG,
		Models: []bootdisk.Model{{Source: path, Image: bytes.NewReader(img.Bytes()), Size: int64(img.Len())}}})
	if err != nil {
		t.Fatal(err)
	}
	return d.Image.Bytes(), prog
}

// story are the keys of a short turn on the software core.
func story() []drive.Step {
	return []drive.Step{
		{Wait: "RETURN for the software core"}, {Pause: time.Second}, {Keys: []byte("\r")},
		{Wait: "ready"}, {Pause: time.Second}, {Keys: []byte("/n 24\r")},
		{Wait: "24"}, {Pause: time.Second}, {Keys: []byte("Once upon a time\r")},
		{Wait: "She loved to play outside in the p"}, {Pause: 8 * time.Second},
	}
}

// The software core tells under xmega65 what it tells here.
func TestSoftwareCore(t *testing.T) {
	tool := tool(t)
	disk, prog := storyDisk(t)
	m, err := machine.New(machine.Options{Disk: disk, NoSSNAIL: true, Board: hw.BoardR3})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.LoadPRG(prog.PRG); err != nil {
		t.Fatal(err)
	}
	r := drive.Run{M: m, Steps: story()}
	if end, err := r.Do(context.Background()); err != nil || end != drive.Idle {
		t.Fatalf("our emulator: end %v, %v\n%s", end, err, m.Screen())
	}
	res, err := Run(context.Background(), Options{Path: tool, PRG: prog.PRG, Start: uint16(prog.Symbols["start"]), Disk: disk,
		Screen: prog.Symbols["SCREEN"], Steps: story(), Limit: 5 * time.Minute})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, strings.Join(res.Lines, "\n"), res.Log)
	}
	if p := os.Getenv("XMEGA65_PICTURES"); p != "" {
		if err := os.WriteFile(p+"/"+t.Name()+".png", res.Picture, 0o644); err != nil {
			t.Error(err)
		}
	}
	t.Logf("xmega65 shows\n%s", strings.Join(res.Lines, "\n"))
	ours := m.Screen()
	for y := range rows {
		o, x := ours.Line(y), res.Lines[y]
		if strings.Contains(o, "tokens/s") { // the rates are each emulator's own
			continue
		}
		if o != x {
			t.Errorf("row %d: ours %q, xmega65's %q", y, o, x)
		}
	}
}
