//go:build !js

package push

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	ft := func(name, serial string) Port {
		return Port{Name: name, USB: true, VID: "0403", PID: "6010", Serial: serial}
	}
	ch340 := func(name string) Port { return Port{Name: name, USB: true, VID: "1A86", PID: "7523"} }
	plain := Port{Name: "/dev/ttyS0"}
	for _, c := range []struct {
		name  string
		ports []Port
		want  string // a port, or text of the error
	}{
		{"one adapter", []Port{plain, ft("/dev/ttyUSB0", "A"), ft("/dev/ttyUSB1", "A")}, "/dev/ttyUSB1"},
		{"in any order, beyond nine", []Port{ft("/dev/ttyUSB10", "A"), ft("/dev/ttyUSB9", "A")}, "/dev/ttyUSB10"},
		{"an adapter beats a plain cable", []Port{ch340("/dev/ttyUSB2"), ft("/dev/ttyUSB0", "A"), ft("/dev/ttyUSB1", "A")}, "/dev/ttyUSB1"},
		{"Windows", []Port{ft("COM12", "AA"), ft("COM4", "AA")}, "COM12"},
		{"one plain cable", []Port{plain, ch340("/dev/ttyUSB0")}, "/dev/ttyUSB0"},
		{"two adapters", []Port{ft("/dev/ttyUSB0", "A"), ft("/dev/ttyUSB1", "A"), ft("/dev/ttyUSB2", "B"), ft("/dev/ttyUSB3", "B")}, "4 USB serial ports, and it is not clear"},
		{"two adapters without numbers", []Port{ft("/dev/ttyUSB0", ""), ft("/dev/ttyUSB1", ""), ft("/dev/ttyUSB2", ""), ft("/dev/ttyUSB3", "")}, "not clear"},
		{"two cables", []Port{ch340("/dev/ttyUSB0"), ch340("/dev/ttyUSB1")}, "/dev/ttyUSB1  USB 1a86:7523"},
		{"none", nil, "no USB serial port found"},
		{"only others", []Port{plain}, "no USB serial port found (1 other ports)"},
	} {
		p, err := Choose(c.ports)
		got := p.Name
		if err != nil {
			got = err.Error()
			checkHint(t, err, "--serial PORT")
		}
		if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
