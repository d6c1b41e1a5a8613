package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
)

// heldWriter passes on what is written, except while it is held: then it keeps
// it for later, as lines in between would tear up a screen that is drawn in place.
type heldWriter struct {
	w    io.Writer
	held bool
	kept bytes.Buffer // the machine says each thing once, and not without end
}

func (h *heldWriter) Write(b []byte) (int, error) {
	if h.held {
		return h.kept.Write(b)
	}
	return h.w.Write(b)
}

// release ends holding and passes on what was kept.
func (h *heldWriter) release() {
	h.held = false
	if h.w != nil {
		h.kept.WriteTo(h.w)
	}
}

// interactive gives the machine to the terminal in and out until Ctrl-]. What
// warn is told is printed when the terminal is itself again.
func interactive(c *cli.Context, m *machine.Machine, mon *machine.Monitor, line machine.MonitorPort, in, out *os.File, warn *heldWriter) error {
	warn.held = true
	defer warn.release()
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	defer term.Restore(int(in.Fd()), old)
	t := screen.NewTerminal(out)
	t.Size = func() (cols, rows int) {
		cols, rows, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return 0, 0
		}
		return cols, rows
	}
	if mon != nil {
		err = drive.ServeInteractive(c.Context, m, mon, line, in, t)
	} else {
		err = drive.Interactive(c.Context, m, in, t)
	}
	return errors.Join(err, t.Close())
}
