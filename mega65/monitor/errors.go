package monitor

import (
	"errors"
	"fmt"
	"strings"
)

// What can go wrong on the line, to be asked for with errors.Is.
var (
	ErrTimeout = errors.New("no answer")              // a limit has passed
	ErrEcho    = errors.New("garbled")                // something other than the echo came back
	ErrClosed  = errors.New("the line was closed")    // by the other end, or unplugged
	ErrRefused = errors.New("the monitor complained") // it printed one of its messages
)

// Error is a failed step and where on the line it failed.
type Error struct {
	Op       string // what was being done
	Sent     int64  // bytes sent since the line was opened
	Received int64  // bytes received
	Want     string // what was expected, "" if that says nothing
	Got      string // what came instead, the last of it
	Err      error  // one of the errors above, or the line's own
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "serial monitor: %s: %v at byte %d sent, %d received", e.Op, e.Err, e.Sent, e.Received)
	if e.Want != "" {
		fmt.Fprintf(&b, ": expected %s", e.Want)
	}
	if e.Got != "" {
		fmt.Fprintf(&b, ", found %q", e.Got)
	} else if e.Want != "" {
		b.WriteString(", found nothing")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// fail makes an Error of the present position.
func (c *Conn) fail(op string, err error, want string, got []byte) error {
	const most = 60
	if len(got) > most {
		got = got[len(got)-most:]
	}
	return &Error{Op: op, Sent: c.sent, Received: c.received, Want: want, Got: string(got), Err: err}
}

// Recoverable tells whether an error is about a garbled or missing reply, so
// that Sync may bring the line back.
func Recoverable(err error) bool {
	return errors.Is(err, ErrTimeout) || errors.Is(err, ErrEcho)
}
