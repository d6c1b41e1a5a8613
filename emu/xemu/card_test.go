package xemu

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/disk/sdimage"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/mega65/hw"
)

// sharedImage is the image of a model that lies beside the repository.
func sharedImage(t *testing.T, name string) []byte {
	t.Helper()
	file, err := gguf.Open(filepath.Join("..", "..", "..", "shared", "models", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("skipped: no shared/models/%s beside the repository", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return imageOf(t, file)
}

// converted is the image of a model in memory.
func converted(t *testing.T, model []byte) []byte {
	t.Helper()
	file, err := gguf.NewFile(bytes.NewReader(model), int64(len(model)))
	if err != nil {
		t.Fatal(err)
	}
	return imageOf(t, file)
}

func imageOf(t *testing.T, file *gguf.File) []byte {
	t.Helper()
	p, err := convert.New(file, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var img bytes.Buffer
	if _, err := p.WriteTo(&img); err != nil {
		t.Fatal(err)
	}
	return img.Bytes()
}

// What the program finds on an SD card through the hypervisor, and what its
// tokenizers make of a text, is the same under xmega65, with the hypervisor's
// own HDOS on a FAT32 card, as here.
func TestCard(t *testing.T) {
	path := tool(t)
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		t.Fatal(err)
	}
	soft, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		t.Fatal(err)
	}
	d, err := bootdisk.Build(bootdisk.Options{Program: prog.PRG, Softcore: soft.PRG})
	if err != nil {
		t.Fatal(err)
	}
	llama := sharedImage(t, "stories260K-q8_0.gguf")
	// Names are of 8 and 3 capitals and in order: xmega65's hypervisor gives the
	// short names of others, and folders as they lie on the card.
	files := []sdimage.File{
		{Name: "NOTES.TXT", Data: []byte("no model")},
		{Name: "STORIES.SSN", Data: llama},
		{Name: "SSNAIL/BERT.SSN", Data: sharedImage(t, "bert-rand-3k-q8_0.gguf")},
		{Name: "SSNAIL/CONFIG.TXT", Data: []byte("TEMP = 0.7\r\nseed 77\r\n")},
		{Name: "SSNAIL/CUT.SSN", Data: llama[:100]},
		{Name: "SSNAIL/GPT2.SSN", Data: sharedImage(t, "gpt2-rand-1k-q8_0.gguf")},
		{Name: "SSNAIL/OTHER.SSN", Data: []byte("<html>no image</html>")},
	}
	card := fstest.MapFS{}
	for _, f := range files {
		card[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	list := []drive.Step{
		{Wait: "RETURN for the software core"}, {Pause: time.Second}, {Keys: []byte("\r")},
		{Wait: "Which model"}, {Pause: time.Second},
	}
	const down = byte(hw.KeyDown)
	tok := func(n int, text string) []drive.Step {
		keys := append(bytes.Repeat([]byte{down}, n), '\r')
		return []drive.Step{{Keys: keys}, {Wait: "ready"}, {Pause: time.Second}, {Keys: []byte(text)}, {Wait: "tokens:"}, {Pause: 2 * time.Second}}
	}
	const text = "/tok It's \"42\" foxes, 3.14159 & <s>  jumping!\r"
	for _, c := range []struct {
		name  string
		steps []drive.Step
		want  string
	}{
		{"list", nil, "STORIES.SSN"},
		{"llama", tok(0, text), "tokens:"},
		{"gpt2", tok(3, text), "tokens:"},
		{"bert", tok(1, text), "tokens:"},
		{"cut", []drive.Step{{Keys: []byte{down, down, '\r'}}, {Wait: "too early"}, {Pause: time.Second}}, "ends too early"},
		{"settings", []drive.Step{{Keys: []byte("\r")}, {Wait: "ready"}, {Pause: time.Second}, {Keys: []byte("/seed\r")}, {Wait: "penalty"}, {Pause: time.Second}}, "temp 0.70"},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := append(append([]drive.Step{}, list...), c.steps...)
			m, err := machine.New(machine.Options{Disk: d.Image.Bytes(), SD: card, NoSSNAIL: true, Board: hw.BoardR3})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.LoadPRG(prog.PRG); err != nil {
				t.Fatal(err)
			}
			r := drive.Run{M: m, Steps: steps}
			if end, err := r.Do(context.Background()); err != nil || end != drive.Idle {
				t.Fatalf("our emulator: end %v, %v\n%s", end, err, m.Screen())
			}
			ours := m.Screen()
			if !strings.Contains(ours.String(), c.want) {
				t.Fatalf("%q is not on our screen:\n%s", c.want, ours)
			}
			res, err := Run(context.Background(), Options{Path: path, PRG: prog.PRG, Start: uint16(prog.Symbols["start"]),
				Disk: d.Image.Bytes(), Card: files, Screen: prog.Symbols["SCREEN"], Steps: steps, Limit: 2 * time.Minute})
			if err != nil {
				t.Fatalf("%v\n%s\n%s\nours:\n%s", err, strings.Join(res.Lines, "\n"), res.Log, ours)
			}
			if p := os.Getenv("XMEGA65_PICTURES"); p != "" {
				if err := os.WriteFile(p+"/"+strings.ReplaceAll(t.Name(), "/", "-")+".png", res.Picture, 0o644); err != nil {
					t.Error(err)
				}
			}
			for y := range rows {
				if o, x := ours.Line(y), res.Lines[y]; o != x {
					t.Errorf("row %d: ours %q, xmega65's %q", y, o, x)
				}
			}
		})
	}
}
