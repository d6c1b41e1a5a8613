// Package xemu runs the kit's program under xmega65, the public MEGA65
// emulator that the user has, and reads its screen: an outside judge of the
// program and of our own emulator. It has no SSNAIL.
//
// xemu.go starts xmega65 without a window and does the steps, monitor.go talks
// to its monitor socket, window.go starts it for a person.
package xemu

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

	"ssnail-kit/disk/sdimage"
	"ssnail-kit/emu/drive"
	"ssnail-kit/mega65/hw"
)

// Options say what is run.
type Options struct {
	Path   string // of xmega65
	PRG    []byte // a program at $2001 with a BASIC line
	Start  uint16 // the address of its SYS
	Disk   []byte // D81 in drive 8, nil for none
	Card   []sdimage.File
	Screen uint32 // where the program keeps its 80x25 screen codes, in chip RAM

	// Steps are done as drive does them; pictures are not taken, pauses are in
	// real time. Then Until must appear; the run ends with it.
	Steps []drive.Step
	Until string
	Limit time.Duration // of real time for all of it; 0 = one minute
}

// Result is what was on the screen at the end.
type Result struct {
	Lines   []string // 25 rows without trailing blanks
	Picture []byte   // PNG
	Log     string   // what xmega65 said
}

// ErrText is wrapped when a text did not appear in time; the Result is the
// screen all the same.
var ErrText = errors.New("the text did not appear")

const cols, rows = 80, 25

// Run starts xmega65, does the steps and ends it.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	dir, err := os.MkdirTemp("", "xemu")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	args, err := prepare(dir, o)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "SDL_VIDEODRIVER=dummy", "SDL_AUDIODRIVER=dummy")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := asUser(cmd, dir); err != nil {
		return Result{}, err
	}
	if err := cmd.Start(); err != nil {
		return Result{}, fmt.Errorf("xmega65: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	stepErr := steps(ctx, dir, o, done)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		cancel()
		<-done
	}
	res, err := collect(dir, o)
	res.Log = log.String()
	if err != nil {
		return res, fmt.Errorf("xmega65 ended without a result: %w; it said: %s", err, lastLine(res.Log))
	}
	return res, stepErr
}

func lastLine(s string) string {
	l := strings.Split(strings.TrimSpace(s), "\n")
	return l[len(l)-1]
}

// prepare writes the files and gives the command line. The options are those
// that make a run repeatable and without questions.
func prepare(dir string, o Options) ([]string, error) {
	if err := os.WriteFile(filepath.Join(dir, "p.prg"), o.PRG, 0o644); err != nil {
		return nil, err
	}
	card, err := os.Create(filepath.Join(dir, "card.img"))
	if err != nil {
		return nil, err
	}
	err = errors.Join(sdimage.Write(card, o.Card), card.Close())
	if err != nil {
		return nil, err
	}
	args := []string{
		"-skipconfigfile", "-headless", "-sleepless", "-fastboot", "-besure", "-nosound", "-skipunhandledmem", "-testing", "-useinitrom",
		"-sdimg", "card.img", "-uartmon", filepath.Join(dir, "monitor"),
		"-dumpmem", "chip.mem", "-screenshot", "screen.png",
		"-prg", "p.prg", "-prgmode", "65", "-prgtest", fmt.Sprintf("SYS%d", o.Start),
	}
	if o.Disk != nil {
		if err := os.WriteFile(filepath.Join(dir, "disk.d81"), o.Disk, 0o644); err != nil {
			return nil, err
		}
		args = append(args, "-8", "disk.d81")
	}
	return args, nil
}

// steps does what a person would, then asks xmega65 to end.
func steps(ctx context.Context, dir string, o Options, done <-chan error) error {
	m, err := dial(ctx, filepath.Join(dir, "monitor"), done)
	if err != nil {
		return err
	}
	defer m.close()
	end := time.Now().Add(o.Limit)
	wait := func(text string) error {
		for {
			lines, err := m.screen(o.Screen)
			if err != nil {
				return err
			}
			if strings.Contains(strings.Join(lines, "\n"), text) || strings.Contains(joined(lines), text) {
				return nil
			}
			if time.Now().After(end) {
				return fmt.Errorf("%w: %q within %v", ErrText, text, o.Limit)
			}
			if err := sleep(ctx, 200*time.Millisecond); err != nil {
				return err
			}
		}
	}
	for _, s := range o.Steps {
		switch {
		case s.Wait != "":
			err = wait(s.Wait)
		case s.Pause > 0:
			err = sleep(ctx, s.Pause)
		default:
			err = m.typeKeys(s.Keys)
		}
		if err != nil {
			break
		}
	}
	if err == nil && o.Until != "" {
		err = wait(o.Until)
	}
	return errors.Join(err, m.exit())
}

// joined is the screen with its rows as one line.
func joined(lines []string) string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(l, " "))
	}
	return strings.Join(out, " ")
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// collect reads what xmega65 left behind.
func collect(dir string, o Options) (Result, error) {
	mem, err := os.ReadFile(filepath.Join(dir, "chip.mem"))
	if err != nil {
		return Result{}, err
	}
	if uint64(len(mem)) < uint64(o.Screen)+cols*rows {
		return Result{}, fmt.Errorf("its memory dump has %d bytes only", len(mem))
	}
	var res Result
	for _, l := range decode(mem[o.Screen:][:cols*rows]) {
		res.Lines = append(res.Lines, strings.TrimRight(l, " "))
	}
	res.Picture, err = os.ReadFile(filepath.Join(dir, "screen.png"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil // built without pictures
	}
	return res, err
}

// decode turns screen codes into rows of text.
func decode(codes []byte) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		for _, c := range codes[y*cols:][:cols] {
			b.WriteRune(hw.RuneOf(c))
		}
		lines[y] = b.String()
	}
	return lines
}
