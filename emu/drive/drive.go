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
	"unicode/utf8"

	"ssnail-kit/emu/machine"
	"ssnail-kit/emu/screen"
)

// Limit is how long a run without an end of its own may take, in emulated time.
const Limit = 300 * time.Second

// settle is how long an echo may take, in emulated time.
const settle = 60 * time.Millisecond

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
	// Served runs have a serial monitor: they do not end by themselves.
	Served bool

	watch  *watcher      // of the step's text
	until  *watcher      // of Until
	resume time.Duration // end of a pause
}

// Do runs to the end. An error means that the machine broke down or a picture
// could not be saved.
func (r *Run) Do(ctx context.Context) (End, error) {
	for ctx.Err() == nil {
		if err := r.M.RunFrame(); err != nil {
			return Cut, err
		}
		if end, done, err := r.check(); done || err != nil {
			return end, err
		}
	}
	return Cut, nil
}

// check looks at the machine after a frame: it does the next steps and tells
// whether the run is over.
func (r *Run) check() (end End, done bool, err error) {
	if r.Frame != nil {
		r.Frame(r.M)
	}
	switch r.M.Stopped() {
	case machine.HasExited:
		return Exited, true, nil
	case machine.AtBreak:
		return AtBreak, true, nil
	}
	now := r.M.Time()
	if r.For > 0 && now >= r.For {
		return TimeUp, true, nil
	}
	if r.For == 0 && !r.Served && now >= Limit {
		if len(r.Steps) > 0 {
			return StepLost, true, nil
		}
		return TooLong, true, nil
	}
	if err := r.steps(now); err != nil {
		return Cut, false, err
	}
	if len(r.Steps) > 0 || now < r.resume || r.M.KeysPending() > 0 {
		return 0, false, nil
	}
	if r.Until != "" {
		if r.until == nil { // nothing was typed: the whole screen counts
			r.until = &watcher{text: r.Until}
		}
		if r.until.seen(r.M.Screen()) {
			return Found, true, nil
		}
	}
	if (r.UntilIdle || r.For == 0 && r.Until == "" && !r.Served) && r.M.Idle() {
		return Idle, true, nil
	}
	return 0, false, nil
}

// steps does what can be done now: up to the next keys, pause or text that has
// not come.
func (r *Run) steps(now time.Duration) error {
	if now < r.resume || r.M.KeysPending() > 0 {
		r.watch = nil
		return nil
	}
	for len(r.Steps) > 0 {
		s := r.Steps[0]
		if s.Wait != "" {
			if r.watch == nil {
				r.watch = &watcher{text: s.Wait}
			}
			if !r.watch.seen(r.M.Screen()) {
				return nil
			}
			r.watch = nil
		}
		r.Steps = r.Steps[1:]
		switch {
		case s.Picture != "":
			if err := r.Picture(s.Picture, r.M.Screen()); err != nil {
				return err
			}
		case len(s.Keys) > 1 && len(r.Steps) == 0 && r.Until != "":
			// The last key alone, so that what it makes appear can be told
			// from the echo of the others.
			last := len(s.Keys) - 1
			r.M.TypeKeys(s.Keys[:last]...)
			r.Steps = []Step{{Pause: settle}, {Keys: s.Keys[last:]}}
			return nil
		case len(s.Keys) > 0:
			if len(r.Steps) == 0 && r.Until != "" {
				r.until = newWatcher(r.Until, r.M.Screen())
			}
			r.M.TypeKeys(s.Keys...)
			return nil
		case s.Pause > 0:
			r.resume = now + s.Pause
			return nil
		}
	}
	return nil
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

// occurrences counts text on the screen. A text may go on over the end of a
// row, with or without a blank there; blanks at its own ends count.
func occurrences(t *screen.Text, text string) int {
	whole := make([]string, t.Rows)
	cut := make([]string, t.Rows)
	for y := range whole {
		cut[y] = t.Line(y)
		whole[y] = cut[y] + strings.Repeat(" ", max(0, t.Cols-utf8.RuneCountInString(cut[y])))
	}
	n := strings.Count(strings.Join(whole, "\n"), text)
	if !strings.Contains(text, "\n") {
		n = max(n, strings.Count(strings.Join(cut, " "), text), strings.Count(strings.Join(cut, ""), text))
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
