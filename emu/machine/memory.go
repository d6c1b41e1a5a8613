package machine

import (
	"ssnail-kit/emu/core"
	"ssnail-kit/mega65/hw"
)

// memory is everything that has an address and is no device.
type memory struct {
	chip   [hw.ChipRAMSize]byte // $1F800-$1FFFF of it is unused: colour RAM is there
	colour [hw.ColourRAMSize]byte
	ram    *core.Memory // the RAMs that SSNAIL sees, too
	hyper  []byte
	sdram  []byte // nil on boards without

	sdramSelected bool // $D7FE bit 4: SDRAM instead of HyperRAM at $8000000
	romWritable   bool
	forceFast     bool // 65 was stored at $0000

	// The pages of the CPU that are not in its page tables: what is behind them.
	readBase, writeBase [256]uint32

	// stale holds old contents of RAM blocks that the core wrote since the last
	// SYNC (Options.StrictCache), by block number.
	stale map[uint32]*[staleBlock]byte
}

const (
	colourAlias = hw.ColourRAMChip
	bank2       = 0x20000
)

func (mem *memory) init(ram *core.Memory) {
	mem.ram = ram
	for _, r := range ram.Regions() {
		s, err := ram.Slice(r.Addr, r.Size)
		if err != nil {
			panic("emulated machine: core memory lacks its own region " + r.Name)
		}
		if r.Name == "SDRAM" {
			mem.sdram = s
		} else {
			mem.hyper = s
		}
	}
}

func (mem *memory) reset(strict bool) {
	mem.sdramSelected, mem.romWritable, mem.forceFast = false, false, false
	mem.stale = nil
	if strict {
		mem.stale = map[uint32]*[staleBlock]byte{}
	}
}

// attic is the RAM that stands at $8000000.
func (mem *memory) attic() []byte {
	if mem.sdramSelected {
		return mem.sdram
	}
	return mem.hyper
}

// readable returns the plain memory from a 28-bit address to the end of its
// region, nil where there is none.
func (mem *memory) readable(addr uint32) []byte {
	switch {
	case addr < colourAlias:
		return mem.chip[addr:colourAlias]
	case addr < bank2:
		return mem.colour[addr-colourAlias : bank2-colourAlias]
	case addr < hw.ChipRAMSize:
		return mem.chip[addr:]
	case addr >= hw.AtticStart && addr < hw.AtticStart+hw.SDRAMSize:
		if a := mem.attic(); int(addr-hw.AtticStart) < len(a) {
			return a[addr-hw.AtticStart:]
		}
	case addr >= hw.ColourRAM && addr < hw.ColourRAM+hw.ColourRAMSize:
		return mem.colour[addr-hw.ColourRAM:]
	}
	return nil
}

// writable is readable without write-protected ROM.
func (mem *memory) writable(addr uint32) []byte {
	if !mem.romWritable && addr >= hw.ROMStart && addr < hw.ROMEnd {
		return nil
	}
	s := mem.readable(addr)
	if addr < hw.ROMStart && uint32(len(s)) > hw.ROMStart-addr {
		s = s[:hw.ROMStart-addr]
	}
	return s
}

// unmappedText is what reads where no RAM answers: the slow devices give a
// text there, so a probe must write and read back.
const unmappedText = "Unmapped"

// readPhys reads a 28-bit address with all its side effects.
func (m *Machine) readPhys(addr uint32) byte {
	addr &= 0xFFFFFFF
	if addr < colourAlias {
		return m.chip[addr]
	}
	if m.stale != nil && addr >= hw.AtticStart && addr < hw.AtticStart+hw.SDRAMSize {
		if v, ok := m.staleByte(addr); ok {
			return v
		}
	}
	if s := m.readable(addr); s != nil {
		return s[0]
	}
	switch {
	case addr >= hw.IOC64 && addr < hw.HypervisorRAM:
		return m.readIO(addr)
	case addr >= 0x4000000 && addr < 0xC000000:
		m.warnUnmapped("read", addr)
		return unmappedText[addr&7]
	}
	m.warnUnmapped("read", addr)
	return 0xFF
}

// writePhys writes a 28-bit address with all its side effects.
func (m *Machine) writePhys(addr uint32, v byte) {
	addr &= 0xFFFFFFF
	if addr < 2 {
		m.writePort(addr, v)
		return
	}
	if s := m.writable(addr); s != nil {
		if m.stale != nil && addr >= hw.AtticStart {
			m.writeStale(addr, v)
		}
		s[0] = v
		return
	}
	switch {
	case addr >= hw.ROMStart && addr < hw.ROMEnd: // write-protected
	case addr >= hw.CharROMWindow && addr < hw.CharROMWindow+0x1000:
		m.warn("the VIC-IV's own character ROM ($%07X): point $D068 to the charset in memory instead", hw.CharROMWindow)
	case addr >= hw.IOC64 && addr < hw.HypervisorRAM:
		m.writeIO(addr, v)
	case addr >= 0xC000000 && addr < 0x10000000 && m.sdramSelected && addr < 0xF000000:
		m.warn("write at $%07X with SDRAM selected: on a board this starts the SDRAM anew", addr)
	default:
		m.warnUnmapped("write", addr)
	}
}

func (m *Machine) warnUnmapped(what string, addr uint32) {
	m.warn("%s where nothing answers, in the megabyte at $%07X", what, addr&^0xFFFFF)
}

// Peek reads n bytes from a 28-bit address without side effects on devices;
// what is no plain memory reads as 0.
func (m *Machine) Peek(addr uint32, n int) []byte {
	if n < 0 || n > 1<<27 {
		return nil
	}
	out := make([]byte, n)
	for i := 0; i < n; {
		s := m.readable(uint32(i) + addr)
		if s == nil {
			i++
			continue
		}
		i += copy(out[i:], s)
	}
	return out
}

// Poke writes to plain memory, ROM included; addresses of devices are skipped.
func (m *Machine) Poke(addr uint32, data []byte) {
	for i := 0; i < len(data); {
		s := m.readable(addr + uint32(i))
		if s == nil {
			i++
			continue
		}
		i += copy(s, data[i:])
	}
}
