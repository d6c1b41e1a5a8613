package machine

import (
	"cmp"
	"fmt"
	"slices"

	"ssnail-kit/emu/cpu"
)

// ProfileLine is one routine's share of the CPU's time.
type ProfileLine struct {
	Name         string // label, or an address without symbols
	Addr         uint16
	Cycles       uint64
	Instructions uint64
}

// profile counts cycles by the address of the instruction that took them. DMA
// and other stalls count for nobody.
type profile struct {
	labels       []ProfileLine // by address
	cycles       [65536]uint64
	instructions [65536]uint64
	last         uint16
	lastCycles   uint64
}

func newProfile(symbols map[string]uint32) *profile {
	p := &profile{}
	for name, a := range symbols {
		if a < 0x10000 {
			p.labels = append(p.labels, ProfileLine{Name: name, Addr: uint16(a)})
		}
	}
	slices.SortFunc(p.labels, func(a, b ProfileLine) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Name, b.Name))
	})
	p.labels = slices.CompactFunc(p.labels, func(a, b ProfileLine) bool { return a.Addr == b.Addr })
	return p
}

// count is called before each instruction: the time since the last call is the
// last instruction's.
func (p *profile) count(c *cpu.CPU) {
	p.cycles[p.last] += c.Cycles - p.lastCycles
	p.last, p.lastCycles = c.PC, c.Cycles
	p.instructions[c.PC]++
}

// Profile returns the cycles by routine, most first (Options.Profile,
// Options.Symbols). A routine reaches from its label to the next.
func (m *Machine) Profile() []ProfileLine {
	p := m.profile
	if p == nil {
		return nil
	}
	sums := map[uint16]*ProfileLine{}
	next := 0
	line := &ProfileLine{}
	for a := range 65536 {
		addr := uint16(a)
		if next < len(p.labels) && p.labels[next].Addr == addr {
			l := p.labels[next]
			line = &l
			next++
		} else if line.Name == "" || addr == 0xE000 {
			line = &ProfileLine{Name: fmt.Sprintf("$%04X", addr&0xFF00), Addr: addr & 0xFF00}
			if s := sums[line.Addr]; s != nil {
				line = s
			}
			if addr == 0xE000 {
				line.Name = "(ROM)"
			}
		}
		if p.cycles[addr] == 0 && p.instructions[addr] == 0 {
			if line.Name[0] == '$' {
				line = &ProfileLine{}
			}
			continue
		}
		line.Cycles += p.cycles[addr]
		line.Instructions += p.instructions[addr]
		sums[line.Addr] = line
		if line.Name[0] == '$' {
			line = &ProfileLine{}
		}
	}
	out := make([]ProfileLine, 0, len(sums))
	for _, l := range sums {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b ProfileLine) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), cmp.Compare(a.Addr, b.Addr))
	})
	return out
}
