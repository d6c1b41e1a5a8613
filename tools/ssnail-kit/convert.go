package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "make an SSNAIL image from a GGUF model",
		ArgsUsage: "MODEL.gguf",
		UsageText: `ssnail-kit convert MODEL.gguf [-o OUT.ssnail] [options]

--wtype auto tries keep (as in the model), q8_0, mixed (q8_0, with token_embd
and output in q4_0) and q4_0, and takes the first that fits --mem-mb. If that
costs an already quantised model bits it asks first; --yes agrees, and so does
naming the format. A matrix whose rows the format's blocks do not divide is
stored in F16; the report lists every such matrix.

Examples:
   ssnail-kit convert stories.gguf
   ssnail-kit convert stories.gguf -o stories.ssnail --ctx 512 --type Story
   ssnail-kit convert big.gguf --mem-mb 64 --wtype q4_0
   ssnail-kit convert big.gguf --all        big.8mb.ssnail, big.64mb.ssnail, big.72mb.ssnail`,
		Flags: append(modelFlags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the image to `FILE` (default: the model's name with .ssnail; - is standard output)"},
			&cli.BoolFlag{Name: "all", Usage: "make an image for every memory size that the model fits: NAME.8mb.ssnail, .64mb, .72mb"},
		),
		Action: convertAction,
	}
}

func convertAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("convert takes one model, got %d", c.NArg()).hinted("ssnail-kit convert MODEL.gguf -o OUT.ssnail")
	}
	path := c.Args().First()
	f, err := openGGUF(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := c.String("output")
	if out == "" {
		out = siblingName(path, ".ssnail")
	}
	if c.Bool("all") {
		return convertAll(c, path, f, out)
	}
	return convertOne(c, path, f, out, convertOptions(c))
}

// convertOne writes an image and prints the report.
func convertOne(c *cli.Context, path string, f *gguf.File, out string, o convert.Options) error {
	if err := notAnInput("-o", out, f.Paths...); err != nil {
		return err
	}
	b := progress(c, "converting", &o)
	p, err := planModel(path, f, o)
	if err != nil {
		return err
	}
	err = writeFile(out, c.App.Writer, func(w io.Writer) error {
		_, err := p.WriteTo(interruptible{c.Context, w})
		return err
	})
	b.finish()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if quiet(c) {
		return nil
	}
	report := c.App.Writer
	if out == "-" {
		report = c.App.ErrWriter
	}
	fmt.Fprintf(report, "%s: %d bytes\n", out, p.Size())
	return p.Report().WriteText(report, verbose(c))
}

// convertAll makes an image for each memory size that boards have.
func convertAll(c *cli.Context, path string, f *gguf.File, out string) error {
	if c.IsSet("mem-mb") {
		return usagef("--all makes every memory size, --mem-mb asks for one")
	}
	if out == "-" {
		return usagef("--all writes several files, they cannot all go to standard output")
	}
	base := strings.TrimSuffix(out, ".ssnail")
	var last error
	made := 0
	for _, m := range convert.MemSizes {
		o := convertOptions(c)
		o.MemMB = m.MB
		name := fmt.Sprintf("%s.%dmb.ssnail", base, m.MB)
		err := convertOne(c, path, f, name, o)
		var big *convert.TooBigError
		var no *convert.ConsentError
		switch {
		case err == nil:
			made++
		case errors.As(err, &big), errors.As(err, &no):
			fmt.Fprintf(c.App.ErrWriter, "%s skipped: %v\n", name, err)
			last = err
		default:
			return err
		}
	}
	if made == 0 {
		return last
	}
	return nil
}
