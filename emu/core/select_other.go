//go:build !amd64

package core

// allKernels are the sets this CPU can run: plain Go.
func allKernels() []kernels { return []kernels{goKernels()} }
