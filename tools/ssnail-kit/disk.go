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
	"ssnail-kit/disk/sdcard"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
)

func diskCommand() *cli.Command {
	return &cli.Command{
		Name:      "disk",
		Usage:     "make a MEGA65 disk (D81) with the program and one or more models",
		ArgsUsage: "MODEL...",
		UsageText: `ssnail-kit disk [options] MODEL.gguf|MODEL.ssnail ...

Converts each GGUF and puts it on a D81 with the program AUTOBOOT.C65 and a
README. A model that is larger than a disk is written beside it as .ssnail, and
a folder NAME-sdcard is laid out to copy to the SD card.

Examples:
   ssnail-kit disk stories260K.gguf                     makes stories260K.d81
   ssnail-kit disk stories260K.gguf tiny.gguf -o two.d81
   ssnail-kit disk model.gguf --wtype q4_0 --ctx 128 --type Story`,
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "o", Aliases: []string{"output"}, Usage: "write the disk to `FILE` (default: the first model's name with .d81)"},
			&cli.StringFlag{Name: "soft", Value: "yes", Usage: "put the software core on the disk, for machines without SSNAIL: `yes` or no", Action: oneOf("soft", "yes", "no")},
			&cli.StringFlag{Name: "name", Value: "SSNAIL", Usage: "`NAME` of the disk, at most 16 characters"},
		),
		Action: diskAction,
	}
}

func diskAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("disk wants at least one model").hinted("ssnail-kit disk MODEL.gguf")
	}
	if err := fitsList(c.NArg()); err != nil {
		return err
	}
	if _, err := d81.DiskName(c.String("name")); err != nil {
		return usagef("--name: %v", err)
	}
	out := c.String("o")
	if out == "" {
		out = siblingName(c.Args().First(), ".d81")
	}
	if err := notAnInput("-o", out, c.Args().Slice()...); err != nil {
		return err
	}
	soft := strings.ToLower(c.String("soft"))
	prog, core, err := programs(soft == "yes")
	if err != nil {
		return err
	}
	o := bootdisk.Options{Name: c.String("name"), Program: prog, Softcore: core}
	models := map[string]*loadedModel{}
	for _, path := range c.Args().Slice() {
		m, err := loadModel(c, path)
		if err != nil {
			return err
		}
		defer m.Close()
		if err := notAnInput("-o", out, m.Inputs()...); err != nil {
			return err
		}
		models[path] = m
		o.Models = append(o.Models, bootdisk.Model{Source: path, Image: bytes.NewReader(m.Bytes), Size: int64(len(m.Bytes))})
	}
	disk, err := bootdisk.Build(o)
	if err != nil {
		return err
	}
	names := besideNames(out, disk, models)
	beside, err := writeBeside(c, disk, models, names)
	var card *sdcard.Card
	if err == nil && len(disk.Left()) > 0 && out != "-" {
		if card, err = layCard(cardFolder(out), disk, models); err == nil {
			defer card.Abort()
		}
	}
	if err == nil { // last, so that a disk tells that all beside it is there
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
	if card != nil {
		if err := card.Finish(prog, core, sdcard.Settings{}); err != nil {
			return err
		}
	}
	if out != "-" && !quiet(c) {
		reportDisk(c, out, disk, models, names)
	}
	return nil
}

// writeBeside writes the images that did not fit, and returns the files that it
// made. A source that is that very file stays as it is.
func writeBeside(c *cli.Context, disk *bootdisk.Disk, models map[string]*loadedModel, names map[string]string) (made []string, err error) {
	for _, f := range disk.Left() {
		m, name := models[f.Source], names[f.Source]
		if sameFile(name, f.Source) {
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

// cardFolder is where the card for what a disk cannot hold is laid out.
func cardFolder(out string) string { return strings.TrimSuffix(out, filepath.Ext(out)) + "-sdcard" }

// layCard begins the SD card for the models that did not fit, as sdcard does; only
// Finish is left to do.
func layCard(dir string, disk *bootdisk.Disk, models map[string]*loadedModel) (*sdcard.Card, error) {
	card, err := sdcard.Begin(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range disk.Left() {
		b := models[f.Source].Bytes
		if _, err := card.Add(f.Source, bytes.NewReader(b), int64(len(b))); err != nil {
			card.Abort()
			return nil, err
		}
	}
	return card, nil
}

// fitsList says before any is converted that so many models are too many.
func fitsList(models int) error {
	if models > sdcard.MaxModels {
		return usagef("%d models, and the program on the MEGA65 lists %d at most", models, sdcard.MaxModels).hinted("make several disks or cards")
	}
	return nil
}

// besideNames says for each source that did not fit where its image goes: next
// to the disk, over neither that nor another image, and over a model only if it is that image.
func besideNames(out string, disk *bootdisk.Disk, models map[string]*loadedModel) map[string]string {
	names, taken := map[string]string{}, map[string]bool{filepath.Clean(out): true}
	free := func(name, source string) bool {
		if taken[name] {
			return false
		}
		for path, m := range models {
			for _, in := range m.Inputs() {
				if sameFile(name, in) && (path != source || m.GGUF != nil) {
					return false
				}
			}
		}
		return true
	}
	for _, f := range disk.Left() {
		if names[f.Source] != "" {
			continue // named twice
		}
		name := besideName(out, f.Source)
		base := strings.TrimSuffix(name, ".ssnail")
		for n := 2; !free(name, f.Source); n++ {
			name = fmt.Sprintf("%s-%d.ssnail", base, n)
		}
		names[f.Source], taken[name] = name, true
	}
	return names
}

func besideName(out, source string) string {
	dir := filepath.Dir(out)
	if out == "-" {
		dir = "."
	}
	return filepath.Join(dir, siblingName(source, ".ssnail"))
}

func reportDisk(c *cli.Context, out string, disk *bootdisk.Disk, models map[string]*loadedModel, names map[string]string) {
	w := c.App.Writer
	for _, path := range c.Args().Slice() {
		m := models[path]
		if m.Plan != nil {
			fmt.Fprintf(w, "%s\n", path)
			var b bytes.Buffer
			_ = m.Plan.Report().WriteText(&b, verbose(c)) // a buffer takes everything
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n  "))
		} else {
			fmt.Fprintf(w, "%s\n  model       %s\n  needed      %d bytes of memory\n", path, gguf.Plain(m.Image.Header.Description), m.Image.Header.MemNeeded)
		}
	}
	if strings.EqualFold(c.String("soft"), "yes") {
		reportSoft(w, c.Args().Slice(), models)
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
		done := "written to "
		if models[f.Source].GGUF == nil && sameFile(names[f.Source], f.Source) {
			done = "it stays where it is, "
		}
		fmt.Fprintf(w, "%s: too big for the disk (%d blocks needed, %d free); %s%s\n", f.Source, f.Blocks, disk.Image.BlocksFree(), done, names[f.Source])
		fmt.Fprintf(w, "  copy that file to the SD card, into its main folder or the folder SSNAIL; %s is such a card laid out, with the program\n", cardFolder(out))
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
