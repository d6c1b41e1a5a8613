// Command ssnail-kit turns GGUF language models into SSNAIL images and MEGA65
// disks, runs them in an emulated MEGA65, and sends them to a real one.
//
// Rules for messages, for every sub-command: results go to standard output,
// statistics and progress to standard error; an error is one line that says
// where, what was expected and what was found, followed by a hint line on
// what to type next where there is one. Exit status 0 is success, 1 a failed
// command, 2 wrong usage. A failing command leaves no half-written file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
)

// version is set by the Makefile from git describe.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends what does not hear the first, such as a read from a pipe
	code := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole command, testable in process: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var out *lost
	if f, ok := stdout.(*os.File); ok {
		out = &lost{f: f}
		stdout = out
	}
	app := newApp(stdin, stdout, stderr)
	args, err := permute(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if err == nil && out != nil && out.err != nil {
		err = fmt.Errorf("standard output: %w", cause(out.err))
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, errSilent) {
		return 1
	}
	fmt.Fprintf(stderr, "ssnail-kit: %v\n", err)
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(stderr, "hint: %s\n", h.Hint())
	}
	var u usageError
	if errors.As(err, &u) {
		return 2
	}
	var s statusError
	if errors.As(err, &s) {
		return s.status
	}
	return 1
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:      "ssnail-kit",
		Usage:     "language models on a MEGA65 with SSNAIL: convert, disk, emulate, push",
		UsageText: "ssnail-kit COMMAND [options] FILE...\n\nExamples:\n   ssnail-kit disk model.gguf              make model.d81, ready to boot\n   ssnail-kit emu model.d81                boot it here, in the emulated MEGA65\n   ssnail-kit push --serial /dev/ttyUSB0 model.d81\n\nssnail-kit COMMAND --help explains each command with examples.",
		Version:   version,
		Reader:    stdin,
		Writer:    stdout,
		ErrWriter: stderr,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quiet", Usage: "print results and errors only"},
			&cli.BoolFlag{Name: "verbose", Usage: "say more about each step, on standard error"},
		},
		HideHelpCommand: false,
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides the status
		OnUsageError:    onUsageError,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("unknown command %q", c.Args().First()).hinted("ssnail-kit --help lists the commands")
			}
			return cli.ShowAppHelp(c)
		},
	}
	app.Commands = commands()
	for _, c := range app.Commands {
		prepare(c)
	}
	return app
}

// prepare gives every sub-command the common flags and the same reaction to
// wrong usage.
func prepare(c *cli.Command) {
	c.OnUsageError = onUsageError
	c.Flags = append(c.Flags,
		&cli.BoolFlag{Name: "quiet", Usage: "print results and errors only"},
		&cli.BoolFlag{Name: "verbose", Usage: "say more about each step, on standard error"})
	for _, s := range c.Subcommands {
		prepare(s)
	}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	name := "ssnail-kit"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "ssnail-kit" {
		name += " " + c.Command.Name
	}
	flags := c.App.Flags
	if c.Command != nil && len(c.Command.Flags) > 0 {
		flags = c.Command.Flags
	}
	return usagef("%s", plainUsage(err, flags)).hinted(name + " --help shows what it takes")
}
