package machine

import "strings"

// character is one received byte: data of an 'l', or line editing.
func (mon *Monitor) character(c byte) {
	mon.continuous = false
	switch {
	case mon.loading:
		mon.load(c)
	case c >= 0x20 && c < 0x7F:
		if len(mon.command) == lineSize {
			mon.print("\a")
			return
		}
		mon.command = append(mon.command, c)
		mon.tx = append(mon.tx, c)
	case c == '\r' || c == '\n':
		mon.print("\r\n")
		line := string(mon.command)
		mon.command = mon.command[:0]
		mon.execute(line)
		if !mon.loading && !mon.filling {
			mon.prompt()
		}
	case (c == 0x08 || c == 0x14 || c == 0x7F) && len(mon.command) > 0:
		mon.command = mon.command[:len(mon.command)-1]
		mon.print("\b \b")
	default: // ^U too: it clears nothing
		mon.print("\a")
	}
}

func (mon *Monitor) print(s string) { mon.tx = append(mon.tx, s...) }

func (mon *Monitor) prompt() { mon.print("\r\n.") }

// complain prints one of the monitor's messages.
func (mon *Monitor) complain(s string) { mon.print("\r\n" + s + "\r\n") }

// arguments reads hexadecimal numbers from a command line as the monitor does:
// spaces may stand before each, none need stand between letter and number.
type arguments struct{ rest string }

// hex takes the next number and returns its value's low 32 bits and how many
// digits it had, 0 if there is none.
func (a *arguments) hex() (v uint32, digits int) {
	a.rest = strings.TrimLeft(a.rest, " ")
	for digits < len(a.rest) {
		c := a.rest[digits]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			a.rest = a.rest[digits:]
			return v, digits
		}
		v = v<<4 | uint32(c)
		digits++
	}
	a.rest = ""
	return v, digits
}

// address takes a number of at most limit digits; without one it complains.
func (mon *Monitor) address(a *arguments, limit int) (v uint32, ok bool) {
	v, n := a.hex()
	if n == 0 || n > limit {
		mon.complain("Address parse error")
		return 0, false
	}
	return v, true
}
