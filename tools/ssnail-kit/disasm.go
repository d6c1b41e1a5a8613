package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/image"
)

func disasmCommand() *cli.Command {
	return &cli.Command{
		Name:      "disasm",
		Usage:     "list the script of an SSNAIL image",
		ArgsUsage: "IMAGE.ssnail",
		UsageText: `ssnail-kit disasm IMAGE.ssnail [-o FILE]

The instructions with labels, loops and the names of what their addresses hold
(x, xb, blk.3.attn_q, K cache 3, logits ...), and the memory traffic of each.

Examples:
   ssnail-kit disasm stories.ssnail
   ssnail-kit disasm stories.ssnail -o stories.lst`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to `FILE`, not to standard output"},
		},
		Action: disasmAction,
	}
}

func disasmAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("disasm takes one image, got %d", c.NArg()).hinted("ssnail-kit disasm IMAGE.ssnail")
	}
	path := c.Args().First()
	if ok, err := startsLikeImage(path); err != nil {
		return err
	} else if !ok {
		return withHint(fmt.Errorf("%s is not an SSNAIL image", path), "ssnail-kit convert makes one from a GGUF")
	}
	if err := notAnInput("-o", c.String("output"), path); err != nil {
		return err
	}
	m, err := loadImage(path)
	if err != nil {
		return err
	}
	return writeFile(c.String("output"), c.App.Writer, func(w io.Writer) error {
		if err := image.Disassemble(w, m.Image); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}
