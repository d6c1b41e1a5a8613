package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/disk/d81"
	"ssnail-kit/emu/drive"
	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
	"ssnail-kit/mega65/hw"
)

func emuCommand() *cli.Command {
	return &cli.Command{
		Name:      "emu",
		Usage:     "boot a disk or program in the emulated MEGA65",
		ArgsUsage: "[DISK.d81|PROGRAM.prg]",
		UsageText: `ssnail-kit emu [options] [DISK.d81|PROGRAM.prg]

On a terminal the machine is yours: keys go to it, Ctrl-] leaves, Ctrl-C is
RUN/STOP. Without a terminal, or with --keys or --keys-file, it runs as fast as
it can, ends when the program waits for a key and none is left, and prints the
screen as text. Statistics go to standard error.

Examples:
   ssnail-kit emu stories.d81
   ssnail-kit emu stories.d81 --keys 'Once upon a time\r' --png screen.png
   ssnail-kit emu stories.d81 --keys 'Hello\r' --until 'tokens/s' --numerics float
   ssnail-kit emu stories.d81 --no-ssnail --run-for 20s
   ssnail-kit emu --sd card/ stories.d81 --keys-file session.txt
   ssnail-kit emu --monitor pty:/tmp/mega65 --strict-serial

A key file has one step a line: wait "TEXT", type "TEXT\r", pause 2s, png FILE.
In typed text \r is RETURN, \\ a backslash, \xNN any code, {UP} {DOWN} {LEFT}
{RIGHT} {HOME} {DEL} {STOP} {ESC} {HELP} {F1} ... the other keys.`,
		Flags:  emuFlags(),
		Action: emuAction,
	}
}

func emuFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "keys", Usage: "type `TEXT`, then end at idle"},
		&cli.StringFlag{Name: "keys-file", Usage: "do the steps of `FILE`"},
		&cli.StringFlag{Name: "run-for", Usage: "stop after `TIME` of emulated time (20s)"},
		&cli.StringFlag{Name: "until", Usage: "stop when `TEXT` appears behind the last key"},
		&cli.BoolFlag{Name: "until-idle", Usage: "stop at idle even with --run-for or --until"},
		&cli.BoolFlag{Name: "screen", Usage: "run without a terminal and print the screen, even on a terminal"},
		&cli.StringFlag{Name: "png", Usage: "save the last screen as a picture in `FILE`"},
		&cli.StringFlag{Name: "gif", Usage: "save the run as an animation in `FILE`"},
		&cli.StringFlag{Name: "sd", Usage: "folder `DIR` is the SD card"},
		&cli.StringFlag{Name: "board", Value: "r6", Usage: "r3, r4, r5, r6 or nexys", Action: oneOf("board", "r3", "r4", "r5", "r6", "nexys")},
		&cli.BoolFlag{Name: "no-ssnail", Usage: "a machine without SSNAIL"},
		&cli.StringFlag{Name: "numerics", Value: "hw", Usage: "hw (bit for bit the hardware's) or float", Action: oneOf("numerics", "hw", "float")},
		&cli.IntFlag{Name: "threads", Value: 1, Usage: "PC threads for SSNAIL's core", Action: within("threads", 1, maxThreads, "")},
		&cli.Float64Flag{Name: "bandwidth", Value: hw.DefaultBandwidth / 1e6, Usage: "SSNAIL's memory traffic in `MB/s`; emulated time is made of it"},
		&cli.BoolFlag{Name: "strict-cache", Usage: "the CPU sees what SSNAIL wrote only after SYNC"},
		&cli.BoolFlag{Name: "test-exit", Usage: "a test program ends the run by $D6CF, its status is the exit status"},
		&cli.StringFlag{Name: "trace", Usage: "write the CPU's last instructions to `FILE` when the run has ended"},
		&cli.IntFlag{Name: "trace-lines", Value: 1_000_000, Usage: "with --trace: the last `N` instructions, held in memory (100 bytes each); 0 writes all of them as they come, 1 GB for a second of emulated time", Action: within("trace-lines", 0, 50_000_000, " lines")},
		&cli.StringSliceFlag{Name: "break", Usage: "stop at hexadecimal `ADDR`"},
		&cli.BoolFlag{Name: "profile", Usage: "cycles by routine, on standard error"},
		&cli.StringFlag{Name: "symbols", Usage: "labels for --profile and --trace from `FILE` (default: the program's own)"},
		&cli.StringFlag{Name: "monitor", Usage: "serial monitor at `pty:LINK|tcp:PORT`; the machine then runs in real time until Ctrl-C", Action: func(_ *cli.Context, spec string) error {
			if err := machine.CheckMonitorPort(spec); err != nil {
				return usagef("--monitor: %v", err)
			}
			return nil
		}},
		&cli.IntFlag{Name: "baud", Value: 2_000_000, Usage: "rate of the serial line", Action: within("baud", 300, 20_250_000, "")},
		&cli.StringFlag{Name: "line-latency", Value: "1ms", Usage: "`TIME` that a byte takes on the serial line, in each direction"},
		&cli.BoolFlag{Name: "strict-serial", Usage: "lose what overruns the monitor's 64-byte receive FIFO, as the hardware does"},
		&cli.StringFlag{Name: "mem-dump", Usage: "write the 384 KB of chip RAM to `FILE` at the end"},
		&cli.StringFlag{Name: "serial-log", Usage: "write what the program sends to the serial line to `FILE`"},
	}
}

func emuAction(c *cli.Context) (err error) {
	if c.NArg() > 1 {
		return usagef("one disk or program at a time, got %d", c.NArg())
	}
	run := drive.Run{Until: c.String("until"), UntilIdle: c.Bool("until-idle")}
	if err := emuSteps(c, &run); err != nil {
		return err
	}
	if err := emuOutputs(c, run.Steps); err != nil {
		return err
	}
	opt, close, err := emuOptions(c)
	if err != nil {
		return err
	}
	warn := &heldWriter{w: opt.Warn}
	if opt.Warn != nil {
		opt.Warn = warn
	}
	defer func() {
		if cerr := close(); err == nil {
			err = cerr
		}
	}()
	if err := checkPictures(c, run.Steps, "png", "gif", "mem-dump"); err != nil {
		return err
	}
	m, err := bootFile(c, opt, c.Args().First())
	if err != nil {
		return err
	}
	run.M = m
	out := fileOf(c.App.Writer)
	in, inFile := c.App.Reader.(*os.File)
	onTerminal := out != nil && inFile && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(in.Fd()))
	scripted := len(run.Steps) > 0 || run.For > 0 || run.Until != "" || run.UntilIdle || c.Bool("screen")
	mon, line, err := openMonitor(c, m)
	if err != nil {
		return err
	}
	if line != nil {
		defer line.Close()
	}
	if onTerminal && !scripted {
		if c.String("gif") != "" {
			return usagef("--gif is for a run that ends by itself: add --keys, --keys-file, --run-for or --screen")
		}
		started := time.Now()
		if err := interactive(c, m, mon, line, in, out, warn); err != nil {
			return err
		}
		if err := emuResults(c, m, started); err != nil {
			return err
		}
		return exitStatus(m)
	}
	return unattended(c, m, mon, line, &run)
}

// checkPictures makes sure that the files of these flags, and the pictures that
// steps take, can be written before the run that is to fill them.
func checkPictures(c *cli.Context, steps []drive.Step, flags ...string) error {
	for _, f := range flags {
		if err := checkOutput(c.String(f)); err != nil {
			return fmt.Errorf("--%s: %w", f, err)
		}
	}
	for _, s := range steps {
		if err := checkOutput(s.Picture); err != nil {
			return fmt.Errorf("--keys-file: %w", err)
		}
	}
	return nil
}

// openMonitor attaches the serial monitor that --monitor asks for, nil without.
func openMonitor(c *cli.Context, m *machine.Machine) (*machine.Monitor, machine.MonitorPort, error) {
	spec := c.String("monitor")
	if spec == "" {
		for _, f := range []string{"baud", "line-latency", "strict-serial"} {
			if c.IsSet(f) {
				return nil, nil, usagef("--%s is for the serial monitor, and there is no --monitor", f)
			}
		}
		return nil, nil, nil
	}
	latency, err := time.ParseDuration(c.String("line-latency"))
	if err != nil || latency < 0 || latency > 10*time.Second {
		return nil, nil, usagef("--line-latency %q: want a time such as 1ms, at most 10s", c.String("line-latency"))
	}
	mon, err := machine.NewMonitor(m, machine.MonitorOptions{Baud: c.Int("baud"), Latency: latency, Strict: c.Bool("strict-serial")})
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	line, err := machine.OpenMonitorPort(spec)
	if err != nil {
		return nil, nil, err
	}
	if !quiet(c) {
		fmt.Fprintf(c.App.ErrWriter, "serial monitor at %s\n", line.Name())
	}
	return mon, line, nil
}

// emuSteps reads the flags that say what is typed and when a run ends.
func emuSteps(c *cli.Context, run *drive.Run) error {
	if s := c.String("run-for"); s != "" {
		d, err := drive.ParseTime(s)
		if err != nil {
			return usagef("--run-for: %v", err)
		}
		run.For = d
	}
	if c.IsSet("keys") {
		if c.IsSet("keys-file") {
			return usagef("--keys and --keys-file together: put the keys into the file")
		}
		s, err := drive.Keys(c.String("keys"))
		if err != nil {
			return usagef("--keys: %v", err)
		}
		run.Steps = []drive.Step{s}
	}
	if name := c.String("keys-file"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("--keys-file %s: %w", name, cause(err))
		}
		defer f.Close()
		if run.Steps, err = drive.ParseScript(f); err != nil {
			return fmt.Errorf("--keys-file %s: %w", name, err)
		}
	}
	return nil
}

// bootFile builds the machine and starts what the file holds.
func bootFile(c *cli.Context, opt machine.Options, name string) (*machine.Machine, error) {
	var b []byte
	var err error
	isDisk := false
	if name != "" {
		if model, err := startsLikeModel(name); err == nil && model {
			return nil, withHint(fmt.Errorf("%s is a model, want a disk (.d81) or a program (.prg)", name), "ssnail-kit disk "+name+" makes a disk with it")
		}
		if b, err = readBounded(name, d81.SizeErrors); err != nil {
			return nil, err
		}
		isDisk = len(b) == d81.Size || len(b) == d81.SizeErrors || strings.EqualFold(extOf(name), ".d81")
	}
	if isDisk {
		d, err := d81.Open(b)
		if err != nil {
			return nil, withHint(fmt.Errorf("%s: %w", name, err), "ssnail-kit disk MODEL.gguf makes a new one")
		}
		opt.Disk = d.Bytes()
	}
	m, err := machine.New(opt)
	if err != nil {
		return nil, err
	}
	if name != "" && !isDisk {
		if err := m.LoadPRG(b); err != nil {
			return nil, withHint(fmt.Errorf("%s: %w", name, err), "emu takes a .d81 disk or a .prg program; for a model: ssnail-kit disk MODEL.gguf first")
		}
		return m, nil
	}
	if name == "" {
		name = "--sd " + c.String("sd") // whose default disk it is
	}
	if err := m.Boot(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func unattended(c *cli.Context, m *machine.Machine, mon *machine.Monitor, line machine.MonitorPort, run *drive.Run) error {
	run.Picture = func(name string, t *screen.Text) error {
		return writeFile(name, c.App.Writer, t.PNG)
	}
	var film screen.GIF
	if c.String("gif") != "" {
		run.Frame = filmFrames(&film)
	}
	started := time.Now()
	var end drive.End
	var err error
	if mon != nil {
		end, err = run.Serve(c.Context, mon, line)
	} else {
		end, err = run.Do(c.Context)
	}
	if err != nil {
		return err
	}
	fmt.Fprint(c.App.Writer, m.Screen().String())
	if name := c.String("gif"); name != "" {
		if err := writeFile(name, c.App.Writer, film.Write); err != nil {
			return err
		}
	}
	if err := emuResults(c, m, started); err != nil {
		return err
	}
	if _, ok := m.Exited(); ok {
		return exitStatus(m)
	}
	if end == drive.Cut && run.Served {
		return nil // that is how such a run ends
	}
	if why := end.Explain(run); why != "" {
		return withHint(errors.New(why), "the screen above shows where it is; --run-for TIME gives it longer")
	}
	return nil
}

// emuResults writes and prints what a run leaves behind by the flags.
func emuResults(c *cli.Context, m *machine.Machine, started time.Time) error {
	if name := c.String("png"); name != "" {
		if err := writeFile(name, c.App.Writer, m.Screen().PNG); err != nil {
			return err
		}
	}
	if name := c.String("mem-dump"); name != "" {
		err := writeFile(name, c.App.Writer, func(w io.Writer) error {
			_, err := w.Write(m.Peek(0, hw.ChipRAMSize))
			return err
		})
		if err != nil {
			return err
		}
	}
	if !quiet(c) {
		printStats(c.App.ErrWriter, m.Stats(), time.Since(started))
	}
	if c.Bool("profile") {
		printProfile(c.App.ErrWriter, m.Profile())
	}
	return nil
}

// exitStatus is what a test program that has ended says, nil for a good end or
// none.
func exitStatus(m *machine.Machine) error {
	if status, ok := m.Exited(); ok && status != 0 {
		return statusError{fmt.Errorf("the test program ended with status %d", status), int(status)}
	}
	return nil
}

// filmFrames takes a picture every tenth of a second.
func filmFrames(film *screen.GIF) func(m *machine.Machine) {
	n := 0
	return func(m *machine.Machine) {
		if n++; n%5 == 0 {
			film.Add(m.Screen(), 10)
		}
	}
}

func printStats(w io.Writer, s machine.Stats, wall time.Duration) {
	fmt.Fprintf(w, "emulated  %d cycles, %.2f s; %d CPU instructions\n", s.Cycles, s.Time.Seconds(), s.Instructions)
	fmt.Fprintf(w, "SSNAIL    %d instructions in %d jobs, %d bytes read, %d written, busy %.3f s\n",
		s.CoreInstr, s.Jobs, s.CoreRead, s.CoreWritten, s.CoreTime.Seconds())
	fmt.Fprintf(w, "loaded    %d bytes through the load port, %d disk sectors, %d card sectors\n", s.LoadBytes, s.DiskSectors, s.SDSectors)
	if s.LostBytes > 0 {
		fmt.Fprintf(w, "LOST      %d bytes that the load port had no room for\n", s.LostBytes)
	}
	rate := 0.0
	if s.CoreTime > 0 {
		rate = float64(s.Tokens) / s.CoreTime.Seconds()
	}
	fmt.Fprintf(w, "tokens    %d processed, %.1f a second of SSNAIL's emulated time\n", s.Tokens, rate)
	speed := 0.0
	if wall > 0 {
		speed = s.Time.Seconds() / wall.Seconds()
	}
	fmt.Fprintf(w, "wall time %.2f s, %.1f times real time\n", wall.Seconds(), speed)
}

func printProfile(w io.Writer, lines []machine.ProfileLine) {
	var sum uint64
	for _, l := range lines {
		sum += l.Cycles
	}
	fmt.Fprintf(w, "%-24s %5s %14s %6s %14s\n", "routine", "addr", "cycles", "share", "instructions")
	for i, l := range lines {
		if i == 40 {
			fmt.Fprintf(w, "and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(w, "%-24s $%04X %14d %5.1f%% %14d\n", l.Name, l.Addr, l.Cycles, 100*float64(l.Cycles)/float64(max(sum, 1)), l.Instructions)
	}
}
