package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/mega65/monitor"
)

func monitorCommand() *cli.Command {
	return &cli.Command{
		Name:      "monitor",
		Usage:     "talk to a MEGA65's serial monitor: memory, registers, the screen as text",
		ArgsUsage: "[COMMAND...]",
		UsageText: `ssnail-kit monitor [--serial PORT] [--script FILE] [COMMAND...]

Each COMMAND is one line, in quotes; without any, lines are read from the
terminal (with history) or from standard input. A script has one a line; # and ;
begin comments. The first line that fails ends a script.

` + monitor.ShellHelp + `

Examples:
   ssnail-kit monitor                                   at a prompt
   ssnail-kit monitor --serial /dev/ttyUSB1 screenshot regs
   ssnail-kit monitor 'dump 1600 10' 'save rom.bin 20000 20000'
   ssnail-kit monitor --serial tcp:4510 --script session.txt`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "serial", Usage: "serial `PORT`, or tcp:HOST:PORT (default: the only one that can be meant)"},
			baudFlag(),
			waitFlag(),
			&cli.StringFlag{Name: "script", Usage: "execute the lines of `FILE`"},
		},
		Action: monitorAction,
	}
}

// maxScript is more than any script for the monitor has.
const maxScript = 1 << 20

func monitorAction(c *cli.Context) error {
	var lines []string
	where := "command"
	if name := c.String("script"); name != "" {
		if c.NArg() > 0 {
			return usagef("--script and commands together: put them into the script")
		}
		b, err := readBounded(name, maxScript)
		if err != nil {
			return err
		}
		lines, where = strings.Split(string(b), "\n"), name+": line"
	} else {
		lines = c.Args().Slice()
	}
	o, err := lineOptions(c)
	if err != nil {
		return err
	}
	line, name, err := openSerial(c)
	if err != nil {
		return err
	}
	defer line.Close()
	conn := monitor.New(line, o)
	if err := conn.Sync(c.Context); err != nil {
		return withHint(fmt.Errorf("%s: %w", name, err), "ssnail-kit ports tells on which ports something answers")
	}
	sh := &monitor.Shell{
		Conn: conn, Out: c.App.Writer, Read: readBounded,
		Write: func(name string, data []byte) error {
			return writeFile(name, c.App.Writer, func(w io.Writer) error {
				_, err := w.Write(data)
				return err
			})
		},
	}
	if len(lines) == 0 {
		return monitorSession(c, sh)
	}
	for i, l := range lines {
		err := sh.Execute(c.Context, l)
		if errors.Is(err, monitor.ErrQuit) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s %d, %q: %w", where, i+1, strings.TrimSpace(l), err)
		}
	}
	return nil
}

// monitorSession reads lines from the user. A line that fails is reported and
// the next one read, unless the port is gone.
func monitorSession(c *cli.Context, sh *monitor.Shell) error {
	next, out, restore, err := lineReader(c)
	if err != nil {
		return err
	}
	defer restore()
	sh.Out = out
	for {
		l, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch err := sh.Execute(c.Context, l); {
		case errors.Is(err, monitor.ErrQuit):
			return nil
		case errors.Is(err, monitor.ErrClosed) || c.Context.Err() != nil:
			return err
		case err != nil:
			fmt.Fprintf(out, "%v\n", err)
		}
	}
}

// lineReader gives lines: with editing and history on a terminal.
func lineReader(c *cli.Context) (next func() (string, error), out io.Writer, restore func(), err error) {
	in, ok := c.App.Reader.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !isTerminal(c.App.Writer) {
		s := bufio.NewScanner(c.App.Reader)
		return func() (string, error) {
			if s.Scan() {
				return s.Text(), nil
			}
			if s.Err() != nil {
				return "", s.Err()
			}
			return "", io.EOF
		}, c.App.Writer, func() {}, nil
	}
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, nil, nil, err
	}
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, c.App.Writer}, "mega65> ")
	fmt.Fprintln(t, "help lists the words, quit or Ctrl-D leaves")
	return t.ReadLine, t, func() { _ = term.Restore(int(in.Fd()), old) }, nil
}
