package cpu

// execLess executes the less frequent opcodes for registers, flags and
// branches, and the less frequent addressing modes; its arguments are those of
// execMore.
func (c *CPU) execLess(op, o byte, abs, bp uint16) {
	switch op {
	// Loads.
	case 0xA1:
		c.lda(c.pointer(o + c.X))
	case 0xE2:
		c.lda(c.word(c.SP+uint16(o)) + uint16(c.Y))
	case 0xB6:
		c.ldx(bp&0xFF00 | uint16(o+c.Y))
	case 0xBE:
		c.ldx(abs + uint16(c.Y))
	case 0xB4:
		c.ldy(bp&0xFF00 | uint16(o+c.X))
	case 0xBC:
		c.ldy(abs + uint16(c.X))
	case 0xA3:
		c.Z = o
		c.setNZ(o)
	case 0xAB:
		c.ldz(abs)
	case 0xBB:
		c.ldz(abs + uint16(c.X))

	// Stores.
	case 0x81:
		c.wr(c.pointer(o+c.X), c.A)
	case 0x82:
		c.wr(c.word(c.SP+uint16(o))+uint16(c.Y), c.A)
	case 0x96:
		c.wr(bp&0xFF00|uint16(o+c.Y), c.X)
	case 0x9B:
		c.wr(abs+uint16(c.Y), c.X)
	case 0x94:
		c.wr(bp&0xFF00|uint16(o+c.X), c.Y)
	case 0x8B:
		c.wr(abs+uint16(c.X), c.Y)
	case 0x64:
		c.wr(bp, c.Z)
	case 0x74:
		c.wr(bp&0xFF00|uint16(o+c.X), c.Z)
	case 0x9C:
		c.wr(abs, c.Z)
	case 0x9E:
		c.wr(abs+uint16(c.X), c.Z)

	// Arithmetic, logic and comparison with A.
	case 0x75:
		c.adc(bp&0xFF00 | uint16(o+c.X))
	case 0x79:
		c.adc(abs + uint16(c.Y))
	case 0x61:
		c.adc(c.pointer(o + c.X))
	case 0x72:
		c.adc(c.pointer(o) + uint16(c.Z))
	case 0xF5:
		c.sbc(bp&0xFF00 | uint16(o+c.X))
	case 0xF9:
		c.sbc(abs + uint16(c.Y))
	case 0xE1:
		c.sbc(c.pointer(o + c.X))
	case 0xF2:
		c.sbc(c.pointer(o) + uint16(c.Z))
	case 0xD9:
		c.cmp(abs + uint16(c.Y))
	case 0xC1:
		c.cmp(c.pointer(o + c.X))
	case 0xD2:
		c.cmp(c.pointer(o) + uint16(c.Z))
	case 0x35:
		c.and(bp&0xFF00 | uint16(o+c.X))
	case 0x39:
		c.and(abs + uint16(c.Y))
	case 0x21:
		c.and(c.pointer(o + c.X))
	case 0x32:
		c.and(c.pointer(o) + uint16(c.Z))
	case 0x15:
		c.ora(bp&0xFF00 | uint16(o+c.X))
	case 0x19:
		c.ora(abs + uint16(c.Y))
	case 0x01:
		c.ora(c.pointer(o + c.X))
	case 0x12:
		c.ora(c.pointer(o) + uint16(c.Z))
	case 0x55:
		c.eor(bp&0xFF00 | uint16(o+c.X))
	case 0x59:
		c.eor(abs + uint16(c.Y))
	case 0x41:
		c.eor(c.pointer(o + c.X))
	case 0x52:
		c.eor(c.pointer(o) + uint16(c.Z))
	case 0xE4:
		c.compare(c.X, c.rd(bp))
	case 0xEC:
		c.compare(c.X, c.rd(abs))
	case 0xC4:
		c.compare(c.Y, c.rd(bp))
	case 0xCC:
		c.compare(c.Y, c.rd(abs))
	case 0xC2:
		c.compare(c.Z, o)
	case 0xD4:
		c.compare(c.Z, c.rd(bp))
	case 0xDC:
		c.compare(c.Z, c.rd(abs))

	// Transfers and counts in registers.
	case 0x4B:
		c.Z = c.A
		c.setNZ(c.Z)
	case 0x6B:
		c.A = c.Z
		c.setNZ(c.A)
	case 0x7B:
		c.A = c.B
		c.setNZ(c.A)
	case 0x1B:
		c.Z++
		c.setNZ(c.Z)
	case 0x3B:
		c.Z--
		c.setNZ(c.Z)

	// Flags. FlagE is the other way round: cle allows the 16-bit stack.
	case 0xD8:
		c.P &^= FlagD
	case 0xF8:
		c.P |= FlagD
	case 0xB8:
		c.P &^= FlagV
	case 0x78:
		c.P |= FlagI
	case 0x02:
		c.P &^= FlagE
	case 0x03:
		c.P |= FlagE
	case 0x58:
		c.P &^= FlagI
		c.deadline = 0 // a waiting interrupt may enter now

	// Branches and jumps.
	case 0x50:
		if c.P&FlagV == 0 {
			c.PC += uint16(int8(o))
		}
	case 0x70:
		if c.P&FlagV != 0 {
			c.PC += uint16(int8(o))
		}

	// Counts in memory.
	case 0xF6:
		c.inc(bp&0xFF00 | uint16(o+c.X))
	case 0xFE:
		c.inc(abs + uint16(c.X))
	case 0xD6:
		c.dec(bp&0xFF00 | uint16(o+c.X))
	case 0xDE:
		c.dec(abs + uint16(c.X))

	}
}
