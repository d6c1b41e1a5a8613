package xemu

import (
	"context"
	"strings"
	"testing"
	"time"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/disk/sdimage"
	"ssnail-kit/emu/drive"
	"ssnail-kit/firmware"
	"ssnail-kit/host/builtin"
)

// A card as sdcard lays it out: xmega65's hypervisor tells the images' short
// names, and the model that CONFIG.TXT names by its long one is loaded.
func TestDefaultModelByLongName(t *testing.T) {
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
	res, err := Run(context.Background(), Options{
		Path: path, PRG: prog.PRG, Start: uint16(prog.Symbols["start"]), Disk: d.Image.Bytes(), Screen: prog.Symbols["SCREEN"],
		Card: []sdimage.File{
			{Name: "SSNAIL/ENCODER.SSNAIL", Data: converted(t, builtin.Encoder())},
			{Name: "SSNAIL/STORYTEL.SSNAIL", Data: converted(t, builtin.Story())},
			{Name: "SSNAIL/CONFIG.TXT", Data: []byte("model = STORYTEL.SSNAIL\r\n")},
		},
		Steps: []drive.Step{{Wait: "RETURN for the software core"}, {Pause: time.Second}, {Keys: []byte("\r")}},
		Until: "ready", Limit: 90 * time.Second,
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(res.Lines, "\n"))
	}
	if !strings.Contains(res.Lines[0], "ssnail-story") {
		t.Errorf("the title is %q", res.Lines[0])
	}
}
