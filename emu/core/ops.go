package core

import (
	"fmt"
	"math"

	"ssnail-kit/host/image"
)

// This file: what each instruction reads, computes and writes, and the
// traffic that it counts.

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
