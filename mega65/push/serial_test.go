package push

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ssnail-kit/disk/bootdisk"
	"ssnail-kit/emu/machine"
	"ssnail-kit/firmware"
	"ssnail-kit/host/builtin"
	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/monitor"
)

// A pushed model answers a prompt, over a line that loses what overruns the
// FIFO, at the speed and latency of a real one. Afterwards the user quits and is
// at the BASIC prompt, and a second push goes over the running chat.
func TestPushedModelAnswers(t *testing.T) {
	img := sharedModel(t, "stories260K-q8_0.gguf")
	g := newTarget(t, machine.Options{}, machine.MonitorOptions{Latency: time.Millisecond})
	c := g.connect()
	line, err := Line("Once upon a time")
	if err != nil {
		t.Fatal(err)
	}
	var last, total int64
	rep, err := Serial(limited(t), c, Job{
		Program: chatProgram(t), Image: img, Line: line,
		Progress: func(d, n int64) {
			if d < last || d > n {
				t.Errorf("progress goes from %d to %d of %d", last, d, n)
			}
			last, total = d, n
		},
		Log: func(s string) { t.Log(s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != total || rep.Bytes != total || rep.Resent != 0 || rep.Careful {
		t.Errorf("%d of %d bytes, %+v", last, total, rep)
	}
	t.Logf("%d bytes at %.0f a second of simulated time", rep.Line.Bytes, rep.Line.Rate())
	g.inMemory(img)
	g.until("the story goes on", func() bool { return strings.Contains(g.screen(), "there was a little girl named Lily") })

	// The same picture over the line.
	if err := c.Sync(limited(t)); err != nil {
		t.Fatal(err)
	}
	lines, err := c.Screen(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "little girl named Lily") {
		t.Errorf("the screen over the line:\n%s", strings.Join(lines, "\n"))
	}

	// Again, over the running chat: the payload is there.
	rep, err = Serial(limited(t), c, Job{Program: chatProgram(t), Image: img, Line: "Tom had", Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Present != int64(len(img)-256) {
		t.Errorf("%d bytes found in memory, want %d", rep.Present, len(img)-256)
	}
	g.until("the second story begins", func() bool { return strings.Contains(g.screen(), "Tom had") && !strings.Contains(g.screen(), "Lily,") })
	g.until("the turn ends", func() bool { return strings.Contains(g.screen(), "context is full") && g.m.Idle() })
	g.m.TypeText("/quit\r")
	g.until("the chat ends", func() bool { return !strings.Contains(g.screen(), "Tom had") })
	g.m.TypeText("DIR\r")
	g.until("BASIC answers", func() bool { return strings.Contains(g.screen(), "NO DISK IN THE DRIVE") })
	if n := g.mon.Dropped(); n != 0 {
		t.Errorf("%d bytes lost on the line", n)
	}
}

// Into attic RAM, on the board without SDRAM, and on a machine without SSNAIL.
func TestAttic(t *testing.T) {
	img := madeImage(t, 70_000)
	for name, opt := range map[string]machine.Options{
		"R3":        {Board: hw.BoardR3},
		"R6":        {},
		"no SSNAIL": {NoSSNAIL: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTarget(t, opt, machine.MonitorOptions{Baud: 8_000_000})
			c := g.connect()
			rep, err := Serial(limited(t), c, Job{Program: standIn(), Image: img, Attic: true, NoRun: true})
			if err != nil {
				t.Fatal(err)
			}
			g.inMemory(img)
			if mail := g.peek(hw.Mailbox, 6); string(mail) != "SSKP\x01\x03" {
				t.Errorf("mailbox % x", mail)
			}
			if !strings.Contains(rep.State, "halted in front of the program") {
				t.Errorf("state: %s", rep.State)
			}
			r, err := c.Registers(limited(t))
			if err != nil || uint32(r.PC) != receiverSymbol(t, "rx_launch") {
				t.Errorf("PC $%04X, %v", r.PC, err)
			}
		})
	}
}

// On a machine without SSNAIL a model in attic RAM talks through the software
// core, if the disk in the drive has it; else the program says what to do.
func TestAtticWithSoftwareCore(t *testing.T) {
	f, err := gguf.NewFile(bytes.NewReader(builtin.GPT2()), int64(len(builtin.GPT2())))
	if err != nil {
		t.Fatal(err)
	}
	p, err := convert.New(f, convert.Options{Ctx: 64, MemMB: 8, WType: "q8_0", Fallback: "q8_0", KV: "f16", Type: "Story"})
	if err != nil {
		t.Fatal(err)
	}
	var img bytes.Buffer
	if _, err := p.WriteTo(&img); err != nil {
		t.Fatal(err)
	}
	core, err := firmware.Build(firmware.Options{Root: firmware.SoftCore})
	if err != nil {
		t.Fatal(err)
	}
	disk, err := bootdisk.Build(bootdisk.Options{Program: chatProgram(t), Softcore: core.PRG})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		disk         []byte
		offer, after string
	}{
		"disk":    {disk.Image.Bytes(), "Press RETURN for the software core", "context 0 of 64"},
		"no disk": {nil, "ssnail-kit disk MODEL.gguf makes one that does", "READY."},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTarget(t, machine.Options{NoSSNAIL: true, Disk: c.disk}, machine.MonitorOptions{Baud: 8_000_000})
			g.until("BASIC or the program waits", g.m.Idle)
			rep, err := Serial(limited(t), g.connect(), Job{Program: chatProgram(t), Image: img.Bytes(), Attic: true})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(rep.Next, "SOFTCORE") {
				t.Errorf("what to do next: %q", rep.Next)
			}
			flat := func() string { return strings.Join(strings.Fields(g.screen()), " ") }
			g.until("the program speaks of the software core", func() bool { return strings.Contains(flat(), c.offer) })
			g.m.TypeText("\r")
			g.until("RETURN is obeyed", func() bool { return strings.Contains(flat(), c.after) })
		})
	}
}

// What the machine cannot do is said before anything is changed.
func TestImpossible(t *testing.T) {
	big := madeImage(t, 9<<20)
	for name, c := range map[string]struct {
		opt  machine.Options
		img  []byte
		want string
	}{
		"no SSNAIL": {machine.Options{NoSSNAIL: true}, madeImage(t, 1000), "no SSNAIL in this machine"},
		"too big":   {machine.Options{Board: hw.BoardR3}, big, "needs 10 MB of memory, this machine's SSNAIL has 8"},
		"Xemu":      {machine.Options{TestExit: true}, nil, "this is Xemu"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newTarget(t, c.opt, machine.MonitorOptions{})
			_, err := Serial(limited(t), g.connect(), Job{Program: standIn(), Image: c.img})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if got := g.peek(0x1700, 3); string(got) != "\x00\x00\x00" {
				t.Errorf("memory was changed: % x", got)
			}
		})
	}
}

// Ctrl-C in the middle names the state; the second run goes on.
func TestInterruptedAndResumed(t *testing.T) {
	img := madeImage(t, 400_000)
	g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
	c := g.connect()
	ctx, cancel := context.WithCancel(limited(t))
	_, err := Serial(ctx, c, Job{Program: standIn(), Image: img, Progress: func(done, _ int64) {
		if done > 150_000 {
			cancel()
		}
	}})
	var f *Failure
	if !errors.As(err, &f) || !strings.Contains(err.Error(), "interrupted; the machine is halted, ") || f.Done < 150_000 {
		t.Fatalf("got %v", err)
	}
	if got := g.peek(0x8000000, 4); string(got) == "SSNL" {
		t.Error("half an image has a header")
	}
	r, err := c.Registers(limited(t))
	if err != nil || r.PC < 0x1700 || r.PC >= 0x1F00 {
		t.Errorf("halted at $%04X, %v", r.PC, err)
	}
	var log []string
	rep, err := Serial(limited(t), c, Job{Program: standIn(), Image: img, NoRun: true, Log: func(s string) { log = append(log, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Present < 120_000 || rep.Present > 300_000 || !strings.Contains(strings.Join(log, "\n"), "bytes are there already") {
		t.Errorf("the second run found %d bytes, said %q", rep.Present, log)
	}
	g.inMemory(img)
}

// Programs of other kinds: BASIC without SYS, machine code elsewhere, and one
// that lies over everything.
func TestPrograms(t *testing.T) {
	t.Run("machine code", func(t *testing.T) {
		g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
		// lda #$5a, sta $4100, rts: returns to the prompt.
		prg := []byte{0x00, 0x40, 0xA9, 0x5A, 0x8D, 0x00, 0x41, 0x60}
		c := g.connect()
		if _, err := Serial(limited(t), c, Job{Program: prg}); err != nil {
			t.Fatal(err)
		}
		g.until("the program runs", func() bool { return g.peek(0x4100, 1)[0] == 0x5A })
		g.m.TypeText("DIR\r")
		g.until("BASIC goes on", func() bool { return strings.Contains(g.screen(), "NO DISK IN THE DRIVE") })
	})
	t.Run("over the frame", func(t *testing.T) {
		g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
		prg := make([]byte, 2+0xB000)
		prg[1] = 0x40 // $4000: lda #$5a, sta $3000, jmp *
		copy(prg[2:], []byte{0xA9, 0x5A, 0x8D, 0x00, 0x30, 0x4C, 0x05, 0x40})
		if _, err := Serial(limited(t), g.connect(), Job{Program: prg}); err != nil {
			t.Fatal(err)
		}
		g.until("the program runs", func() bool { return g.peek(0x3000, 1)[0] == 0x5A })
	})
	t.Run("BASIC", func(t *testing.T) {
		g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
		// 10 PRINT: the emulated prompt types RUN and says that it has no BASIC.
		prg := []byte{0x01, 0x20, 0x08, 0x20, 10, 0, 0x99, 0, 0, 0}
		if _, err := Serial(limited(t), g.connect(), Job{Program: prg}); err != nil {
			t.Fatal(err)
		}
		g.until("RUN is typed", func() bool { return strings.Contains(g.screen(), "RUN\n") })
		if end := g.peek(0x82, 2); end[0] != 0x09 || end[1] != 0x20 {
			t.Errorf("end of BASIC % x", end)
		}
	})
}

// The receiver takes nothing for granted: DMA lists of the old format, C64 I/O,
// another base page, decimal mode, Z in use, interrupts on.
func TestUglyState(t *testing.T) {
	g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
	if err := g.m.LoadPRG([]byte{0x00, 0x40,
		0xA9, 0x00, // lda #0
		0x8D, 0x03, 0xD7, // sta $d703
		0x8D, 0x2F, 0xD0, // sta $d02f
		0xA9, 0x33, // lda #$33
		0x5B,       // tab
		0xA3, 0x07, // ldz #7
		0xF8, 0x58, // sed, cli
		0x4C, 0x0F, 0x40, // jmp *
	}); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		g.step()
	}
	img := madeImage(t, 50_000)
	var log []string
	if _, err := Serial(limited(t), g.connect(), Job{Program: standIn(), Image: img, Log: func(s string) { log = append(log, s) }}); err != nil {
		t.Fatal(err)
	}
	g.inMemory(img)
	if !strings.Contains(strings.Join(log, "\n"), "cannot be continued") {
		t.Errorf("said %q", log)
	}
}

func TestInRAM(t *testing.T) {
	for _, c := range []struct {
		what          string
		pc, low, high uint16
		rombank, port byte
		want          bool
	}{
		{"the chat", 0x2345, 0, 0, 0x04, 0x35, true},
		{"the chat, high", 0xA345, 0, 0, 0x04, 0x35, true},
		{"the frame", 0xCF03, 0, 0, 0x04, 0x35, true},
		{"the receiver", 0x1800, 0, 0, 0x04, 0x35, true},
		{"BASIC 65", 0x2345, 0xE300, 0xB300, 0x64, 0x37, false},
		{"machine code under BASIC 65", 0x1800, 0xE300, 0xB300, 0x64, 0x37, true},
		{"BASIC 65's editor ROM", 0xC345, 0xE300, 0xB300, 0x64, 0x37, false},
		{"KERNAL", 0xE345, 0, 0xB300, 0x64, 0x37, false},
		{"a C64's BASIC", 0xA345, 0, 0, 0x00, 0x37, false},
		{"a C64's program", 0x0812, 0, 0, 0x00, 0x37, false},
	} {
		r := monitor.Registers{PC: c.pc, MapLow: c.low, MapHigh: c.high}
		if got := inRAM(r, c.rombank, c.port); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
