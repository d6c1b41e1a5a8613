package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/urfave/cli/v2"

	"ssnail-kit/firmware"
)

func asmCommand() *cli.Command {
	return &cli.Command{
		Name:  "asm",
		Usage: "write the MEGA65 program: machine code, or its source for ACME or ca65",
		UsageText: "ssnail-kit asm --constants -o DIR\n\n" +
			"Examples:\n" +
			"   ssnail-kit asm --constants -o build      the include files that the sources need",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "constants", Usage: "write the generated include files only"},
			&cli.StringFlag{Name: "o", Usage: "file or `DIR` to write"},
		},
		Action: runAsm,
	}
}

func runAsm(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("asm takes no file names, got %q", c.Args().First())
	}
	if c.String("o") == "" {
		return usagef("asm needs -o, the file or folder to write").hinted("ssnail-kit asm --constants -o DIR")
	}
	if c.Bool("constants") {
		return writeFolder(c, c.String("o"), firmware.Constants())
	}
	return usagef("asm needs --constants")
}

// writeFolder writes files, by slash-separated name, below dir.
func writeFolder(c *cli.Context, dir string, files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		if err := os.WriteFile(path, files[n], 0o666); err != nil {
			return fmt.Errorf("write source: %w", err)
		}
	}
	return nil
}
