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
// Three habits keep it fast: one load fetches an opcode with its operand;
// operations take an address, so that each is one call with everything inside;
// and each case adds its length to PC as a constant, so that the host need not
// wait for the instruction's bytes before it fetches the next.
func (c *CPU) exec() {
	for n := uint64(1); ; n++ {
		pc := c.PC
		var code uint32
		if m, lo := c.RPage[byte(pc>>8)], int(byte(pc)); m != nil && lo <= 252 {
			code = binary.LittleEndian.Uint32(m[lo : lo+4])
		} else {
			code = c.fetch(pc)
		}
		t := &timings[byte(code)]
		c.Cycles += uint64(t.cycles)
		o := byte(code >> 8)             // operand byte
		abs := uint16(code >> 8)         // operand word
		bp := uint16(c.B)<<8 | uint16(o) // base-page address

		switch byte(code) {
		// Loads.
		case 0xA9:
			c.PC = pc + 2
			c.A = o
			c.setNZ(o)
		case 0xA5:
			c.PC = pc + 2
			c.lda(bp)
		case 0xB5:
			c.PC = pc + 2
			c.lda(bp&0xFF00 | uint16(o+c.X))
		case 0xAD:
			c.PC = pc + 3
			c.lda(abs)
		case 0xBD:
			c.PC = pc + 3
			c.lda(abs + uint16(c.X))
		case 0xB9:
			c.PC = pc + 3
			c.lda(abs + uint16(c.Y))
		case 0xB1:
			c.PC = pc + 2
			c.lda(c.pointer(o) + uint16(c.Y))
		case 0xB2:
			c.PC = pc + 2
			c.lda(c.pointer(o) + uint16(c.Z))
		case 0xA2:
			c.PC = pc + 2
			c.X = o
			c.setNZ(o)
		case 0xA6:
			c.PC = pc + 2
			c.ldx(bp)
		case 0xAE:
			c.PC = pc + 3
			c.ldx(abs)
		case 0xA0:
			c.PC = pc + 2
			c.Y = o
			c.setNZ(o)
		case 0xA4:
			c.PC = pc + 2
			c.ldy(bp)
		case 0xAC:
			c.PC = pc + 3
			c.ldy(abs)

		// Stores.
		case 0x85:
			c.PC = pc + 2
			c.wr(bp, c.A)
		case 0x95:
			c.PC = pc + 2
			c.wr(bp&0xFF00|uint16(o+c.X), c.A)
		case 0x8D:
			c.PC = pc + 3
			c.wr(abs, c.A)
		case 0x9D:
			c.PC = pc + 3
			c.wr(abs+uint16(c.X), c.A)
		case 0x99:
			c.PC = pc + 3
			c.wr(abs+uint16(c.Y), c.A)
		case 0x91:
			c.PC = pc + 2
			c.wr(c.pointer(o)+uint16(c.Y), c.A)
		case 0x92:
			c.PC = pc + 2
			c.wr(c.pointer(o)+uint16(c.Z), c.A)
		case 0x86:
			c.PC = pc + 2
			c.wr(bp, c.X)
		case 0x8E:
			c.PC = pc + 3
			c.wr(abs, c.X)
		case 0x84:
			c.PC = pc + 2
			c.wr(bp, c.Y)
		case 0x8C:
			c.PC = pc + 3
			c.wr(abs, c.Y)

		// Arithmetic, logic and comparison with A.
		case 0x69:
			c.PC = pc + 2
			c.add(o)
		case 0x65:
			c.PC = pc + 2
			c.adc(bp)
		case 0x6D:
			c.PC = pc + 3
			c.adc(abs)
		case 0x7D:
			c.PC = pc + 3
			c.adc(abs + uint16(c.X))
		case 0x71:
			c.PC = pc + 2
			c.adc(c.pointer(o) + uint16(c.Y))
		case 0xE9:
			c.PC = pc + 2
			c.subtract(o)
		case 0xE5:
			c.PC = pc + 2
			c.sbc(bp)
		case 0xED:
			c.PC = pc + 3
			c.sbc(abs)
		case 0xFD:
			c.PC = pc + 3
			c.sbc(abs + uint16(c.X))
		case 0xF1:
			c.PC = pc + 2
			c.sbc(c.pointer(o) + uint16(c.Y))
		case 0xC9:
			c.PC = pc + 2
			c.compare(c.A, o)
		case 0xC5:
			c.PC = pc + 2
			c.cmp(bp)
		case 0xD5:
			c.PC = pc + 2
			c.cmp(bp&0xFF00 | uint16(o+c.X))
		case 0xCD:
			c.PC = pc + 3
			c.cmp(abs)
		case 0xDD:
			c.PC = pc + 3
			c.cmp(abs + uint16(c.X))
		case 0xD1:
			c.PC = pc + 2
			c.cmp(c.pointer(o) + uint16(c.Y))
		case 0x29:
			c.PC = pc + 2
			c.A &= o
			c.setNZ(c.A)
		case 0x25:
			c.PC = pc + 2
			c.and(bp)
		case 0x2D:
			c.PC = pc + 3
			c.and(abs)
		case 0x3D:
			c.PC = pc + 3
			c.and(abs + uint16(c.X))
		case 0x31:
			c.PC = pc + 2
			c.and(c.pointer(o) + uint16(c.Y))
		case 0x09:
			c.PC = pc + 2
			c.A |= o
			c.setNZ(c.A)
		case 0x05:
			c.PC = pc + 2
			c.ora(bp)
		case 0x0D:
			c.PC = pc + 3
			c.ora(abs)
		case 0x1D:
			c.PC = pc + 3
			c.ora(abs + uint16(c.X))
		case 0x11:
			c.PC = pc + 2
			c.ora(c.pointer(o) + uint16(c.Y))
		case 0x49:
			c.PC = pc + 2
			c.A ^= o
			c.setNZ(c.A)
		case 0x45:
			c.PC = pc + 2
			c.eor(bp)
		case 0x4D:
			c.PC = pc + 3
			c.eor(abs)
		case 0x5D:
			c.PC = pc + 3
			c.eor(abs + uint16(c.X))
		case 0x51:
			c.PC = pc + 2
			c.eor(c.pointer(o) + uint16(c.Y))
		case 0xE0:
			c.PC = pc + 2
			c.compare(c.X, o)
		case 0xC0:
			c.PC = pc + 2
			c.compare(c.Y, o)

		// Transfers and counts in registers.
		case 0xAA:
			c.PC = pc + 1
			c.X = c.A
			c.setNZ(c.X)
		case 0xA8:
			c.PC = pc + 1
			c.Y = c.A
			c.setNZ(c.Y)
		case 0x8A:
			c.PC = pc + 1
			c.A = c.X
			c.setNZ(c.A)
		case 0x98:
			c.PC = pc + 1
			c.A = c.Y
			c.setNZ(c.A)
		case 0xE8:
			c.PC = pc + 1
			c.X++
			c.setNZ(c.X)
		case 0xC8:
			c.PC = pc + 1
			c.Y++
			c.setNZ(c.Y)
		case 0x1A:
			c.PC = pc + 1
			c.A++
			c.setNZ(c.A)
		case 0xCA:
			c.PC = pc + 1
			c.X--
			c.setNZ(c.X)
		case 0x88:
			c.PC = pc + 1
			c.Y--
			c.setNZ(c.Y)
		case 0x3A:
			c.PC = pc + 1
			c.A--
			c.setNZ(c.A)

		// Flags. FlagE is the other way round: cle allows the 16-bit stack.
		case 0x18:
			c.PC = pc + 1
			c.P &^= FlagC
		case 0x38:
			c.PC = pc + 1
			c.P |= FlagC

		// Branches and jumps.
		case 0x10:
			c.PC = pc + 2
			if c.P&FlagN == 0 {
				c.PC += uint16(int8(o))
			}
		case 0x30:
			c.PC = pc + 2
			if c.P&FlagN != 0 {
				c.PC += uint16(int8(o))
			}
		case 0x90:
			c.PC = pc + 2
			if c.P&FlagC == 0 {
				c.PC += uint16(int8(o))
			}
		case 0xB0:
			c.PC = pc + 2
			if c.P&FlagC != 0 {
				c.PC += uint16(int8(o))
			}
		case 0xD0:
			c.PC = pc + 2
			if c.P&FlagZ == 0 {
				c.PC += uint16(int8(o))
			}
		case 0xF0:
			c.PC = pc + 2
			if c.P&FlagZ != 0 {
				c.PC += uint16(int8(o))
			}
		case 0x80:
			c.PC = pc + 2
			c.PC += uint16(int8(o))
		case 0x4C:
			c.PC = pc + 3
			c.PC = abs
		case 0x20:
			c.PC = pc + 3
			c.pushWord(pc + 2)
			c.PC = abs
		case 0x60:
			c.PC = pc + 1
			c.PC = c.pullWord() + 1

		// Shifts of A.
		case 0x0A:
			c.PC = pc + 1
			c.A = c.shiftLeft(c.A, 0)
		case 0x2A:
			c.PC = pc + 1
			c.A = c.shiftLeft(c.A, c.P&FlagC)
		case 0x4A:
			c.PC = pc + 1
			c.A = c.shiftRight(c.A, 0)
		case 0x6A:
			c.PC = pc + 1
			c.A = c.shiftRight(c.A, c.P<<7)
		case 0x43:
			c.PC = pc + 1
			c.A = c.shiftRight(c.A, c.A&0x80)

		// Counts in memory.
		case 0xE6:
			c.PC = pc + 2
			c.inc(bp)
		case 0xEE:
			c.PC = pc + 3
			c.inc(abs)
		case 0xC6:
			c.PC = pc + 2
			c.dec(bp)
		case 0xCE:
			c.PC = pc + 3
			c.dec(abs)

		case 0x01, 0x02, 0x03, 0x12, 0x15, 0x19, 0x1B, 0x21, 0x32, 0x35, 0x39, 0x3B, 0x41,
			0x4B, 0x50, 0x52, 0x55, 0x58, 0x59, 0x61, 0x64, 0x6B, 0x70, 0x72, 0x74, 0x75,
			0x78, 0x79, 0x7B, 0x81, 0x82, 0x8B, 0x94, 0x96, 0x9B, 0x9C, 0x9E, 0xA1, 0xA3,
			0xAB, 0xB4, 0xB6, 0xB8, 0xBB, 0xBC, 0xBE, 0xC1, 0xC2, 0xC4, 0xCC, 0xD2, 0xD4,
			0xD6, 0xD8, 0xD9, 0xDC, 0xDE, 0xE1, 0xE2, 0xE4, 0xEC, 0xF2, 0xF5, 0xF6, 0xF8,
			0xF9, 0xFE:
			c.PC = pc + uint16(t.bytes)
			c.execLess(byte(code), o, abs, bp)
		default:
			c.PC = pc + uint16(t.bytes)
			c.execMore(byte(code), o, abs, bp)
		}
		if c.Cycles >= c.deadline {
			c.Instructions += n
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
