package isa

import (
	"fmt"
	"strings"
)

// Operand is what Disassemble found behind an opcode.
type Operand struct {
	Value  uint16 // immediate, address, or base-page address of bbr and bbs
	Target uint16 // where branches go; only for the relative modes
}

// Decode reads one instruction with its prefixes from the front of code, which
// the CPU has at address pc. n is its length: 0 if code ends within it.
//
// A prefix that does not change the next opcode is an instruction of its own,
// neg or eom.
func Decode(code []byte, pc uint16) (op Op, arg Operand, n int) {
	if len(code) == 0 {
		return Op{}, Operand{}, 0
	}
	op = plain[code[0]]
	at := 1 // where the operand is
	for p := QuadFar; p > None; p-- {
		pre := prefixBytes[p]
		if len(code) > len(pre) && string(code[:len(pre)]) == pre {
			if q, ok := Prefixed(p, code[len(pre)]); ok {
				op, at = q, len(pre)+1
				break
			}
		}
	}
	n = int(op.Bytes)
	if len(code) < n {
		return op, Operand{}, 0
	}
	next := pc + uint16(n)
	switch op.Mode.OperandBytes() {
	case 1:
		arg.Value = uint16(code[at])
	case 2:
		arg.Value = uint16(code[at]) | uint16(code[at+1])<<8
	}
	switch op.Mode {
	case Relative:
		arg.Target = next + uint16(int8(arg.Value))
	case RelativeWord:
		arg.Target = next - 1 + arg.Value
	case BaseRelative:
		arg.Target = next + uint16(int8(arg.Value>>8))
		arg.Value &= 0xFF
	}
	return op, arg, n
}

// Format writes an instruction as ACME reads it. symbol may name an address
// that the operand means, or return ""; nil names none. Words below $0100 keep
// their leading zeros, which makes ACME keep the mode.
func (o Op) Format(arg Operand, symbol func(addr uint16) string) string {
	word := func(addr uint16) string {
		if symbol != nil {
			if s := symbol(addr); s != "" {
				return s
			}
		}
		return fmt.Sprintf("$%04x", addr)
	}
	base := fmt.Sprintf("$%02x", arg.Value)
	var text string
	switch o.Mode {
	case Implied:
		return o.Name
	case Immediate:
		text = "#" + base
	case ImmediateWord:
		text = fmt.Sprintf("#$%04x", arg.Value)
	case Relative, RelativeWord:
		text = word(arg.Target)
	case BaseRelative:
		text = base + "," + word(arg.Target)
	case Absolute, AbsoluteX, AbsoluteY, Indirect, IndirectX:
		text = strings.Replace(modeNames[o.Mode], "nn", word(arg.Value), 1)
	default:
		text = strings.Replace(modeNames[o.Mode], "n", base, 1)
	}
	return o.Name + " " + text
}

// Disassemble returns the text of the instruction at the front of code and its
// length; symbol is as in Format. Bytes that ACME would not give back from an instruction come as
// !byte: an instruction that code cuts short, and a surplus pair of neg, which
// would make a 32-bit instruction of what follows if it stood alone.
func Disassemble(code []byte, pc uint16, symbol func(addr uint16) string) (text string, n int) {
	if len(code) == 0 {
		return "", 0
	}
	op, arg, n := Decode(code, pc)
	if n == 0 {
		return fmt.Sprintf("!byte $%02x", code[0]), 1
	}
	if n == 1 && len(code) > 2 && code[0] == 0x42 && code[1] == 0x42 && code[2] == 0x42 {
		// The CPU takes negs in pairs from the first; the third begins anew.
		return "!byte $42,$42", 2
	}
	return op.Format(arg, symbol), n
}
