package core

// Register offsets of the load port, from SSNAIL's base address.
const (
	RegPointer = 0x14 // $14-$16: load pointer bits 0-23, staged
	RegCommit  = 0x17 // write: pointer bits 24-27 and commit; read: status
	RegData    = 0x18 // one byte per write
)

// Bits of register $17.
const (
	PortClear = 0x40 // write: also clears ERROR
	PortError = 0x40 // read: a block lay outside RAM, or a byte was lost
	PortReady = 0x80 // read: room for 512 bytes, no commit outstanding, no job
)

const (
	ringBytes  = 1024
	blockBytes = 256
)

// Port is the load port: registers $14-$18, a ring of 1 KB in which bytes
// wait to be written to RAM in blocks of 256, and the drain of that ring.
// Time is counted in cycles of a clock that the port is told of, and must not
// run backwards.
type Port struct {
	mem    *Memory
	rate   uint64 // bytes per second into RAM
	clock  uint64 // cycles per second
	now    uint64 // the last time seen
	credit uint64 // bytes*clock drained but not yet used up

	staged  uint32
	ptr     uint32
	cur     block
	queue   []block // blocks on their way to RAM, oldest first
	pending int     // bytes in cur and queue
	commit  bool    // a commit waits for the queue
	err     bool
	busy    bool

	// OnWrite, if set, is told of every stretch that reaches RAM.
	OnWrite func(addr uint32, n int)
	// Lost counts bytes that found the ring full; Dropped counts register
	// writes while a job ran. Both are mistakes of the program under test.
	Lost, Dropped uint64
	// Stored counts bytes that reached RAM.
	Stored uint64
}

// A block is a run of bytes inside one 256-byte block of RAM.
type block struct {
	addr uint32 // of the first byte
	n    int
	data [blockBytes]byte
}

// NewPort returns the port of a memory. bytesPerSecond is the speed at which
// the ring drains, 0 meaning at once; clockHz is what the times given to the
// other methods count.
func NewPort(m *Memory, bytesPerSecond, clockHz uint64) *Port {
	if clockHz == 0 {
		clockHz = 1
	}
	return &Port{mem: m, rate: bytesPerSecond, clock: clockHz}
}

// SetBusy tells the port that a job runs or has ended: while one runs the
// port is not READY and drops what is written to it. Bytes in the ring when a
// job starts are stored first.
func (p *Port) SetBusy(busy bool) {
	if busy && !p.busy {
		p.flush()
		p.drainAll()
	}
	p.busy = busy
}

// WriteReg writes register off ($14-$18) at time now. Other offsets do
// nothing.
func (p *Port) WriteReg(off, v byte, now uint64) {
	p.advance(now)
	if off < RegPointer || off > RegData {
		return
	}
	if p.busy {
		p.Dropped++
		return
	}
	switch off {
	case RegData:
		p.put(v)
	case RegCommit:
		p.flush()
		p.commit = len(p.queue) > 0
		p.ptr = p.staged&0xFFFFFF | uint32(v&0x0F)<<24
		if v&PortClear != 0 {
			p.err = false
		}
	default:
		shift := 8 * uint(off-RegPointer)
		p.staged = p.staged&^(0xFF<<shift) | uint32(v)<<shift
	}
}

// ReadReg reads register off at time now; only $17 holds anything.
func (p *Port) ReadReg(off byte, now uint64) byte {
	p.advance(now)
	if off != RegCommit {
		return 0
	}
	var v byte
	if p.Ready() {
		v |= PortReady
	}
	if p.err {
		v |= PortError
	}
	return v
}

// Ready tells whether READY was set at the last time seen.
func (p *Port) Ready() bool {
	return !p.busy && !p.commit && ringBytes-p.pending >= 512
}

// Failed tells whether ERROR was set at the last time seen.
func (p *Port) Failed() bool { return p.err }

// ReadyAt is the time at which READY will be set when nothing more is
// written, for callers that can skip the wait. With a job running it is now.
func (p *Port) ReadyAt() uint64 {
	if p.rate == 0 || p.busy || p.Ready() {
		return p.now
	}
	need := uint64(0)
	pending := p.pending
	for _, b := range p.queue {
		if !p.commit && ringBytes-pending >= 512 {
			break
		}
		need += uint64(b.n) * p.clock
		pending -= b.n
	}
	if need <= p.credit {
		return p.now
	}
	return p.now + (need-p.credit+p.rate-1)/p.rate
}

// put takes one data byte.
func (p *Port) put(v byte) {
	a := p.ptr
	p.ptr = (p.ptr + 1) & 0xFFFFFFF
	if p.pending >= ringBytes {
		p.Lost++
		p.err = true
		p.flush() // what follows is no longer adjacent
		return
	}
	if p.cur.n == 0 {
		p.cur.addr = a
	}
	p.cur.data[p.cur.n] = v
	p.cur.n++
	p.pending++
	if p.ptr%blockBytes == 0 {
		p.flush()
	}
}

// flush sends the block under the pointer on its way.
func (p *Port) flush() {
	if p.cur.n == 0 {
		return
	}
	if len(p.queue) == 0 {
		p.credit = 0 // an idle bus saves no time up
	}
	p.queue = append(p.queue, p.cur)
	p.cur.n = 0
	if p.rate == 0 {
		p.drainAll()
	}
}

// advance lets time pass.
func (p *Port) advance(now uint64) {
	if now <= p.now {
		return
	}
	d := now - p.now
	p.now = now
	if len(p.queue) == 0 {
		return
	}
	if d > ringBytes*p.clock/max(p.rate, 1)+1 {
		p.drainAll()
		return
	}
	p.credit += d * p.rate
	for len(p.queue) > 0 && p.credit >= uint64(p.queue[0].n)*p.clock {
		p.credit -= uint64(p.queue[0].n) * p.clock
		p.store()
	}
}

func (p *Port) drainAll() {
	for len(p.queue) > 0 {
		p.store()
	}
}

// store writes the oldest block to RAM.
func (p *Port) store() {
	b := &p.queue[0]
	if err := p.mem.Write(b.addr, b.data[:b.n]); err != nil {
		p.err = true
	} else {
		p.Stored += uint64(b.n)
		if p.OnWrite != nil {
			p.OnWrite(b.addr, b.n)
		}
	}
	p.pending -= b.n
	p.queue = append(p.queue[:0], p.queue[1:]...)
	if len(p.queue) == 0 {
		p.commit = false
		p.credit = 0
	}
}
