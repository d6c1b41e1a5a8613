package push

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"ssnail-kit/firmware"
	"ssnail-kit/mega65/monitor"
)

// receiver is the program of firmware/src/receiver.s in the machine, seen from
// the PC.
type receiver struct {
	c   *monitor.Conn
	sym map[string]uint32
	prg *firmware.Program

	slots   []slot
	next    byte // number of the next job
	careful bool // the CPU stands still while a block is loaded
	garbled int  // blocks that did not arrive as they were sent
	resent  int
	lost    int // failures of the line since a block last worked
	done    func(b *block)
}

// slot is one of the receiver's places for blocks.
type slot struct {
	seq byte   // job that it is working on, 0 = free
	b   *block // the same
}

// block is a piece of data and where it goes, or memory to be checked.
type block struct {
	addr  uint32
	data  []byte
	flags byte
	probe bool // a check: a difference is an answer
	tries int
}

const (
	jobBytes = 16
	// BlockBytes is how long blocks are: as long as a slot takes, in whole
	// blocks of the load port.
	BlockBytes = 127 * 256

	blockTries = 4 // how often a block may fail
	lineTries  = 4 // how often in a row the line may fail
	mostLost   = 3 // garbled blocks after which the CPU is halted for each load
)

// Results of a job, as the receiver's DONE, BAD_LINE ...
const (
	jobDone = iota
	jobBadLine
	jobNotReady
	jobPortError
	jobBadMemory
	jobBad
)

func newReceiver(c *monitor.Conn) (*receiver, error) {
	prg, err := firmware.Build(firmware.Options{Root: firmware.Receiver})
	if err != nil {
		return nil, err
	}
	r := &receiver{c: c, sym: prg.Symbols, prg: prg, next: 1, done: func(*block) {}}
	r.slots = make([]slot, r.at("SLOT_COUNT"))
	return r, nil
}

// at is the value of a symbol of the receiver's source.
func (r *receiver) at(name string) uint32 {
	v, ok := r.sym[name]
	if !ok {
		panic("push: the receiver has no symbol " + name)
	}
	return v
}

// end is the first address behind a slot.
func (r *receiver) end(slot int) uint32 {
	return r.at("SLOT_JOBS") + jobBytes + uint32(slot)*r.at("SLOT_STEP")
}

// install loads the receiver into a halted machine and compares what arrived.
func (r *receiver) install(ctx context.Context) error {
	code, at := r.prg.PRG[2:], uint32(r.prg.Load)
	for try := range blockTries {
		if err := r.c.Load(ctx, at, code, nil); err != nil {
			return err
		}
		got, err := r.c.Read(ctx, at, len(code))
		if err != nil {
			return err
		}
		if string(got) == string(code) {
			return r.c.Set(ctx, r.at("RX_STATUS"), make([]byte, 16)...)
		}
		if try+1 == blockTries {
			i := firstDifference(got, code)
			return fmt.Errorf("the receiver arrives damaged, %d times: $%04X holds $%02X, want $%02X: is that RAM, is the line sound?",
				blockTries, int(at)+i, got[i], code[i])
		}
	}
	return nil
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return 0
}

// start lets the receiver run from one of its entries and waits until it is
// ready.
func (r *receiver) start(ctx context.Context, entry string) error {
	if err := r.c.SetPC(ctx, uint16(r.at(entry))); err != nil {
		return err
	}
	if err := r.c.Run(ctx); err != nil {
		return err
	}
	limit := r.c.Now().Add(r.c.Limit())
	for {
		st, err := r.c.Read(ctx, r.at("RX_STATUS"), 16)
		if err != nil {
			return err
		}
		if string(st[:4]) == "SSRV" {
			if v := r.at("RX_VERSION"); uint32(st[4]) != v {
				return fmt.Errorf("the receiver says it is version %d, want %d", st[4], v)
			}
			return nil
		}
		if r.c.Now().After(limit) {
			return fmt.Errorf("the receiver does not start within %v: its status at $%04X is % x; --reset starts the machine anew first",
				r.c.Limit(), r.at("RX_STATUS"), st)
		}
	}
}

// job is what is loaded into the end of a slot: the block and its description.
func (r *receiver) job(b *block, seq byte) []byte {
	var j [jobBytes]byte
	binary.LittleEndian.PutUint32(j[0:], b.addr)
	binary.LittleEndian.PutUint32(j[4:], uint32(len(b.data)))
	j[7] = b.flags
	binary.LittleEndian.PutUint32(j[8:], crc32.ChecksumIEEE(b.data))
	binary.LittleEndian.PutUint16(j[12:], uint16(crc32.ChecksumIEEE(j[:12])))
	j[14], j[15] = ^seq, seq
	if b.flags&byte(r.at("JOB_CHECK")) != 0 {
		return j[:]
	}
	return append(append(make([]byte, 0, len(b.data)+jobBytes), b.data...), j[:]...)
}

// send does all blocks, several at a time; it returns when the last is verified
// or one has failed for good.
func (r *receiver) send(ctx context.Context, blocks []*block) error {
	var again []*block
	n := 0
	for {
		var b *block
		switch {
		case len(again) > 0:
			b, again = again[0], again[1:]
		case len(blocks) > 0:
			b, blocks = blocks[0], blocks[1:]
		default:
			// Nothing left to send: wait for what is under way.
			i := r.busySlot()
			if i < 0 {
				return nil
			}
			failed, err := r.wait(ctx, i)
			if err != nil {
				return err
			}
			again = append(again, failed...)
			continue
		}
		i := n % len(r.slots)
		n++
		if r.slots[i].seq != 0 {
			failed, err := r.wait(ctx, i)
			again = append(again, failed...)
			if err != nil {
				return err
			}
		}
		failed, err := r.load(ctx, i, b)
		again = append(again, failed...)
		if err != nil {
			return err
		}
	}
}

// check asks whether memory holds the block already.
func (r *receiver) check(ctx context.Context, b *block) (bool, error) {
	c := &block{addr: b.addr, data: b.data, flags: byte(r.at("JOB_CHECK")), probe: true}
	done := r.done
	r.done = func(*block) {}
	defer func() { r.done = done }()
	err := r.send(ctx, []*block{c})
	var m *MemoryError
	if asMemory(err, &m) {
		return false, nil
	}
	return err == nil, err
}

func (r *receiver) busySlot() int {
	for i := range r.slots {
		if r.slots[i].seq != 0 {
			return i
		}
	}
	return -1
}

// load puts a block into a free slot. It returns blocks that have to be sent
// again, this one perhaps among them.
func (r *receiver) load(ctx context.Context, i int, b *block) (failed []*block, err error) {
	seq := r.next
	if r.next++; r.next == 0 {
		r.next = 1
	}
	data := r.job(b, seq)
	at := r.end(i) - uint32(len(data))
	var status []byte
	if r.careful {
		status, err = r.loadHalted(ctx, at, data)
	} else {
		status, err = r.c.LoadAfter(ctx, r.at("RX_STATUS"), at, data)
	}
	if err == nil {
		failed, err = r.results(status)
		r.slots[i] = slot{seq, b}
		r.lost = 0
		return failed, err
	}
	if !monitor.Recoverable(err) {
		return nil, err
	}
	if r.lost++; r.lost >= lineTries {
		return nil, fmt.Errorf("the line failed %d times in a row: %w", r.lost, err)
	}
	if e := r.c.Sync(ctx); e != nil {
		return nil, e
	}
	r.slots[i] = slot{seq, b} // the whole block may have arrived all the same
	return r.settle(ctx, i)
}

func (r *receiver) loadHalted(ctx context.Context, at uint32, data []byte) ([]byte, error) {
	if err := r.c.Halt(ctx); err != nil {
		return nil, err
	}
	status, err := r.c.LoadAfter(ctx, r.at("RX_STATUS"), at, data)
	if err != nil {
		return nil, err
	}
	return status, r.c.Run(ctx)
}

// settle finds out what becomes of a slot whose job may or may not have arrived
// whole: it is done, or has to be sent again.
func (r *receiver) settle(ctx context.Context, i int) ([]*block, error) {
	if r.careful { // it may have been left halted
		if err := r.c.Run(ctx); err != nil {
			return nil, err
		}
	}
	for limit := r.c.Now().Add(r.jobLimit()); ; {
		b, err := r.c.Read(ctx, r.end(i)-1, 1)
		if err != nil {
			return nil, err
		}
		if b[0] == 0 {
			break
		}
		if r.c.Now().After(limit) {
			return nil, r.stuck(i)
		}
	}
	failed, err := r.look(ctx)
	if s := r.slots[i]; err == nil && s.seq != 0 { // the slot is empty, and nobody worked on that job
		r.slots[i] = slot{}
		failed = append(failed, s.b)
		err = r.damaged(s.b, jobBad)
	}
	return failed, err
}

// wait waits until a slot is free and returns blocks to be sent again.
func (r *receiver) wait(ctx context.Context, i int) ([]*block, error) {
	failed, err := r.look(ctx)
	if err != nil || r.slots[i].seq == 0 {
		return failed, err
	}
	more, err := r.settle(ctx, i)
	return append(failed, more...), err
}

// look reads the receiver's status.
func (r *receiver) look(ctx context.Context) ([]*block, error) {
	st, err := r.c.Read(ctx, r.at("RX_STATUS"), 16)
	if err != nil {
		return nil, err
	}
	return r.results(st)
}

// jobLimit is how long the receiver may work on a job: 32 KB take it 0.1 s, and
// three others may come first.
func (r *receiver) jobLimit() time.Duration { return r.c.Limit() + 3*time.Second }

func (r *receiver) stuck(i int) error {
	return fmt.Errorf("the receiver does not finish block $%07X in slot %d within %v: has the machine been reset or stopped?",
		r.slots[i].b.addr, i, r.jobLimit())
}

// results takes the receiver's status. Blocks that were damaged on the way are
// to be sent again; what cannot be mended is an error.
func (r *receiver) results(st []byte) (failed []*block, err error) {
	if string(st[:4]) != "SSRV" {
		return nil, fmt.Errorf("the receiver is gone: its status at $%04X is % x; has the machine been reset?", r.at("RX_STATUS"), st)
	}
	for i := range r.slots {
		s := r.slots[i]
		if s.seq == 0 || st[8+2*i] != s.seq {
			continue
		}
		r.slots[i] = slot{}
		result := st[9+2*i]
		if result == jobDone {
			r.done(s.b)
			continue
		}
		switch {
		case result == jobNotReady:
			return failed, fmt.Errorf("SSNAIL's load port does not get READY at $%07X: does a job run?", s.b.addr)
		case result == jobPortError:
			return failed, fmt.Errorf("SSNAIL's load port reports an error for block $%07X-$%07X: no RAM there, or bytes were lost",
				s.b.addr, s.b.addr+uint32(len(s.b.data))-1)
		case result == jobBadMemory && (s.b.probe || s.b.tries+1 >= blockTries):
			return failed, &MemoryError{Addr: s.b.addr, Bytes: len(s.b.data), Tries: s.b.tries + 1}
		}
		if err := r.damaged(s.b, result); err != nil {
			return failed, err
		}
		failed = append(failed, s.b)
	}
	return failed, nil
}

// damaged counts a block that has to be sent again; too often is an error.
func (r *receiver) damaged(b *block, result byte) error {
	if b.tries++; b.tries >= blockTries {
		return fmt.Errorf("block $%07X-$%07X arrived damaged %d times (receiver's result %d): is the line sound? a lower --baud may help",
			b.addr, b.addr+uint32(len(b.data))-1, b.tries, result)
	}
	r.resent++
	if result != jobBadMemory {
		if r.garbled++; r.garbled >= mostLost {
			r.careful = true
		}
	}
	return nil
}
