package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestStatus: what a test program stores at $D6CF is the command's status, and
// without --test-exit it is nothing.
func TestStatus(t *testing.T) {
	for _, status := range []byte{0, 3, 255} {
		prg := []byte{
			0x00, 0x30, // $3000
			0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0, // MEGA65 I/O
			0xA9, status, 0x8D, 0xCF, 0xD6, 0xA9, 0x42, 0x8D, 0xCF, 0xD6,
			0x80, 0xFE, // bra *
		}
		name := filepath.Join(t.TempDir(), "t.prg")
		if err := os.WriteFile(name, prg, 0o644); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		args := []string{"ssnail-kit", "emu", "--quiet", "--test-exit", "--run-for", "1s", name}
		if got := run(context.Background(), args, nil, &stdout, &stderr); got != int(status) {
			t.Errorf("status %d, want %d; %s", got, status, stderr.String())
		}
		args = []string{"ssnail-kit", "emu", "--quiet", "--run-for", "100ms", name}
		if got := run(context.Background(), args, nil, &stdout, &stderr); got != 0 {
			t.Errorf("status %d without --test-exit", got)
		}
	}
}
