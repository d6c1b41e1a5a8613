package cpu

// execMore executes the opcodes that exec leaves: o is the operand byte, abs
// the operand word, bp the base-page address.
func (c *CPU) execMore(op, o byte, abs, bp uint16) {
	switch op {
	// Stack.
	case 0x48:
		c.push(c.A)
	case 0xDA:
		c.push(c.X)
	case 0x5A:
		c.push(c.Y)
	case 0xDB:
		c.push(c.Z)
	case 0x68:
		c.A = c.pull()
		c.setNZ(c.A)
	case 0xFA:
		c.X = c.pull()
		c.setNZ(c.X)
	case 0x7A:
		c.Y = c.pull()
		c.setNZ(c.Y)
	case 0xFB:
		c.Z = c.pull()
		c.setNZ(c.Z)
	case 0x08:
		c.push(c.P | FlagB)
	case 0x28:
		c.setP(c.pull())
	case 0xF4:
		c.push(o) // unlike jsr: the low byte first
		c.push(byte(abs >> 8))
	case 0xFC:
		v := c.word(abs)
		c.push(byte(v))
		c.push(byte(v >> 8))
	case 0x9A:
		c.SP = c.SP&0xFF00 | uint16(c.X)
	case 0xBA:
		c.X = byte(c.SP)
		c.setNZ(c.X)
	case 0x2B:
		c.SP = c.SP&0x00FF | uint16(c.Y)<<8
	case 0x0B:
		c.Y = byte(c.SP >> 8)
		c.setNZ(c.Y)
	case 0x5B:
		c.B = c.A

	// Jumps, calls and returns; c.PC is behind the instruction already.
	case 0x6C:
		c.PC = c.word(abs)
	case 0x7C:
		c.PC = c.word(abs + uint16(c.X))
	case 0x22:
		target := c.word(abs)
		c.pushWord(c.PC - 1)
		c.PC = target
	case 0x23:
		target := c.word(abs + uint16(c.X))
		c.pushWord(c.PC - 1)
		c.PC = target
	case 0x63:
		c.pushWord(c.PC - 1)
		c.PC += abs - 1
	case 0x62:
		c.PC = c.pullWord() + 1
		c.drop(o)
	case 0x40:
		c.setP(c.pull())
		c.PC = c.pullWord()
	case 0x00:
		c.pushWord(c.PC + 1)
		c.push(c.P | FlagB)
		c.P = c.P&^FlagD | FlagI
		c.PC = c.word(VectorIRQ)
	case 0x83:
		c.PC += abs - 1
	case 0x13:
		if c.P&FlagN == 0 {
			c.PC += abs - 1
		}
	case 0x33:
		if c.P&FlagN != 0 {
			c.PC += abs - 1
		}
	case 0x53:
		if c.P&FlagV == 0 {
			c.PC += abs - 1
		}
	case 0x73:
		if c.P&FlagV != 0 {
			c.PC += abs - 1
		}
	case 0x93:
		if c.P&FlagC == 0 {
			c.PC += abs - 1
		}
	case 0xB3:
		if c.P&FlagC != 0 {
			c.PC += abs - 1
		}
	case 0xD3:
		if c.P&FlagZ == 0 {
			c.PC += abs - 1
		}
	case 0xF3:
		if c.P&FlagZ != 0 {
			c.PC += abs - 1
		}

	// Bit tests.
	case 0x89:
		c.bitTest(o)
	case 0x24:
		c.bit(bp)
	case 0x34:
		c.bit(bp&0xFF00 | uint16(o+c.X))
	case 0x2C:
		c.bit(abs)
	case 0x3C:
		c.bit(abs + uint16(c.X))
	case 0x04:
		v := c.rd(bp)
		c.flag(FlagZ, c.A&v == 0)
		c.modify(bp, v, v|c.A)
	case 0x0C:
		v := c.rd(abs)
		c.flag(FlagZ, c.A&v == 0)
		c.modify(abs, v, v|c.A)
	case 0x14:
		v := c.rd(bp)
		c.flag(FlagZ, c.A&v == 0)
		c.modify(bp, v, v&^c.A)
	case 0x1C:
		v := c.rd(abs)
		c.flag(FlagZ, c.A&v == 0)
		c.modify(abs, v, v&^c.A)
	case 0x07, 0x17, 0x27, 0x37, 0x47, 0x57, 0x67, 0x77:
		v := c.rd(bp)
		c.modify(bp, v, v&^(1<<(op>>4)))
	case 0x87, 0x97, 0xA7, 0xB7, 0xC7, 0xD7, 0xE7, 0xF7:
		v := c.rd(bp)
		c.modify(bp, v, v|1<<(op>>4&7))
	case 0x0F, 0x1F, 0x2F, 0x3F, 0x4F, 0x5F, 0x6F, 0x7F:
		if c.rd(bp)>>(op>>4)&1 == 0 {
			c.PC += uint16(int8(abs >> 8))
		}
	case 0x8F, 0x9F, 0xAF, 0xBF, 0xCF, 0xDF, 0xEF, 0xFF:
		if c.rd(bp)>>(op>>4&7)&1 != 0 {
			c.PC += uint16(int8(abs >> 8))
		}

	// Shifts of memory.
	case 0x06:
		v := c.rd(bp)
		c.modify(bp, v, c.shiftLeft(v, 0))
	case 0x16:
		addr := bp&0xFF00 | uint16(o+c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftLeft(v, 0))
	case 0x0E:
		v := c.rd(abs)
		c.modify(abs, v, c.shiftLeft(v, 0))
	case 0x1E:
		addr := abs + uint16(c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftLeft(v, 0))
	case 0x26:
		v := c.rd(bp)
		c.modify(bp, v, c.shiftLeft(v, c.P&FlagC))
	case 0x36:
		addr := bp&0xFF00 | uint16(o+c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftLeft(v, c.P&FlagC))
	case 0x2E:
		v := c.rd(abs)
		c.modify(abs, v, c.shiftLeft(v, c.P&FlagC))
	case 0x3E:
		addr := abs + uint16(c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftLeft(v, c.P&FlagC))
	case 0x46:
		v := c.rd(bp)
		c.modify(bp, v, c.shiftRight(v, 0))
	case 0x56:
		addr := bp&0xFF00 | uint16(o+c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftRight(v, 0))
	case 0x4E:
		v := c.rd(abs)
		c.modify(abs, v, c.shiftRight(v, 0))
	case 0x5E:
		addr := abs + uint16(c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftRight(v, 0))
	case 0x66:
		v := c.rd(bp)
		c.modify(bp, v, c.shiftRight(v, c.P<<7))
	case 0x76:
		addr := bp&0xFF00 | uint16(o+c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftRight(v, c.P<<7))
	case 0x6E:
		v := c.rd(abs)
		c.modify(abs, v, c.shiftRight(v, c.P<<7))
	case 0x7E:
		addr := abs + uint16(c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftRight(v, c.P<<7))
	case 0x44:
		v := c.rd(bp)
		c.modify(bp, v, c.shiftRight(v, v))
	case 0x54:
		addr := bp&0xFF00 | uint16(o+c.X)
		v := c.rd(addr)
		c.modify(addr, v, c.shiftRight(v, v))

	// Words.
	case 0xE3:
		v := c.pointer(o) + 1
		c.setWordNZ(v)
		c.setPointer(o, v)
	case 0xC3:
		v := c.pointer(o) - 1
		c.setWordNZ(v)
		c.setPointer(o, v)
	case 0xCB:
		c.shiftWord(abs, 0)
	case 0xEB:
		c.shiftWord(abs, uint16(c.P&FlagC))

	// Map and prefixes.
	case 0x5C:
		c.setMap()
	case 0x42:
		c.neg()
	case 0xEA:
		c.eom()
	}
}

// setP is plp and rti: FlagE and FlagB keep their state.
func (c *CPU) setP(v byte) {
	c.P = c.P&(FlagE|FlagB) | v&^(FlagE|FlagB)
	c.deadline = 0 // a waiting interrupt may enter now
}

// drop removes n bytes from the stack.
func (c *CPU) drop(n byte) {
	if c.P&FlagE != 0 {
		c.SP = c.SP&0xFF00 | uint16(byte(c.SP)+n)
		return
	}
	c.SP += uint16(n)
}

func (c *CPU) bit(addr uint16) { c.bitTest(c.rd(addr)) }

// bitTest takes N and V from the operand, an immediate one too.
func (c *CPU) bitTest(v byte) {
	p := c.P&^(FlagN|FlagV|FlagZ) | v&(FlagN|FlagV)
	if c.A&v == 0 {
		p |= FlagZ
	}
	c.P = p
}

// setPointer writes a word to the base page as pointer reads it.
func (c *CPU) setPointer(n byte, v uint16) {
	page := uint16(c.B) << 8
	c.wr(page|uint16(n), byte(v))
	c.wr(page|uint16(n+1), byte(v>>8))
}

func (c *CPU) setWordNZ(v uint16) {
	c.P = c.P&^(FlagN|FlagZ) | byte(v>>8)&FlagN
	if v == 0 {
		c.P |= FlagZ
	}
}

// shiftWord is asw with in = 0 and row with in = carry.
func (c *CPU) shiftWord(addr, in uint16) {
	v := c.word(addr)
	r := v<<1 | in
	c.setWordNZ(r)
	c.flag(FlagC, v>>15 != 0)
	c.wr(addr, byte(r))
	c.wr(addr+1, byte(r>>8))
}

// setMap is the instruction MAP. A half's low nibble $F with no block enabled
// sets that half's megabyte. Interrupts wait until EOM.
func (c *CPU) setMap() {
	c.MapLo.Offset, c.MapLo.Blocks = uint16(c.X&15)<<8|uint16(c.A), c.X>>4
	if c.X == 0x0F {
		c.MapLo.MB = c.A
	}
	c.MapHi.Offset, c.MapHi.Blocks = uint16(c.Z&15)<<8|uint16(c.Y), c.Z>>4
	if c.Z == 0x0F {
		c.MapHi.MB = c.Y
	}
	c.held = true
	c.Bus.MapChanged()
}
