package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/disk/d81"
	"ssnail-kit/firmware"
	"ssnail-kit/host/convert"
)

func diskCommand() *cli.Command {
	return &cli.Command{
		Name:      "disk",
		Usage:     "make a MEGA65 disk (D81) with the program and one or more models",
		ArgsUsage: "MODEL...",
		UsageText: `ssnail-kit disk [options] MODEL.gguf|MODEL.ssnail ...

Converts each GGUF and puts it on a D81 with the program AUTOBOOT.C65 and a
README. A model that is larger than a disk is written beside it as .ssnail, for
the SD card.

Examples:
   ssnail-kit disk stories260K.gguf                     makes stories260K.d81
   ssnail-kit disk stories260K.gguf tiny.gguf -o two.d81
   ssnail-kit disk model.gguf --wtype q4_0 --ctx 128 --type Story`,
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "o", Aliases: []string{"output"}, Usage: "write the disk to `FILE` (default: the first model's name with .d81)"},
			&cli.StringFlag{Name: "name", Value: "SSNAIL", Usage: "`NAME` of the disk, at most 16 characters"},
		),
		Action: diskAction,
	}
}

func diskAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("disk wants at least one model").hinted("ssnail-kit disk MODEL.gguf")
	}
	if _, err := d81.DiskName(c.String("name")); err != nil {
		return usagef("--name: %v", err)
	}
	prog, err := firmware.Build(firmware.Options{})
	if err != nil {
		return fmt.Errorf("the program for the MEGA65: %w", err)
	}
	o := bootdisk.Options{Name: c.String("name"), Program: prog.PRG}
	models := map[string]*loadedModel{}
	for _, path := range c.Args().Slice() {
		m, err := loadModel(c, path)
		if err != nil {
			return err
		}
		defer m.Close()
		models[path] = m
		o.Models = append(o.Models, bootdisk.Model{Source: path, Image: bytes.NewReader(m.Bytes), Size: int64(len(m.Bytes))})
	}
	disk, err := bootdisk.Build(o)
	if err != nil {
		return err
	}
	out := c.String("o")
	if out == "" {
		out = siblingName(c.Args().First(), ".d81")
	}
	beside, err := writeBeside(c, out, disk, models)
	if err == nil {
		err = writeFile(out, c.App.Writer, func(w io.Writer) error {
			_, err := w.Write(disk.Image.Bytes())
			return err
		})
	}
	if err != nil {
		for _, name := range beside {
			os.Remove(name)
		}
		return err
	}
	if out != "-" && !quiet(c) {
		reportDisk(c, out, disk, models)
	}
	return nil
}

// writeBeside writes the images that did not fit next to the disk, and returns
// the files that it made. A source that is that very file stays as it is.
func writeBeside(c *cli.Context, out string, disk *bootdisk.Disk, models map[string]*loadedModel) (made []string, err error) {
	for _, f := range disk.Left() {
		m := models[f.Source]
		name := besideName(out, f.Source)
		if m.GGUF == nil && sameFile(name, f.Source) {
			continue
		}
		err := writeFile(name, c.App.Writer, func(w io.Writer) error {
			_, err := w.Write(m.Bytes)
			return err
		})
		if err != nil {
			return made, err
		}
		made = append(made, name)
	}
	return made, nil
}

func besideName(out, source string) string {
	dir := filepath.Dir(out)
	if out == "-" {
		dir = "."
	}
	return filepath.Join(dir, siblingName(source, ".ssnail"))
}

func reportDisk(c *cli.Context, out string, disk *bootdisk.Disk, models map[string]*loadedModel) {
	w := c.App.Writer
	for _, path := range c.Args().Slice() {
		m := models[path]
		if m.Plan != nil {
			fmt.Fprintf(w, "%s\n", path)
			var b bytes.Buffer
			_ = m.Plan.Report().WriteText(&b, verbose(c)) // a buffer takes everything
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n  "))
		} else {
			fmt.Fprintf(w, "%s\n  model       %s\n  needed      %d bytes of memory\n", path, m.Image.Header.Description, m.Image.Header.MemNeeded)
		}
	}
	used := d81.TotalBlocks - disk.Image.BlocksFree()
	fmt.Fprintf(w, "%s: disk %q, %d blocks used, %d free\n", out, disk.Image.Name(), used, disk.Image.BlocksFree())
	for _, f := range disk.Files {
		if !f.Left {
			fmt.Fprintf(w, "  %-16s %5d blocks  %s\n", f.Name, f.Blocks, f.Source)
		}
	}
	for _, f := range disk.Left() {
		room := int64(disk.Image.BlocksFree()) * d81.BlockData
		fmt.Fprintf(w, "%s: too big for the disk (%d blocks needed, %d free); written to %s\n", f.Source, f.Blocks, disk.Image.BlocksFree(), besideName(out, f.Source))
		fmt.Fprintf(w, "  copy that file to the SD card, into its main folder or the folder SSNAIL, and the disk beside it\n")
		if name, size := formatWithin(c, models[f.Source], room); name != "" {
			fmt.Fprintf(w, "  --wtype %s would fit on the disk (%d bytes)\n", name, size)
		} else if models[f.Source].Plan != nil {
			fmt.Fprintf(w, "  no weight format makes it small enough for this disk\n")
		}
	}
}

// formatWithin finds the finest weight format whose image has at most room
// bytes, "" if none has.
func formatWithin(c *cli.Context, m *loadedModel, room int64) (name string, size int64) {
	if m.GGUF == nil {
		return "", 0
	}
	for _, wtype := range []string{"f16", "q8_0", "mixed", "q4_0"} {
		o := convertOptions(c)
		o.WType, o.Yes = wtype, true
		p, err := convert.New(m.GGUF, o)
		if err == nil && p.Size() <= room {
			return wtype, p.Size()
		}
	}
	return "", 0
}
