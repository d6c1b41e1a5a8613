package xemu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Find gives the path of xmega65: the one that was named, or the first that
// the PATH has under one of its usual names.
func Find(named string) (string, error) {
	names := []string{"xmega65", "xmega65.native", "xemu-xmega65"}
	if named != "" {
		names = []string{named}
	}
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return filepath.Abs(p)
		}
	}
	if named != "" {
		return "", fmt.Errorf("xmega65: %s is no program that can be started", named)
	}
	return "", errors.New("xmega65 is not on the PATH")
}

// Window starts xmega65 with a window for a person and waits for its end. Only
// Path, PRG, Start, Disk and Card of the options are used.
func Window(ctx context.Context, o Options, log io.Writer) error {
	dir, err := os.MkdirTemp("", "xemu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args, err := prepare(dir, o)
	if err != nil {
		return err
	}
	// What a run without a person needs is left out.
	args = slices.DeleteFunc(args, func(a string) bool {
		return a == "-headless" || a == "-sleepless" || a == "-testing" || a == "-nosound"
	})
	cmd := exec.CommandContext(ctx, o.Path, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("xmega65: %w", err)
	}
	return nil
}

// SYS gives the address in the BASIC line of a program at $2001.
func SYS(prg []byte) (uint16, error) {
	if len(prg) < 3 || prg[0] != 0x01 || prg[1] != 0x20 {
		return 0, errors.New("the program does not load at $2001")
	}
	const tokenSYS = 0x9E
	line := prg[2:min(len(prg), 66)]
	i := slices.Index(line, tokenSYS)
	n := 0
	if i >= 0 {
		for _, c := range line[i+1:] {
			if c == ' ' && n == 0 {
				continue
			}
			if c < '0' || c > '9' || n > 0xFFFF {
				break
			}
			n = n*10 + int(c-'0')
		}
	}
	if n == 0 || n > 0xFFFF {
		return 0, errors.New("the program's BASIC line has no SYS")
	}
	return uint16(n), nil
}
