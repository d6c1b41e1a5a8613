package monitor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Halt stops the CPU; interrupts do not start it again.
func (c *Conn) Halt(ctx context.Context) error { return c.silent(ctx, "t1") }

// Run lets the CPU go on.
func (c *Conn) Run(ctx context.Context) error { return c.silent(ctx, "t0") }

// SetPC sets the program counter and leaves a halted CPU halted.
func (c *Conn) SetPC(ctx context.Context, pc uint16) error {
	return c.silent(ctx, fmt.Sprintf("g%04x", pc))
}

// silent executes a command that prints nothing.
func (c *Conn) silent(ctx context.Context, cmd string) error {
	out, err := c.Again(ctx, cmd)
	if err != nil {
		return err
	}
	if out != "" {
		return c.fail(fmt.Sprintf("command %q", cmd), ErrRefused, "no output", []byte(out))
	}
	return nil
}

// Banner returns what the monitor says of itself, one line each, as
// "build GIT: ...".
func (c *Conn) Banner(ctx context.Context) ([]string, error) {
	out, err := c.Again(ctx, "?")
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, l := range strings.Split(out, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Reset starts the whole machine anew, the monitor with it, and finds the
// monitor's prompt again. The machine then boots; that takes seconds.
func (c *Conn) Reset(ctx context.Context) error {
	if err := c.command(ctx, "!"); err != nil {
		return err
	}
	return c.retry(ctx, func() error { return c.Sync(ctx) })
}

// Registers are the CPU's as the monitor shows them.
type Registers struct {
	PC, SP           uint16
	A, X, Y, Z, B, P byte
	MapHigh, MapLow  uint16 // blocks in bits 12-15, offset / 256 below
	Hypervisor       bool
	Text             string // all that was printed
}

// Registers reads them. The values move while the CPU runs.
func (c *Conn) Registers(ctx context.Context) (Registers, error) {
	out, err := c.Again(ctx, "r")
	if err != nil {
		return Registers{}, err
	}
	r, err := parseRegisters(out)
	if err != nil {
		return r, c.fail("command \"r\"", ErrEcho, err.Error(), []byte(out))
	}
	return r, nil
}

// parseRegisters reads the table: a header that names columns, and a line of
// values under them.
func parseRegisters(out string) (Registers, error) {
	r := Registers{Text: strings.TrimSpace(out)}
	lines := strings.Split(strings.ReplaceAll(out, "\r", ""), "\n")
	for i, head := range lines {
		if !strings.HasPrefix(head, "PC ") || i+1 == len(lines) {
			continue
		}
		values := strings.Fields(lines[i+1])
		if len(values) < 9 {
			break
		}
		var n [9]uint16
		for k := range n {
			v, err := strconv.ParseUint(values[k], 16, 16)
			if err != nil {
				return r, fmt.Errorf("nine hexadecimal registers")
			}
			n[k] = uint16(v)
		}
		r.PC, r.SP, r.MapHigh, r.MapLow = n[0], n[6], n[7], n[8]
		r.A, r.X, r.Y, r.Z, r.B = byte(n[1]), byte(n[2]), byte(n[3]), byte(n[4]), byte(n[5])
		if at := strings.Index(head, " P  "); at >= 0 && len(lines[i+1]) >= at+3 {
			if v, err := strconv.ParseUint(lines[i+1][at+1:at+3], 16, 8); err == nil {
				r.P = byte(v)
			}
		}
		r.Hypervisor = strings.Contains(lines[i+1], " H ")
		return r, nil
	}
	return r, fmt.Errorf("a header that begins with PC and a line of values")
}
