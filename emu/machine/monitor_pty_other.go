//go:build !linux && !darwin

package machine

import (
	"fmt"
	"runtime"
)

func openPTY(link string) (MonitorPort, error) {
	return nil, fmt.Errorf("serial monitor: no pseudo-terminals on %s (asked for %s): use tcp:PORT", runtime.GOOS, link)
}
