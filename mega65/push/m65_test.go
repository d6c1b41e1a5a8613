//go:build !js

package push

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeM65 is a script that notes how it is called and keeps the files.
func fakeM65(t *testing.T, script string) (M65, string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skipf("skipped: no shell for the fake m65: %v", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m65")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncd "+dir+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return M65{Path: path}, dir
}

const keep = `echo "$*" | sed 's|/[^ ]*/||g' >>log
for a; do f=${a%@*}; [ -f "$f" ] && cp "$f" .; done
true
`

func TestM65(t *testing.T) {
	img := madeImage(t, 5000)
	m, dir := fakeM65(t, keep)
	m.Port, m.Baud, m.SDRAM = "/dev/ttyUSB1", 4000000, true
	if err := m.Push(limited(t), Job{Program: standIn(), Image: img, Line: "Hello"}, nil); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-F", "-@ sdram.bin@ffd37fe", "-@ image.bin@8000000", "-@ mailbox.bin@1600", "-r program.prg"}
	got := strings.Split(strings.TrimSpace(string(log)), "\n")
	if len(got) != len(want) {
		t.Fatalf("calls:\n%s", log)
	}
	for i, l := range got {
		if !strings.HasPrefix(l, "-l ") || !strings.HasSuffix(l, "-s 4000000 "+want[i]) {
			t.Errorf("call %d: %q, want %q", i, l, want[i])
		}
	}
	mem, _ := MemoryImage(img)
	for name, data := range map[string][]byte{"image.bin": mem, "mailbox.bin": Mailbox(MailLoaded|MailAttic, img, "Hello"), "program.prg": standIn()} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(b, data) {
			t.Errorf("%s: %d bytes, want %d, %v", name, len(b), len(data), err)
		}
	}
}

func TestM65Faults(t *testing.T) {
	for name, c := range map[string]struct{ script, want, hint string }{
		"fails":         {"echo 'ERROR: wrong port' >&2; exit 3\n", "m65 (reset the machine) failed with status 3:\n  ERROR: wrong port", ""},
		"says so only":  {"echo 'no serial port found'\n", "m65 (reset the machine) reports a failure:\n  no serial port found", ""},
		"says nothing":  {"exit 1\n", "failed with status 1 and said nothing", ""},
		"fails at last": {"case $* in *-r*) exit 2;; esac\n", "m65 (load the program) failed with status 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := fakeM65(t, c.script)
			err := m.Push(limited(t), Job{Program: standIn()}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	m, _ := fakeM65(t, "exec sleep 60\n")
	err := m65Step(limited(t), m.Path, step{"wait", nil, 200 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "m65 (wait) has not ended after 200ms") {
		t.Errorf("hangs: %v", err)
	}
	checkHint(t, err, "BASIC prompt")
	ctx, cancel := context.WithCancel(limited(t))
	time.AfterFunc(100*time.Millisecond, cancel)
	if err := m.Push(ctx, Job{Program: standIn()}, nil); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("interrupted: %v", err)
	}
	m.Path = filepath.Join(t.TempDir(), "none")
	err = m.Push(limited(t), Job{Program: standIn()}, nil)
	if err == nil {
		t.Fatal("a missing m65 works")
	}
	checkHint(t, err, "install mega65-tools")
}
