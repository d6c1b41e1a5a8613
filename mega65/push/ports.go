//go:build !js && (!darwin || cgo)

package push

import (
	"fmt"
	"sort"
	"strings"

	"go.bug.st/serial/enumerator"
)

// Ports lists this computer's serial ports.
func Ports() ([]Port, error) {
	list, err := enumerator.GetDetailedPortsList()
	if err != nil {
		return nil, fmt.Errorf("list serial ports: %w", err)
	}
	var ports []Port
	for _, d := range list {
		// macOS has each port twice; opening tty waits for a carrier.
		if d.Name == "" || strings.HasPrefix(d.Name, "/dev/tty.") {
			continue
		}
		ports = append(ports, Port{Name: d.Name, USB: d.IsUSB, VID: d.VID, PID: d.PID, Serial: d.SerialNumber, Product: d.Product})
	}
	sort.SliceStable(ports, func(i, j int) bool { return naturalLess(ports[i].Name, ports[j].Name) })
	return ports, nil
}
