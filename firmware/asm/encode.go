package asm

import (
	"fmt"

	"ssnail-kit/mega65/isa"
)

// lastOps remembers the instructions right before the present one, for the
// sequences that the CPU reads as a prefix.
type lastOps struct{ one, two string }

func (a *assembler) instr(s *Instr) error {
	if !a.cpu {
		return fmt.Errorf("instruction before !cpu m65")
	}
	pair, ok := opTable()[opKey{s.Name, s.Form}]
	if !ok {
		return fmt.Errorf("%s has no addressing mode %s", s.Name, s.Form)
	}
	if err := a.prefixTrap(s.Name, pair); err != nil {
		return err
	}
	a.last = lastOps{s.Name, a.last.one}
	if s.Form == NoOperand {
		if s.Width != 0 {
			return fmt.Errorf("%s+%d has no operand", s.Name, s.Width)
		}
		return a.emit(pair.narrow.Encoding()...)
	}
	if hasPC(s.X) || s.Y != nil && hasPC(s.Y) {
		return fmt.Errorf("* in an instruction: the assemblers count it from different places; use a label")
	}
	v, err := a.eval(s.X)
	if err != nil {
		return err
	}
	op, err := choose(s, pair, v)
	if err != nil {
		return err
	}
	switch op.Mode {
	case isa.Relative, isa.RelativeWord:
		return a.jump(op, v)
	case isa.BaseRelative:
		return a.bitBranch(s, op, v)
	}
	size := op.Mode.OperandBytes()
	if err := operandFits(s, v, size); err != nil {
		return err
	}
	if v.n < 0 {
		a.note(s).negative(s.X)
	}
	return a.emit(append(op.Encoding(), little(v.n, size)...)...)
}

func operandFits(s *Instr, v value, size int) error {
	if s.Form == Imm || v.undef {
		return fits(v, size)
	}
	if v.n < 0 || v.n >= 1<<(8*size) {
		what := "an address"
		if size == 1 {
			what = "a base page address"
		}
		return fmt.Errorf("value %d ($%x) is not %s", v.n, uint32(v.n), what)
	}
	if v.n == 0xFF && size == 1 && s.Form >= IndX && s.Form <= FarInd {
		return fmt.Errorf("pointer at $ff wraps around to $00 (ACME warns)")
	}
	return nil
}

// choose picks the encoding as ACME does, and refuses where ACME would warn.
func choose(s *Instr, pair opPair, v value) (*isa.Op, error) {
	switch {
	case s.Width == 1 && (pair.narrow == nil || !sized(pair.narrow)), s.Width == 2 && (pair.wide == nil || !sized(pair.wide)):
		return nil, fmt.Errorf("%s %s has no form for +%d", s.Name, s.Form, s.Width)
	case s.Width == 1:
		return pair.narrow, nil
	case s.Width == 2:
		return pair.wide, nil
	case pair.wide == nil:
		return pair.narrow, nil
	case pair.narrow == nil:
		return pair.wide, nil
	case v.undef && v.byte:
		return pair.narrow, nil
	case v.undef:
		return pair.wide, nil
	case v.n < 0 || v.n > 0xFFFF:
		return nil, fmt.Errorf("value %d ($%x) is not an address", v.n, uint32(v.n))
	case v.n > 0xFF || v.ever && v.byte:
		if v.n <= 0xFF {
			return pair.narrow, nil
		}
		return pair.wide, nil
	case v.ever:
		return nil, fmt.Errorf("base page address $%02x is used before it is defined: define it first, or write %s+1", v.n, s.Name)
	case v.wide:
		return nil, fmt.Errorf("base page address $%02x written with leading zeros: write %s+2, or drop the zeros", v.n, s.Name)
	}
	return pair.narrow, nil
}

// sized tells whether an encoding is one of a pair of widths.
func sized(op *isa.Op) bool {
	switch op.Mode {
	case isa.Relative, isa.RelativeWord, isa.BaseRelative, isa.Immediate, isa.ImmediateWord:
		return false
	}
	return true
}

// jump encodes a branch. Displacements count from the opcode + 2 in both
// lengths.
func (a *assembler) jump(op *isa.Op, v value) error {
	size := op.Mode.OperandBytes()
	d := v.n - int64(a.pc) - 2
	if v.undef {
		d = 0
	}
	if size == 1 && (d < -128 || d > 127) {
		return fmt.Errorf("%s reaches -128 to 127 bytes, the target is %d away: use %s", op.Name, d, longName(op.Name))
	}
	if size == 2 && !v.undef && (v.n < 0 || v.n > 0xFFFF) {
		return fmt.Errorf("value %d ($%x) is not an address", v.n, uint32(v.n))
	}
	return a.emit(append(op.Encoding(), little(d, size)...)...)
}

func longName(branch string) string {
	if isa.Known("l" + branch) {
		return "l" + branch
	}
	return "a jump"
}

func (a *assembler) bitBranch(s *Instr, op *isa.Op, v value) error {
	target, err := a.eval(s.Y)
	if err != nil {
		return err
	}
	if err := operandFits(s, v, 1); err != nil {
		return err
	}
	d := target.n - int64(a.pc) - 3
	if target.undef {
		d = 0
	}
	if d < -128 || d > 127 {
		return fmt.Errorf("%s reaches -128 to 127 bytes, the target is %d away", op.Name, d)
	}
	return a.emit(append(op.Encoding(), byte(v.n), byte(d))...)
}

// prefixTrap refuses sequences that the CPU reads as one 32-bit instruction.
func (a *assembler) prefixTrap(name string, pair opPair) error {
	switch {
	case a.last.one == "eom" && pair.narrow != nil && (pair.narrow.Mode == isa.BaseIndirectZ || pair.narrow.Mode == isa.BaseIndirect):
		return fmt.Errorf("eom right before %s %s makes it a 32-bit pointer: put clv between", name, pair.narrow.Mode)
	case a.last.one == "neg" && a.last.two == "neg":
		return fmt.Errorf("two neg right before %s make it a 32-bit operation: put clv between", name)
	case a.last.one == "cld" && a.last.two == "cld":
		return fmt.Errorf("cld twice is a prefix for far jumps")
	case name == "cld" && a.last.one == "cld":
		return fmt.Errorf("cld twice is a prefix for far jumps: one is enough")
	}
	return nil
}
