package cpu

import (
	"encoding/binary"

	"ssnail-kit/mega65/isa"
)

// timing is what the inner loop takes from the instruction table.
type timing struct{ bytes, cycles uint8 }

// timings is read-only after the program's start.
var timings = func() (t [256]timing) {
	for i, op := range isa.Table() {
		t[i] = timing{op.Bytes, op.Cycles}
	}
	return t
}()

// exec executes instructions until Cycles reaches deadline, at least one. It
// holds the frequent opcodes; execMore the others. Registers live in the CPU
// and not in local variables, so that a Bus call finds and may change them.
//
// Two habits keep it fast: one load fetches an opcode with its operand, and
// operations take an address, so that each is one call with everything inside.
func (c *CPU) exec() {
	for {
		pc := c.PC
		var code uint32
		if m, lo := c.RPage[byte(pc>>8)], int(byte(pc)); m != nil && lo <= 252 {
			code = binary.LittleEndian.Uint32(m[lo : lo+4])
		} else {
			code = c.fetch(pc)
		}
		t := &timings[byte(code)]
		c.PC = pc + uint16(t.bytes)
		c.Cycles += uint64(t.cycles)
		o := byte(code >> 8)             // operand byte
		abs := uint16(code >> 8)         // operand word
		bp := uint16(c.B)<<8 | uint16(o) // base-page address

		switch byte(code) {
		// Loads.
		case 0xA9:
			c.A = o
			c.setNZ(o)
		case 0xA5:
			c.lda(bp)
		case 0xB5:
			c.lda(bp&0xFF00 | uint16(o+c.X))
		case 0xAD:
			c.lda(abs)
		case 0xBD:
			c.lda(abs + uint16(c.X))
		case 0xB9:
			c.lda(abs + uint16(c.Y))
		case 0xA1:
			c.lda(c.pointer(o + c.X))
		case 0xB1:
			c.lda(c.pointer(o) + uint16(c.Y))
		case 0xB2:
			c.lda(c.pointer(o) + uint16(c.Z))
		case 0xE2:
			c.lda(c.word(c.SP+uint16(o)) + uint16(c.Y))
		case 0xA2:
			c.X = o
			c.setNZ(o)
		case 0xA6:
			c.ldx(bp)
		case 0xB6:
			c.ldx(bp&0xFF00 | uint16(o+c.Y))
		case 0xAE:
			c.ldx(abs)
		case 0xBE:
			c.ldx(abs + uint16(c.Y))
		case 0xA0:
			c.Y = o
			c.setNZ(o)
		case 0xA4:
			c.ldy(bp)
		case 0xB4:
			c.ldy(bp&0xFF00 | uint16(o+c.X))
		case 0xAC:
			c.ldy(abs)
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
		case 0x85:
			c.wr(bp, c.A)
		case 0x95:
			c.wr(bp&0xFF00|uint16(o+c.X), c.A)
		case 0x8D:
			c.wr(abs, c.A)
		case 0x9D:
			c.wr(abs+uint16(c.X), c.A)
		case 0x99:
			c.wr(abs+uint16(c.Y), c.A)
		case 0x81:
			c.wr(c.pointer(o+c.X), c.A)
		case 0x91:
			c.wr(c.pointer(o)+uint16(c.Y), c.A)
		case 0x92:
			c.wr(c.pointer(o)+uint16(c.Z), c.A)
		case 0x82:
			c.wr(c.word(c.SP+uint16(o))+uint16(c.Y), c.A)
		case 0x86:
			c.wr(bp, c.X)
		case 0x96:
			c.wr(bp&0xFF00|uint16(o+c.Y), c.X)
		case 0x8E:
			c.wr(abs, c.X)
		case 0x9B:
			c.wr(abs+uint16(c.Y), c.X)
		case 0x84:
			c.wr(bp, c.Y)
		case 0x94:
			c.wr(bp&0xFF00|uint16(o+c.X), c.Y)
		case 0x8C:
			c.wr(abs, c.Y)
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
		case 0x69:
			c.add(o)
		case 0x65:
			c.adc(bp)
		case 0x75:
			c.adc(bp&0xFF00 | uint16(o+c.X))
		case 0x6D:
			c.adc(abs)
		case 0x7D:
			c.adc(abs + uint16(c.X))
		case 0x79:
			c.adc(abs + uint16(c.Y))
		case 0x61:
			c.adc(c.pointer(o + c.X))
		case 0x71:
			c.adc(c.pointer(o) + uint16(c.Y))
		case 0x72:
			c.adc(c.pointer(o) + uint16(c.Z))
		case 0xE9:
			c.subtract(o)
		case 0xE5:
			c.sbc(bp)
		case 0xF5:
			c.sbc(bp&0xFF00 | uint16(o+c.X))
		case 0xED:
			c.sbc(abs)
		case 0xFD:
			c.sbc(abs + uint16(c.X))
		case 0xF9:
			c.sbc(abs + uint16(c.Y))
		case 0xE1:
			c.sbc(c.pointer(o + c.X))
		case 0xF1:
			c.sbc(c.pointer(o) + uint16(c.Y))
		case 0xF2:
			c.sbc(c.pointer(o) + uint16(c.Z))
		case 0xC9:
			c.compare(c.A, o)
		case 0xC5:
			c.cmp(bp)
		case 0xD5:
			c.cmp(bp&0xFF00 | uint16(o+c.X))
		case 0xCD:
			c.cmp(abs)
		case 0xDD:
			c.cmp(abs + uint16(c.X))
		case 0xD9:
			c.cmp(abs + uint16(c.Y))
		case 0xC1:
			c.cmp(c.pointer(o + c.X))
		case 0xD1:
			c.cmp(c.pointer(o) + uint16(c.Y))
		case 0xD2:
			c.cmp(c.pointer(o) + uint16(c.Z))
		case 0x29:
			c.A &= o
			c.setNZ(c.A)
		case 0x25:
			c.and(bp)
		case 0x35:
			c.and(bp&0xFF00 | uint16(o+c.X))
		case 0x2D:
			c.and(abs)
		case 0x3D:
			c.and(abs + uint16(c.X))
		case 0x39:
			c.and(abs + uint16(c.Y))
		case 0x21:
			c.and(c.pointer(o + c.X))
		case 0x31:
			c.and(c.pointer(o) + uint16(c.Y))
		case 0x32:
			c.and(c.pointer(o) + uint16(c.Z))
		case 0x09:
			c.A |= o
			c.setNZ(c.A)
		case 0x05:
			c.ora(bp)
		case 0x15:
			c.ora(bp&0xFF00 | uint16(o+c.X))
		case 0x0D:
			c.ora(abs)
		case 0x1D:
			c.ora(abs + uint16(c.X))
		case 0x19:
			c.ora(abs + uint16(c.Y))
		case 0x01:
			c.ora(c.pointer(o + c.X))
		case 0x11:
			c.ora(c.pointer(o) + uint16(c.Y))
		case 0x12:
			c.ora(c.pointer(o) + uint16(c.Z))
		case 0x49:
			c.A ^= o
			c.setNZ(c.A)
		case 0x45:
			c.eor(bp)
		case 0x55:
			c.eor(bp&0xFF00 | uint16(o+c.X))
		case 0x4D:
			c.eor(abs)
		case 0x5D:
			c.eor(abs + uint16(c.X))
		case 0x59:
			c.eor(abs + uint16(c.Y))
		case 0x41:
			c.eor(c.pointer(o + c.X))
		case 0x51:
			c.eor(c.pointer(o) + uint16(c.Y))
		case 0x52:
			c.eor(c.pointer(o) + uint16(c.Z))
		case 0xE0:
			c.compare(c.X, o)
		case 0xE4:
			c.compare(c.X, c.rd(bp))
		case 0xEC:
			c.compare(c.X, c.rd(abs))
		case 0xC0:
			c.compare(c.Y, o)
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
		case 0xAA:
			c.X = c.A
			c.setNZ(c.X)
		case 0xA8:
			c.Y = c.A
			c.setNZ(c.Y)
		case 0x4B:
			c.Z = c.A
			c.setNZ(c.Z)
		case 0x8A:
			c.A = c.X
			c.setNZ(c.A)
		case 0x98:
			c.A = c.Y
			c.setNZ(c.A)
		case 0x6B:
			c.A = c.Z
			c.setNZ(c.A)
		case 0x7B:
			c.A = c.B
			c.setNZ(c.A)
		case 0xE8:
			c.X++
			c.setNZ(c.X)
		case 0xC8:
			c.Y++
			c.setNZ(c.Y)
		case 0x1B:
			c.Z++
			c.setNZ(c.Z)
		case 0x1A:
			c.A++
			c.setNZ(c.A)
		case 0xCA:
			c.X--
			c.setNZ(c.X)
		case 0x88:
			c.Y--
			c.setNZ(c.Y)
		case 0x3B:
			c.Z--
			c.setNZ(c.Z)
		case 0x3A:
			c.A--
			c.setNZ(c.A)

		// Flags. FlagE is the other way round: cle allows the 16-bit stack.
		case 0x18:
			c.P &^= FlagC
		case 0x38:
			c.P |= FlagC
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
		case 0x10:
			if c.P&FlagN == 0 {
				c.PC += uint16(int8(o))
			}
		case 0x30:
			if c.P&FlagN != 0 {
				c.PC += uint16(int8(o))
			}
		case 0x50:
			if c.P&FlagV == 0 {
				c.PC += uint16(int8(o))
			}
		case 0x70:
			if c.P&FlagV != 0 {
				c.PC += uint16(int8(o))
			}
		case 0x90:
			if c.P&FlagC == 0 {
				c.PC += uint16(int8(o))
			}
		case 0xB0:
			if c.P&FlagC != 0 {
				c.PC += uint16(int8(o))
			}
		case 0xD0:
			if c.P&FlagZ == 0 {
				c.PC += uint16(int8(o))
			}
		case 0xF0:
			if c.P&FlagZ != 0 {
				c.PC += uint16(int8(o))
			}
		case 0x80:
			c.PC += uint16(int8(o))
		case 0x4C:
			c.PC = abs
		case 0x20:
			c.pushWord(pc + 2)
			c.PC = abs
		case 0x60:
			c.PC = c.pullWord() + 1

		// Shifts of A.
		case 0x0A:
			c.A = c.shiftLeft(c.A, 0)
		case 0x2A:
			c.A = c.shiftLeft(c.A, c.P&FlagC)
		case 0x4A:
			c.A = c.shiftRight(c.A, 0)
		case 0x6A:
			c.A = c.shiftRight(c.A, c.P<<7)
		case 0x43:
			c.A = c.shiftRight(c.A, c.A&0x80)

		// Counts in memory.
		case 0xE6:
			c.inc(bp)
		case 0xF6:
			c.inc(bp&0xFF00 | uint16(o+c.X))
		case 0xEE:
			c.inc(abs)
		case 0xFE:
			c.inc(abs + uint16(c.X))
		case 0xC6:
			c.dec(bp)
		case 0xD6:
			c.dec(bp&0xFF00 | uint16(o+c.X))
		case 0xCE:
			c.dec(abs)
		case 0xDE:
			c.dec(abs + uint16(c.X))

		default:
			c.execMore(byte(code), o, abs, bp)
		}
		if c.Cycles >= c.deadline {
			return
		}
	}
}

// fetch reads an instruction whose bytes may lie in two pages or in pages of
// the Bus, and no byte beyond it.
func (c *CPU) fetch(pc uint16) uint32 {
	code := uint32(c.rd(pc))
	for i := uint16(1); i < uint16(timings[byte(code)].bytes); i++ {
		code |= uint32(c.rd(pc+i)) << (8 * i)
	}
	return code
}
