package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ssnail-kit/disk/d81"
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

// TestCardDisk: a broken default disk on the card is told with the card's name.
func TestCardDisk(t *testing.T) {
	disk := make([]byte, d81.Size)
	dir := disk[(39*40+3)*256:] // track 40 sector 3
	dir[1], dir[2], dir[3] = 0xFF, 0x82, 90
	copy(dir[5:21], "AUTOBOOT.C65\xA0\xA0\xA0\xA0")
	card := t.TempDir()
	if err := os.WriteFile(filepath.Join(card, "MEGA65.D81"), disk, 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"ssnail-kit", "emu", "--quiet", "--run-for", "100ms", "--sd", card}
	if got := run(context.Background(), args, nil, &stdout, &stderr); got != 1 {
		t.Errorf("status %d", got)
	}
	if want := "ssnail-kit: --sd " + card + ": disk: file AUTOBOOT.C65: track 90 sector 0"; !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

// TestHeldWriter: what a machine says while its screen is drawn in place comes
// afterwards, all of it.
func TestHeldWriter(t *testing.T) {
	var out bytes.Buffer
	h := &heldWriter{w: &out}
	io.WriteString(h, "before\n")
	h.held = true
	io.WriteString(h, "one\n")
	io.WriteString(h, "two\n")
	if got := out.String(); got != "before\n" {
		t.Errorf("held: %q", got)
	}
	h.release()
	io.WriteString(h, "after\n")
	if got := out.String(); got != "before\none\ntwo\nafter\n" {
		t.Errorf("released: %q", got)
	}
}
