// Package core is the SSNAIL core: it fetches 16-byte instructions from an
// image's memory and executes them, either in float numerics, the accuracy
// reference, or in hw numerics, which are bit for bit what the hardware
// computes. A model of the load port puts images into that memory.
package core

import (
	"context"
	"runtime"
)

// Numerics chooses how an instruction computes.
type Numerics int

const (
	// HW is exactly the hardware's arithmetic.
	HW Numerics = iota
	// Float is single precision with wider sums: the accuracy reference.
	Float
)

// String is the name that --numerics takes.
func (n Numerics) String() string {
	if n == Float {
		return "float"
	}
	return "hw"
}

// Options set up a core.
type Options struct {
	Numerics Numerics
	// Threads is how many goroutines share the rows of a big matrix; 0 means
	// one. Results do not depend on it.
	Threads int
	// AllowNaN lets ARGMAX and ATTN pass over a NaN or infinity, which is
	// otherwise a fault.
	AllowNaN bool
	// Kernels names the set of inner loops to use ("go", "avx2", "avx512"),
	// "" meaning the fastest one that this CPU has. Results do not depend on it.
	Kernels string
}

// Core is one SSNAIL core. Set the hooks and read the counters between steps.
type Core struct {
	mem *Memory
	opt Options

	PC uint32
	R  [16]uint32 // R[15] reads 0
	A  [16]uint32 // 28 bits
	N  [3]uint32

	// Counters since New or ResetCounters. The fetch of an instruction counts
	// 16 bytes read.
	Instructions, BytesRead, BytesWritten uint64

	// OnArgmax, if set, sees the n values an ARGMAX looked at, as they lie in
	// memory (little-endian f32), and the index it found.
	OnArgmax func(addr uint32, values []byte, index uint32)
	// OnSync, if set, is called by each SYNC: what the script wrote is now
	// the CPU's to see.
	OnSync func()
	// OnStep, if set, is called before each instruction executes.
	OnStep func(pc uint32, ins [16]byte)

	busy  bool
	fault *Fault
	ins   [16]byte // the instruction being executed
	k     kernels
	buf   buffers
}

// New returns an idle core on a memory. An unknown name in o.Kernels, or one
// that this CPU lacks, falls back to plain Go.
func New(m *Memory, o Options) *Core {
	if o.Threads < 1 {
		o.Threads = 1
	}
	o.Threads = min(o.Threads, 4*runtime.NumCPU())
	c := &Core{mem: m, opt: o, k: chooseKernels(o.Kernels)}
	c.buf.attn = make([]attnBuf, o.Threads)
	c.buf.wide = make([]wideBuf, o.Threads)
	return c
}

// KernelSet names the inner loops in use.
func (c *Core) KernelSet() string { return c.k.name }

// Threads is how many goroutines share the work of big instructions.
func (c *Core) Threads() int { return c.opt.Threads }

// Memory is the memory the core works on.
func (c *Core) Memory() *Memory { return c.mem }

// Numerics tells how the core computes; SetNumerics changes it between
// instructions.
func (c *Core) Numerics() Numerics { return c.opt.Numerics }

// SetNumerics changes how the following instructions compute.
func (c *Core) SetNumerics(n Numerics) { c.opt.Numerics = n }

// Busy tells whether a job runs.
func (c *Core) Busy() bool { return c.busy }

// Fault is why the last job stopped, nil when it reached HALT or still runs.
func (c *Core) Fault() *Fault { return c.fault }

// ResetCounters sets the counters to 0.
func (c *Core) ResetCounters() { c.Instructions, c.BytesRead, c.BytesWritten = 0, 0, 0 }

// Start begins the job whose first instruction is at address job. Starting a
// core that is busy is ignored, as the hardware does.
func (c *Core) Start(job uint32) {
	if c.busy {
		return
	}
	c.PC, c.busy, c.fault = job&0xFFFFFFF, true, nil
}

// Abort ends the job between two instructions, as a reset does.
func (c *Core) Abort() { c.busy = false }

// Step executes one instruction. done is true when the job is over: at HALT,
// or with a *Fault as err. Stepping an idle core does nothing and is done.
func (c *Core) Step() (done bool, err error) {
	if !c.busy {
		return true, nil
	}
	return c.step()
}

// Run steps until the job is over or ctx is cancelled; then the job is still
// busy, between two instructions, and can be continued.
func (c *Core) Run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n%16 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		done, err := c.Step()
		if done || err != nil {
			return err
		}
	}
}
