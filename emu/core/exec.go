package core

import (
	"fmt"
	"math"
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

func (c *Core) ldr(in image.Instruction) *Fault {
	b, f := c.span("the word", c.addr(in.X), 4)
	if f != nil {
		return f
	}
	c.setR(in.A, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
	c.BytesRead += 4
	return nil
}

func (c *Core) str(in image.Instruction) *Fault {
	b, f := c.span("the word", c.addr(in.X), 4)
	if f != nil {
		return f
	}
	v := c.R[in.A&15]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	c.BytesWritten += 4
	return nil
}

func (c *Core) copyBytes(in image.Instruction) *Fault {
	n := uint64(in.Z & 0xFFFF)
	src, f := c.span("the source", c.addr(in.X), n)
	if f != nil {
		return f
	}
	dst, f := c.span("the result", c.addr(in.Y), n)
	if f != nil {
		return f
	}
	copy(dst, src)
	c.BytesRead += n
	c.BytesWritten += n
	return nil
}

// matrix is the bytes of rows of n elements of format f.
func (c *Core) matrix(f byte, addr uint32, rows, n uint32) ([]byte, *Fault) {
	form, ok := formatOf(f)
	if !ok {
		return nil, illegal("unknown weight format %d", f)
	}
	if n%form.elems != 0 {
		return nil, illegal("rows of %d elements, no multiple of the format's %d", n, form.elems)
	}
	return c.span("the weights", addr, mul(uint64(rows), uint64(n/form.elems), uint64(form.bytes)))
}

func (c *Core) gemv(in image.Instruction) *Fault {
	n, rows := c.N[0], c.N[1]
	if in.B > 2 {
		return illegal("GEMV flags $%02X", in.B)
	}
	w, f := c.matrix(in.A, c.addr(in.X), rows, n)
	if f != nil {
		return f
	}
	x, f := c.input("the vector", c.addr(in.Y), uint64(n))
	if f != nil {
		return f
	}
	if in.B&image.GemvF16 != 0 {
		dst, f := c.span("the result", c.addr(in.Z), mul(uint64(rows), 2))
		if f != nil {
			return f
		}
		y := grow(&c.buf.rows, int(rows))
		c.product(in.A, y, w, x)
		store16(dst, y)
		c.BytesWritten += 2 * uint64(rows)
	} else {
		out, f := c.output(c.addr(in.Z), uint64(rows))
		if f != nil {
			return f
		}
		y := grow(&c.buf.rows, int(rows))
		c.product(in.A, y, w, x)
		if in.B&image.GemvAdd != 0 {
			if out.raw != nil {
				load32(out.v, out.raw)
			}
			c.k.add(out.v, out.v, y)
			c.BytesRead += 4 * uint64(rows)
		} else {
			copy(out.v, y)
		}
		out.done()
		c.BytesWritten += 4 * uint64(rows)
	}
	c.BytesRead += uint64(len(w)) + 4*uint64(n)
	return nil
}

func (c *Core) deqrow(in image.Instruction) *Fault {
	n := c.N[0]
	w, f := c.matrix(in.A, c.addr(in.X), 1, n)
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), uint64(n))
	if f != nil {
		return f
	}
	y := grow(&c.buf.rows, int(n))
	dequantize(in.A, y, w)
	copy(out.v, y)
	out.done()
	c.BytesRead += uint64(len(w))
	c.BytesWritten += 4 * uint64(n)
	return nil
}

func (c *Core) argmax(in image.Instruction) *Fault {
	addr, n := c.addr(in.X), c.N[0]
	raw, f := c.span("the values", addr, mul(uint64(n), 4))
	if f != nil {
		return f
	}
	if n == 0 {
		return illegal("ARGMAX of no values")
	}
	best, bad := c.k.argmax(singles(raw))
	c.BytesRead += 4 * uint64(n)
	if bad >= 0 && !c.opt.AllowNaN {
		return &Fault{Code: CodeNaN, Addr: addr + 4*uint32(bad),
			Msg: fmt.Sprintf("value %d of %d is %v", bad, n, singles(raw)[bad])}
	}
	c.setR(in.A, uint32(best))
	if c.OnArgmax != nil {
		c.OnArgmax(addr, raw, uint32(best))
	}
	return nil
}

func (c *Core) binary(in image.Instruction) *Fault {
	n := uint64(c.N[0])
	x, f := c.input("the first vector", c.addr(in.X), n)
	if f != nil {
		return f
	}
	y, f := c.input("the second vector", c.addr(in.Y), n)
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), n)
	if f != nil {
		return f
	}
	x, y = apart(x, out.v), apart(y, out.v)
	switch {
	case in.Op == image.VADD:
		c.k.add(out.v, x, y)
	case in.Op == image.VMUL:
		c.k.mul(out.v, x, y)
	case c.opt.Numerics == HW:
		c.k.siluMul(out.v, x, y)
	default:
		c.k.siluMulFloat(out.v, x, y)
	}
	out.done()
	c.BytesRead += 8 * n
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) gelu(in image.Instruction) *Fault {
	n := uint64(c.N[0])
	x, f := c.input("the vector", c.addr(in.X), n)
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), n)
	if f != nil {
		return f
	}
	x = apart(x, out.v)
	if c.opt.Numerics == HW {
		c.k.gelu(out.v, x)
	} else {
		c.k.geluFloat(out.v, x)
	}
	out.done()
	c.BytesRead += 4 * n
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) rmsnorm(in image.Instruction) *Fault {
	n := uint64(c.N[0])
	x, f := c.input("the vector", c.addr(in.X), n)
	if f != nil {
		return f
	}
	g, f := c.input("the weights", c.addr(in.Y), n)
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), n)
	if f != nil {
		return f
	}
	x, g = apart(x, out.v), apart(g, out.v)
	eps := math.Float32frombits(c.N[2])
	var r float32
	if c.opt.Numerics == HW {
		r = rmsScale(x, eps)
	} else {
		r = c.rmsScaleFloat(x, eps)
	}
	c.k.scaleMul(out.v, x, r, g)
	out.done()
	c.BytesRead += 8 * n
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) layernorm(in image.Instruction) *Fault {
	n := uint64(c.N[0])
	x, f := c.input("the vector", c.addr(in.X), n)
	if f != nil {
		return f
	}
	gb, f := c.input("weight and bias", c.addr(in.Y), 2*n)
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), n)
	if f != nil {
		return f
	}
	x, gb = apart(x, out.v), apart(gb, out.v)
	eps := math.Float32frombits(c.N[2])
	if c.opt.Numerics == HW {
		layerNorm(out.v, x, gb[:n], gb[n:], eps)
	} else {
		layerNormFloat(out.v, x, gb[:n], gb[n:], eps)
	}
	out.done()
	c.BytesRead += 12 * n
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) rope(in image.Instruction) *Fault {
	n, hd := uint64(c.N[0]), uint64(c.N[1])
	if hd == 0 || hd%2 != 0 || n%hd != 0 {
		return illegal("ROPE over %d values in heads of %d", n, hd)
	}
	x, f := c.output(c.addr(in.X), n)
	if f != nil {
		return f
	}
	if x.raw != nil {
		load32(x.v, x.raw)
	}
	cs, f := c.input("the angles", c.addr(in.Y), hd)
	if f != nil {
		return f
	}
	c.k.rope(x.v, apart(cs, x.v))
	x.done()
	c.BytesRead += 4*n + 4*hd
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) meanrows(in image.Instruction) *Fault {
	n, rows := uint64(c.N[0]), uint64(c.R[in.A&15])
	x, f := c.input("the rows", c.addr(in.X), mul(n, rows))
	if f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), n)
	if f != nil {
		return f
	}
	y := grow(&c.buf.rows, int(n))
	if c.opt.Numerics == HW {
		c.meanRows(y, x, int(rows))
	} else {
		c.meanRowsFloat(y, x, int(rows))
	}
	copy(out.v, y)
	out.done()
	c.BytesRead += 4 * n * rows
	c.BytesWritten += 4 * n
	return nil
}

func (c *Core) cvt16(in image.Instruction) *Fault {
	n := uint64(c.N[0])
	x, f := c.input("the vector", c.addr(in.X), n)
	if f != nil {
		return f
	}
	dst, f := c.span("the result", c.addr(in.Z), mul(n, 2))
	if f != nil {
		return f
	}
	// In place the halves follow the singles' reading; any other overlap is
	// read first.
	y := grow(&c.buf.rows, int(n))
	copy(y, x)
	store16(dst, y)
	c.BytesRead += 4 * n
	c.BytesWritten += 2 * n
	return nil
}

// attnJob is one ATTN with its operands checked.
type attnJob struct {
	heads, kvHeads, hd int
	group              int // query heads per KV head
	steps              int // rows of the cache
	half               bool
	k, v               []byte
	q, out             []float32
}

func (c *Core) attn(in image.Instruction) *Fault {
	blk, f := c.span("the attention block", c.addr(in.X), image.AttnBlockBytes)
	if f != nil {
		return f
	}
	var w [8]uint32
	for i := range w {
		w[i] = uint32(blk[4*i]) | uint32(blk[4*i+1])<<8 | uint32(blk[4*i+2])<<16 | uint32(blk[4*i+3])<<24
	}
	heads, kvHeads, hd := uint64(w[2]), uint64(w[3]), uint64(w[4])
	switch {
	case heads == 0 || kvHeads == 0 || hd == 0 || heads < kvHeads:
		return illegal("attention block: %d heads, %d KV heads of %d", heads, kvHeads, hd)
	case (heads-1)/(heads/kvHeads) >= kvHeads:
		return illegal("attention block: %d heads do not fall on %d KV heads", heads, kvHeads)
	case w[5] > 1:
		return illegal("attention block: KV format %d", w[5])
	}
	steps := uint64(c.R[in.A&15]) + 1
	size := uint64(4 >> w[5])
	dim, kvDim := mul(heads, hd), mul(kvHeads, hd)
	cache := mul(steps, kvDim, size)
	j := attnJob{half: w[5] == 1}
	if j.k, f = c.span("the K cache", w[0]&image.AddrMask, cache); f != nil {
		return f
	}
	if j.v, f = c.span("the V cache", w[1]&image.AddrMask, cache); f != nil {
		return f
	}
	if j.q, f = c.input("the query", c.addr(in.Y), dim); f != nil {
		return f
	}
	out, f := c.output(c.addr(in.Z), dim)
	if f != nil {
		return f
	}
	j.heads, j.kvHeads, j.hd = int(heads), int(kvHeads), int(hd)
	j.group, j.steps = int(heads/kvHeads), int(steps)
	j.out = grow(&c.buf.rows, int(dim))
	if bad := c.attend(&j); bad >= 0 && !c.opt.AllowNaN {
		return &Fault{Code: CodeNaN, Addr: w[0] & image.AddrMask,
			Msg: fmt.Sprintf("attention score of head %d is NaN or infinite", bad)}
	}
	copy(out.v, j.out)
	out.done()
	c.BytesRead += 32 + 4*dim + 2*cache
	c.BytesWritten += 4 * dim
	return nil
}

// mnemonic names an instruction in a fault's message.
func mnemonic(ins [16]byte) string {
	if ins == ([16]byte{}) {
		return "not fetched"
	}
	return image.Op(ins[0]).String()
}
