//go:build darwin && !cgo

package push

import (
	"fmt"
	"strings"

	"go.bug.st/serial"
)

// Ports lists this computer's serial ports. Without cgo macOS does not tell
// their USB ids: what is called usbserial or usbmodem counts as USB.
func Ports() ([]Port, error) {
	list, err := serial.GetPortsList()
	if err != nil {
		return nil, fmt.Errorf("list serial ports: %w", err)
	}
	var ports []Port
	for _, name := range list {
		if strings.HasPrefix(name, "/dev/cu.") {
			ports = append(ports, Port{Name: name, USB: strings.Contains(name, "usb")})
		}
	}
	return ports, nil
}
