package monitor

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	quietTime = 25 * time.Millisecond // an idle line
	attempts  = 3                     // of whatever can be tried again
)

// Sync finds the monitor's prompt, whatever an earlier user has left: half a
// command, or a raw load that waits for bytes (it gets zeros). It then learns
// whether the monitor has a receive FIFO.
//
// A comment with a number of its own is sent until exactly that comes back.
func (c *Conn) Sync(ctx context.Context) error {
	if err := c.find(ctx); err != nil {
		return err
	}
	return c.probe(ctx)
}

func (c *Conn) find(ctx context.Context) error {
	const op = "synchronise"
	var err error
	for try := range attempts {
		if _, err = c.drain(ctx, op, quietTime); err != nil {
			return err
		}
		if try > 0 || c.loading {
			if err = c.fillLoad(ctx); err != nil {
				return err
			}
		}
		single := c.slow || try > 0 // there may be no FIFO
		if err = c.rubOut(ctx, single); err != nil {
			return err
		}
		c.syncs++
		word := fmt.Sprintf("#%08x", uint32(c.syncs)*0x9E3779B1)
		if single {
			err = c.typeSlowly(ctx, word+"\r")
		} else {
			err = c.write(ctx, op, []byte(word+"\r"))
		}
		if err != nil {
			return err
		}
		if _, err = c.expect(ctx, op, word+"\r\n"); err == nil {
			_, err = c.expect(ctx, op, prompt)
		}
		if err == nil {
			c.loading = false
			return nil
		}
		if !Recoverable(err) {
			return err
		}
	}
	return err
}

// rubOut empties the command line: ^U does not, it only beeps. The echo of a
// rub-out has three characters, so they go in groups that the FIFO holds.
func (c *Conn) rubOut(ctx context.Context, single bool) error {
	const group = 16
	if single {
		if err := c.typeSlowly(ctx, strings.Repeat("\b", lineBytes)); err != nil {
			return err
		}
		_, err := c.drain(ctx, "synchronise", quietTime)
		return err
	}
	for range lineBytes / group {
		if err := c.write(ctx, "synchronise", []byte(strings.Repeat("\b", group))); err != nil {
			return err
		}
		n, err := c.drain(ctx, "synchronise", quietTime)
		if err != nil || n <= group { // beeps, or nothing: the line is empty
			return err
		}
	}
	return nil
}

// typeSlowly sends characters one by one, each when something has come back for
// the one before, or nothing will.
func (c *Conn) typeSlowly(ctx context.Context, text string) error {
	for _, b := range []byte(text) {
		if err := c.write(ctx, "synchronise", []byte{b}); err != nil {
			return err
		}
		if _, err := c.more(ctx, "synchronise", c.now().Add(quietTime)); err != nil {
			return err
		}
	}
	return nil
}

// fillLoad feeds a raw load that waits for bytes, until it has them all and the
// monitor talks again. It can want 65,535.
func (c *Conn) fillLoad(ctx context.Context) error {
	zeros := make([]byte, 2048)
	for range 1 << 16 / len(zeros) {
		if err := c.write(ctx, "synchronise", zeros); err != nil {
			return err
		}
		n, err := c.drain(ctx, "synchronise", quietTime)
		if err != nil || n > 0 {
			return err
		}
	}
	return nil
}

// probe sends two commands ahead of their echoes. A monitor without a FIFO
// loses characters of the second.
func (c *Conn) probe(ctx context.Context) error {
	const op = "look for a receive FIFO"
	c.slow = false
	if err := c.write(ctx, op, []byte("m0\rm1\r")); err != nil {
		return err
	}
	err := c.echo(ctx, op, "m0\r\n")
	for _, want := range []string{":00000000:", "m1\r\n", ":00000001:", prompt} {
		if err == nil {
			_, err = c.expect(ctx, op, want)
		}
	}
	if err == nil || !Recoverable(err) {
		return err
	}
	c.slow = true
	return c.find(ctx)
}

// command sends a command line and takes its echo.
func (c *Conn) command(ctx context.Context, cmd string) error {
	op := fmt.Sprintf("command %q", cmd)
	if len(cmd) > lineBytes {
		return c.fail(op, ErrRefused, fmt.Sprintf("at most %d characters", lineBytes), nil)
	}
	if !c.slow {
		if len(cmd)+1 < fifoBytes {
			if err := c.write(ctx, op, []byte(cmd+"\r")); err != nil {
				return err
			}
			return c.echo(ctx, op, cmd+"\r\n")
		}
		if err := c.write(ctx, op, []byte(cmd)); err != nil {
			return err
		}
		if err := c.echo(ctx, op, cmd); err != nil {
			return err
		}
		cmd = ""
	}
	for _, b := range []byte(cmd + "\r") {
		if err := c.write(ctx, op, []byte{b}); err != nil {
			return err
		}
		want := string(b)
		if b == '\r' {
			want = "\r\n"
		}
		if err := c.echo(ctx, op, want); err != nil {
			return err
		}
	}
	return nil
}

// Do executes a command line of at most 64 characters and returns what the
// monitor printed between the echo and the prompt. It is not repeated when it
// fails.
func (c *Conn) Do(ctx context.Context, cmd string) (string, error) {
	if strings.ContainsAny(cmd, "\r\n") {
		return "", fmt.Errorf("serial monitor: command %q has more than one line", cmd)
	}
	if err := c.command(ctx, cmd); err != nil {
		return "", err
	}
	out, err := c.expect(ctx, fmt.Sprintf("command %q", cmd), prompt)
	return string(out), err
}

// Again is Do for a command that may be executed twice: after a garbled or
// missing reply it synchronises and tries again.
func (c *Conn) Again(ctx context.Context, cmd string) (string, error) {
	var out string
	err := c.retry(ctx, func() (err error) {
		out, err = c.Do(ctx, cmd)
		return err
	})
	return out, err
}

// retry does something until it works, the line is gone, or the attempts are
// used up.
func (c *Conn) retry(ctx context.Context, do func() error) error {
	var err error
	for try := range attempts {
		if try > 0 {
			if e := c.find(ctx); e != nil {
				return e
			}
		}
		if err = do(); err == nil || !Recoverable(err) {
			return err
		}
	}
	return err
}
