package image

import "io"

// Symbols names the addresses of an image: x, xb, blk.3.attn_q, K cache 3 ...
type Symbols struct {
	list []Symbol
}

// Symbol is a named block.
type Symbol struct {
	Name string
	Addr uint32
	Size uint32 // bytes, without padding
}

// Symbols recovers the names from the header and the script's structure.
func (im *Image) Symbols() (*Symbols, error) { panic("skeleton") }

// List returns the symbols by rising address.
func (s *Symbols) List() []Symbol { return s.list }

// Name returns "symbol" or "symbol+$offset" for an address, "" outside all.
func (s *Symbols) Name(addr uint32) string { panic("skeleton") }

// Disassemble writes the image's script with labels, names, loops and the
// traffic of each instruction.
func Disassemble(w io.Writer, im *Image) error { panic("skeleton") }
