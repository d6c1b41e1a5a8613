// Package machine is a MEGA65 with SSNAIL on the PC: the 45GS02 of emu/cpu, the
// core of emu/core, and what is between them and a user: memory, I/O registers,
// DMA, the VIC-IV's text screen, keyboard, disk drive, SD card.
//
// Time is virtual. The clock ticks at hw.ClockHz; the CPU, DMA, disk and core
// take ticks, and nothing depends on how fast the PC is: the same inputs give
// the same run. See Options for what can be connected, RunFrame for running.
//
// The CPU runs in slices of one raster line. Between slices the machine looks
// at what may have happened in the meantime: the core's job, timers, the raster
// interrupt, typed keys. What a program can read within a slice (raster line,
// timers, BUSY flags, the load port) is computed when it is read.
package machine

import (
	"fmt"
	"time"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/cpu"
	"ssnail-kit/emu/screen"
	"ssnail-kit/mega65/hw"
)

// Machine is one emulated MEGA65. It is not safe for concurrent use.
type Machine struct {
	opt Options
	cpu cpu.CPU

	memory
	clock
	vic     vic
	keys    keyboard
	cia     [2]cia
	dma     dma
	math    mathUnit
	floppy  floppy
	sd      sdCard
	hdos    hdos
	ssn     ssnail
	kernal  kernal
	idle    idleRule
	warned  map[warning]bool
	profile *profile

	mon    monitorState
	labels map[uint16]string

	irqLevel, nmiLevel bool

	stop     Stop
	skipStop bool // Continue was called: do not stop at this PC again at once
	breaks   *[65536]bool
	exit     exitRegister
	stats    Stats
}

// New builds a machine in its reset state. It does not boot: call Boot or
// LoadPRG, then RunFrame again and again.
func New(opt Options) (*Machine, error) {
	if opt.Board == 0 {
		opt.Board = hw.BoardR6
	}
	if opt.Bandwidth == 0 {
		opt.Bandwidth = hw.DefaultBandwidth
	}
	if !(opt.Bandwidth >= 1) || opt.Bandwidth > 1e15 {
		return nil, fmt.Errorf("bandwidth %g bytes/s is not in 1 to 1e15", opt.Bandwidth)
	}
	m := &Machine{opt: opt, warned: map[warning]bool{}}
	if err := m.floppy.insert(0, opt.Disk); err != nil {
		return nil, err
	}
	board := core.R3
	if opt.Board.HasSDRAM() {
		board = core.R6
	}
	m.memory.init(core.NewMemory(board))
	m.clock.init(opt.NTSC)
	m.ssn.init(m)
	if len(opt.Break) > 0 {
		m.breaks = new([65536]bool)
		for _, pc := range opt.Break {
			m.breaks[pc] = true
		}
	}
	if opt.Profile {
		m.profile = newProfile(opt.Symbols)
	}
	m.cpu.Bus = m
	m.Reset()
	return m, nil
}

// Reset puts CPU and devices into their power-on state. RAM keeps its contents,
// disks stay inserted; nothing is booted.
func (m *Machine) Reset() {
	m.installROM()
	m.memory.reset(m.opt.StrictCache)
	m.vic.reset()
	m.keys.reset()
	for i := range m.cia {
		m.cia[i] = cia{}
	}
	m.dma = dma{}
	m.math.reset()
	m.floppy.reset()
	m.sd.reset()
	m.hdos.reset()
	m.ssn.reset()
	m.kernal = kernal{}
	m.setSpeed()
	m.cpu.MapLo, m.cpu.MapHi = cpu.Map{}, cpu.Map{}
	m.MapChanged()
	m.cpu.Reset()
	m.bootState()
}

// RunFrame runs to the end of the current video frame (20 ms emulated), or
// until a breakpoint or Exited stops it. While a serial monitor holds the CPU
// only time passes. An error would mean that the machine can no longer run;
// there is none as yet.
func (m *Machine) RunFrame() error {
	if m.stop != Running {
		return nil
	}
	frame := m.frame(m.now())
	for m.stop == Running {
		if m.slice(); m.frame(m.now()) != frame {
			m.endFrame()
			return nil
		}
	}
	return nil
}

// slice runs the CPU to the next raster line and lets the devices follow.
func (m *Machine) slice() {
	m.sliceEnd = m.nextLine(m.now())
	if m.dma.active {
		m.runDMA()
	}
	switch t := m.now(); {
	case t >= m.sliceEnd:
	case m.mon.halted:
		m.stall(m.sliceEnd - t)
	default:
		m.runCPU()
	}
	t := m.now()
	m.ssn.advance(t)
	m.timers(t)
	m.feedKey()
	m.updateIRQ()
}

// endFrame is called when a frame is over.
func (m *Machine) endFrame() { m.idle.frame(m) }

// RunFor runs for d of emulated time, in whole frames, stopping early as
// RunFrame does.
func (m *Machine) RunFor(d time.Duration) error {
	for end := m.Time() + d; m.Time() < end && m.stop == Running; {
		if err := m.RunFrame(); err != nil {
			return err
		}
	}
	return nil
}

// Stop is why the machine does not run.
type Stop int

// The reasons.
const (
	Running   Stop = iota
	AtBreak        // PC is at one of Options.Break; Continue steps over it
	HasExited      // the program ended the run, see Exited
)

// Stopped tells why the machine stands.
func (m *Machine) Stopped() Stop { return m.stop }

// Continue leaves a breakpoint: the next RunFrame executes the instruction there.
func (m *Machine) Continue() {
	if m.stop == AtBreak {
		m.stop, m.skipStop = Running, true
	}
}

// Screen takes a picture of the text screen.
func (m *Machine) Screen() *screen.Text { return m.picture() }

// Time is the emulated time since the machine was built.
func (m *Machine) Time() time.Duration { return ticksToTime(m.now()) }

// DiskImage returns the disk in drive 0 with what the program wrote to it, nil
// without one.
func (m *Machine) DiskImage() []byte { return m.floppy.drive[0].image }

// warning is a message that was given: its format and what was put in.
type warning struct {
	format string
	args   [3]any
}

// maxWarnings bounds what a program gone wild can make us say.
const maxWarnings = 200

// warn says once that something is not emulated, or that the program does what
// it should not. It is cheap when that was said before. All args are
// comparable, at most three.
func (m *Machine) warn(format string, args ...any) {
	if m.opt.Warn == nil || m.mon.looking || len(m.warned) >= maxWarnings {
		return
	}
	w := warning{format: format}
	copy(w.args[:], args)
	if m.warned[w] {
		return
	}
	m.warned[w] = true
	fmt.Fprintf(m.opt.Warn, "emulated MEGA65: "+format+"\n", args...)
}
