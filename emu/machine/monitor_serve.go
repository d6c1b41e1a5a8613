package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ssnail-kit/mega65/hw"
)

// serveTick is how often Serve looks at line and machine. One call to run them
// covers at most serveMost: a PC that falls behind makes the emulated machine
// slow rather than bursts on the line.
const (
	serveTick = time.Millisecond
	serveMost = 40 * time.Millisecond
)

// RunMachine lets the machine go on for d of emulated time, in raster lines,
// halted or not; what a line is too long is made up for in the next call. It
// returns early, and forgets the rest, if the machine stops for good or at a
// breakpoint of its options: see Machine.Stopped.
func (mon *Monitor) RunMachine(d time.Duration) error {
	m := mon.machine
	mon.due = max(mon.due, m.now()-min(m.now(), m.lineTicks)) + uint64(d)*hw.ClockHz/uint64(time.Second)
	for m.now() < mon.due {
		if m.stop != Running {
			mon.due = m.now()
			return nil
		}
		frame := m.frame(m.now())
		if m.slice(); m.frame(m.now()) != frame {
			m.endFrame()
		}
	}
	return nil
}

// Serve runs machine and monitor in real time, with line as the other end of
// the serial cable, until ctx is done or run or the line fails. run lets the
// machine go on for a time; RunMachine does. Serve does not close
// line; the caller closes it afterwards, which ends the goroutines that read
// and write it.
func (mon *Monitor) Serve(ctx context.Context, line io.ReadWriter, run func(time.Duration) error) error {
	in := make(chan []byte)
	failed := make(chan error, 2)
	out := make(chan []byte, 4096)
	done := make(chan struct{})
	defer close(done)
	defer close(out)
	go readLine(line, in, failed, done)
	go writeLine(line, out, failed)

	tick := time.NewTicker(serveTick)
	defer tick.Stop()
	last := time.Now()
	for {
		// Bytes are taken only as long as few wait: the other end's writes
		// block then, as they do on a real port.
		from := in
		if mon.Backlog() > 1<<14 {
			from = nil
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case p := <-from:
			mon.Receive(p)
			continue
		case now := <-tick.C:
			d := min(now.Sub(last), serveMost)
			last = now
			if d <= 0 {
				continue
			}
			if err := run(d); err != nil {
				return err
			}
			mon.Advance(d)
			if p := mon.Send(); len(p) > 0 {
				select {
				case out <- p:
				default: // nobody has read for seconds; a UART would lose it, too
				}
			}
		}
	}
}

func readLine(line io.Reader, in chan<- []byte, failed chan<- error, done <-chan struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := line.Read(buf)
		if n > 0 {
			select {
			case in <- append([]byte(nil), buf[:n]...):
			case <-done:
				return
			}
		}
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("serial monitor: the line was closed: %w", err)
		} else if err != nil {
			err = fmt.Errorf("serial monitor: read: %w", err)
		}
		if err != nil {
			failed <- err
			return
		}
	}
}

func writeLine(line io.Writer, out <-chan []byte, failed chan<- error) {
	for p := range out {
		if _, err := line.Write(p); err != nil {
			failed <- fmt.Errorf("serial monitor: write: %w", err)
			return
		}
	}
}
