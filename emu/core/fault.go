package core

import "fmt"

// A Code is the number in the error register after a job that went wrong.
type Code byte

// The error codes. No public hardware document fixes them.
const (
	CodeNone    Code = 0
	CodeAddress Code = 1 // an access outside RAM
	CodeIllegal Code = 2 // an unknown instruction, or operands it cannot have
	CodeAlign   Code = 3 // a program counter that is no multiple of 16
	CodeNaN     Code = 4 // a NaN or infinity in logits or attention scores
)

// String says what the code means.
func (c Code) String() string {
	switch c {
	case CodeNone:
		return "no error"
	case CodeAddress:
		return "address fault"
	case CodeIllegal:
		return "illegal instruction"
	case CodeAlign:
		return "alignment fault"
	case CodeNaN:
		return "NaN or infinity"
	}
	return fmt.Sprintf("error %d", byte(c))
}

// A Fault is why a job stopped before HALT.
type Fault struct {
	Code  Code
	PC    uint32   // of the instruction
	Instr [16]byte // the instruction, zero when it could not be fetched
	Addr  uint32   // the address that was wrong, 0 when none was
	Msg   string   // what was wrong
}

// Error names code, instruction and place.
func (f *Fault) Error() string {
	return fmt.Sprintf("%v at PC $%07X (%s): %s", f.Code, f.PC, mnemonic(f.Instr), f.Msg)
}
