package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ssnail-kit/disk/d81"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/xemu"
	"ssnail-kit/firmware"
)

func xemuCommand() *cli.Command {
	return &cli.Command{
		Name:      "xemu",
		Usage:     "boot a disk under xmega65, the public MEGA65 emulator, if you have it",
		ArgsUsage: "DISK.d81",
		UsageText: `ssnail-kit xemu [options] DISK.d81

Starts your xmega65 with the disk in drive 8 and its AUTOBOOT.C65 running; no
ROM and no SD card image are needed. xmega65 has no SSNAIL: the program says so,
and offers the software core where the disk has one. With --screen there is no
window: the keys are typed, and the screen is printed.

Examples:
   ssnail-kit xemu stories.d81
   ssnail-kit xemu stories.d81 --path ~/xemu/build/bin/xmega65.native
   ssnail-kit xemu stories.d81 --screen --until SSNAIL --png xemu.png`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "path", EnvVars: []string{"XMEGA65"}, Usage: "xmega65 itself (default: on the PATH)"},
			&cli.BoolFlag{Name: "screen", Usage: "without a window, print the screen"},
			&cli.StringFlag{Name: "keys", Usage: "type `TEXT` (with --screen)"},
			&cli.StringFlag{Name: "keys-file", Usage: "do the steps of `FILE` (with --screen)"},
			&cli.StringFlag{Name: "until", Usage: "end when `TEXT` is on the screen (with --screen)"},
			&cli.StringFlag{Name: "limit", Value: "1m", Usage: "give up after `TIME` of real time (with --screen)"},
			&cli.StringFlag{Name: "png", Usage: "save xmega65's own picture of the screen in `FILE` (with --screen)"},
		},
		Action: xemuAction,
	}
}

func xemuAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("xemu takes one disk, got %d", c.NArg())
	}
	if !c.Bool("screen") {
		for _, f := range []string{"keys", "keys-file", "until", "limit", "png"} {
			if c.IsSet(f) {
				return usagef("--%s is for --screen: in the window you type yourself", f)
			}
		}
	}
	if c.IsSet("keys") && c.IsSet("keys-file") {
		return usagef("--keys and --keys-file together: put the keys into the file")
	}
	name := c.Args().First()
	if err := notAnInput("--png", c.String("png"), name, c.String("keys-file"), c.String("path")); err != nil {
		return err
	}
	o, err := xemuOptions(c, name)
	if err != nil {
		return err
	}
	if o.Path, err = xemu.Find(c.String("path")); err != nil {
		return withHint(err, "build it from its public source and name it with --path or XMEGA65=")
	}
	if !c.Bool("screen") {
		log := io.Discard
		if verbose(c) {
			log = c.App.ErrWriter
		}
		return xemu.Window(c.Context, o, log)
	}
	res, err := xemu.Run(c.Context, o)
	if verbose(c) {
		fmt.Fprint(c.App.ErrWriter, res.Log)
	}
	if res.Lines != nil {
		fmt.Fprintln(c.App.Writer, strings.TrimRight(strings.Join(res.Lines, "\n"), "\n"))
	}
	if png := c.String("png"); png != "" && res.Picture != nil {
		werr := writeFile(png, c.App.Writer, func(w io.Writer) error {
			_, err := w.Write(res.Picture)
			return err
		})
		err = errors.Join(err, werr)
	}
	return err
}

// xemuOptions takes the program from the disk, and what is typed from flags.
func xemuOptions(c *cli.Context, name string) (xemu.Options, error) {
	var o xemu.Options
	b, err := readBounded(name, d81.SizeErrors)
	if err != nil {
		return o, err
	}
	d, err := d81.Open(b)
	if err != nil {
		return o, withHint(fmt.Errorf("%s: %w", name, err), "ssnail-kit disk MODEL.gguf makes a new one")
	}
	e, err := d.Find(d81.NameProgram)
	if err == nil {
		o.PRG, err = d.ReadFile(e)
	}
	if err == nil {
		o.Start, err = xemu.SYS(o.PRG)
	}
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	p, err := firmware.Build(firmware.Options{})
	if err != nil {
		return o, err
	}
	o.Disk, o.Screen, o.Until = d.Bytes(), p.Symbols["SCREEN"], c.String("until")
	if o.Limit, err = time.ParseDuration(c.String("limit")); err != nil || o.Limit <= 0 {
		return o, usagef("--limit %q: want a time such as 1m30s", c.String("limit"))
	}
	if err := checkOutput(c.String("png")); err != nil {
		return o, fmt.Errorf("--png: %w", err)
	}
	if file := c.String("keys-file"); file != "" {
		f, err := os.Open(file)
		if err != nil {
			return o, fmt.Errorf("--keys-file %s: %w", file, cause(err))
		}
		defer f.Close()
		if o.Steps, err = drive.ParseScript(f); err != nil {
			return o, fmt.Errorf("--keys-file %s: %w", file, err)
		}
	}
	if c.IsSet("keys") {
		s, err := drive.Keys(c.String("keys"))
		if err != nil {
			return o, usagef("--keys: %v", err)
		}
		// The program needs a moment before it looks at the keyboard.
		o.Steps = append(o.Steps, drive.Step{Wait: "SSNAIL"}, drive.Step{Pause: time.Second}, s)
	}
	return o, nil
}
