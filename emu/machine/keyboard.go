package machine

import "ssnail-kit/mega65/hw"

// keyQueue is how many keys the hardware's queue holds.
const keyQueue = 5

// Modifier bits of $D60A and $D611.
const (
	modLShift = 1 << iota
	modRShift
	modCtrl
	modMega
	modAlt
	modNoScroll
	modCaps
)

type keyEvent struct {
	ascii, petscii, modifiers byte
}

// keyboard is the hardware's typing queue and what feeds it: the host's typed
// text and the virtual keys that a program or a monitor presses.
type keyboard struct {
	queue   []keyEvent
	typed   []byte // $D610 codes that wait for an empty queue
	wanted  bool   // the program has looked for a key since the last one was typed
	virtual [3]byte
	held    byte // modifiers now
}

func (k *keyboard) reset() {
	k.queue = k.queue[:0]
	k.virtual = [3]byte{hw.VirtualNone, hw.VirtualNone, hw.VirtualNone}
	k.held = 0
}

// press puts an event into the queue, unless it is full.
func (k *keyboard) press(e keyEvent) {
	if len(k.queue) < keyQueue {
		k.queue = append(k.queue, e)
	}
}

func (k *keyboard) pop() {
	if len(k.queue) > 0 {
		k.queue = append(k.queue[:0], k.queue[1:]...)
	}
}

func (k *keyboard) head() keyEvent {
	if len(k.queue) == 0 {
		return keyEvent{}
	}
	return k.queue[0]
}

// feedKey gives the next typed key to an empty queue, once the program has
// looked for one: a key typed before that would be lost to a program that
// empties the queue when it starts.
func (m *Machine) feedKey() {
	k := &m.keys
	if len(k.typed) == 0 || len(k.queue) > 0 || !k.wanted {
		return
	}
	k.wanted = false
	c := k.typed[0]
	k.typed = k.typed[1:]
	k.press(eventFor(c))
}

// eventFor is the event of a $D610 code typed on the keyboard.
func eventFor(c byte) keyEvent {
	e := keyEvent{ascii: c, petscii: c}
	switch {
	case 'a' <= c && c <= 'z':
		e.petscii = c - 0x20
	case 'A' <= c && c <= 'Z':
		e.petscii = c + 0x80
		e.modifiers = modLShift
	case c == hw.KeyUp, c == hw.KeyLeft, c == hw.KeyClear, c == hw.KeyInsert:
		e.modifiers = modLShift
	}
	return e
}

// readUART reads $D600-$D63F: keyboard and board id among others.
func (m *Machine) readUART(off uint32) byte {
	k := &m.keys
	switch off {
	case hw.KeyASCII & 0xFFF, hw.KeyPETSCII & 0xFFF, hw.KeyModifiersEv & 0xFFF:
		if len(k.queue) == 0 {
			m.idle.poll(m.now())
			k.wanted = true
			return 0
		}
		switch e := k.head(); off {
		case hw.KeyASCII & 0xFFF:
			return e.ascii
		case hw.KeyPETSCII & 0xFFF:
			return e.petscii
		default:
			return e.modifiers | 0x80
		}
	case hw.KeyModifiers & 0xFFF:
		m.idle.look(m.now())
		return k.held
	case hw.KeyFlags & 0xFFF:
		if m.opt.TestExit {
			return 0
		}
		return 0x20
	case hw.KeyVirtual1 & 0xFFF, hw.KeyVirtual2 & 0xFFF, hw.KeyVirtual3 & 0xFFF:
		return k.virtual[off-hw.KeyVirtual1&0xFFF]
	case hw.BoardID & 0xFFF:
		return byte(m.opt.Board)
	case 0x61A, 0x61F:
		return 0
	}
	if off < 0x608 {
		return 0 // serial port, nothing connected
	}
	m.warn("register $D%03X: reads as $FF", off)
	return 0xFF
}

// writeUART writes there.
func (m *Machine) writeUART(off uint32, v byte) {
	k := &m.keys
	switch off {
	case hw.KeyASCII & 0xFFF, hw.KeyPETSCII & 0xFFF:
		k.pop()
	case hw.KeyModifiersEv & 0xFFF:
		if v&0x80 == 0 {
			k.queue = k.queue[:0]
		}
	case hw.KeyVirtual1 & 0xFFF, hw.KeyVirtual2 & 0xFFF, hw.KeyVirtual3 & 0xFFF:
		k.setVirtual(int(off-hw.KeyVirtual1&0xFFF), v)
	case 0x609, 0x60D, 0x60E, 0x60F, hw.KeyModifiers & 0xFFF, 0x612, 0x614, 0x618:
	default:
		m.warn("register $D%03X: writes are dropped", off)
	}
}

// TypeText appends text to what is typed: one key a character, fed to the
// machine one by one whenever its queue is empty. \n and \r are RETURN, bytes
// $03 RUN/STOP, $08 and $7F DEL, others as the $D610 register gives them; what
// is no such code ($FF, letters beyond ASCII) becomes $FF, a key without ASCII
// form.
func (m *Machine) TypeText(text string) {
	for _, r := range text {
		c := byte(hw.KeyNoASCII)
		switch {
		case r == '\n':
			c = hw.KeyReturn
		case r == 8, r == 0x7F:
			c = hw.KeyDel
		case r > 0 && r < 0x80:
			c = byte(r)
		}
		m.keys.typed = append(m.keys.typed, c)
	}
}

// TypeKeys appends $D610 codes (hw.KeyUp ...) likewise. Code 0 is no key.
func (m *Machine) TypeKeys(codes ...byte) {
	for _, c := range codes {
		if c != 0 {
			m.keys.typed = append(m.keys.typed, c)
		}
	}
}

// KeysPending returns how many typed keys the program has not taken yet.
func (m *Machine) KeysPending() int {
	return len(m.keys.typed) + len(m.keys.queue) + m.kernal.buffered(m)
}
