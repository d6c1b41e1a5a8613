package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/convert"
)

func tokcheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "tokcheck",
		Usage:     "compare an image's tokenizer with that of the GGUF it was made from",
		ArgsUsage: "IMAGE.ssnail MODEL.gguf",
		UsageText: `ssnail-kit tokcheck IMAGE.ssnail MODEL.gguf [--text FILE]

Each line is folded to ASCII, as the MEGA65 holds it, and tokenized twice. Lines
that differ are shown, and how often a token's search looked into the index.
Exit status 1 means a difference.

Examples:
   ssnail-kit tokcheck stories.ssnail stories.gguf
   ssnail-kit tokcheck stories.ssnail stories.gguf --text prompts.txt`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "text", Usage: "compare on the lines of `FILE`, not on the built-in ones"},
		},
		Action: tokcheckAction,
	}
}

// maxCheckBytes bounds the text of tokcheck: much more takes hours.
const maxCheckBytes = 64 << 20

func tokcheckAction(c *cli.Context) error {
	if c.NArg() != 2 {
		return usagef("tokcheck takes an image and a model, got %d files", c.NArg()).hinted("ssnail-kit tokcheck IMAGE.ssnail MODEL.gguf")
	}
	lines := convert.SampleLines
	if name := c.String("text"); name != "" {
		b, err := readBounded(name, maxCheckBytes)
		if err != nil {
			return err
		}
		lines = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\r")
		}
	}
	path := c.Args().First()
	if ok, err := startsLikeImage(path); err != nil {
		return err
	} else if !ok {
		return withHint(fmt.Errorf("%s is not an SSNAIL image", path), "first the image, then the GGUF it was made from")
	}
	m, err := loadImage(path)
	if err != nil {
		return err
	}
	f, err := openGGUF(c.Args().Get(1))
	if err != nil {
		return err
	}
	defer f.Close()
	checks, err := convert.CheckTokens(m.Image, f, lines)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", path, c.Args().Get(1), err)
	}
	differ, tokens, probes := 0, 0, uint64(0)
	for i, l := range checks {
		tokens += len(l.Image)
		probes += l.Probes
		if !l.Differs() {
			if verbose(c) {
				fmt.Fprintf(c.App.Writer, "line %d same: %q: %d tokens, %d probes\n", i+1, l.Text, len(l.Image), l.Probes)
			}
			continue
		}
		differ++
		fmt.Fprintf(c.App.Writer, "line %d differs: %q\n  image %v\n  gguf  %v\n", i+1, l.Text, l.Image, l.GGUF)
	}
	fmt.Fprintf(c.App.Writer, "%d lines, %d differ; %d tokens, %.1f index probes a token\n", len(checks), differ, tokens, float64(probes)/float64(max(tokens, 1)))
	if differ > 0 {
		return errSilent
	}
	return nil
}
