package cpu

// neg is opcode $42. Two in a row are the prefix of a 32-bit operation, which
// is executed here together with its prefix.
func (c *CPU) neg() {
	c.A = -c.A
	c.setNZ(c.A)
	if c.rd(c.PC) != 0x42 {
		return
	}
	c.PC++
	c.Cycles += uint64(timings[0x42].cycles)
	c.A = -c.A
	c.setNZ(c.A)
	op := c.rd(c.PC)
	if op == 0xEA {
		if far := c.rd(c.PC + 1); far&0x1F == 0x12 {
			c.released()
			c.PC += 2
			c.quadFar(far)
			return
		}
	}
	if !c.quad(op) {
		c.shadow = 1<<16 | uint32(c.PC)
	}
}

// eom is opcode $EA: the end of MAP's interrupt lock, and the prefix that makes
// the pointer of a (bp),z opcode four bytes long.
func (c *CPU) eom() {
	op := c.rd(c.PC)
	c.released()
	if op&0x1F != 0x12 {
		c.shadow = 1<<16 | uint32(c.PC)
		return
	}
	c.PC++
	n := c.rd(c.PC)
	c.PC++
	c.Cycles += farCycles
	addr := (c.farPointer(n) + uint32(c.Z)) & 0xFFFFFFF
	switch op {
	case 0x12:
		c.A |= c.Bus.ReadFlat(addr)
		c.setNZ(c.A)
	case 0x32:
		c.A &= c.Bus.ReadFlat(addr)
		c.setNZ(c.A)
	case 0x52:
		c.A ^= c.Bus.ReadFlat(addr)
		c.setNZ(c.A)
	case 0x72:
		c.add(c.Bus.ReadFlat(addr))
	case 0x92:
		c.Bus.WriteFlat(addr, c.A)
	case 0xB2:
		c.A = c.Bus.ReadFlat(addr)
		c.setNZ(c.A)
	case 0xD2:
		c.compare(c.A, c.Bus.ReadFlat(addr))
	case 0xF2:
		c.subtract(c.Bus.ReadFlat(addr))
	}
}

// released ends the interrupt lock of MAP.
func (c *CPU) released() {
	if c.held {
		c.held = false
		c.deadline = 0
	}
}

// farPointer reads a four-byte pointer from the base page.
func (c *CPU) farPointer(n byte) uint32 {
	return uint32(c.pointer(n)) | uint32(c.pointer(n+2))<<16
}
