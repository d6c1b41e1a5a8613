package push

import (
	"fmt"
	"sort"
	"strings"
)

// Port is a serial port of this computer.
type Port struct {
	Name     string // what to give to --serial
	USB      bool
	VID, PID string // of the USB device, four hexadecimal digits
	Serial   string // its serial number
	Product  string
}

// jtagAdapter tells whether the port belongs to an FT2232, as MEGA65 adapters
// have: its first channel is JTAG, its second the serial line.
func (p Port) jtagAdapter() bool {
	return strings.EqualFold(p.VID, "0403") && strings.EqualFold(p.PID, "6010")
}

// String shows a port in one line.
func (p Port) String() string {
	if !p.USB {
		return p.Name
	}
	s := fmt.Sprintf("%s  USB %s:%s", p.Name, strings.ToLower(p.VID), strings.ToLower(p.PID))
	if p.Product != "" {
		s += " " + p.Product
	}
	if p.Serial != "" {
		s += " (" + p.Serial + ")"
	}
	return s
}

// Choose picks the port to use when none is named: the second channel of the
// only FT2232, else the only USB port. Several are listed in the error, and
// with none it says what to check.
func Choose(ports []Port) (Port, error) {
	var usb []Port
	for _, p := range ports {
		if p.USB {
			usb = append(usb, p)
		}
	}
	sort.SliceStable(usb, func(i, j int) bool { return naturalLess(usb[i].Name, usb[j].Name) })
	var adapters []Port // one for each: its last channel
	byDevice := map[string]int{}
	channels := map[string]int{}
	for _, p := range usb {
		if !p.jtagAdapter() {
			continue
		}
		key := p.Serial
		i, ok := byDevice[key]
		if !ok {
			i = len(adapters)
			byDevice[key] = i
			adapters = append(adapters, p)
		}
		adapters[i] = p
		channels[key]++
	}
	switch {
	case len(adapters) == 1 && channels[adapters[0].Serial] <= 2:
		return adapters[0], nil
	case len(adapters) == 0 && len(usb) == 1:
		return usb[0], nil
	case len(usb) == 0:
		return Port{}, withHint(fmt.Errorf("no USB serial port found (%d other ports)", len(ports)),
			"is the adapter plugged in, has it a driver (dmesg, Device Manager), may you read it (on Linux: group dialout)? name a port with --serial PORT")
	}
	var list []string
	for _, p := range usb {
		list = append(list, "  "+p.String())
	}
	return Port{}, withHint(fmt.Errorf("%d USB serial ports, and it is not clear which one is the MEGA65:\n%s", len(usb), strings.Join(list, "\n")),
		"choose one with --serial PORT; of an FT2232's two ports it is the second; ssnail-kit ports tells what answers")
}

// naturalLess orders names with numbers as people do: ttyUSB9 before ttyUSB10.
func naturalLess(a, b string) bool {
	i, j := digitsAt(a), digitsAt(b)
	if a[:i] != b[:j] {
		return a[:i] < b[:j]
	}
	x, y := strings.TrimLeft(a[i:], "0"), strings.TrimLeft(b[j:], "0")
	if len(x) != len(y) {
		return len(x) < len(y)
	}
	return x < y
}

// digitsAt is where the number at a name's end begins.
func digitsAt(s string) int {
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	return i
}
