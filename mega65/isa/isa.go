// Package isa is the instruction table of the MEGA65's 45GS02: the one place
// where opcodes, addressing modes, lengths and cycles are written down. The
// assembler, the emulated CPU, the profiler and the disassembler all read it.
//
// Names are those of the ACME assembler ("!cpu m65"): neg and not nega, rtn and
// not rts #n, cpq and orq, lbne for the 16-bit branches, eom for the opcode
// $EA. The 45GS02 is a 65CE02 with two prefixes:
//
//	EA        + a (bp),z opcode: the pointer at bp is four bytes, [bp],z
//	42 42     + an opcode: a 32-bit operation on Q = A, X, Y, Z
//	42 42 EA  + a (bp) opcode: the same through a four-byte pointer, [bp]
//
// Cycles are for 40 MHz, where every read of memory costs one wait state. They
// come from the MEGA65 book's tables, which are partly measured and say of
// themselves that they vary; treat each as right to within one cycle. Page
// crossings and taken branches cost nothing extra at this speed.
package isa

// Mode is an addressing mode: how the bytes after an opcode are read and how
// the operand is written.
type Mode uint8

// The addressing modes. "Length" is that of the operand in bytes, without the
// opcode and its prefix.
const (
	Implied        Mode = iota // no operand; also the accumulator and Q forms
	Immediate                  // #n, length 1
	ImmediateWord              // #nn, length 2 (phw)
	Base                       // n, base page, length 1
	BaseX                      // n,x
	BaseY                      // n,y
	Absolute                   // nn, length 2
	AbsoluteX                  // nn,x
	AbsoluteY                  // nn,y
	BaseXIndirect              // (n,x)
	BaseIndirectY              // (n),y
	BaseIndirectZ              // (n),z
	BaseIndirect               // (n), Q forms only
	StackIndirectY             // (n,sp),y
	FarZ                       // [n],z: four-byte pointer, EA prefix
	Far                        // [n]: four-byte pointer, Q forms only
	Indirect                   // (nn), jmp and jsr
	IndirectX                  // (nn,x), jmp and jsr
	Relative                   // target, 8-bit displacement from opcode+2
	RelativeWord               // target, 16-bit displacement from opcode+2
	BaseRelative               // n,target: bbr and bbs; displacement from opcode+3
	modes
)

// operandBytes is the operand length of each mode.
var operandBytes = [modes]uint8{
	Immediate: 1, ImmediateWord: 2, Base: 1, BaseX: 1, BaseY: 1,
	Absolute: 2, AbsoluteX: 2, AbsoluteY: 2,
	BaseXIndirect: 1, BaseIndirectY: 1, BaseIndirectZ: 1, BaseIndirect: 1,
	StackIndirectY: 1, FarZ: 1, Far: 1, Indirect: 2, IndirectX: 2,
	Relative: 1, RelativeWord: 2, BaseRelative: 2,
}

var modeNames = [modes]string{
	"implied", "#n", "#nn", "n", "n,x", "n,y", "nn", "nn,x", "nn,y",
	"(n,x)", "(n),y", "(n),z", "(n)", "(n,sp),y", "[n],z", "[n]",
	"(nn)", "(nn,x)", "rel", "rel16", "n,rel",
}

// OperandBytes returns how many bytes of operand follow the opcode: 0 to 2.
func (m Mode) OperandBytes() int {
	if m < modes {
		return int(operandBytes[m])
	}
	return 0
}

// String returns the mode as the operand is written, n for a byte and nn for a
// word.
func (m Mode) String() string {
	if m < modes {
		return modeNames[m]
	}
	return "invalid mode"
}

// Prefix is what stands before an opcode.
type Prefix uint8

// The four prefix states.
const (
	None    Prefix = iota
	FarPtr         // EA
	Quad           // 42 42
	QuadFar        // 42 42 EA
	prefixes
)

var prefixBytes = [prefixes]string{"", "\xEA", "\x42\x42", "\x42\x42\xEA"}

// Bytes returns the prefix as machine code, 0 to 3 bytes.
func (p Prefix) Bytes() []byte {
	if p < prefixes {
		return []byte(prefixBytes[p])
	}
	return nil
}

// Op is one instruction in one addressing mode.
type Op struct {
	Name   string // as ACME spells it, lower case
	Mode   Mode
	Prefix Prefix
	Code   byte  // the opcode after the prefix
	Bytes  uint8 // whole length: prefix, opcode and operand
	Cycles uint8 // at 40 MHz, prefix included, approximate (see the package)
}

// Encoding returns prefix and opcode, the bytes before the operand.
func (o Op) Encoding() []byte {
	return append(o.Prefix.Bytes(), o.Code)
}

// Table returns the 256 plain opcodes by opcode. The copy belongs to the
// caller.
func Table() *[256]Op {
	t := plain
	return &t
}

// All returns every documented instruction: the 256 plain opcodes in order,
// then the eight [n],z forms, the Q forms and the Q forms through [n].
func All() []Op {
	all := make([]Op, 0, len(plain)+len(prefixed))
	all = append(all, plain[:]...)
	return append(all, prefixed[:]...)
}

// Lookup finds the instruction of that name and mode. Names are lower case.
// $EA is found as "eom" and brk as Implied.
func Lookup(name string, mode Mode) (Op, bool) {
	for i := range plain {
		if plain[i].Name == name && plain[i].Mode == mode {
			return plain[i], true
		}
	}
	for i := range prefixed {
		if prefixed[i].Name == name && prefixed[i].Mode == mode {
			return prefixed[i], true
		}
	}
	return Op{}, false
}

// Known reports whether any instruction has this (lower-case) name.
func Known(name string) bool {
	for i := range plain {
		if plain[i].Name == name {
			return true
		}
	}
	for i := range prefixed {
		if prefixed[i].Name == name {
			return true
		}
	}
	return false
}

// Prefixed returns the documented instruction that opcode code forms after
// prefix p; ok is false if the prefix does not change this opcode.
func Prefixed(p Prefix, code byte) (op Op, ok bool) {
	if p == None {
		return plain[code], true
	}
	for i := range prefixed {
		if prefixed[i].Prefix == p && prefixed[i].Code == code {
			return prefixed[i], true
		}
	}
	return Op{}, false
}
