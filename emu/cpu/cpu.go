// Package cpu is the MEGA65's processor, the 45GS02: a 65CE02 with a 28-bit
// address space, a memory map instruction, and prefixes for 32-bit operations
// and 32-bit pointers.
//
// The CPU sees 64 KB. Each of its 256 pages is either plain memory, reached
// through the page tables RPage and WPage without a call, or belongs to the
// Bus, which stands for I/O, write-protected and unmapped pages and for
// everything that lies in the 28-bit space. The Bus fills the tables.
//
// Time is counted in cycles of the 40 MHz clock, by the table in mega65/isa.
// That table is approximate: right to within about a cycle an instruction for
// code and data in chip RAM, and it knows nothing of slower memory. A Bus may
// add to Cycles what its own accesses cost.
//
// Every opcode behaves as on the chip, the Q forms included as far as they are
// documented; reserved opcodes after NEG NEG run as if the prefix were absent.
package cpu

// The bits of the processor status P.
const (
	FlagC byte = 1 << iota // carry
	FlagZ                  // zero
	FlagI                  // interrupts masked
	FlagD                  // decimal mode
	FlagB                  // only in the P that brk and php push
	FlagE                  // set: 8-bit stack in one page; clear: 16-bit stack
	FlagV                  // overflow
	FlagN                  // negative
)

// Interrupt and reset vectors, as the CPU sees memory.
const (
	VectorNMI   = 0xFFFA
	VectorReset = 0xFFFC
	VectorIRQ   = 0xFFFE
)

// Bus is what the CPU reaches beyond plain memory. While one of its methods
// runs, all registers are up to date, PC is that of the next instruction, and
// the method may change any of them: that is how hypervisor traps and inline
// DMA lists work. The cycles of the instruction are counted already.
type Bus interface {
	// Read and Write serve the CPU's addresses whose page table entry is nil.
	Read(addr uint16) byte
	Write(addr uint16, v byte)
	// ReadFlat and WriteFlat serve the four-byte pointers; addr has 28 bits.
	ReadFlat(addr uint32) byte
	WriteFlat(addr uint32, v byte)
	// MapChanged tells that the instruction MAP has set the Map fields, from
	// which the page tables must be built anew.
	MapChanged()
}

// Map is the state of the instruction MAP for one half of the CPU's memory.
type Map struct {
	Offset uint16 // 12 bits: what is added to address bits 8 to 19
	Blocks byte   // low 4 bits: which of the half's 8 KB blocks are mapped, bit 0 the lowest
	MB     byte   // address bits 20 to 27 of mapped blocks
}

// CPU is the processor. The zero value with Bus set is ready for Reset.
type CPU struct {
	A, X, Y, Z byte
	B          byte // base page: the high byte of "zero page" addresses
	P          byte // FlagE is live, FlagB always 0
	PC         uint16
	SP         uint16
	Cycles     uint64 // since the beginning of time

	// Instructions counts likewise, with their prefixes as one. A Bus method
	// finds it as it was when Run began.
	Instructions uint64

	deadline uint64 // the inner loop ends here; 0 makes it look at events
	stopped  bool
	irq      bool   // level of the IRQ line
	nmi      bool   // an edge that waits to be served
	held     bool   // between MAP and EOM: no interrupt of any kind
	shadow   uint32 // 1<<16|PC of an instruction that must follow its prefix at once

	Bus Bus
	// RPage and WPage point to the memory behind each page for reading and
	// writing; nil sends the access to the Bus.
	RPage, WPage [256]*[256]byte

	MapLo, MapHi Map // $0000-$7FFF and $8000-$FFFF
}

// Reset puts the CPU into its state after power-on and loads PC from the reset
// vector. Cycles go on counting. The Bus should have built the unmapped page
// tables; if a map was set MapChanged is called.
func (c *CPU) Reset() {
	c.A, c.X, c.Y, c.Z, c.B = 0, 0, 0, 0, 0
	c.P = FlagE | FlagI
	c.SP = 0x01FF
	c.nmi, c.held, c.shadow = false, false, 0
	mapped := c.MapLo != Map{} || c.MapHi != Map{}
	c.MapLo, c.MapHi = Map{}, Map{}
	if mapped {
		c.Bus.MapChanged()
	}
	c.PC = c.word(VectorReset)
}

// SetIRQ sets the level of the interrupt line. The CPU takes an interrupt
// while the line is true, FlagI is clear and no MAP waits for its EOM.
func (c *CPU) SetIRQ(level bool) {
	c.irq = level
	c.deadline = 0
}

// NMI raises the edge-triggered interrupt once. It waits for EOM after MAP.
func (c *CPU) NMI() {
	c.nmi = true
	c.deadline = 0
}

// Held reports whether interrupts wait for the EOM that belongs to a MAP.
func (c *CPU) Held() bool { return c.held }

// Stop makes Run or RunHooked return after the instruction in progress. It is
// for the Bus and for hooks, on the goroutine that runs the CPU.
func (c *CPU) Stop() {
	c.stopped = true
	c.deadline = 0
}

// Q returns the 32-bit register: A is its lowest byte, Z its highest.
func (c *CPU) Q() uint32 {
	return uint32(c.A) | uint32(c.X)<<8 | uint32(c.Y)<<16 | uint32(c.Z)<<24
}

// SetQ sets A, X, Y and Z from a 32-bit value.
func (c *CPU) SetQ(q uint32) {
	c.A, c.X, c.Y, c.Z = byte(q), byte(q>>8), byte(q>>16), byte(q>>24)
}

// Physical returns the 28-bit address behind a CPU address as far as MAP
// decides it; mapped is false where MAP leaves the address to the C64-style
// banking.
func (c *CPU) Physical(addr uint16) (flat uint32, mapped bool) {
	m := &c.MapLo
	if addr >= 0x8000 {
		m = &c.MapHi
	}
	if m.Blocks>>(addr>>13&3)&1 == 0 {
		return uint32(addr), false
	}
	return uint32(m.MB)<<20 | (uint32(m.Offset)<<8+uint32(addr))&0xFFFFF, true
}
