//go:build !js

package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// M65 is the user's m65 of the mega65-tools, and how it is called.
type M65 struct {
	Path  string // "" = m65 of the PATH
	Port  string // "" = m65 looks for one itself
	Baud  int    // 0 = m65's default
	SDRAM bool   // the RAM for the image is SDRAM (boards R4 to R6): it is selected first
}

// sdramSelected is $D7FE with SDRAM at $8000000 and the cache that a reset
// switches on. m65 cannot read the register first.
const sdramSelected = 0x14

// m65Start is what m65 may take beside the transfer itself.
const m65Start = 60 * time.Second

// Push brings a job to the machine by m65: the machine is reset (m65 waits for
// ever for the BASIC prompt if another program has the screen), the image goes
// to $8000000 as it stands in memory, then come mailbox and program. m65 checks
// nothing, so neither can this. run, if not nil, is told each command.
func (m M65) Push(ctx context.Context, job Job, run func(cmd string)) error {
	prg, err := parseProgram(job.Program)
	if err != nil {
		return err
	}
	path := m.Path
	if path == "" {
		path = "m65"
	}
	if path, err = exec.LookPath(path); err != nil {
		return withHint(fmt.Errorf("m65: %w", err), "install mega65-tools (files.mega65.org), or give the path: --m65=PATH; ssnail-kit push --serial needs no m65")
	}
	dir, err := os.MkdirTemp("", "ssnail-push-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	steps, err := m.steps(dir, job, prg)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if run != nil {
			run("m65 " + strings.Join(s.args, " "))
		}
		if err := m65Step(ctx, path, s); err != nil {
			return err
		}
	}
	return nil
}

// step is one call of m65.
type step struct {
	what  string
	args  []string
	limit time.Duration
}

// steps writes the files that m65 is to load and lists its calls.
func (m M65) steps(dir string, job Job, prg *program) ([]step, error) {
	var common []string
	if m.Port != "" {
		common = append(common, "-l", m.Port)
	}
	if m.Baud != 0 {
		common = append(common, "-s", fmt.Sprint(m.Baud))
	}
	var list []step
	add := func(what string, bytes int, args ...string) {
		// m65 reaches half of the line's speed at the least.
		limit := m65Start + time.Duration(bytes)*time.Second/100_000
		list = append(list, step{what, append(append([]string(nil), common...), args...), limit})
	}
	file := func(name string, data []byte) (string, error) {
		p := filepath.Join(dir, name)
		return p, os.WriteFile(p, data, 0o600)
	}
	load := func(what, name string, addr uint32, data []byte) error {
		p, err := file(name, data)
		if err == nil {
			add(what, len(data), "-@", fmt.Sprintf("%s@%x", p, addr))
		}
		return err
	}
	add("reset the machine", 0, "-F")
	flags := byte(0)
	if job.Image != nil {
		flags = MailLoaded | MailAttic
		mem, err := MemoryImage(job.Image)
		if err != nil {
			return nil, err
		}
		if m.SDRAM {
			if err := load("select SDRAM", "sdram.bin", hw.IOMEGA65+hw.SDRAMSelect&0xFFF, []byte{sdramSelected}); err != nil {
				return nil, err
			}
		}
		if err := load("load the image", "image.bin", image.Base, mem); err != nil {
			return nil, err
		}
	}
	if job.Image != nil || job.Line != "" {
		if err := load("leave the note for the program", "mailbox.bin", hw.Mailbox, Mailbox(flags, job.Image, job.Line)); err != nil {
			return nil, err
		}
	}
	p, err := file("program.prg", job.Program)
	if err != nil {
		return nil, err
	}
	args := []string{}
	if prg.load != hw.BASICStart {
		args = append(args, "-1")
	}
	if job.NoRun {
		args = append(args, "-H")
	} else {
		args = append(args, "-r")
	}
	add("load the program", len(job.Program), append(args, p)...)
	return list, nil
}

// m65Step runs m65 once. Its output is shown when it fails: m65 does not always
// say so by its exit status.
func m65Step(ctx context.Context, path string, s step) error {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, path, s.args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{b: &out}, &bounded{b: &out}
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	said := strings.TrimSpace(out.String())
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("m65 (%s): interrupted; the machine is in the middle of that step", s.what)
	case limited.Err() != nil:
		return withHint(fmt.Errorf("m65 (%s) has not ended after %v%s", s.what, s.limit, quoted(said)),
			"is the BASIC prompt there? m65 waits for it; a disk that starts a program by itself must be ejected")
	case err != nil:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("m65 (%s) failed with status %d%s", s.what, exit.ExitCode(), quoted(said))
		}
		return fmt.Errorf("m65 (%s): %w%s", s.what, err, quoted(said))
	}
	for _, l := range strings.Split(said, "\n") {
		if low := strings.ToLower(l); strings.Contains(low, "error") || strings.Contains(low, "could not") || strings.Contains(low, "no serial port") {
			return fmt.Errorf("m65 (%s) reports a failure%s", s.what, quoted(said))
		}
	}
	return nil
}

// quoted shows the end of what a tool said.
func quoted(said string) string {
	if said == "" {
		return " and said nothing"
	}
	lines := strings.Split(said, "\n")
	if len(lines) > 6 {
		lines = lines[len(lines)-6:]
	}
	return ":\n  " + strings.Join(lines, "\n  ")
}

// bounded keeps the last 64 KB at most of what a tool says.
type bounded struct{ b *bytes.Buffer }

func (w *bounded) Write(p []byte) (int, error) {
	const most = 64 << 10
	w.b.Write(p)
	if w.b.Len() > 2*most {
		w.b.Next(w.b.Len() - most)
	}
	return len(p), nil
}
