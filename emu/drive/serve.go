package drive

import (
	"context"
	"errors"
	"io"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
)

// errOver ends a served run from inside.
var errOver = errors.New("the run is over")

// Serve is Do in real time with a serial monitor at line. Without For, Until
// or UntilIdle it ends with the context only.
func (r *Run) Serve(ctx context.Context, mon *machine.Monitor, line io.ReadWriter) (End, error) {
	r.Served = true
	end := Cut
	frames := r.M.Stats().Frames
	err := mon.Serve(ctx, line, func(d time.Duration) error {
		if err := mon.RunMachine(d); err != nil {
			return err
		}
		if f := r.M.Stats().Frames; f == frames && r.M.Stopped() == machine.Running {
			return nil
		} else {
			frames = f
		}
		e, done, err := r.check()
		if done {
			end = e
			return errOver
		}
		return err
	})
	if errors.Is(err, errOver) {
		err = nil
	}
	return end, err
}

// ServeInteractive is Interactive with a serial monitor at line.
func ServeInteractive(ctx context.Context, m *machine.Machine, mon *machine.Monitor, line io.ReadWriter, in io.Reader, term *screen.Terminal) error {
	keys := make(chan []byte)
	done := make(chan struct{})
	defer close(done)
	go readKeys(in, keys, done)
	var rest []byte
	frames := m.Stats().Frames
	err := mon.Serve(ctx, line, func(d time.Duration) error {
		if err := mon.RunMachine(d); err != nil {
			return err
		}
		select {
		case b, ok := <-keys:
			if !ok {
				return errOver
			}
			codes, left, quit := Decode(append(rest, b...))
			rest = left
			if quit {
				return errOver
			}
			m.TypeKeys(codes...)
		default:
		}
		if f := m.Stats().Frames; f != frames {
			frames = f
			return term.Draw(m.Screen())
		}
		return nil
	})
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}
