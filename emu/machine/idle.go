package machine

// idleGap is the longest time, in ticks, between two looks at the keyboard or
// at a clock for which a program still counts as waiting: 0.4 ms. A cursor that
// blinks stays below it, a program that computes and asks for a STOP key now
// and then does not.
const idleGap = 16_200

// idleFrames is how many frames in a row must be like that.
const idleFrames = 3

// idleRule watches whether the program does nothing but poll the keyboard.
type idleRule struct {
	last   uint64 // tick of the last look
	gap    uint64 // longest in this frame
	polls  int    // looks at the keyboard in this frame
	worked bool   // a device was given work in this frame
	quiet  int    // frames in a row
}

// look notes that the program read a clock: it may be waiting for one.
func (r *idleRule) look(now uint64) {
	if g := now - r.last; g > r.gap {
		r.gap = g
	}
	r.last = now
}

// poll notes that it looked for a key and there was none.
func (r *idleRule) poll(now uint64) {
	r.look(now)
	r.polls++
}

func (r *idleRule) work() { r.worked = true }

func (r *idleRule) frame(m *Machine) {
	r.look(m.now())
	if r.polls > 0 && !r.worked && r.gap <= idleGap && m.KeysPending() == 0 && !m.ssn.busy(m.now()) {
		r.quiet++
	} else {
		r.quiet = 0
	}
	r.gap, r.polls, r.worked = 0, 0, false
}

// Idle reports the rule for runs without an end of their own: all typed input
// is taken, SSNAIL is not busy, and for three frames the program did nothing
// but poll the keyboard.
func (m *Machine) Idle() bool {
	return m.idle.quiet >= idleFrames && m.KeysPending() == 0
}
