package core

import (
	"fmt"
	"math/bits"

	"ssnail-kit/host/image"
)

// step fetches, decodes and executes one instruction.
func (c *Core) step() (bool, error) {
	pc := c.PC
	if pc%16 != 0 {
		return true, c.stop(CodeAlign, pc, fmt.Sprintf("PC $%07X is no multiple of 16", pc))
	}
	raw, err := c.mem.Slice(pc, 16)
	if err != nil {
		return true, c.stop(CodeAddress, pc, "no RAM at the PC")
	}
	c.ins = [16]byte(raw)
	if c.OnStep != nil {
		c.OnStep(pc, c.ins)
	}
	c.Instructions++
	c.BytesRead += 16
	c.PC = (pc + 16) & image.AddrMask
	in := decode(c.ins[:])
	switch in.Op {
	case image.NOP:
	case image.HALT:
		c.busy = false
		return true, nil
	case image.SYNC:
		if c.OnSync != nil {
			c.OnSync()
		}
	case image.SETN:
		c.N = [3]uint32{in.X, in.Y, in.Z}
	case image.LI:
		c.setR(in.A, in.Z)
	case image.ADDI:
		c.setR(in.A, c.R[in.B&15]+in.Z)
	case image.LEA:
		c.A[in.A&15] = (c.addr(in.X) + c.R[in.B&15]*in.Z) & image.AddrMask
	case image.BEQ:
		if c.R[in.A&15] == c.R[in.B&15] {
			c.PC = c.addr(in.X)
		}
	case image.BNE:
		if c.R[in.A&15] != c.R[in.B&15] {
			c.PC = c.addr(in.X)
		}
	case image.BLT:
		if c.R[in.A&15] < c.R[in.B&15] {
			c.PC = c.addr(in.X)
		}
	default:
		if f := c.work(in); f != nil {
			c.PC = pc
			return true, c.stop(f.Code, f.Addr, f.Msg)
		}
	}
	return false, nil
}

// work executes the instructions that touch memory.
func (c *Core) work(in image.Instruction) *Fault {
	switch in.Op {
	case image.LDR:
		return c.ldr(in)
	case image.STR:
		return c.str(in)
	case image.COPY:
		return c.copyBytes(in)
	case image.GEMV:
		return c.gemv(in)
	case image.DEQROW:
		return c.deqrow(in)
	case image.ARGMAX:
		return c.argmax(in)
	case image.VADD, image.VMUL, image.SILUMUL:
		return c.binary(in)
	case image.RMSNORM:
		return c.rmsnorm(in)
	case image.LAYERNORM:
		return c.layernorm(in)
	case image.GELU:
		return c.gelu(in)
	case image.ROPE:
		return c.rope(in)
	case image.ATTN:
		return c.attn(in)
	case image.MEANROWS:
		return c.meanrows(in)
	case image.CVT16:
		return c.cvt16(in)
	}
	return illegal("unknown instruction $%02X", byte(in.Op))
}

// stop ends the job with a fault.
func (c *Core) stop(code Code, addr uint32, msg string) error {
	c.busy = false
	c.fault = &Fault{Code: code, PC: c.PC, Instr: c.ins, Addr: addr, Msg: msg}
	if code == CodeAlign || msg == "no RAM at the PC" {
		c.fault.Instr = [16]byte{}
	}
	return c.fault
}

func illegal(format string, args ...any) *Fault {
	return &Fault{Code: CodeIllegal, Msg: fmt.Sprintf(format, args...)}
}

// setR writes a register; R15 stays 0.
func (c *Core) setR(r byte, v uint32) {
	if r&15 != 15 {
		c.R[r&15] = v
	}
}

// addr resolves an address operand.
func (c *Core) addr(operand uint32) uint32 {
	if operand&image.RelFlag == 0 {
		return operand & image.AddrMask
	}
	return (c.A[operand>>24&15] + operand&0xFFFFFF) & image.AddrMask
}

// mul is a*b*... or a number too big for any memory.
func mul(a uint64, more ...uint64) uint64 {
	for _, b := range more {
		hi, lo := bits.Mul64(a, b)
		if hi != 0 || lo > 1<<40 {
			return 1 << 40
		}
		a = lo
	}
	return a
}

// span is n bytes of memory for the operand named what.
func (c *Core) span(what string, addr uint32, n uint64) ([]byte, *Fault) {
	if n <= uint64(len(c.mem.bytes)) {
		if b, err := c.mem.Slice(addr, uint32(n)); err == nil {
			return b, nil
		}
	}
	// The first address of the operand that is no RAM.
	bad := addr
	if end := uint64(Base) + uint64(len(c.mem.bytes)); addr >= Base && uint64(addr) < end {
		bad = uint32(end)
	}
	return nil, &Fault{Code: CodeAddress, Addr: bad,
		Msg: fmt.Sprintf("%s at $%07X, %d bytes: no RAM at $%07X", what, addr, n, bad)}
}

// input is a vector of n singles that an instruction reads. It is the memory
// itself where that is aligned, else a copy.
func (c *Core) input(what string, addr uint32, n uint64) ([]float32, *Fault) {
	b, f := c.span(what, addr, mul(n, 4))
	if f != nil {
		return nil, f
	}
	return singles(b), nil
}

func singles(b []byte) []float32 {
	v, ok := view32(b)
	if !ok {
		v = make([]float32, len(b)/4)
		load32(v, b)
	}
	return v
}

// output is a vector of n singles that an instruction writes.
type output struct {
	v   []float32
	raw []byte // where v belongs, when it is not that memory itself
}

func (c *Core) output(addr uint32, n uint64) (output, *Fault) {
	b, f := c.span("the result", addr, mul(n, 4))
	if f != nil {
		return output{}, f
	}
	v, ok := view32(b)
	if ok {
		return output{v: v}, nil
	}
	return output{v: make([]float32, n), raw: b}, nil
}

func (o output) done() {
	if o.raw != nil {
		store32(o.raw, o.v)
	}
}

// apart returns in, or a copy of it when out overlaps it without being it:
// then the result does not depend on the order in which kernels go.
func apart(in, out []float32) []float32 {
	if len(in) == 0 || len(out) == 0 || &in[0] == &out[0] {
		return in
	}
	if overlap(in, out) {
		return append([]float32(nil), in...)
	}
	return in
}

// mnemonic names an instruction in a fault's message.
func mnemonic(ins [16]byte) string {
	if ins == ([16]byte{}) {
		return "not fetched"
	}
	return image.Op(ins[0]).String()
}
