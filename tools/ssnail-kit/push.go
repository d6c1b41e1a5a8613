package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"ssnail-kit/disk/d81"
	"ssnail-kit/firmware"
	"ssnail-kit/mega65/monitor"
	"ssnail-kit/mega65/push"
)

func pushCommand() *cli.Command {
	return &cli.Command{
		Name:      "push",
		Usage:     "bring a model, disk or program onto a real MEGA65",
		ArgsUsage: "FILE...",
		UsageText: `ssnail-kit push [--serial PORT] [options] FILE
ssnail-kit push --m65[=PATH] [options] FILE
ssnail-kit push --sftp USER@HOST:DIR [--then COMMAND] FILE...

FILE is a model (.gguf, converted first, or .ssnail), a .d81 (its AUTOBOOT.C65
and its first image are taken) or a .prg. Over the serial line the image goes
into SSNAIL's memory, every block is verified there, and the chat starts with
it. A push that was interrupted goes on where it ended when it is run again.

Examples:
   ssnail-kit push model.gguf                           over the only adapter that is plugged in
   ssnail-kit push --serial /dev/ttyUSB1 model.ssnail --prompt 'Once upon a time'
   ssnail-kit push --serial tcp:4510 demo.d81           to ssnail-kit emu --monitor tcp:4510
   ssnail-kit push --m65 model.gguf --sdram             by the m65 of mega65-tools, on an R4 to R6
   ssnail-kit push --sftp pi@raspi:mega65 ssnail.prg --then 'm65 -r ssnail.prg'`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "serial", Usage: "serial `PORT`, or tcp:HOST:PORT", DefaultText: "the only one that can be meant"},
			baudFlag(),
			waitFlag(),
			&cli.BoolFlag{Name: "attic", Usage: "copy the image into the RAM at $8000000 instead of using SSNAIL's load port; without SSNAIL a disk with the software core must be in drive 8"},
			&cli.StringFlag{Name: "prompt", Usage: "`TEXT` is the first line of the chat"},
			&cli.BoolFlag{Name: "no-run", Usage: "leave the machine halted in front of the program"},
			&cli.BoolFlag{Name: "reset", Usage: "start the machine anew first"},
			optionalFlag{&cli.GenericFlag{Name: "m65", Value: &optional{}, Usage: "use the m65 tool of mega65-tools; --m65=`PATH` names it"}},
			&cli.BoolFlag{Name: "sdram", Usage: "with --m65: the board is an R4, R5 or R6, whose SSNAIL has SDRAM at $8000000"},
			&cli.StringFlag{Name: "sftp", Usage: "upload the files to `USER@HOST:DIR`"},
			&cli.IntFlag{Name: "ssh-port", Value: 22, Usage: "with --sftp: `PORT` of the server", Action: within("ssh-port", 1, 65535, "")},
			&cli.StringFlag{Name: "known-hosts", Usage: "with --sftp: `FILE` of known host keys", DefaultText: "~/.ssh/known_hosts"},
			&cli.StringSliceFlag{Name: "identity", Usage: "with --sftp: private key in `FILE`", DefaultText: "the agent and ~/.ssh/id_*"},
			&cli.StringFlag{Name: "then", Usage: "with --sftp: run `COMMAND` in DIR, by the shell there, when all files have arrived"},
		}, modelFlags()...),
		Action: pushAction,
	}
}

// optional is a flag that may stand alone or have a value behind '='.
type optional struct {
	set   bool
	value string
}

func (o *optional) Set(s string) error {
	o.set = s != "false"
	if o.value = s; s == "true" || s == "false" {
		o.value = ""
	}
	return nil
}

func (o *optional) String() string   { return o.value }
func (o *optional) IsBoolFlag() bool { return true }

// optionalFlag tells that what follows is not its value.
type optionalFlag struct{ *cli.GenericFlag }

// TakesValue is false: only '=' gives one.
func (optionalFlag) TakesValue() bool { return false }

func pushAction(c *cli.Context) error {
	m65, _ := c.Generic("m65").(*optional)
	useM65 := m65 != nil && m65.set
	if c.NArg() == 0 {
		return usagef("push needs a file: .gguf, .ssnail, .d81 or .prg").hinted("ssnail-kit push --help shows examples")
	}
	if c.String("sftp") != "" {
		if useM65 || c.IsSet("serial") {
			return usagef("--sftp goes with neither --serial nor --m65")
		}
		for _, f := range []string{"baud", "wait", "sdram"} {
			if c.IsSet(f) {
				return usagef("--%s is not for --sftp, which only uploads files", f)
			}
		}
		return pushSFTP(c)
	}
	if c.IsSet("sdram") && !useM65 {
		return usagef("--sdram is for --m65; over the serial line the board tells its RAM itself")
	}
	if c.IsSet("wait") && useM65 {
		return usagef("--wait is for the serial line; m65 has its own limits")
	}
	for _, f := range []string{"then", "known-hosts", "identity", "ssh-port"} {
		if c.IsSet(f) {
			return usagef("--%s is for --sftp", f)
		}
	}
	if c.NArg() > 1 {
		err := usagef("one file at a time, got %d", c.NArg())
		if useM65 && m65.value == "" {
			err = err.hinted("the path of m65 stands behind an equals sign: --m65=" + c.Args().First())
		}
		return err
	}
	line, err := push.Line(c.String("prompt"))
	if err != nil {
		return usagef("--prompt: %v", err)
	}
	job := push.Job{Line: line, Attic: c.Bool("attic"), NoRun: c.Bool("no-run"), Reset: c.Bool("reset")}
	if err := readJob(c, c.Args().First(), &job); err != nil {
		return err
	}
	if useM65 {
		tool := push.M65{Path: m65.value, Port: c.String("serial"), SDRAM: c.Bool("sdram")}
		if c.IsSet("baud") {
			tool.Baud = c.Int("baud")
		}
		return pushM65(c, tool, job)
	}
	return pushSerial(c, job)
}

// readJob reads the file: what program is to be started, and with which image.
func readJob(c *cli.Context, name string, job *push.Job) error {
	isModel, err := startsLikeModel(name)
	if err != nil {
		return err
	}
	if isModel {
		m, err := loadModel(c, name)
		if err != nil {
			return err
		}
		defer m.Close()
		p, err := firmware.Build(firmware.Options{})
		if err != nil {
			return err
		}
		job.Image, job.Program = m.Bytes, p.PRG
		say(c, "%s: %s, %d bytes", name, m.Image.Header.Description, len(m.Bytes))
		return nil
	}
	if err := notConverted(c, name, "no model"); err != nil {
		return err
	}
	b, err := readBounded(name, d81.SizeErrors)
	if err != nil {
		return err
	}
	if len(b) != d81.Size && len(b) != d81.SizeErrors {
		if strings.EqualFold(extOf(name), ".d81") {
			_, err := d81.Open(b)
			return withHint(fmt.Errorf("%s: %w", name, err), "ssnail-kit disk MODEL.gguf makes a new one")
		}
		if !strings.EqualFold(extOf(name), ".prg") {
			return withHint(fmt.Errorf("%s is neither a model (.gguf, .ssnail) nor a disk (.d81), and not called .prg", name), "rename a program to .prg")
		}
		job.Program = b
		return nil
	}
	program, img, inside, err := push.FromDisk(b)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	job.Program, job.Image = program, img
	if img == nil {
		say(c, "%s: its program, and no image is on it", name)
	} else {
		say(c, "%s: its program and the image %s, %d bytes", name, inside, len(img))
	}
	return nil
}

// startsLikeModel tells an image or a GGUF from other files.
func startsLikeModel(name string) (bool, error) {
	ok, err := startsLikeImage(name)
	if err != nil || ok {
		return ok, err
	}
	head, err := readHead(name, 4)
	return string(head) == "GGUF" || string(head) == "FUGG" || strings.EqualFold(extOf(name), ".gguf"), err
}

// say prints a line of progress.
func say(c *cli.Context, format string, args ...any) {
	if !quiet(c) {
		fmt.Fprintf(c.App.ErrWriter, format+"\n", args...)
	}
}

func pushSerial(c *cli.Context, job push.Job) error {
	o, err := lineOptions(c)
	if err != nil {
		return err
	}
	line, name, err := openSerial(c)
	if err != nil {
		return err
	}
	defer line.Close()
	bar := newTransferBar(c, "pushing")
	job.Progress = bar.update
	job.Log = func(s string) { bar.clear(); say(c, "%s: %s", name, s) }
	rep, err := push.Serial(c.Context, monitor.New(line, o), job)
	bar.clear()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w := c.App.Writer
	fmt.Fprintf(w, "%s: %s; %d bytes sent and verified", name, rep.State, rep.Bytes)
	if rep.Present > 0 {
		fmt.Fprintf(w, ", %d were there already", rep.Present)
	}
	fmt.Fprintln(w)
	if rep.Next != "" {
		say(c, "%s", rep.Next)
	}
	say(c, "%.1f s, %.0f bytes a second on the line; %d blocks sent again", rep.Elapsed.Seconds(), rep.Line.Rate(), rep.Resent)
	if rep.Careful {
		say(c, "blocks were damaged while the CPU ran: it was halted for each, which is slower")
	}
	return nil
}

func baudFlag() cli.Flag {
	return &cli.IntFlag{Name: "baud", Value: monitor.DefaultBaud, Usage: "rate of the serial line", Action: within("baud", 300, 20_000_000, "")}
}

func waitFlag() cli.Flag {
	return &cli.StringFlag{Name: "wait", Value: "2s", Usage: "longest `TIME` for a reply on the serial line", Action: func(c *cli.Context, _ string) error {
		_, err := lineOptions(c)
		return err
	}}
}

// lineOptions reads --wait and --baud.
func lineOptions(c *cli.Context) (monitor.Options, error) {
	d, err := time.ParseDuration(c.String("wait"))
	if err != nil || d <= 0 || d > time.Hour {
		return monitor.Options{}, usagef("--wait %q: want a time such as 2s, at most 1h", c.String("wait"))
	}
	return monitor.Options{Wait: d, Baud: c.Int("baud")}, nil
}

// openSerial opens the port of --serial, or the one that can be meant.
func openSerial(c *cli.Context) (push.SerialLine, string, error) {
	name := c.String("serial")
	if name == "" {
		ports, err := push.Ports()
		if err != nil {
			return nil, "", err
		}
		p, err := push.Choose(ports)
		if err != nil {
			return nil, "", err
		}
		name = p.Name
		say(c, "using %s", p)
	}
	line, err := push.Open(c.Context, name, c.Int("baud"))
	return line, name, err
}

func pushM65(c *cli.Context, tool push.M65, job push.Job) error {
	if job.Attic || job.Reset {
		say(c, "m65 always resets the machine and copies into the RAM at $8000000")
	}
	err := tool.Push(c.Context, job, func(cmd string) {
		if verbose(c) {
			say(c, "%s", cmd)
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(c.App.Writer, "m65 has loaded everything; it verifies nothing")
	return nil
}

func pushSFTP(c *cli.Context) error {
	if c.String("prompt") != "" || c.Bool("no-run") || c.Bool("reset") || c.Bool("attic") {
		return usagef("--sftp only uploads files: --prompt, --no-run, --reset and --attic are for the serial line")
	}
	t, err := push.ParseSSH(c.String("sftp"))
	if err != nil {
		return usagef("--sftp: %v", err)
	}
	if t.User == "" {
		t.User = userName()
	}
	t.Port, t.KnownHosts, t.Identities, t.Agent = c.Int("ssh-port"), c.String("known-hosts"), c.StringSlice("identity"), agentSocket()
	var files []push.Upload
	for _, name := range c.Args().Slice() {
		u, err := readUpload(c, name)
		if err != nil {
			return err
		}
		files = append(files, u)
	}
	h, err := t.Connect(c.Context)
	if err != nil {
		return err
	}
	defer h.Close()
	for _, u := range files {
		bar := newTransferBar(c, u.Name)
		where, err := h.Put(c.Context, u, bar.update)
		bar.clear()
		if err != nil {
			return err
		}
		fmt.Fprintf(c.App.Writer, "%s:%s: %d bytes, SHA-256 compared\n", t.Host, where, len(u.Data))
	}
	if cmd := c.String("then"); cmd != "" {
		return h.Run(c.Context, cmd, c.App.Writer)
	}
	return nil
}

// readUpload reads a file for the other computer; a GGUF becomes an image.
func readUpload(c *cli.Context, name string) (push.Upload, error) {
	isModel, err := startsLikeModel(name)
	if err != nil {
		return push.Upload{}, err
	}
	if isModel {
		m, err := loadModel(c, name)
		if err != nil {
			return push.Upload{}, err
		}
		defer m.Close()
		if m.GGUF != nil {
			return push.Upload{Name: siblingName(name, ".ssnail"), Data: m.Bytes}, nil
		}
		return push.Upload{Name: filepath.Base(name), Data: m.Bytes}, nil
	}
	if err := notConverted(c, name, "no model"); err != nil {
		return push.Upload{}, err
	}
	b, err := readBounded(name, d81.SizeErrors)
	if err != nil {
		return push.Upload{}, err
	}
	if len(b) == d81.Size || len(b) == d81.SizeErrors {
		if _, err := d81.Open(b); err != nil {
			return push.Upload{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return push.Upload{Name: filepath.Base(name), Data: b}, nil
}

// transferBar is a progress bar with bytes a second and the time left.
type transferBar struct {
	c    *cli.Context
	what string
	p    *progressbar.ProgressBar
}

func newTransferBar(c *cli.Context, what string) *transferBar { return &transferBar{c: c, what: what} }

func (b *transferBar) update(done, total int64) {
	if quiet(b.c) || !isTerminal(b.c.App.ErrWriter) {
		return
	}
	if b.p == nil {
		b.p = progressbar.NewOptions64(total, progressbar.OptionSetWriter(b.c.App.ErrWriter),
			progressbar.OptionSetDescription(b.what), progressbar.OptionShowBytes(true), progressbar.OptionShowTotalBytes(true),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = b.p.Set64(done) // a bar that cannot be drawn is no reason to fail
}

func (b *transferBar) clear() {
	if b.p != nil {
		_ = b.p.Clear()
	}
}
