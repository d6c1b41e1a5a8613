//go:build !linux && !js

package push

// favourLatency: the driver's own settings decide here, see the README.
func favourLatency(string) {}
