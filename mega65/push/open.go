//go:build !js

package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"time"

	"go.bug.st/serial"

	"ssnail-kit/mega65/monitor"
)

// SerialLine is an open serial port or the socket that stands for one.
type SerialLine interface {
	monitor.Line
	io.Closer
}

// Open opens a serial port for the monitor: a device's name, or tcp:HOST:PORT
// or tcp:PORT for a socket, such as that of ssnail-kit emu --monitor. Baud 0
// means 2,000,000. The caller closes it.
func Open(ctx context.Context, name string, baud int) (SerialLine, error) {
	if baud == 0 {
		baud = monitor.DefaultBaud
	}
	if where, ok := strings.CutPrefix(name, "tcp:"); ok {
		return openSocket(ctx, where)
	}
	favourLatency(name)
	p, err := serial.Open(name, &serial.Mode{BaudRate: baud, DataBits: 8, Parity: serial.NoParity, StopBits: serial.OneStopBit})
	if err != nil {
		return nil, explain(name, baud, err)
	}
	return p, nil
}

func openSocket(ctx context.Context, where string) (SerialLine, error) {
	if !strings.Contains(where, ":") {
		where = "localhost:" + where
	}
	d := net.Dialer{Timeout: 10 * time.Second}
	conn, err := d.DialContext(ctx, "tcp", where)
	if err != nil {
		return nil, withHint(fmt.Errorf("tcp:%s: %w", where, err), "ssnail-kit emu --monitor tcp:PORT listens on such a port")
	}
	return &socketLine{monitor.FromDeadline(conn), conn}, nil
}

type socketLine struct {
	monitor.Line
	io.Closer
}

// explain says what an error of the port's driver means, and what to do.
func explain(name string, baud int, err error) error {
	var p *serial.PortError
	code := serial.PortErrorCode(-1)
	if errors.As(err, &p) {
		code = p.Code()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || code == serial.PortNotFound:
		return withHint(fmt.Errorf("%s: there is no such port", name), "is the adapter plugged in? ssnail-kit ports lists the ports")
	case code == serial.PermissionDenied || errors.Is(err, fs.ErrPermission):
		return withHint(fmt.Errorf("%s: you may not open this port", name),
			"on Linux: sudo usermod -a -G dialout $USER, then log in again (the group is uucp on some systems)")
	case code == serial.PortBusy || errors.Is(err, syscall.EBUSY):
		return withHint(fmt.Errorf("%s: another program uses this port", name), "end m65, M65Connect, screen or another ssnail-kit that has it open")
	case code == serial.InvalidSpeed:
		return withHint(fmt.Errorf("%s: the driver refuses %d baud", name, baud), "try --baud 1000000 or 230400 behind the monitor's '+' command, or another driver")
	case code == serial.InvalidSerialPort:
		return withHint(fmt.Errorf("%s is no serial port (%w)", name, err), "ssnail-kit ports lists the ports")
	}
	return fmt.Errorf("%s: %w", name, err)
}
