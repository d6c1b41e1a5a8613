package push

import (
	"context"
	"fmt"
	"strings"

	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/monitor"
)

// Machine is what answers at the other end of a line.
type Machine struct {
	Board   hw.Board
	Real    bool   // false: Xemu
	Banner  string // the monitor's build
	ID      byte   // SSNAIL's id register
	SSNAIL  bool
	HyperMB int // memory that SSNAIL reports
	SDRAMMB int
	NoFIFO  bool // the monitor has no receive FIFO: an old core
}

// MemoryMB is how much memory an image may use.
func (m *Machine) MemoryMB() int { return m.HyperMB + m.SDRAMMB }

// String says it in one line.
func (m *Machine) String() string {
	var s strings.Builder
	s.WriteString(m.Board.String())
	if !m.Real {
		s.WriteString(" (Xemu)")
	}
	if m.Banner != "" {
		fmt.Fprintf(&s, ", monitor %s", m.Banner)
	}
	if m.NoFIFO {
		s.WriteString(" without receive FIFO")
	}
	if m.SSNAIL {
		fmt.Fprintf(&s, ", SSNAIL with %d MB", m.MemoryMB())
	} else {
		s.WriteString(", no SSNAIL")
	}
	return s.String()
}

// Identify synchronises with a monitor and asks the machine what it is. It
// changes nothing there.
func Identify(ctx context.Context, c *monitor.Conn) (*Machine, error) {
	if err := c.Sync(ctx); err != nil {
		return nil, withHint(err, "is the machine on, is this the right port (ssnail-kit ports), is Matrix Mode off (MEGA+TAB), the speed right (--baud)?")
	}
	m := &Machine{NoFIFO: c.Slow()}
	lines, err := c.Banner(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if _, build, ok := strings.Cut(l, "build GIT: "); ok {
			m.Banner = build
		}
	}
	one := func(addr uint32) (byte, error) {
		b, err := c.Read(ctx, addr, 1)
		if err != nil {
			return 0, err
		}
		return b[0], nil
	}
	board, err := one(hw.IOMEGA65 + hw.BoardID&0xFFF)
	if err != nil {
		return nil, err
	}
	m.Board = hw.Board(board)
	flags, err := one(hw.IOMEGA65 + hw.KeyFlags&0xFFF)
	if err != nil {
		return nil, err
	}
	m.Real = flags&0x20 != 0
	ssn, err := c.Read(ctx, hw.SSNAIL, hw.SSNHyperSize)
	if err != nil {
		return nil, err
	}
	sizes, err := c.Read(ctx, hw.SSNAIL+hw.SSNHyperSize, 3)
	if err != nil {
		return nil, err
	}
	ssn = append(ssn, sizes...)
	m.ID = ssn[hw.SSNID]
	if m.SSNAIL = m.ID == hw.SSNPresent && ssn[hw.SSNVersion] == 1; m.SSNAIL {
		m.HyperMB, m.SDRAMMB = int(ssn[hw.SSNHyperSize]), int(ssn[hw.SSNSDRAMSize])
	}
	return m, nil
}
