package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/firmware"
	"ssnail-kit/firmware/asm"
)

func asmCommand() *cli.Command {
	return &cli.Command{
		Name:  "asm",
		Usage: "write the MEGA65 program: machine code, or its source for ACME or ca65",
		UsageText: "ssnail-kit asm --prg -o FILE\n" +
			"ssnail-kit asm --dialect acme|ca65 -o DIR\n\n" +
			"Examples:\n" +
			"   ssnail-kit asm --prg -o ssnail.prg               the program, by the built-in assembler\n" +
			"   ssnail-kit asm --dialect acme -o src-acme        its source; sh src-acme/build.sh makes src-acme/ssnail.prg\n" +
			"   ssnail-kit asm --dialect ca65 -o src-ca65        the same for ca65 and ld65\n" +
			"   ssnail-kit asm --symbols ssnail.lbl              labels for a debugger, \"al 002011 .name\"\n" +
			"   ssnail-kit asm --sizes                           bytes by source file, and what stays free",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "prg", Usage: "write the machine code with its load address to the file -o"},
			&cli.StringFlag{Name: "dialect", Usage: "write the source for `acme|ca65` to the folder -o", Action: oneOf("dialect", "acme", "ca65")},
			&cli.BoolFlag{Name: "constants", Usage: "write only the generated include files to the folder -o"},
			&cli.StringFlag{Name: "o", Usage: "`FILE or DIR` to write"},
			&cli.StringFlag{Name: "symbols", Usage: "write labels for a debugger to `FILE`"},
			&cli.BoolFlag{Name: "sizes", Usage: "print bytes by source file"},
			&cli.StringFlag{Name: "program", Value: "main", Usage: "which program: " + strings.Join(programNames(), ", ")},
		},
		Action: runAsm,
	}
}

// programNames are the names that --program takes.
func programNames() []string {
	var names []string
	for _, root := range firmware.Roots() {
		names = append(names, programName(root))
	}
	return names
}

func programName(root string) string {
	if root == firmware.Main {
		return "main"
	}
	return strings.TrimSuffix(firmware.PRGName(root), ".prg")
}

func programRoot(name string) (string, error) {
	for _, root := range firmware.Roots() {
		if programName(root) == name {
			return root, nil
		}
	}
	return "", usagef("no program %q; there are %s", name, strings.Join(programNames(), ", "))
}

func runAsm(c *cli.Context) error {
	const help = "ssnail-kit asm --help shows the four ways to use it"
	if c.Args().Present() {
		return usagef("asm takes no file names, got %q", c.Args().First()).hinted(help)
	}
	ways := 0
	for _, f := range []string{"prg", "dialect", "constants"} {
		if c.IsSet(f) {
			ways++
		}
	}
	switch out := c.String("o"); {
	case ways > 1:
		return usagef("--prg, --dialect and --constants exclude each other").hinted(help)
	case ways == 1 && out == "":
		return usagef("asm needs -o, the file or folder to write").hinted(help)
	case ways == 0 && out != "":
		return usagef("what to write to %s? give --prg, --dialect or --constants", out).hinted(help)
	case ways == 0 && !c.IsSet("symbols") && !c.Bool("sizes"):
		return usagef("asm needs --prg, --dialect, --symbols or --sizes").hinted(help)
	}
	if err := notTwice([]string{"-o", "--symbols"}, []string{c.String("o"), c.String("symbols")}); err != nil {
		return err
	}
	root, err := programRoot(c.String("program"))
	if err != nil {
		return err
	}
	if c.Bool("constants") {
		return writeFolder(c.String("o"), firmware.Constants())
	}
	opts := firmware.Options{Root: root}
	if c.IsSet("dialect") {
		d, ok := asm.ParseDialect(c.String("dialect"))
		if !ok {
			return usagef("unknown dialect %q, expected acme or ca65", c.String("dialect"))
		}
		files, err := firmware.Source(opts, d)
		if err != nil {
			return err
		}
		if err := writeFolder(c.String("o"), files); err != nil {
			return err
		}
	}
	p, err := firmware.Build(opts)
	if err != nil {
		return err
	}
	if c.Bool("prg") {
		if err := writeBytes(c, c.String("o"), p.PRG); err != nil {
			return err
		}
	}
	if c.IsSet("symbols") {
		if err := writeBytes(c, c.String("symbols"), p.Asm.ViceLabels()); err != nil {
			return err
		}
	}
	if c.Bool("sizes") {
		fmt.Fprint(c.App.Writer, p.SizeTable())
	}
	return nil
}

func writeBytes(c *cli.Context, path string, b []byte) error {
	return writeFile(path, c.App.Writer, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// writeFolder writes files, by slash-separated name, below dir. An existing
// folder keeps its other files.
func writeFolder(dir string, files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return withHint(fmt.Errorf("%s is a file, want a folder", dir), "give a folder with -o")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot write %s: %w", dir, cause(err))
	}
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("cannot make folder %s: %w", filepath.Dir(path), cause(err))
		}
		err := writeFile(path, nil, func(w io.Writer) error {
			_, err := w.Write(files[n])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
