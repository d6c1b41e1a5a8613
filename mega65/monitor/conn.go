package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// Options of a connection. The zero value is right for a MEGA65.
type Options struct {
	Wait time.Duration // limit of each reply, 0 = 2 s
	Baud int           // the line's speed, for the limit of long loads; 0 = 2,000,000

	// Now is the clock that limits are counted by, nil = time.Now. A line that is
	// simulated brings its own.
	Now func() time.Time
}

// DefaultBaud is the speed at which the monitor listens after a reset.
const DefaultBaud = 2_000_000

const (
	poll       = 50 * time.Millisecond // how long one Read may take; Ctrl-C is seen so soon
	fifoBytes  = 64                    // of the monitor's receiver
	lineBytes  = 64                    // its command buffer
	writePiece = 4096                  // bytes given to the line at once
	maxReply   = 64 << 10              // a reply longer than this is none
)

// prompt ends every reply.
const prompt = "\r\n."

// Conn is a connection to a monitor. It is not safe for concurrent use.
type Conn struct {
	line           Line
	wait           time.Duration
	now            func() time.Time
	byteTime       time.Duration
	sent, received int64
	pending        []byte // received and not yet asked for
	slow           bool   // no FIFO: one character, one echo
	broken         error  // a write that never ended still holds the line
	syncs          int
	loading        bool   // a raw load has begun and was not seen to end
	look           string // reply to the command that was sent along with a load
}

// New makes a connection over a line. Call Sync before anything else.
func New(line Line, o Options) *Conn {
	if o.Wait <= 0 {
		o.Wait = 2 * time.Second
	}
	if o.Baud <= 0 {
		o.Baud = DefaultBaud
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Conn{line: line, wait: o.Wait, now: o.Now, byteTime: 10 * time.Second / time.Duration(o.Baud)}
}

// Position is how many bytes were sent and received since the line was opened.
func (c *Conn) Position() (sent, received int64) { return c.sent, c.received }

// Slow tells whether the monitor has no receive FIFO, so that each character of
// a command waits for its echo.
func (c *Conn) Slow() bool { return c.slow }

// Now is the time by the clock that limits are counted by.
func (c *Conn) Now() time.Time { return c.now() }

// Limit is how long a reply may take.
func (c *Conn) Limit() time.Duration { return c.wait }

// write sends p, in pieces. A write that the line does not take within the
// limit fails, and the connection with it: the goroutine that waits for it
// cannot be called back.
func (c *Conn) write(ctx context.Context, op string, p []byte) error {
	for len(p) > 0 {
		if c.broken != nil {
			return c.broken
		}
		if err := ctx.Err(); err != nil {
			return c.fail(op, err, "", nil)
		}
		piece := p[:min(len(p), writePiece)]
		done := make(chan error, 1)
		go func() { done <- writeAll(c.line, piece) }()
		limit := time.NewTimer(c.wait + time.Duration(len(piece))*2*c.byteTime)
		select {
		case err := <-done:
			limit.Stop()
			if err != nil {
				return c.fail(op, closed(err), "", nil)
			}
		case <-limit.C:
			c.broken = c.fail(op, ErrTimeout, "the line to take bytes", nil)
			return c.broken
		}
		c.sent += int64(len(piece))
		p = p[len(piece):]
	}
	return nil
}

// writeAll writes all of p. A serial port's write may be cut short, by a signal
// that the process gets, without that being an error.
func writeAll(line io.Writer, p []byte) error {
	for idle := 0; len(p) > 0; {
		n, err := line.Write(p)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		if idle++; n > 0 {
			idle = 0
		}
		if idle > 100 {
			return io.ErrShortWrite
		}
		p = p[min(max(n, 0), len(p)):]
	}
	return nil
}

// closed turns the many ways in which a line ends into ErrClosed.
func closed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return ErrClosed
	}
	return fmt.Errorf("%w (%w)", ErrClosed, err)
}

// more reads what has arrived, waiting until the deadline at most. It returns
// false when nothing came.
func (c *Conn) more(ctx context.Context, op string, deadline time.Time) (bool, error) {
	var buf [4096]byte
	for {
		if err := ctx.Err(); err != nil {
			return false, c.fail(op, err, "", nil)
		}
		left := deadline.Sub(c.now())
		if left <= 0 {
			return false, nil
		}
		if err := c.line.SetReadTimeout(min(left, poll)); err != nil {
			return false, c.fail(op, closed(err), "", nil)
		}
		n, err := c.line.Read(buf[:])
		if n > 0 {
			c.received += int64(n)
			c.pending = append(c.pending, buf[:n]...)
			return true, nil
		}
		if err != nil {
			return false, c.fail(op, closed(err), "", nil)
		}
	}
}

// expect returns what comes before a text, and takes that text, too.
func (c *Conn) expect(ctx context.Context, op, text string) ([]byte, error) {
	deadline := c.now().Add(c.wait)
	from := 0
	for {
		if i := bytes.Index(c.pending[from:], []byte(text)); i >= 0 {
			got := bytes.Clone(c.pending[:from+i])
			c.pending = append(c.pending[:0], c.pending[from+i+len(text):]...)
			return got, nil
		}
		from = max(0, len(c.pending)-len(text)+1)
		if len(c.pending) > maxReply {
			got := c.pending
			c.pending = nil
			return nil, c.fail(op, ErrEcho, fmt.Sprintf("%q", text), got)
		}
		ok, err := c.more(ctx, op, deadline)
		if err != nil {
			return nil, err
		}
		if !ok {
			got := c.pending
			c.pending = nil
			return nil, c.fail(op, ErrTimeout, fmt.Sprintf("%q within %v", text, c.wait), got)
		}
	}
}

// echo takes exactly a text, the echo of what was sent.
func (c *Conn) echo(ctx context.Context, op, text string) error {
	deadline := c.now().Add(c.wait)
	for {
		n := min(len(text), len(c.pending))
		if string(c.pending[:n]) != text[:n] {
			got := bytes.Clone(c.pending)
			c.pending = c.pending[:0]
			return c.fail(op, ErrEcho, fmt.Sprintf("the echo %q", text), got)
		}
		if n == len(text) {
			c.pending = append(c.pending[:0], c.pending[n:]...)
			return nil
		}
		ok, err := c.more(ctx, op, deadline)
		if err != nil {
			return err
		}
		if !ok {
			got := bytes.Clone(c.pending)
			c.pending = c.pending[:0]
			return c.fail(op, ErrTimeout, fmt.Sprintf("the echo %q within %v", text, c.wait), got)
		}
	}
}

// drain throws away what comes until the line is quiet for a time, or talks for
// longer than the limit.
func (c *Conn) drain(ctx context.Context, op string, quiet time.Duration) (int, error) {
	n := len(c.pending)
	for end := c.now().Add(c.wait); c.now().Before(end); {
		c.pending = c.pending[:0]
		ok, err := c.more(ctx, op, c.now().Add(quiet))
		if err != nil {
			return n, err
		}
		if !ok {
			break
		}
		n += len(c.pending)
	}
	c.pending = c.pending[:0]
	return n, nil
}
