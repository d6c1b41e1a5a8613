// Package drive runs an emulated MEGA65 as a person would: it types keys when
// the program takes them, waits for texts on the screen, takes pictures, and
// knows when a run is over. script.go reads key files, interactive.go connects
// a terminal.
package drive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
)

// Limit is how long a run without an end of its own may take, in emulated time.
const Limit = 300 * time.Second

// End says why a run is over.
type End int

// The ends of a run.
const (
	Idle     End = iota // the program waits for a key and none is left
	TimeUp              // Run.For has passed
	Found               // Run.Until is on the screen
	TooLong             // Limit passed, or the text never came
	Exited              // a test program ended the run
	AtBreak             // a breakpoint
	Cut                 // the context was cancelled
	StepLost            // a wait of the key file was not fulfilled
)

// Run is one run without a terminal.
type Run struct {
	M     *machine.Machine
	Steps []Step        // what to type and to wait for
	For   time.Duration // stop after this emulated time, 0 = no
	Until string        // stop when this text appears after the last key
	// UntilIdle ends a run at idle even if For or Until is set.
	UntilIdle bool
	// Picture saves a screen that a step asks for.
	Picture func(name string, t *screen.Text) error
	// Frame is called after each frame; nil = nothing.
	Frame func(m *machine.Machine)
}

// Do runs to the end. An error means that the machine broke down or a picture
// could not be saved.
func (r *Run) Do(ctx context.Context) (End, error) {
	steps := r.Steps
	var watch *watcher       // of the step's text, or of Until
	var resume time.Duration // end of a pause
	for {
		if ctx.Err() != nil {
			return Cut, nil
		}
		if err := r.M.RunFrame(); err != nil {
			return Cut, err
		}
		if r.Frame != nil {
			r.Frame(r.M)
		}
		switch r.M.Stopped() {
		case machine.HasExited:
			return Exited, nil
		case machine.AtBreak:
			return AtBreak, nil
		}
		now := r.M.Time()
		if r.For > 0 && now >= r.For {
			return TimeUp, nil
		}
		if r.For == 0 && now >= Limit {
			if len(steps) > 0 {
				return StepLost, nil
			}
			return TooLong, nil
		}
		if now < resume || r.M.KeysPending() > 0 {
			watch = nil
			continue
		}
		for len(steps) > 0 {
			s := steps[0]
			if s.Wait != "" {
				if watch == nil {
					watch = &watcher{text: s.Wait}
				}
				if !watch.seen(r.M.Screen()) {
					break
				}
				watch = nil
			}
			steps = steps[1:]
			if s.Picture != "" {
				if err := r.Picture(s.Picture, r.M.Screen()); err != nil {
					return Cut, err
				}
			}
			if len(s.Keys) > 0 {
				r.M.TypeKeys(s.Keys...)
				break
			}
			if s.Pause > 0 {
				resume = now + s.Pause
				break
			}
		}
		if len(steps) > 0 || now < resume || r.M.KeysPending() > 0 {
			continue
		}
		if r.Until != "" {
			if watch == nil {
				watch = newWatcher(r.Until, r.M.Screen())
			}
			if watch.seen(r.M.Screen()) {
				return Found, nil
			}
		}
		if (r.UntilIdle || r.For == 0 && r.Until == "") && r.M.Idle() {
			return Idle, nil
		}
	}
}

// watcher sees a text appear. What was on the screen when watching began does
// not count, even while it scrolls.
type watcher struct {
	text string
	base int // occurrences that were there
}

func newWatcher(text string, now *screen.Text) *watcher {
	return &watcher{text: text, base: occurrences(now, text)}
}

func (w *watcher) seen(t *screen.Text) bool {
	n := occurrences(t, w.text)
	if n > w.base {
		return true
	}
	w.base = n
	return false
}

// occurrences counts text on the screen; a text may go on over the end of a
// row, with or without a blank there.
func occurrences(t *screen.Text, text string) int {
	rows := make([]string, t.Rows)
	for y := range rows {
		rows[y] = t.Line(y)
	}
	n := strings.Count(strings.Join(rows, "\n"), text)
	if !strings.Contains(text, "\n") {
		n = max(n, strings.Count(strings.Join(rows, " "), text), strings.Count(strings.Join(rows, ""), text))
	}
	return n
}

// Explain is the line for a run that did not end well, "" for one that did.
func (e End) Explain(r *Run) string {
	switch e {
	case TooLong:
		if r.Until != "" {
			return fmt.Sprintf("the text %q did not appear within %v of emulated time", r.Until, Limit)
		}
		return fmt.Sprintf("the program was still busy after %v of emulated time", Limit)
	case StepLost:
		return fmt.Sprintf("a text that the key file waits for did not appear within %v of emulated time", Limit)
	case Cut:
		return "interrupted"
	}
	return ""
}
