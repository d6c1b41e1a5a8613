package cpu

// Run executes instructions until Cycles reaches limit or Stop is called. The
// last instruction may end a few cycles behind the limit. An instruction with
// its prefixes is never cut in two.
func (c *CPU) Run(limit uint64) {
	c.stopped = false
	for c.Cycles < limit && !c.stopped {
		if c.interrupted() {
			continue
		}
		c.deadline = limit
		if c.shadow != 0 && c.pending() {
			c.deadline = c.Cycles + 1 // one instruction, then look again
		}
		c.exec()
	}
}

// RunHooked is Run for debuggers: before each instruction, and behind the
// entry of an interrupt, it calls hook with the CPU at the instruction to
// come. The hook may change registers or call Stop, which prevents that
// instruction. Run itself pays nothing for this.
func (c *CPU) RunHooked(limit uint64, hook func(*CPU)) {
	c.stopped = false
	for c.Cycles < limit {
		if c.interrupted() {
			continue
		}
		hook(c)
		if c.stopped {
			return
		}
		c.deadline = c.Cycles + 1
		c.exec()
		if c.stopped {
			return
		}
	}
}

// Step executes one instruction with its prefixes, or enters one pending
// interrupt.
func (c *CPU) Step() {
	c.stopped = false
	if c.interrupted() {
		return
	}
	c.deadline = c.Cycles + 1
	c.exec()
}

// StepOnly executes one instruction with its prefixes and enters no interrupt,
// for debuggers that halt the CPU with interrupts off.
func (c *CPU) StepOnly() {
	c.deadline = c.Cycles + 1
	c.exec()
}

// pending reports whether an interrupt could be taken now, but for a prefix.
func (c *CPU) pending() bool {
	return !c.held && (c.nmi || c.irq && c.P&FlagI == 0)
}

// interrupted enters an interrupt if one may be taken, and reports it.
func (c *CPU) interrupted() bool {
	if !c.pending() || c.shadow == 1<<16|uint32(c.PC) {
		return false
	}
	c.shadow = 0
	vector := uint16(VectorIRQ)
	if c.nmi {
		c.nmi = false
		vector = VectorNMI
	}
	c.pushWord(c.PC)
	c.push(c.P &^ FlagB)
	c.P = c.P&^FlagD | FlagI
	c.PC = c.word(vector)
	c.Cycles += 7
	return true
}

// rd reads a byte of the CPU's view.
func (c *CPU) rd(addr uint16) byte {
	if m := c.RPage[addr>>8]; m != nil {
		return m[byte(addr)]
	}
	return c.Bus.Read(addr)
}

// wr writes a byte of the CPU's view.
func (c *CPU) wr(addr uint16, v byte) {
	if m := c.WPage[addr>>8]; m != nil {
		m[byte(addr)] = v
		return
	}
	c.Bus.Write(addr, v)
}

// word reads a little-endian word; its bytes may lie in different pages.
func (c *CPU) word(addr uint16) uint16 {
	return uint16(c.rd(addr)) | uint16(c.rd(addr+1))<<8
}

// Peek reads a byte of the CPU's view for debuggers and tests. On a page that
// belongs to the Bus it has the effects that a read has there.
func (c *CPU) Peek(addr uint16) byte { return c.rd(addr) }

// Poke writes a byte of the CPU's view as an instruction would.
func (c *CPU) Poke(addr uint16, v byte) { c.wr(addr, v) }
