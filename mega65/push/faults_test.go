package push

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"testing"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/monitor"
)

// faulty is a line that misbehaves. The hooks see what passes; sent counts from
// the first byte on.
type faulty struct {
	*wire
	mu       sync.Mutex
	sent     int
	write    func(at int, p []byte) ([]byte, error) // what goes on instead of p
	read     func(p []byte) []byte                  // what arrives instead of p
	one      bool                                   // one byte a read
	pause    time.Duration                          // before each read
	deaf     bool                                   // nothing arrives
	blocked  chan struct{}                          // writes wait for it
	leftover []byte
}

func (f *faulty) wait(d time.Duration) {
	for end := f.g.now + d; f.g.now < end; {
		f.g.step()
	}
}

func (f *faulty) Write(p []byte) (int, error) {
	if f.blocked != nil {
		<-f.blocked
		return 0, io.ErrClosedPipe
	}
	f.mu.Lock()
	at := f.sent
	f.sent += len(p)
	f.mu.Unlock()
	q := p
	if f.write != nil {
		var err error
		if q, err = f.write(at, bytes.Clone(p)); err != nil {
			return 0, err
		}
	}
	if _, err := f.wire.Write(q); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *faulty) Read(p []byte) (int, error) {
	if f.pause > 0 {
		f.wait(min(f.pause, f.timeout))
		if f.timeout < f.pause {
			f.pause -= f.timeout
			return 0, nil
		}
		f.pause = time.Second
	}
	if f.deaf {
		f.wait(f.timeout)
		return 0, nil
	}
	if len(f.leftover) == 0 {
		n, err := f.wire.Read(p)
		if n == 0 || err != nil {
			return n, err
		}
		f.leftover = bytes.Clone(p[:n])
		if f.read != nil {
			f.leftover = f.read(f.leftover)
		}
	}
	n := len(f.leftover)
	if f.one {
		n = min(n, 1)
	}
	n = copy(p, f.leftover[:n])
	f.leftover = f.leftover[n:]
	return n, nil
}

// within makes a write hook that changes what passes at some byte of the line,
// once for each of the places.
func within(change func(p []byte, i int) []byte, places ...int) func(int, []byte) ([]byte, error) {
	return func(at int, p []byte) ([]byte, error) {
		for k, place := range places {
			if place >= at && place < at+len(p) {
				places[k] = -1
				p = change(p, place-at)
			}
		}
		return p, nil
	}
}

func TestFaults(t *testing.T) {
	flip := func(p []byte, i int) []byte { p[i] ^= 0x10; return p }
	drop := func(p []byte, i int) []byte { return append(p[:i], p[min(i+3, len(p)):]...) }
	add := func(p []byte, i int) []byte { return append(append(bytes.Clone(p[:i]), 0xFF), p[i:]...) }
	short := monitor.Options{Wait: 200 * time.Millisecond}
	var release chan struct{}
	for _, c := range []struct {
		name   string
		line   func(f *faulty)
		opt    monitor.Options
		want   string // of the error, "" = the push works
		is     error
		resent int // at least, when it works
	}{
		{name: "sound", line: func(f *faulty) {}},
		{name: "silent", line: func(f *faulty) { f.deaf = true }, opt: short, is: monitor.ErrTimeout,
			want: `synchronise: no answer at byte \d+ sent, 0 received: expected "#.*" within 200ms, found nothing`},
		{name: "one byte a second", line: func(f *faulty) { f.one, f.pause = true, time.Second }, opt: short, is: monitor.ErrTimeout,
			want: `synchronise: no answer at byte \d+ sent, \d received`},
		{name: "takes no bytes", line: func(f *faulty) { release = make(chan struct{}); f.blocked = release }, opt: short, is: monitor.ErrTimeout,
			want: `synchronise: no answer at byte 0 sent, .*: expected the line to take bytes`},
		{name: "garbage echo", line: func(f *faulty) {
			f.read = func(p []byte) []byte {
				for i := range p {
					p[i] = p[i]&0x5F | 1
				}
				return p
			}
		}, opt: short, is: monitor.ErrTimeout, want: `synchronise: no answer at byte \d+ sent, \d+ received: expected`},
		{name: "prompt split over reads", line: func(f *faulty) { f.one = true }},
		{name: "closes before anything", line: func(f *faulty) { f.write = func(int, []byte) ([]byte, error) { return nil, io.EOF } },
			is: monitor.ErrClosed, want: `synchronise: the line was closed at byte 0 sent`},
		{name: "closes mid block", line: func(f *faulty) {
			f.write = func(at int, p []byte) ([]byte, error) {
				if at+len(p) > 20_000 {
					return nil, io.EOF
				}
				return p, nil
			}
		}, is: monitor.ErrClosed, want: `load \d+ bytes to \$004[0-9A-F]+: the line was closed at byte \d+ sent, \d+ received; the line is gone, .* 0 of 39998 bytes verified there`},
		{name: "wrong byte in a block", line: func(f *faulty) { f.write = within(flip, 20_000) }, resent: 1},
		{name: "wrong bytes in two blocks", line: func(f *faulty) { f.write = within(flip, 20_000, 38_000) }, resent: 2},
		{name: "drops bytes once", line: func(f *faulty) { f.write = within(drop, 20_000) }, resent: 1},
		{name: "drops bytes of the receiver", line: func(f *faulty) { f.write = within(drop, 1200) }},
		{name: "a byte too many", line: func(f *faulty) { f.write = within(add, 20_000) }, resent: 1},
		{name: "garbles one reply", line: func(f *faulty) {
			n := 0
			f.read = func(p []byte) []byte {
				if n += len(p); n > 3000 && n-len(p) <= 3000 {
					p[0] ^= 0x20
				}
				return p
			}
		}},
		{name: "damages every block", line: func(f *faulty) {
			f.write = func(at int, p []byte) ([]byte, error) {
				if len(p) == 4096 {
					p[2000] ^= 1
				}
				return p, nil
			}
		}, want: `arrived damaged 4 times .*; the machine is halted, 0 of 39998 bytes verified there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
			f := &faulty{wire: &wire{g: g}}
			c.line(f)
			c.opt.Now = g.clock
			rep, err := Serial(limited(t), monitor.New(f, c.opt), Job{Program: standIn(), NoRun: true})
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && err == nil:
				t.Fatalf("it worked, want %q", c.want)
			case c.want != "":
				if ok, _ := regexp.MatchString(c.want, err.Error()); !ok {
					t.Errorf("got  %v\nwant %s", err, c.want)
				}
				if c.is != nil && !errors.Is(err, c.is) {
					t.Errorf("the error is no %v", c.is)
				}
			default:
				if rep.Resent < c.resent {
					t.Errorf("%d blocks sent again, want %d", rep.Resent, c.resent)
				}
				if got := g.peek(hw.BASICStart, len(standIn())-2); !bytes.Equal(got, standIn()[2:]) {
					t.Errorf("the program in memory differs at $%04X", hw.BASICStart+firstDifference(got, standIn()[2:]))
				}
			}
			if release != nil && c.name == "takes no bytes" {
				close(release)
			}
		})
	}
}

// A line that loses bytes while the CPU runs is used with the CPU halted.
func TestCareful(t *testing.T) {
	g := newTarget(t, machine.Options{}, machine.MonitorOptions{Baud: 8_000_000})
	f := &faulty{wire: &wire{g: g}}
	halted := false
	f.write = func(at int, p []byte) ([]byte, error) {
		switch {
		case bytes.HasPrefix(p, []byte("t1\r")):
			halted = true
		case bytes.HasPrefix(p, []byte("t0\r")):
			halted = false
		case len(p) == 4096 && !halted:
			p[100] ^= 0x40
		}
		return p, nil
	}
	rep, err := Serial(limited(t), monitor.New(f, monitor.Options{Now: g.clock}), Job{Program: standIn(), Image: madeImage(t, 200_000), NoRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Careful || rep.Resent < mostLost {
		t.Errorf("careful %v, %d blocks sent again", rep.Careful, rep.Resent)
	}
}

// BenchmarkPush measures, in simulated time, the transfer over a line of 2,000,000 baud with a
// latency of 1 ms in each direction: bytes a second, and the share of the
// line's 200,000. The PC answers at once; a real one takes a part of a millisecond.
func BenchmarkPush(b *testing.B) {
	for _, kb := range []int{512, 4096} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			benchmarkPush(b, kb<<10)
		})
	}
}

func benchmarkPush(b *testing.B, payload int) {
	img := madeImage(b, payload)
	var rate float64
	for range b.N {
		g := newTarget(b, machine.Options{}, machine.MonitorOptions{Latency: time.Millisecond})
		rep, err := Serial(limited(b), g.connect(), Job{Program: standIn(), Image: img, NoRun: true})
		if err != nil {
			b.Fatal(err)
		}
		if rep.Resent != 0 {
			b.Errorf("%d blocks sent again", rep.Resent)
		}
		rate += rep.Line.Rate()
	}
	b.ReportMetric(rate/float64(b.N), "bytes/s")
	b.ReportMetric(rate/float64(b.N)/2000, "%line")
}
