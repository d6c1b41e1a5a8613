package cpu

import (
	"testing"

	"ssnail-kit/mega65/isa"
)

// state is all that a program can see, for comparison.
type state struct {
	a, x, y, z, b, p byte
	pc, sp           uint16
	cycles           uint64
	lo, hi           Map
}

func (c *CPU) state() state {
	return state{c.A, c.X, c.Y, c.Z, c.B, c.P, c.PC, c.SP, c.Cycles, c.MapLo, c.MapHi}
}

func load(program []byte, plain bool) (*CPU, *flatBus) {
	c, b := newFlat(plain)
	for i := range b.ram {
		b.ram[i] = byte(i * 0x35 >> 3)
	}
	copy(b.ram[0x1FF0:], program)
	c.PC, c.SP, c.P = 0x1FF0, 0x1FF, FlagE|FlagI
	return c, b
}

// FuzzProgram runs any bytes as a program for a bounded number of cycles: in
// one go, instruction by instruction through a hook, and with every access
// through the Bus. All three must end alike, and on the way every instruction
// that does not jump must be as long as the table says.
func FuzzProgram(f *testing.F) {
	f.Add(benchProgram, uint16(0))
	f.Add([]byte{0x42, 0x42, 0xEA, 0xB2, 0x40, 0x5C, 0xEA, 0xE8}, uint16(7))
	f.Add([]byte{0x58, 0x42, 0x42, 0x42, 0x42, 0xA5, 0x10, 0x02, 0x00}, uint16(3))
	f.Fuzz(func(t *testing.T, program []byte, irqAt uint16) {
		const limit = 3000
		raise := func(c *CPU) { c.SetIRQ(!c.irq) }
		at := uint64(irqAt % limit)

		c1, b1 := load(program, true)
		c1.Run(at)
		raise(c1)
		c1.Run(limit)

		c2, b2 := load(program, false)
		c2.Run(at)
		raise(c2)
		c2.Run(limit)

		c3, b3 := load(program, true)
		next, check := uint16(0), false
		hook := func(c *CPU) {
			if check && c.PC != next {
				t.Fatalf("instruction before %04X ended at %04X", next, c.PC)
			}
			code := make([]byte, 6)
			for i := range code {
				code[i] = b3.ram[c.PC+uint16(i)]
			}
			op, _, n := isa.Decode(code, c.PC)
			next, check = c.PC+uint16(n), straight(op) && !c.pending()
			if op.Name == "neg" && code[1] == 0x42 {
				next++ // a prefix in vain
			}
		}
		c3.RunHooked(at, hook)
		check = false
		raise(c3)
		c3.RunHooked(limit, hook)

		if c1.state() != c2.state() || b1.ram != b2.ram {
			t.Errorf("plain pages: %+v\nthrough the Bus: %+v", c1.state(), c2.state())
		}
		if c1.state() != c3.state() || b1.ram != b3.ram {
			t.Errorf("Run: %+v\nRunHooked: %+v", c1.state(), c3.state())
		}
		if c1.Cycles < limit || c1.Cycles > limit+20 {
			t.Errorf("stopped at cycle %d, want %d", c1.Cycles, limit)
		}
	})
}

// straight reports whether the next instruction follows in memory and no
// waiting interrupt is let in.
func straight(op isa.Op) bool {
	switch op.Mode {
	case isa.Relative, isa.RelativeWord, isa.BaseRelative, isa.Indirect, isa.IndirectX:
		return false
	}
	switch op.Name {
	case "brk", "jmp", "jsr", "rts", "rtn", "rti", "cli", "plp", "eom":
		return false
	}
	return true
}
