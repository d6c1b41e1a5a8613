//go:build !unix

package xemu

import "os/exec"

// asUser has nothing to do where there is no root.
func asUser(*exec.Cmd, string) error { return nil }
