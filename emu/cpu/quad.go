package cpu

import "ssnail-kit/mega65/isa"

// quadTimings and quadFarCycles give the cycles of the operations behind
// NEG NEG, without those of the prefix; 0 where no operation is documented.
var quadTimings, quadFarCycles = func() (q, far [256]uint8) {
	for _, op := range isa.All() {
		switch op.Prefix {
		case isa.Quad:
			q[op.Code] = op.Cycles - 2*timings[0x42].cycles
		case isa.QuadFar:
			far[op.Code] = op.Cycles - 2*timings[0x42].cycles
		}
	}
	return q, far
}()

// farCycles is what the [bp],z forms take beyond their EA, all the same.
var farCycles = func() uint64 {
	op, _ := isa.Prefixed(isa.FarPtr, 0xB2)
	return uint64(op.Cycles - timings[0xEA].cycles)
}()

// quad executes the 32-bit operation op at PC, behind NEG NEG. It reports
// false, with PC unmoved, if that opcode has no documented 32-bit form.
func (c *CPU) quad(op byte) bool {
	cycles := quadTimings[op]
	if cycles == 0 {
		return false
	}
	pc := c.PC
	c.PC = pc + uint16(timings[op].bytes)
	c.Cycles += uint64(cycles)
	switch op { // operations on the register
	case 0x0A:
		c.SetQ(c.quadLeft(c.Q(), 0))
		return true
	case 0x2A:
		c.SetQ(c.quadLeft(c.Q(), uint32(c.P&FlagC)))
		return true
	case 0x4A:
		c.SetQ(c.quadRight(c.Q(), 0))
		return true
	case 0x6A:
		c.SetQ(c.quadRight(c.Q(), uint32(c.P&FlagC)<<31))
		return true
	case 0x43:
		q := c.Q()
		c.SetQ(c.quadRight(q, q&(1<<31)))
		return true
	case 0x1A:
		c.quadResult(c.Q() + 1)
		return true
	case 0x3A:
		c.quadResult(c.Q() - 1)
		return true
	}

	o := c.rd(pc + 1)
	addr := uint16(c.B)<<8 | uint16(o)
	switch op & 0x1F {
	case 0x04, 0x05, 0x06: // bp
	case 0x14, 0x16: // bp,x
		addr = addr&0xFF00 | uint16(o+c.X)
	case 0x0C, 0x0D, 0x0E: // abs
		addr = c.word(pc + 1)
	case 0x1E: // abs,x
		addr = c.word(pc+1) + uint16(c.X)
	case 0x12: // (bp): ldq alone adds Z
		addr = c.pointer(o)
		if op == 0xB2 {
			addr += uint16(c.Z)
		}
	}
	switch op & 0xEF {
	case 0x85, 0x8D, 0x82: // stq
		q := c.Q()
		for i := range uint16(4) {
			c.wr(addr+i, byte(q>>(8*i)))
		}
		return true
	}

	var v uint32
	for i := range uint16(4) {
		v |= uint32(c.rd(addr+i)) << (8 * i)
	}
	var r uint32
	switch op {
	case 0x06, 0x0E, 0x16, 0x1E:
		r = c.quadLeft(v, 0)
	case 0x26, 0x2E, 0x36, 0x3E:
		r = c.quadLeft(v, uint32(c.P&FlagC))
	case 0x46, 0x4E, 0x56, 0x5E:
		r = c.quadRight(v, 0)
	case 0x66, 0x6E, 0x76, 0x7E:
		r = c.quadRight(v, uint32(c.P&FlagC)<<31)
	case 0x44, 0x54:
		r = c.quadRight(v, v&(1<<31))
	case 0xE6, 0xEE, 0xF6, 0xFE:
		r = v + 1
		c.setQuadNZ(r)
	case 0xC6, 0xCE, 0xD6, 0xDE:
		r = v - 1
		c.setQuadNZ(r)
	default:
		c.quadOperand(op, v)
		return true
	}
	for i := range uint16(4) {
		c.wr(addr+i, byte(r>>(8*i)))
	}
	return true
}

// quadFar executes the 32-bit operation op whose pointer has four bytes. PC is
// at its operand.
func (c *CPU) quadFar(op byte) {
	n := c.rd(c.PC)
	c.PC++
	c.Cycles += uint64(quadFarCycles[op])
	addr := c.farPointer(n)
	if op == 0xB2 {
		addr += uint32(c.Z)
	}
	if op == 0x92 {
		q := c.Q()
		for i := range uint32(4) {
			c.Bus.WriteFlat((addr+i)&0xFFFFFFF, byte(q>>(8*i)))
		}
		return
	}
	var v uint32
	for i := range uint32(4) {
		v |= uint32(c.Bus.ReadFlat((addr+i)&0xFFFFFFF)) << (8 * i)
	}
	c.quadOperand(op, v)
}

// quadOperand combines Q with a value read; op tells how, in any mode.
func (c *CPU) quadOperand(op byte, v uint32) {
	q := c.Q()
	switch op & 0xE7 {
	case 0xA5, 0xA2: // ldq: a5, ad, b2
		c.quadResult(v)
	case 0x05, 0x02:
		c.quadResult(q | v)
	case 0x25, 0x22:
		c.quadResult(q & v)
	case 0x45, 0x42:
		c.quadResult(q ^ v)
	case 0x65, 0x62:
		c.quadAdd(v)
	case 0xE5, 0xE2:
		c.quadAdd(^v)
	case 0xC5, 0xC2:
		c.setQuadNZ(q - v)
		c.flag(FlagC, q >= v)
	case 0x24: // bitq
		c.flag(FlagZ, q&v == 0)
		c.P = c.P&^(FlagN|FlagV) | byte(v>>24)&(FlagN|FlagV)
	}
}

// quadAdd adds with carry, in binary whatever FlagD says.
func (c *CPU) quadAdd(v uint32) {
	q := c.Q()
	sum := uint64(q) + uint64(v) + uint64(c.P&FlagC)
	r := uint32(sum)
	c.flag(FlagC, sum>>32 != 0)
	c.flag(FlagV, (q^r)&(v^r)>>31 != 0)
	c.quadResult(r)
}

func (c *CPU) quadResult(q uint32) {
	c.SetQ(q)
	c.setQuadNZ(q)
}

func (c *CPU) setQuadNZ(q uint32) {
	c.P = c.P&^(FlagN|FlagZ) | byte(q>>24)&FlagN
	if q == 0 {
		c.P |= FlagZ
	}
}

// quadLeft is aslq with in = 0 and rolq with in = carry.
func (c *CPU) quadLeft(v, in uint32) uint32 {
	r := v<<1 | in
	c.setQuadNZ(r)
	c.flag(FlagC, v>>31 != 0)
	return r
}

// quadRight is lsrq, rorq or asrq, according to the new bit 31, in.
func (c *CPU) quadRight(v, in uint32) uint32 {
	r := v>>1 | in
	c.setQuadNZ(r)
	c.flag(FlagC, v&1 != 0)
	return r
}
