package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/mega65/hw"
)

// The emulated machine that emu's flags ask for, and the files it reads and writes.

// emuOutputs makes sure that nothing which is read is written over, nor two
// things to one file.
func emuOutputs(c *cli.Context, steps []drive.Step) error {
	inputs := []string{c.Args().First(), c.String("keys-file"), c.String("symbols")}
	var flags, names []string
	for _, f := range []string{"png", "gif", "mem-dump", "trace", "serial-log"} {
		if c.String(f) != "" {
			flags, names = append(flags, "--"+f), append(names, c.String(f))
		}
	}
	if c.IsSet("trace-lines") && c.String("trace") == "" {
		return usagef("--trace-lines is for --trace FILE")
	}
	if err := notTwice(flags, names); err != nil {
		return err
	}
	for _, s := range steps {
		flags, names = append(flags, "its step in --keys-file"), append(names, s.Picture)
	}
	for i, name := range names {
		if err := notAnInput(flags[i], name, inputs...); err != nil {
			return err
		}
	}
	return nil
}

// emuOptions reads the flags that say what machine is built. Close finishes the
// files that they name; a file that took only part of it is an error.
func emuOptions(c *cli.Context) (opt machine.Options, close func() error, err error) {
	var finish []func() error
	close = func() error {
		var err error
		for _, f := range finish {
			err = errors.Join(err, f())
		}
		return err
	}
	create := func(flag string) (io.Writer, error) {
		name := c.String(flag)
		if name == "" {
			return nil, nil
		}
		f, err := os.Create(name)
		if err != nil {
			return nil, fmt.Errorf("--%s: cannot write %s: %w", flag, name, cause(err))
		}
		b := bufio.NewWriterSize(f, 1<<16)
		finish = append(finish, func() error {
			err := b.Flush() // which tells of any write that failed
			if e := f.Close(); err == nil {
				err = e
			}
			if err != nil {
				return fmt.Errorf("--%s: writing %s: %w", flag, name, cause(err))
			}
			return nil
		})
		return b, nil
	}
	opt = machine.Options{
		NoSSNAIL: c.Bool("no-ssnail"), Threads: c.Int("threads"),
		StrictCache: c.Bool("strict-cache"), TestExit: c.Bool("test-exit"), Profile: c.Bool("profile"),
	}
	if !quiet(c) {
		opt.Warn = c.App.ErrWriter
	}
	if opt.Bandwidth, err = bandwidthFlag(c); err != nil {
		return opt, close, err
	}
	opt.Board = boards[strings.ToLower(c.String("board"))]
	numerics, err := numericsFlag(c)
	if err != nil {
		return opt, close, err
	}
	opt.Float = numerics == core.Float
	for _, s := range c.StringSlice("break") {
		a, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimPrefix(s, "$"), "0x"), 16, 16)
		if err != nil {
			return opt, close, usagef("--break %q: want a hexadecimal address of at most four digits", s)
		}
		opt.Break = append(opt.Break, uint16(a))
	}
	if dir := c.String("sd"); dir != "" {
		if st, err := os.Stat(dir); err != nil {
			return opt, close, fmt.Errorf("--sd %s: %w", dir, cause(err))
		} else if !st.IsDir() {
			return opt, close, fmt.Errorf("--sd %s: want a folder, this is a file", dir)
		}
		opt.SD = os.DirFS(dir)
	}
	if opt.Profile || c.String("trace") != "" || c.String("symbols") != "" {
		if opt.Symbols, err = emuLabels(c.String("symbols")); err != nil {
			return opt, close, err
		}
	}
	if lines := c.Int("trace-lines"); lines > 0 && c.String("trace") != "" {
		if err := checkOutput(c.String("trace")); err != nil {
			return opt, close, fmt.Errorf("--trace: %w", err)
		}
		last := drive.NewLastLines(lines)
		opt.Trace = last
		finish = append(finish, func() error { return writeTrace(c, last) })
	} else if opt.Trace, err = create("trace"); err != nil {
		return opt, close, err
	}
	if opt.Serial, err = create("serial-log"); err != nil {
		return opt, close, err
	}
	return opt, close, nil
}

// writeTrace writes what a bounded trace has kept.
func writeTrace(c *cli.Context, last *drive.LastLines) error {
	name := c.String("trace")
	err := writeFile(name, c.App.Writer, func(w io.Writer) error {
		_, err := last.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	say(c, "trace     the last %d of %d instructions in %s", last.Kept(), last.Written(), name)
	return nil
}

// emuLabels reads a label file, or takes the labels of the kit's own program.
func emuLabels(name string) (map[string]uint32, error) {
	if name == "" {
		p, err := firmware.Build(firmware.Options{})
		if err != nil {
			return nil, err
		}
		return p.Labels(), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--symbols %s: %w", name, cause(err))
	}
	defer f.Close()
	labels, err := firmware.ReadLabels(f)
	if err != nil {
		return nil, fmt.Errorf("--symbols %s: %w", name, err)
	}
	return labels, nil
}

var boards = map[string]hw.Board{
	"r3": hw.BoardR3, "r4": hw.BoardR4, "r5": hw.BoardR5, "r6": hw.BoardR6, "nexys": hw.BoardNexys4DDR,
}
