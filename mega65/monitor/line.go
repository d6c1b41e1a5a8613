package monitor

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// Line is the way to a monitor: 8N1 without flow control, or a socket that
// stands for it.
//
// A Read waits at most as long as SetReadTimeout said and then returns 0, nil.
// That is what serial ports of the package go.bug.st/serial do, and why no
// bufio.Reader may stand over a Line: it takes empty reads for an error.
type Line interface {
	io.ReadWriter
	SetReadTimeout(time.Duration) error
}

// DeadlineReadWriter is a connection whose reads obey a deadline: net.Conn, or
// an *os.File that is a terminal or pipe.
type DeadlineReadWriter interface {
	io.ReadWriter
	SetReadDeadline(time.Time) error
}

// FromDeadline makes a Line of a connection with deadlines.
func FromDeadline(c DeadlineReadWriter) Line { return &deadlineLine{c: c} }

type deadlineLine struct {
	c    DeadlineReadWriter
	wait time.Duration
}

func (l *deadlineLine) SetReadTimeout(d time.Duration) error {
	l.wait = d
	return nil
}

func (l *deadlineLine) Read(p []byte) (int, error) {
	if err := l.c.SetReadDeadline(time.Now().Add(l.wait)); err != nil {
		return 0, err
	}
	n, err := l.c.Read(p)
	var timeout net.Error
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		err = nil
	}
	return n, err
}

func (l *deadlineLine) Write(p []byte) (int, error) { return l.c.Write(p) }
