package machine

import (
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// With Options.StrictCache the CPU's read caches hold everything until SYNC or
// a write by the load port invalidates them: what the core writes is kept from
// the CPU by saving the old contents block by block before each instruction.

const staleBlock = 256

// keepStale saves what the instruction is about to overwrite.
func (m *Machine) keepStale(_ uint32, raw [16]byte) {
	in := image.Decode(&raw)
	c := m.ssn.core
	addr := func(x uint32) uint32 {
		rel, reg, off := image.SplitRel(x)
		if rel {
			return (c.A[reg] + off) & image.AddrMask
		}
		return off
	}
	n0, n1 := uint64(c.N[0]), uint64(c.N[1])
	switch in.Op {
	case image.COPY:
		m.saveStale(addr(in.Y), uint64(in.Z&0xFFFF))
	case image.STR:
		m.saveStale(addr(in.X), 4)
	case image.GEMV:
		m.saveStale(addr(in.Z), 4*n1)
	case image.ROPE:
		m.saveStale(addr(in.X), 4*n0)
	case image.ATTN:
		var b [image.AttnBlockBytes]byte
		if m.ram.Read(addr(in.X), b[:]) == nil {
			a := image.DecodeAttn(&b)
			m.saveStale(addr(in.Z), 4*uint64(a.Heads)*uint64(a.HeadDim))
		}
	case image.DEQROW, image.VADD, image.VMUL, image.RMSNORM, image.SILUMUL, image.LAYERNORM, image.GELU,
		image.MEANROWS, image.CVT16:
		m.saveStale(addr(in.Z), 4*n0)
	}
}

// saveStale copies the blocks of [addr, addr+n) unless that was done since the
// last SYNC. The range is cut at the end of RAM.
func (m *Machine) saveStale(addr uint32, n uint64) {
	end := min(uint64(addr)+n, uint64(image.Base)+uint64(m.ram.Size()))
	for a := uint64(addr) &^ (staleBlock - 1); a < end; a += staleBlock {
		k := uint32(a)
		if m.stale[k] != nil {
			continue
		}
		b := new([staleBlock]byte)
		if m.ram.Read(k, b[:]) == nil {
			m.stale[k] = b
		}
	}
}

func (m *Machine) dropStale() { clear(m.stale) }

// staleByte is what the CPU's cache holds for an address, if it differs from
// RAM's own contents.
func (m *Machine) staleByte(addr uint32) (byte, bool) {
	b := m.stale[m.ramAddr(addr)&^(staleBlock-1)]
	if b == nil {
		return 0, false
	}
	return b[addr%staleBlock], true
}

// writeStale lets the CPU see its own write.
func (m *Machine) writeStale(addr uint32, v byte) {
	if b := m.stale[m.ramAddr(addr)&^(staleBlock-1)]; b != nil {
		b[addr%staleBlock] = v
	}
}

// ramAddr turns a CPU address into SSNAIL's: HyperRAM stands at $8000000 for
// the CPU even where SSNAIL has SDRAM there.
func (m *Machine) ramAddr(addr uint32) uint32 {
	if m.sdram != nil && !m.sdramSelected {
		return addr - hw.AtticStart + image.HyperBase
	}
	return addr
}
