package machine

import (
	"time"

	"ssnail-kit/mega65/hw"
)

// clock turns CPU cycles into ticks of the 40.5 MHz clock. At full speed they
// are the same; at 1, 2 and 3.5 MHz a cycle takes num/den ticks.
type clock struct {
	ticks0   uint64 // ticks at cycle cycles0
	cycles0  uint64
	num, den uint64

	sliceEnd  uint64 // tick at which the CPU's slice ends
	lineTicks uint64
	lines     uint64 // raster lines (VIC-II) a frame
}

func (c *clock) init(ntsc bool) {
	c.num, c.den = 1, 1
	c.lines, c.lineTicks = 312, 2596 // 50.00 Hz
	if ntsc {
		c.lines, c.lineTicks = 263, 2566 // 60.01 Hz
	}
}

// now is the time in ticks.
func (m *Machine) now() uint64 {
	c := m.cpu.Cycles - m.cycles0
	if m.den == 1 {
		return m.ticks0 + c*m.num
	}
	return m.ticks0 + c*m.num/m.den
}

// cyclesAt is the CPU cycle count at which tick t is reached.
func (m *Machine) cyclesAt(t uint64) uint64 {
	if t <= m.ticks0 {
		return m.cycles0
	}
	return m.cycles0 + ((t-m.ticks0)*m.den+m.num-1)/m.num
}

// stall lets n ticks pass in which the CPU stands still. The slice ends there
// if they reach beyond it.
func (m *Machine) stall(n uint64) {
	m.ticks0 += n
	if m.now() >= m.sliceEnd {
		m.cpu.Stop()
	}
}

// setSpeed follows the registers that choose the CPU's speed.
func (m *Machine) setSpeed() {
	num, den := uint64(1), uint64(1)
	fast, vfast, c128 := m.vic.reg[0x31]&0x40 != 0, m.vic.reg[0x54]&0x40 != 0, m.vic.c128fast
	switch {
	case m.forceFast, vfast && (fast || c128):
	case fast:
		num, den = 81, 7 // 3.5 MHz
	case c128:
		num, den = 81, 4 // 2 MHz
	default:
		num, den = 81, 2 // 1 MHz
	}
	if num == m.num && den == m.den {
		return
	}
	m.ticks0, m.cycles0 = m.now(), m.cpu.Cycles
	m.num, m.den = num, den
	m.cpu.Stop() // the slice's limit in cycles was for the old speed
}

func (c *clock) frame(t uint64) uint64    { return t / (c.lineTicks * c.lines) }
func (c *clock) nextLine(t uint64) uint64 { return (t/c.lineTicks + 1) * c.lineTicks }

// raster is the VIC-II raster line at tick t.
func (c *clock) raster(t uint64) uint64 { return t / c.lineTicks % c.lines }

// fineRaster is the physical raster line, of which there are two in each.
func (c *clock) fineRaster(t uint64) uint64 {
	return t / (c.lineTicks / 2) % (c.lines * 2)
}

func ticksToTime(t uint64) time.Duration {
	return time.Duration(t/hw.ClockHz)*time.Second + time.Duration(t%hw.ClockHz*1e9/hw.ClockHz)
}
