package core

import (
	"fmt"
)

// Base is the SSNAIL address of the first byte of memory on every board.
const Base = 0x8000000

// hyperBase is where HyperRAM lies on boards that have SDRAM at Base.
const hyperBase = 0xC000000

// Board is a MEGA65 main board, by the number of its revision.
type Board int

// The boards. R4 and R5 have the memory of R6.
const (
	R3 Board = 3
	R4 Board = 4
	R5 Board = 5
	R6 Board = 6
)

// SDRAMBytes is the size of the board's SDRAM, 0 when it has none.
func (b Board) SDRAMBytes() uint32 {
	if b <= R3 {
		return 0
	}
	return 64 << 20
}

// HyperRAMBytes is the size of the board's HyperRAM.
func (b Board) HyperRAMBytes() uint32 { return 8 << 20 }

// String names the board as MEGA65 owners do.
func (b Board) String() string { return fmt.Sprintf("R%d", int(b)) }

// A Region is one stretch of RAM as SSNAIL sees it.
type Region struct {
	Name string // "HyperRAM" or "SDRAM"
	Addr uint32 // first address
	Size uint32 // bytes
}

// Memory is the RAM that SSNAIL reaches on one board: 8 MB of HyperRAM at
// $8000000 on R3; 64 MB of SDRAM at $8000000 with 8 MB of HyperRAM behind it,
// at $C000000, on R4 and later. It starts as zeros. Addresses are SSNAIL's.
// It is not safe for use by several goroutines at once.
type Memory struct {
	board   Board
	regions []Region
	bytes   []byte // the regions follow each other without a gap
}

// NewMemory returns the cleared memory of a board.
func NewMemory(b Board) *Memory {
	m := &Memory{board: b}
	if n := b.SDRAMBytes(); n > 0 {
		m.regions = append(m.regions, Region{"SDRAM", Base, n})
		m.regions = append(m.regions, Region{"HyperRAM", hyperBase, b.HyperRAMBytes()})
	} else {
		m.regions = append(m.regions, Region{"HyperRAM", Base, b.HyperRAMBytes()})
	}
	var total uint32
	for _, r := range m.regions {
		total += r.Size
	}
	m.bytes = make([]byte, total)
	return m
}

// BoardFor returns the smallest board whose memory holds n bytes from Base,
// the number in an image's header, and false when none does.
func BoardFor(n uint32) (Board, bool) {
	for _, b := range []Board{R3, R6} {
		if uint64(n) <= uint64(b.SDRAMBytes())+uint64(b.HyperRAMBytes()) {
			return b, true
		}
	}
	return 0, false
}

// Board tells whose memory this is.
func (m *Memory) Board() Board { return m.board }

// Regions lists the RAMs in the order of their addresses.
func (m *Memory) Regions() []Region { return m.regions }

// Size is the number of bytes from Base to the last one.
func (m *Memory) Size() uint32 { return uint32(len(m.bytes)) }

// Slice returns n bytes of memory from addr on: the memory itself, not a
// copy. It fails with an *AddressError when any of them is not RAM.
func (m *Memory) Slice(addr, n uint32) ([]byte, error) {
	off := uint64(addr) - Base
	if addr < Base || off+uint64(n) > uint64(len(m.bytes)) {
		return nil, &AddressError{Addr: addr, Size: uint64(n)}
	}
	return m.bytes[off : off+uint64(n) : off+uint64(n)], nil
}

// Read fills dst from addr on, or reads nothing and fails as Slice does.
func (m *Memory) Read(addr uint32, dst []byte) error {
	s, err := m.span(addr, len(dst))
	if err != nil {
		return err
	}
	copy(dst, s)
	return nil
}

// Write stores src from addr on, or stores nothing and fails as Slice does.
func (m *Memory) Write(addr uint32, src []byte) error {
	s, err := m.span(addr, len(src))
	if err != nil {
		return err
	}
	copy(s, src)
	return nil
}

func (m *Memory) span(addr uint32, n int) ([]byte, error) {
	if uint64(n) > uint64(len(m.bytes)) {
		return nil, &AddressError{Addr: addr, Size: uint64(n)}
	}
	return m.Slice(addr, uint32(n))
}

// Uint32 reads the little-endian word at addr, which need not be aligned.
func (m *Memory) Uint32(addr uint32) (uint32, error) {
	s, err := m.Slice(addr, 4)
	if err != nil {
		return 0, err
	}
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24, nil
}

// PutUint32 stores v little-endian at addr.
func (m *Memory) PutUint32(addr, v uint32) error {
	s, err := m.Slice(addr, 4)
	if err != nil {
		return err
	}
	s[0], s[1], s[2], s[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	return nil
}

// AddressError is an access to addresses where there is no RAM.
type AddressError struct {
	Addr uint32
	Size uint64
}

// Error names the addresses.
func (e *AddressError) Error() string {
	if e.Size <= 1 {
		return fmt.Sprintf("no RAM at $%07X", e.Addr)
	}
	return fmt.Sprintf("no RAM at $%07X-$%07X", e.Addr, uint64(e.Addr)+e.Size-1)
}
