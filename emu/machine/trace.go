package machine

import (
	"fmt"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/isa"
)

// runCPU runs the CPU to the end of the slice, with whatever watches it.
func (m *Machine) runCPU() {
	limit := m.cyclesAt(m.sliceEnd)
	if m.opt.Trace == nil && m.profile == nil && m.breaks == nil && !m.mon.breakSet {
		m.cpu.Run(limit)
		return
	}
	m.cpu.RunHooked(limit, m.beforeInstruction)
}

func (m *Machine) beforeInstruction(c *cpu.CPU) {
	if m.mon.breakSet && c.PC == m.mon.breakPC && !m.skipStop {
		m.mon.halted, m.mon.hit = true, true
		c.Stop()
		return
	}
	if m.breaks != nil && m.breaks[c.PC] && !m.skipStop {
		m.stop = AtBreak
		c.Stop()
		return
	}
	m.skipStop = false
	if m.profile != nil {
		m.profile.count(c)
	}
	if m.opt.Trace != nil {
		m.traceLine(c)
	}
}

// traceLine writes PC, registers and the instruction.
func (m *Machine) traceLine(c *cpu.CPU) {
	var b [8]byte
	for i := range b {
		a := c.PC + uint16(i)
		if p := c.RPage[a>>8]; p != nil {
			b[i] = p[byte(a)]
		}
	}
	text, n := isa.Disassemble(b[:], c.PC, m.labelAt)
	label := ""
	if l := m.labelAt(c.PC); l != "" {
		label = l + ":"
	}
	fmt.Fprintf(m.opt.Trace, "%10d %04X %02X %02X %02X %02X %02X %04X %s  %-12X %s %s\n", m.now(), c.PC, c.A, c.X, c.Y, c.Z,
		c.B, c.SP, flags(c.P), b[:n], text, label)
}

func (m *Machine) labelAt(pc uint16) string {
	if m.labels == nil {
		m.labels = map[uint16]string{}
		for name, a := range m.opt.Symbols {
			if old := m.labels[uint16(a)]; a < 0x10000 && (old == "" || name < old) {
				m.labels[uint16(a)] = name
			}
		}
	}
	return m.labels[pc]
}

// flags shows P as the serial monitor does.
func flags(p byte) string {
	s := []byte("NVEBDIZC")
	for i := range s {
		if p<<i&0x80 == 0 {
			s[i] = '.'
		}
	}
	return string(s)
}
