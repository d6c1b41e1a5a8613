package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/monitor"
)

// Job is what a push brings to the machine.
type Job struct {
	Program []byte // a PRG; started at the end
	Image   []byte // an image file for SSNAIL, nil for none
	Line    string // a first line for the program, as Line made it

	Attic bool // copy the image into the RAM at $8000000 instead of using the load port
	NoRun bool // leave the machine halted in front of the program
	Reset bool // start the machine anew first

	Progress func(done, total int64) // bytes verified; nil = nobody asks
	Log      func(line string)       // a line for each step; nil likewise
}

// Report is what a push did.
type Report struct {
	Machine *Machine
	Bytes   int64 // sent and verified
	Present int64 // found in the machine already
	Resent  int   // blocks that had to be sent again
	Careful bool  // the CPU had to be halted for each block
	Elapsed time.Duration
	Line    LineUse
	State   string // of the machine, in words
	Next    string // what is to be done at the machine, "" = nothing
}

// LineUse is how the time of the transfer was spent.
type LineUse struct {
	Bytes   int64         // blocks with their jobs, as they went over the line
	Elapsed time.Duration // from the first to the last
}

// Rate is the transfer's speed in bytes a second.
func (u LineUse) Rate() float64 {
	if u.Elapsed <= 0 {
		return 0
	}
	return float64(u.Bytes) / u.Elapsed.Seconds()
}

// softwareNext tells what a pushed model needs on a machine without SSNAIL.
const softwareNext = "no SSNAIL in this machine: the program offers the software core, press RETURN there. " +
	"It takes it from the file SOFTCORE of the disk in drive 8; if it finds none, put one in that ssnail-kit disk MODEL.gguf has made, and push again"

// session is one push in progress.
type session struct {
	c     *monitor.Conn
	job   *Job
	prg   *program
	m     *Machine
	rx    *receiver
	bare  bool // the program lies over the frame: there is no way back from it
	frame frame

	done, total int64
	present     int64
	start       time.Time
	use         LineUse
}

// Serial pushes a job over the serial monitor. When it fails, or ctx ends it,
// the line is left in order and the error is a *Failure that names the
// machine's state; called again it goes on behind the last verified block.
func Serial(ctx context.Context, c *monitor.Conn, job Job) (*Report, error) {
	s := &session{c: c, job: &job, start: c.Now()}
	if job.Program == nil {
		return nil, errors.New("push: there is no program to start")
	}
	var err error
	if s.prg, err = parseProgram(job.Program); err != nil {
		return nil, err
	}
	var im *image.Image
	if job.Image != nil {
		if im, err = image.Open(bytes.NewReader(job.Image), int64(len(job.Image))); err != nil {
			return nil, err
		}
	}
	if s.rx, err = newReceiver(c); err != nil {
		return nil, err
	}
	if err := s.fits(); err != nil {
		return nil, err
	}
	if s.m, err = Identify(ctx, c); err != nil {
		return nil, err
	}
	s.log("%s", s.m)
	if err := s.possible(im); err != nil {
		return nil, err
	}
	if err := s.run(ctx); err != nil {
		return nil, s.leave(ctx, err)
	}
	return s.report(), nil
}

func (s *session) log(format string, args ...any) {
	if s.job.Log != nil {
		s.job.Log(fmt.Sprintf(format, args...))
	}
}

// fits compares the program with the places that a push needs itself.
func (s *session) fits() error {
	from, end := uint32(s.prg.load), uint32(s.prg.load)+uint32(len(s.prg.body))
	home := s.rx.at("FRAME_HOME")
	s.bare = from < home+s.rx.frameBytes() && end > home
	if s.bare && s.prg.entry == 0 {
		return fmt.Errorf("the BASIC program ends at $%04X: what is started by RUN must end below $%04X", end-1, home)
	}
	return nil
}

// possible says whether the machine can do the job, before anything is changed
// there.
func (s *session) possible(im *image.Image) error {
	if !s.m.Real {
		return withHint(errors.New("this is Xemu: its monitor has no bulk load"),
			"start xemu-xmega65 with -8 DISK.D81 or -prg PROGRAM, or use ssnail-kit emu")
	}
	if im == nil || s.job.Attic && !s.m.SSNAIL {
		return nil
	}
	if !s.m.SSNAIL {
		return withHint(fmt.Errorf("no SSNAIL in this machine: $%07X reads $%02X, want $%02X", hw.SSNAIL, s.m.ID, hw.SSNPresent),
			"load a core with SSNAIL; or let the software core run the model: ssnail-kit disk MODEL.gguf makes a disk that has it, start that (here: ssnail-kit emu --no-ssnail MODEL.d81); with such a disk in drive 8 push --attic works, too")
	}
	if need := (int(im.Header.MemNeeded) + 1<<20 - 1) >> 20; need > s.m.MemoryMB() {
		return withHint(fmt.Errorf("the model needs %d MB of memory, this machine's SSNAIL has %d", need, s.m.MemoryMB()),
			"convert with --mem-mb %d", s.m.MemoryMB())
	}
	return nil
}

func (s *session) run(ctx context.Context) error {
	if s.job.Reset {
		s.log("reset; BASIC may take up to %v", bootLimit)
		if err := s.c.Reset(ctx); err != nil {
			return err
		}
		if err := s.booted(ctx); err != nil {
			return err
		}
	}
	if err := s.takeOver(ctx); err != nil {
		return err
	}
	if err := s.transfer(ctx); err != nil {
		return err
	}
	return s.launch(ctx)
}

// transfer brings image and program into memory.
func (s *session) transfer(ctx context.Context) error {
	payload, header := s.imageBlocks()
	code := cut(uint32(s.prg.load), s.prg.body, 0)
	for _, list := range [][]*block{payload, header, code} {
		for _, b := range list {
			s.total += int64(len(b.data))
		}
	}
	s.rx.done = func(b *block) { s.progress(int64(len(b.data))) }
	n, err := s.verified(ctx, payload)
	if err != nil {
		return err
	}
	if n > 0 && n < len(payload) {
		s.log("going on behind $%07X: %d bytes are there already", payload[n].addr, s.present)
	}
	begin := s.c.Now()
	before, _ := s.c.Position()
	if n < len(payload) {
		// Without a header nobody takes half an image for a whole one.
		void := &block{addr: image.Base, data: make([]byte, image.HeaderSize), flags: header[0].flags}
		s.rx.done = func(*block) {}
		if err := s.rx.send(ctx, []*block{void}); err != nil {
			return err
		}
		s.rx.done = func(b *block) { s.progress(int64(len(b.data))) }
	}
	if err := s.rx.send(ctx, append(payload[n:], code...)); err != nil {
		return err
	}
	if err := s.rx.send(ctx, header); err != nil {
		return err
	}
	after, _ := s.c.Position()
	s.use = LineUse{after - before, s.c.Now().Sub(begin)}
	return nil
}

func (s *session) progress(n int64) {
	s.done += n
	if s.job.Progress != nil {
		s.job.Progress(s.done, s.total)
	}
}

// imageBlocks cuts the image into blocks: the payload, and the header, which
// goes last.
func (s *session) imageBlocks() (payload, header []*block) {
	if s.job.Image == nil {
		return nil, nil
	}
	flags := byte(0)
	if !s.job.Attic {
		flags = byte(s.rx.at("JOB_PORT"))
	}
	header = cut(image.Base, s.job.Image[:image.HeaderSize], flags)
	return cut(image.Payload, s.job.Image[image.HeaderSize:], flags), header
}

// cut makes blocks that cross no 1 MB line, where the machine's DMA would wrap.
func cut(addr uint32, data []byte, flags byte) (list []*block) {
	for len(data) > 0 {
		n := min(len(data), BlockBytes, 1<<20-int(addr&(1<<20-1)))
		list = append(list, &block{addr: addr, data: data[:n], flags: flags})
		addr += uint32(n)
		data = data[n:]
	}
	return list
}

// verified counts the blocks, from the first on, that memory holds already.
func (s *session) verified(ctx context.Context, blocks []*block) (int, error) {
	for i, b := range blocks {
		ok, err := s.rx.check(ctx, b)
		if err != nil || !ok {
			return i, err
		}
		s.present += int64(len(b.data))
		s.progress(int64(len(b.data)))
	}
	return len(blocks), nil
}

// leave puts line and machine into a known state after a failure.
func (s *session) leave(ctx context.Context, err error) error {
	f := &Failure{Err: err, Done: s.done, Total: s.total, remedy: "the same command again goes on from there; --reset starts the machine anew first"}
	if ctx.Err() != nil {
		f.Err = errors.New("interrupted")
	}
	if errors.Is(err, monitor.ErrClosed) {
		f.State = "the line is gone, the machine is as it was at that moment"
		return f
	}
	// Ctrl-C has ended ctx, yet the monitor must not be left inside a load.
	away, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*s.c.Limit()+time.Second)
	defer cancel()
	if e := s.c.Sync(away); e != nil {
		f.State = "the monitor no longer answers, so the machine's state is unknown"
		f.remedy = "switch the machine off and on, check the cable, and try again with a lower --baud"
		return f
	}
	if e := s.c.Halt(away); e != nil {
		f.State = "the machine could not be halted"
		return f
	}
	f.State = "the machine is halted"
	return f
}

func (s *session) report() *Report {
	state := "the program runs"
	switch {
	case s.job.NoRun && s.prg.entry == 0:
		state = "the machine is halted at the BASIC prompt with RUN typed; t0 in ssnail-kit monitor lets it go"
	case s.job.NoRun:
		state = fmt.Sprintf("the machine is halted in front of the program at $%04X; t0 in ssnail-kit monitor starts it", s.prg.entry)
	}
	next := ""
	if s.job.Image != nil && !s.m.SSNAIL {
		next = softwareNext
	}
	return &Report{
		Next:    next,
		Machine: s.m, Bytes: s.done - s.present, Present: s.present, Resent: s.rx.resent, Careful: s.rx.careful,
		Elapsed: s.c.Now().Sub(s.start), Line: s.use, State: state,
	}
}
