package machine

import (
	"fmt"
	"time"

	"ssnail-kit/emu/cpu"
)

// monitored is what the serial monitor needs of a machine. Its memory accesses
// are privileged: they see what the CPU sees in hypervisor mode and are no work
// of the CPU. Addresses have 28 bits.
type monitored interface {
	monitorRead(addr uint32) byte
	monitorWrite(addr uint32, v byte)
	// monitorReadCPU and monitorWriteCPU go through the CPU's map.
	monitorReadCPU(addr uint16) byte
	monitorWriteCPU(addr uint16, v byte)
	processor() *cpu.CPU
	// hold halts or frees the CPU; devices and time go on.
	hold(halt bool)
	held() bool
	// single executes one instruction of a halted CPU.
	single()
	// breakAt sets the monitor's breakpoint; on = false clears it. A CPU that
	// comes there is held, and atBreak reports that once.
	breakAt(pc uint16, on bool)
	atBreak() bool
	resetByMonitor()
}

// MonitorOptions say what line the serial monitor is on.
type MonitorOptions struct {
	// Baud is the rate of the line with 8N1, at the start: the '+' command
	// changes it. 0 = 2,000,000.
	Baud int
	// Latency delays each byte in each direction, as a USB adapter does.
	Latency time.Duration
	// Strict loses what arrives while the 64-byte receive FIFO is full. The
	// default is a line that waits then, which no MEGA65 has.
	Strict bool
}

const (
	defaultBaud = 2_000_000
	fifoSize    = 64
	lineSize    = 64      // command buffer
	fillSpeed   = 100     // bytes that 'f' writes in the time of a byte on the line
	maxBacklog  = 1 << 20 // bytes on the line that the monitor has not taken
)

// Monitor is the MEGA65's serial ("matrix") monitor: a small processor beside
// the CPU that lives on a UART. It takes characters from a receive FIFO, echoes
// them, and executes a line at CR or LF. It transmits without a buffer: while
// it prints, what arrives waits in the FIFO.
//
// Time is given by Advance, so that a line can be tested without a clock; Serve
// runs it against the real one. One call of Advance moves the line only: the
// machine runs between calls.
type Monitor struct {
	target  monitored
	machine *Machine // the target, if it is a whole machine
	due     uint64   // tick up to which RunMachine has to run it
	opt     MonitorOptions

	// The line. Times are in nanoseconds of the monitor's own clock.
	now, next int64 // next: when the UART is ready for the next byte
	in, out   delayed
	fifo      []byte
	tx        []byte // what the monitor still has to transmit
	byteTime  int64
	dropped   int

	// The monitor program.
	command    []byte
	addr       uint32 // where m, d, s, l and f go on
	cpuView    bool
	loading    bool // in 'l', until addr's low word is loadEnd
	loadEnd    uint16
	filling    bool
	fillEnd    uint32
	fillByte   byte
	continuous bool // tc: step and show while nothing arrives
}

// NewMonitor attaches a serial monitor to a machine. A machine with a monitor
// is run by Serve or, in tests, by alternating Advance with running it.
func NewMonitor(m *Machine, opt MonitorOptions) (*Monitor, error) {
	mon, err := newMonitor(m, opt)
	if err != nil {
		return nil, err
	}
	mon.machine, mon.due = m, m.now()
	return mon, nil
}

func newMonitor(target monitored, opt MonitorOptions) (*Monitor, error) {
	if opt.Baud == 0 {
		opt.Baud = defaultBaud
	}
	if opt.Baud < 300 || opt.Baud > 20_250_000 {
		return nil, fmt.Errorf("serial monitor: %d baud is not in 300 to 20250000", opt.Baud)
	}
	if opt.Latency < 0 || opt.Latency > 10*time.Second {
		return nil, fmt.Errorf("serial monitor: line latency %v is not in 0 to 10s", opt.Latency)
	}
	mon := &Monitor{target: target, opt: opt}
	mon.setBaud(float64(opt.Baud))
	mon.prompt()
	return mon, nil
}

// setBaud sets the time of a byte on the line: start, 8 data and a stop bit.
func (mon *Monitor) setBaud(baud float64) {
	mon.byteTime = max(1, int64(10e9/baud))
}

// Receive puts bytes on the line to the machine, sent now by the other end.
// They arrive after the latency, one in each byte time.
func (mon *Monitor) Receive(p []byte) {
	mon.in.put(p, mon.now+int64(mon.opt.Latency))
}

// Backlog is how many received bytes are still on the line. The other end
// should wait when there are very many.
func (mon *Monitor) Backlog() int { return len(mon.in.data) }

// Send takes the bytes that have reached the other end by now.
func (mon *Monitor) Send() []byte {
	return mon.out.take(mon.now, -1)
}

// Dropped counts the bytes that a full receive FIFO lost (MonitorOptions.Strict).
func (mon *Monitor) Dropped() int { return mon.dropped }

// Advance lets d pass on the line.
func (mon *Monitor) Advance(d time.Duration) {
	end := mon.now + int64(d)
	for mon.next <= end {
		mon.now = mon.next
		mon.tick()
		mon.next += mon.byteTime
	}
	mon.now = end
}

// tick is one byte time: a byte leaves, a byte arrives, and the monitor program
// goes on if it does not wait for its transmitter.
func (mon *Monitor) tick() {
	if len(mon.tx) > 0 {
		mon.out.put(mon.tx[:1], mon.now+int64(mon.opt.Latency))
		mon.tx = mon.tx[1:]
	}
	if len(mon.fifo) < fifoSize {
		mon.fifo = append(mon.fifo, mon.in.take(mon.now, 1)...)
	} else if mon.opt.Strict {
		mon.dropped += len(mon.in.take(mon.now, 1))
	}
	switch {
	case len(mon.tx) > 0:
	case mon.filling:
		mon.fill()
	case len(mon.fifo) > 0:
		c := mon.fifo[0]
		mon.fifo = append(mon.fifo[:0], mon.fifo[1:]...)
		mon.character(c)
	case mon.loading:
	case mon.target.atBreak():
		mon.target.breakAt(0, false) // it is good for one hit
		mon.print("!")
		mon.registers()
		mon.prompt()
	case mon.continuous:
		mon.target.single()
		mon.registers()
		mon.prompt()
	}
}

// delayed is a queue of bytes that become visible at a time.
type delayed struct {
	data []byte
	runs []run // how many of data, and when
}

type run struct {
	n  int
	at int64
}

func (q *delayed) put(p []byte, at int64) {
	if len(p) == 0 {
		return
	}
	if len(q.data)+len(p) > maxBacklog { // nobody takes them
		return
	}
	q.data = append(q.data, p...)
	if n := len(q.runs); n > 0 && q.runs[n-1].at == at {
		q.runs[n-1].n += len(p)
		return
	}
	q.runs = append(q.runs, run{len(p), at})
}

// take removes up to limit bytes that are visible at time now; limit < 0 means
// all of them.
func (q *delayed) take(now int64, limit int) []byte {
	n, used := 0, 0
	for used < len(q.runs) && q.runs[used].at <= now && (limit < 0 || n < limit) {
		r := &q.runs[used]
		if limit >= 0 && n+r.n > limit {
			r.n -= limit - n
			n = limit
			break
		}
		n += r.n
		used++
	}
	p := q.data[:n:n]
	q.data, q.runs = q.data[n:], q.runs[used:]
	return p
}
