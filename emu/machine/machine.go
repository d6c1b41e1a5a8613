// Package machine is a MEGA65 with SSNAIL on the PC: the 45GS02 of emu/cpu, the
// core of emu/core, and what is between them and a user: memory, I/O registers,
// DMA, the VIC-IV's text screen, keyboard, disk drive, SD card.
//
// Time is virtual. The clock ticks at hw.ClockHz; the CPU, DMA, disk and core
// take ticks, and nothing depends on how fast the PC is: the same inputs give
// the same run. See Options for what can be connected, RunFrame for running.
package machine

import (
	"errors"
	"time"

	"ssnail-kit/emu/screen"
)

// Machine is one emulated MEGA65. It is not safe for concurrent use.
type Machine struct {
	opt Options
}

var errUnfinished = errors.New("emulated machine: not written yet")

// New builds a machine in its reset state. It does not boot: call Boot or
// LoadPRG, then RunFrame again and again.
func New(opt Options) (*Machine, error) { return nil, errUnfinished }

// Boot does what power-on does: AUTOBOOT.C65 of the disk is loaded and run if
// there is a disk that has one, else the machine stands at a READY prompt. An
// error says what is wrong with the disk (track, sector); the machine then is
// at the prompt all the same.
func (m *Machine) Boot() error { return errUnfinished }

// LoadPRG puts a program at its load address and starts it: by the SYS of its
// BASIC line at $2001, else at the load address itself.
func (m *Machine) LoadPRG(prg []byte) error { return errUnfinished }

// RunFrame runs to the end of the current video frame (20 ms emulated), or
// until a breakpoint, Exited or a broken machine stops it. The error is of the
// latter kind: the machine can no longer run.
func (m *Machine) RunFrame() error { return errUnfinished }

// RunFor runs for d of emulated time, in whole frames, stopping early as
// RunFrame does.
func (m *Machine) RunFor(d time.Duration) error { return errUnfinished }

// Stop is why the machine does not run.
type Stop int

// The reasons.
const (
	Running   Stop = iota
	AtBreak        // PC is at one of Options.Break; Continue steps over it
	HasExited      // the program ended the run, see Exited
	Halted         // a monitor holds it
)

// Stopped tells why the machine stands.
func (m *Machine) Stopped() Stop { return Running }

// Continue leaves a breakpoint: the next RunFrame executes the instruction there.
func (m *Machine) Continue() {}

// Exited returns the status that a test program ended with (Options.TestExit).
func (m *Machine) Exited() (status int, ok bool) { return 0, false }

// Idle reports the rule for runs without an end of their own: all typed input
// is taken, SSNAIL is not busy, and for three frames the program did nothing
// but poll the keyboard.
func (m *Machine) Idle() bool { return false }

// Screen takes a picture of the text screen.
func (m *Machine) Screen() *screen.Text { return &screen.Text{} }

// Time is the emulated time since reset.
func (m *Machine) Time() time.Duration { return 0 }

// Stats counts what the machine did since reset.
type Stats struct {
	Cycles       uint64        // ticks of the 40.5 MHz clock
	Time         time.Duration // the same as time
	Frames       uint64
	Instructions uint64 // of the 45GS02
	DMABytes     uint64
	DiskSectors  uint64 // 512-byte sectors that the F011 read
	SDSectors    uint64 // 512-byte sectors that HDOS read
	LoadBytes    uint64 // bytes that went through SSNAIL's load port
	LostBytes    uint64 // bytes that found its ring full
	Jobs         uint64 // GOs
	CoreInstr    uint64 // SSNAIL instructions
	CoreRead     uint64 // bytes
	CoreWritten  uint64
	CoreTime     time.Duration // emulated, busy
	Tokens       uint64        // sum of the jobs' "generated"
}

// Stats returns the counters so far.
func (m *Machine) Stats() Stats { return Stats{} }

// DiskImage returns the disk in drive 0 with what the program wrote to it, nil
// without one.
func (m *Machine) DiskImage() []byte { return nil }

// Peek reads n bytes from a 28-bit address without side effects on devices.
func (m *Machine) Peek(addr uint32, n int) []byte { return nil }
