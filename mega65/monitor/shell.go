package monitor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MaxSave is the most bytes that one save or load moves: the attic RAM.
const MaxSave = 64 << 20

// Shell executes command lines for a user: words of its own, and everything
// else as the monitor's own commands.
type Shell struct {
	Conn  *Conn
	Out   io.Writer
	Read  func(name string, limit int64) ([]byte, error) // files to load
	Write func(name string, data []byte) error           // files to save
}

// ErrQuit is what Execute returns for quit.
var ErrQuit = errors.New("quit")

// ShellHelp lists the words.
const ShellHelp = `dump ADDR [N]        memory in hexadecimal and as text
load FILE ADDR       a file into memory; halts the CPU
save FILE ADDR N     memory into a file
screenshot           the text of the screen
regs                 the CPU's registers
halt, run            stop the CPU, let it go on
go ADDR              let it go on from there
reset                start the machine anew
sync                 find the monitor's prompt again
help, quit
All numbers are hexadecimal, addresses have 28 bits. Anything else goes to the
machine's own monitor as it is: m2001, s2001 ea, r, t1, t0, g2011, b2011, d2011, ?`

// shellWords are the words and how many arguments each takes.
var shellWords = map[string]struct {
	min, max int
	usage    string
}{
	"dump": {1, 2, "dump ADDR [N]"}, "load": {2, 2, "load FILE ADDR"}, "save": {3, 3, "save FILE ADDR N"},
	"screenshot": {0, 0, "screenshot"}, "regs": {0, 0, "regs"}, "halt": {0, 0, "halt"}, "run": {0, 0, "run"},
	"go": {1, 1, "go ADDR"}, "reset": {0, 0, "reset"}, "sync": {0, 0, "sync"}, "help": {0, 0, "help"},
	"quit": {0, 0, "quit"}, "exit": {0, 0, "exit"},
}

// Execute does one line. Empty lines and those that begin with # or ; do
// nothing.
func (s *Shell) Execute(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || line[0] == ';' {
		return nil
	}
	words := strings.Fields(line)
	w, own := shellWords[words[0]]
	if !own {
		out, err := s.Conn.Do(ctx, line)
		if err != nil {
			return err
		}
		s.print(out)
		return nil
	}
	args := words[1:]
	if len(args) < w.min || len(args) > w.max {
		return fmt.Errorf("usage: %s", w.usage)
	}
	switch words[0] {
	case "dump":
		return s.dump(ctx, args)
	case "load":
		return s.load(ctx, args)
	case "save":
		return s.save(ctx, args)
	case "screenshot":
		lines, err := s.Conn.Screen(ctx)
		if err != nil {
			return err
		}
		s.print(strings.Join(lines, "\n"))
	case "regs":
		r, err := s.Conn.Registers(ctx)
		if err != nil {
			return err
		}
		s.print(r.Text)
	case "halt":
		return s.Conn.Halt(ctx)
	case "run":
		return s.Conn.Run(ctx)
	case "go":
		pc, err := number(args[0], 0xFFFF)
		if err != nil {
			return err
		}
		if err := s.Conn.SetPC(ctx, uint16(pc)); err != nil {
			return err
		}
		return s.Conn.Run(ctx)
	case "reset":
		return s.Conn.Reset(ctx)
	case "sync":
		return s.Conn.Sync(ctx)
	case "help":
		s.print(ShellHelp)
	case "quit", "exit":
		return ErrQuit
	}
	return nil
}

func (s *Shell) print(text string) {
	text = strings.Trim(strings.ReplaceAll(text, "\r", ""), "\n")
	if text != "" {
		fmt.Fprintln(s.Out, text)
	}
}

// number reads a hexadecimal number, with $ or 0x or without.
func number(text string, most uint32) (uint32, error) {
	t := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(text), "$"), "0x")
	v, err := strconv.ParseUint(t, 16, 32)
	if err != nil || v > uint64(most) {
		return 0, fmt.Errorf("%q: want a hexadecimal number up to %X", text, most)
	}
	return uint32(v), nil
}

const topAddress = 0xFFFFFFF

func (s *Shell) dump(ctx context.Context, args []string) error {
	addr, err := number(args[0], topAddress)
	if err != nil {
		return err
	}
	n := uint32(0x80)
	if len(args) > 1 {
		if n, err = number(args[1], 1<<20); err != nil {
			return err
		}
	}
	b, err := s.Conn.Read(ctx, addr, int(n))
	for i := 0; i < len(b); i += dumpBytes {
		row := b[i:min(i+dumpBytes, len(b))]
		text := []byte(string(row))
		for k, c := range text {
			if c < ' ' || c > '~' {
				text[k] = '.'
			}
		}
		fmt.Fprintf(s.Out, "%07X  %-47s  %s\n", addr+uint32(i), fmt.Sprintf("% X", row), text)
	}
	return err
}

func (s *Shell) save(ctx context.Context, args []string) error {
	addr, err := number(args[1], topAddress)
	if err != nil {
		return err
	}
	n, err := number(args[2], MaxSave)
	if err != nil {
		return err
	}
	b, err := s.Conn.Read(ctx, addr, int(n))
	if err != nil {
		return err
	}
	if err := s.Write(args[0], b); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%d bytes from $%07X saved to %s\n", n, addr, args[0])
	return nil
}

// load halts the CPU: it could hold the monitor up, and run what is half loaded.
func (s *Shell) load(ctx context.Context, args []string) error {
	addr, err := number(args[1], topAddress)
	if err != nil {
		return err
	}
	b, err := s.Read(args[0], MaxSave)
	if err != nil {
		return err
	}
	if err := s.Conn.Halt(ctx); err != nil {
		return err
	}
	if err := s.Conn.Load(ctx, addr, b, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%d bytes loaded to $%07X; the CPU is halted\n", len(b), addr)
	return nil
}
