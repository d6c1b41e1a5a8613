package machine

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// MonitorPort is the place where tools find the emulated serial monitor.
type MonitorPort interface {
	io.ReadWriteCloser
	Name() string // what to give to a tool: a device's path or host:port
}

// OpenMonitorPort opens a port for Monitor.Serve. spec is "pty:LINK" for a
// pseudo-terminal to which LINK becomes a symbolic link, or "tcp:PORT" or
// "tcp:HOST:PORT" for a socket; HOST is localhost if absent, PORT 0 lets the
// system choose.
func OpenMonitorPort(spec string) (MonitorPort, error) {
	kind, where, err := splitPort(spec)
	if err != nil {
		return nil, err
	}
	if kind == "pty" {
		return openPTY(where)
	}
	l, err := net.Listen("tcp", where)
	if err != nil {
		return nil, fmt.Errorf("serial monitor: %w", err)
	}
	return &tcpPort{listener: l}, nil
}

// CheckMonitorPort tells whether a spec has the form that OpenMonitorPort takes.
func CheckMonitorPort(spec string) error {
	_, _, err := splitPort(spec)
	return err
}

// splitPort takes a spec apart; where is a link's name or HOST:PORT.
func splitPort(spec string) (kind, where string, err error) {
	kind, where, _ = strings.Cut(spec, ":")
	switch {
	case kind == "pty" && where != "":
		return kind, where, nil
	case kind == "tcp" && where != "":
		if !strings.Contains(where, ":") {
			where = "localhost:" + where
		}
		_, port, err := net.SplitHostPort(where)
		if err == nil {
			if _, err = strconv.ParseUint(port, 10, 16); err == nil {
				return kind, where, nil
			}
		}
		return "", "", fmt.Errorf("serial monitor: %q: want tcp:PORT or tcp:HOST:PORT with a port of 0 to 65535", spec)
	}
	return "", "", fmt.Errorf("serial monitor: %q is neither pty:LINK nor tcp:PORT", spec)
}

// tcpPort is a socket that serves one client after the other, like a plug.
// What is sent while none is there is lost.
type tcpPort struct {
	listener net.Listener
	mu       sync.Mutex
	conn     net.Conn
	closed   bool
}

func (p *tcpPort) Name() string { return p.listener.Addr().String() }

func (p *tcpPort) Read(b []byte) (int, error) {
	for {
		conn, err := p.client()
		if err != nil {
			return 0, err
		}
		n, err := conn.Read(b)
		if n > 0 {
			return n, nil
		}
		if err != nil {
			p.hangUp(conn)
		}
	}
}

// client returns the connection, waiting for one if there is none.
func (p *tcpPort) client() (net.Conn, error) {
	p.mu.Lock()
	conn, closed := p.conn, p.closed
	p.mu.Unlock()
	switch {
	case closed:
		return nil, io.EOF
	case conn != nil:
		return conn, nil
	}
	conn, err := p.listener.Accept()
	if err != nil {
		if errors.Is(err, net.ErrClosed) {
			return nil, io.EOF
		}
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		conn.Close()
		return nil, io.EOF
	}
	p.conn = conn
	return conn, nil
}

func (p *tcpPort) hangUp(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn.Close()
	if p.conn == conn {
		p.conn = nil
	}
}

func (p *tcpPort) Write(b []byte) (int, error) {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	if conn == nil {
		return len(b), nil
	}
	if _, err := conn.Write(b); err != nil {
		p.hangUp(conn)
	}
	return len(b), nil
}

// Close ends a Read that waits.
func (p *tcpPort) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	if p.conn != nil {
		p.conn.Close()
	}
	return p.listener.Close()
}
