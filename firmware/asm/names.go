package asm

import (
	"strings"
	"sync"

	"ssnail-kit/mega65/isa"
)

// reserved tells why a name cannot be used: one of the two assemblers would
// take it for something else.
func reserved(name string) string {
	switch l := strings.ToLower(name); l {
	case "a", "x", "y", "z", "s", "q", "b", "sp", "pc":
		return "it is a register"
	case "else", "if", "ifdef", "ifndef", "until", "while":
		return "it is a word of the assembler"
	case "and", "or", "xor", "eor", "not", "mod", "div", "asl", "lsl", "asr", "lsr",
		"sin", "cos", "tan", "arcsin", "arccos", "arctan", "addr", "address", "int", "float", "is_number", "is_list", "is_string", "len":
		return "ACME knows it as an operator"
	case "nop", "aug", "ina", "dea", "bru", "cmpq", "oraq", "nega", "asra", "jsl", "rtl", "jml", "cop", "wai", "stp", "xba":
		return "it is an instruction to some assembler"
	default:
		if base, ok := strings.CutSuffix(l, farSuffix); ok && isa.Known(base) {
			return "the source for ca65 has a macro of that name"
		}
		if isa.Known(l) {
			return "it is an instruction"
		}
	}
	return ""
}

// formModes says in which addressing modes an operand's form can end.
var formModes = [forms][]isa.Mode{
	NoOperand: {isa.Implied},
	Imm:       {isa.Immediate, isa.ImmediateWord},
	Plain:     {isa.Base, isa.Absolute, isa.Relative, isa.RelativeWord},
	PlainX:    {isa.BaseX, isa.AbsoluteX},
	PlainY:    {isa.BaseY, isa.AbsoluteY},
	IndX:      {isa.BaseXIndirect, isa.IndirectX},
	IndY:      {isa.BaseIndirectY},
	IndZ:      {isa.BaseIndirectZ},
	Ind:       {isa.BaseIndirect, isa.Indirect},
	StackIndY: {isa.StackIndirectY},
	FarIndZ:   {isa.FarZ},
	FarInd:    {isa.Far},
	BitBranch: {isa.BaseRelative},
}

// opKey finds an instruction by name and form; it has one encoding or two,
// narrow and wide.
type opKey struct {
	name string
	form Form
}

type opPair struct{ narrow, wide *isa.Op }

// opTable is built once from the instruction table.
var opTable = sync.OnceValue(func() map[opKey]opPair {
	t := map[opKey]opPair{}
	all := isa.All()
	for i := range all {
		op := &all[i]
		for f, modes := range formModes {
			for _, m := range modes {
				if m != op.Mode {
					continue
				}
				k := opKey{op.Name, Form(f)}
				pair := t[k]
				if m.OperandBytes() == 2 {
					pair.wide = op
				} else {
					pair.narrow = op
				}
				t[k] = pair
			}
		}
	}
	return t
})
