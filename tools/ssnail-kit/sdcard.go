package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ssnail-kit/disk/sdcard"
)

func sdcardCommand() *cli.Command {
	return &cli.Command{
		Name:      "sdcard",
		Usage:     "make a folder to copy to the MEGA65's SD card: program, models, settings",
		ArgsUsage: "DIR MODEL...",
		UsageText: `ssnail-kit sdcard [options] DIR MODEL.gguf|MODEL.ssnail ...

Lays out the folder DIR: the program disk SSNAIL.D81, the models' images and
CONFIG.TXT in the folder SSNAIL, and READ-ME.TXT that says what to do. Images
may be as large as the board's memory. DIR must be new, empty, or hold only what
this command made before; CONFIG.TXT is then written anew.

Settings of CONFIG.TXT: --model, -n, --temp, --topk, --penalty, --seed. The
machine decodes greedily unless --temp says otherwise.

Examples:
   ssnail-kit sdcard card stories15M.gguf --mem-mb 64
   ssnail-kit sdcard card stories260K.gguf minilm.ssnail --model stories260K.gguf --temp 0.8
   ssnail-kit emu card/SSNAIL.D81 --sd card          try it`,
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "model", Usage: "load `MODEL` at once: one of those named, or its name on the card"},
			&cli.IntFlag{Name: "n", Aliases: []string{"tokens"}, Usage: "`N` tokens a turn", DefaultText: "120"},
			&cli.Float64Flag{Name: "temp", Usage: "temperature `T`", DefaultText: "0, greedy"},
			&cli.IntFlag{Name: "topk", Aliases: []string{"top-k"}, Usage: "choose among `K` tokens", DefaultText: "40"},
			&cli.Float64Flag{Name: "penalty", Usage: "repetition penalty `P`", DefaultText: "1.15"},
			&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of the dice", DefaultText: "1"},
		),
		Action: sdcardAction,
	}
}

func sdcardAction(c *cli.Context) error {
	if c.NArg() < 2 {
		return usagef("sdcard wants a folder and at least one model").hinted("ssnail-kit sdcard DIR MODEL.gguf")
	}
	if err := fitsList(c.NArg() - 1); err != nil {
		return err
	}
	settings, err := cardSettings(c)
	if err != nil {
		return err
	}
	prog, core, err := programs(true)
	if err != nil {
		return err
	}
	dir := c.Args().First()
	card, err := sdcard.Begin(dir)
	if err != nil {
		return err
	}
	defer card.Abort()
	for _, path := range c.Args().Tail() {
		if err := addToCard(c, card, path); err != nil {
			return err
		}
	}
	if err := card.Finish(prog, core, settings); err != nil {
		var bad *sdcard.SettingError
		if errors.As(err, &bad) {
			return usagef("--%v", bad)
		}
		return err
	}
	if !quiet(c) {
		reportCard(c, dir, card)
	}
	return nil
}

// addToCard converts one model and writes it; only one is held in memory.
func addToCard(c *cli.Context, card *sdcard.Card, path string) error {
	m, err := loadModel(c, path)
	if err != nil {
		return err
	}
	defer m.Close()
	_, err = card.Add(path, bytes.NewReader(m.Bytes), int64(len(m.Bytes)))
	return err
}

// cardSettings reads the flags that were given.
func cardSettings(c *cli.Context) (s sdcard.Settings, err error) {
	s.Model = c.String("model")
	if c.IsSet("n") {
		v := c.Int("n")
		s.Tokens = &v
	}
	if c.IsSet("temp") {
		v := c.Float64("temp")
		s.Temp = &v
	}
	if c.IsSet("topk") {
		v := c.Int("topk")
		s.TopK = &v
	}
	if c.IsSet("penalty") {
		v := c.Float64("penalty")
		s.Penalty = &v
	}
	if c.IsSet("seed") {
		v := c.Uint64("seed")
		if v > 1<<32-1 {
			return s, usagef("--seed %d: at most %d", v, uint32(1<<32-1))
		}
		seed := uint32(v)
		s.Seed = &seed
	}
	if err := s.Check(); err != nil {
		return s, usagef("--%v", err)
	}
	return s, nil
}

func reportCard(c *cli.Context, dir string, card *sdcard.Card) {
	w := c.App.Writer
	fmt.Fprintf(w, "%s: copy all of it to the top of the MEGA65's SD card; %s says the rest\n", dir, sdcard.ReadmeName)
	fmt.Fprintf(w, "  %-24s the program\n", sdcard.DiskName)
	for _, f := range card.Files {
		fmt.Fprintf(w, "  %-24s %s, needs %s of memory: %s\n", sdcard.Folder+"/"+f.Name, megabytes(uint64(f.Bytes)), megabytes(uint64(f.MemNeeded)), f.Source)
	}
	fmt.Fprintf(w, "  %-24s settings\n", sdcard.Folder+"/"+sdcard.ConfigName)
	for _, name := range card.Kept() {
		fmt.Fprintf(w, "  %-24s from an earlier layout, still there\n", sdcard.Folder+"/"+name)
	}
	fmt.Fprintf(w, "try it: ssnail-kit emu %s --sd %s\n", filepath.Join(dir, sdcard.DiskName), dir)
}
