package xemu

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"ssnail-kit/mega65/hw"
)

// client talks to xmega65's monitor socket: one command, one reply, which ends
// with a dot on a line of its own. Commands are handled once a frame.
type client struct {
	conn net.Conn
	buf  []byte
}

const replyLimit = 10 * time.Second

// dial waits for the socket to appear.
func dial(ctx context.Context, path string, done <-chan error) (*client, error) {
	for {
		conn, err := net.Dial("unix", path)
		if err == nil {
			return &client{conn: conn}, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("xmega65's monitor did not open: %w", ctx.Err())
		case e := <-done:
			return nil, fmt.Errorf("xmega65 ended at once: %v", e)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *client) close() { c.conn.Close() }

// do sends a command and gives the reply's lines.
func (c *client) do(cmd string) (string, error) {
	if err := c.conn.SetDeadline(time.Now().Add(replyLimit)); err != nil {
		return "", err
	}
	if _, err := c.conn.Write([]byte(cmd + "\n")); err != nil {
		return "", fmt.Errorf("xmega65's monitor, command %q: %w", cmd, err)
	}
	b := make([]byte, 4096)
	for {
		if bytes.HasSuffix(c.buf, []byte("\n.\r\n")) {
			reply := string(c.buf[:len(c.buf)-4])
			c.buf = c.buf[:0]
			return reply, nil
		}
		n, err := c.conn.Read(b)
		c.buf = append(c.buf, b[:n]...)
		if err != nil {
			return "", fmt.Errorf("xmega65's monitor, command %q: %w", cmd, err)
		}
		if len(c.buf) > 1<<20 {
			return "", fmt.Errorf("xmega65's monitor, command %q: the reply does not end", cmd)
		}
	}
}

// exit ends xmega65.
func (c *client) exit() error {
	_, err := c.do("~exit")
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		return err
	}
	return nil // it closes the socket without a reply
}

// screen reads the 80x25 screen codes at addr.
func (c *client) screen(addr uint32) ([]string, error) {
	var codes []byte
	for len(codes) < cols*rows {
		reply, err := c.do(fmt.Sprintf("M%X", addr+uint32(len(codes))))
		if err != nil {
			return nil, err
		}
		n := len(codes)
		for _, l := range strings.Split(reply, "\n") {
			l = strings.TrimSpace(l)
			if !strings.HasPrefix(l, ":") || strings.Count(l, ":") < 2 {
				continue
			}
			b, err := hex.DecodeString(l[strings.LastIndexByte(l, ':')+1:])
			if err != nil {
				return nil, fmt.Errorf("xmega65's monitor: memory line %q: %w", l, err)
			}
			codes = append(codes, b...)
		}
		if len(codes) == n {
			return nil, fmt.Errorf("xmega65's monitor: no memory in the reply %q", reply)
		}
	}
	return decode(codes[:cols*rows]), nil
}

// typeKeys presses the keys of $D610 codes one after the other.
func (c *client) typeKeys(codes []byte) error {
	for _, code := range codes {
		key, shift, ok := hw.MatrixKey(code)
		if !ok {
			return fmt.Errorf("no key of the MEGA65 gives $%02X (%q)", code, code)
		}
		down := []string{fmt.Sprintf("sFFD3615 %x", key)}
		if shift {
			down = []string{fmt.Sprintf("sFFD3616 %x", hw.MatrixLShift), down[0]}
		}
		for _, cmd := range append(down, fmt.Sprintf("sFFD3615 %x", hw.VirtualNone), fmt.Sprintf("sFFD3616 %x", hw.VirtualNone)) {
			if _, err := c.do(cmd); err != nil {
				return err
			}
		}
	}
	return nil
}
