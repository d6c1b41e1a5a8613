package image

import (
	"encoding/binary"
	"fmt"
)

// Op is an operation code of the SSNAIL core.
type Op uint8

// The instruction set.
const (
	NOP       Op = 0x00
	HALT      Op = 0x01 // job done
	SYNC      Op = 0x02 // what was written is visible to the CPU
	COPY      Op = 0x03 // Z & $FFFF bytes from addr(X) to addr(Y)
	SETN      Op = 0x07 // N0 = X, N1 = Y, N2 = Z
	LI        Op = 0x08 // R[a] = Z
	LDR       Op = 0x09 // R[a] = u32 at addr(X)
	STR       Op = 0x0A // u32 at addr(X) = R[a]
	ADDI      Op = 0x0B // R[a] = R[b] + Z
	LEA       Op = 0x0C // A[a] = (addr(X) + R[b]*Z) & AddrMask
	BEQ       Op = 0x0D // if R[a] == R[b]: PC = addr(X)
	BNE       Op = 0x0E
	BLT       Op = 0x0F // unsigned
	GEMV      Op = 0x10 // f32[N1] at Z = (N1 rows of N0, format a) at X . f32[N0] at Y; b: GemvAdd, GemvF16
	DEQROW    Op = 0x11 // f32[N0] at Z = N0 elements of format a at X
	ARGMAX    Op = 0x12 // R[a] = index of the first maximum of f32[N0] at X
	VADD      Op = 0x20 // Z = X + Y
	VMUL      Op = 0x21 // Z = X * Y
	RMSNORM   Op = 0x22 // Z = X / sqrt(mean(X^2) + eps) * Y, eps = N2 as f32 bits
	SILUMUL   Op = 0x23 // Z = silu(X) * Y
	ROPE      Op = 0x24 // rotate adjacent pairs of f32[N0] at X by the N1/2 (cos, sin) pairs at Y, per head of N1
	ATTN      Op = 0x25 // q at Y over K/V rows 0..R[a], result at Z; AttnBlock at X
	LAYERNORM Op = 0x26 // Z = (X-mean)/sqrt(var+eps)*G + B, G at Y and B after it
	GELU      Op = 0x27
	MEANROWS  Op = 0x28 // Z = mean of R[a] rows of f32[N0] at X
	CVT16     Op = 0x29 // Z (F16) = X (F32)
)

// Bits of GEMV's operand b.
const (
	GemvAdd = 1 // add to y
	GemvF16 = 2 // write y as F16
)

// Instruction is one 16-byte instruction: op a b 0 X Y Z.
type Instruction struct {
	Op      Op
	A, B    byte
	X, Y, Z uint32
}

// RelFlag in an address operand makes it relative: A[bits 24-27] + bits 0-23.
const RelFlag = 1 << 31

// Rel returns the address operand "A[reg] + off"; off has 24 bits.
func Rel(reg int, off uint32) uint32 { return RelFlag | uint32(reg&15)<<24 | off&0xFFFFFF }

// SplitRel takes an address operand apart: for an absolute one rel is false
// and off is the 28-bit address.
func SplitRel(operand uint32) (rel bool, reg int, off uint32) {
	if operand&RelFlag == 0 {
		return false, 0, operand & AddrMask
	}
	return true, int(operand >> 24 & 15), operand & 0xFFFFFF
}

// AttnBlock is the block that ATTN's X points to: eight u32.
type AttnBlock struct {
	K, V     uint32 // cache addresses
	Heads    uint32
	KVHeads  uint32
	HeadDim  uint32
	KVFormat uint32 // 0 F32, 1 F16
}

// Encode returns the instruction's 16 bytes.
func (in Instruction) Encode() [InstructionBytes]byte {
	b := [InstructionBytes]byte{byte(in.Op), in.A, in.B}
	binary.LittleEndian.PutUint32(b[4:], in.X)
	binary.LittleEndian.PutUint32(b[8:], in.Y)
	binary.LittleEndian.PutUint32(b[12:], in.Z)
	return b
}

// Decode reads an instruction; any 16 bytes decode, Op.Known tells whether the
// core knows the operation.
func Decode(b *[InstructionBytes]byte) Instruction {
	return Instruction{
		Op: Op(b[0]), A: b[1], B: b[2],
		X: binary.LittleEndian.Uint32(b[4:]),
		Y: binary.LittleEndian.Uint32(b[8:]),
		Z: binary.LittleEndian.Uint32(b[12:]),
	}
}

func opName(op Op) string {
	switch op {
	case NOP:
		return "NOP"
	case HALT:
		return "HALT"
	case SYNC:
		return "SYNC"
	case COPY:
		return "COPY"
	case SETN:
		return "SETN"
	case LI:
		return "LI"
	case LDR:
		return "LDR"
	case STR:
		return "STR"
	case ADDI:
		return "ADDI"
	case LEA:
		return "LEA"
	case BEQ:
		return "BEQ"
	case BNE:
		return "BNE"
	case BLT:
		return "BLT"
	case GEMV:
		return "GEMV"
	case DEQROW:
		return "DEQROW"
	case ARGMAX:
		return "ARGMAX"
	case VADD:
		return "VADD"
	case VMUL:
		return "VMUL"
	case RMSNORM:
		return "RMSNORM"
	case SILUMUL:
		return "SILUMUL"
	case ROPE:
		return "ROPE"
	case ATTN:
		return "ATTN"
	case LAYERNORM:
		return "LAYERNORM"
	case GELU:
		return "GELU"
	case MEANROWS:
		return "MEANROWS"
	case CVT16:
		return "CVT16"
	}
	return ""
}

// Known reports whether the core has this operation.
func (op Op) Known() bool { return opName(op) != "" }

// String returns the operation's name, or ".op $NN" if the core has none.
func (op Op) String() string {
	if s := opName(op); s != "" {
		return s
	}
	return fmt.Sprintf(".op $%02X", uint8(op))
}

// OpByName finds an operation by its upper-case name.
func OpByName(name string) (Op, bool) {
	for i := range 256 {
		if s := opName(Op(i)); s != "" && s == name {
			return Op(i), true
		}
	}
	return 0, false
}

// DecodeAttn reads an attention block.
func DecodeAttn(b *[AttnBlockBytes]byte) AttnBlock {
	le := binary.LittleEndian
	return AttnBlock{le.Uint32(b[0:]), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:]), le.Uint32(b[20:])}
}

// Encode returns the block's 32 bytes; the last eight are zero.
func (a AttnBlock) Encode() [AttnBlockBytes]byte {
	var b [AttnBlockBytes]byte
	for i, v := range []uint32{a.K, a.V, a.Heads, a.KVHeads, a.HeadDim, a.KVFormat} {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	return b
}
