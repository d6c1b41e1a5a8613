package core

import "unsafe"

// buffers are a core's working space, grown to what its memory's operands
// need and then kept.
type buffers struct {
	rows []float32
	q    quantized
	attn []attnBuf // one per thread
	wide []wideBuf // one per thread
}

// grow returns n elements of *b, which it makes longer if need be. Their
// content is whatever was there.
func grow[T any](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n)
	}
	*b = (*b)[:cap(*b)]
	return (*b)[:n]
}

func overlap(a, b []float32) bool {
	a0 := uintptr(unsafe.Pointer(&a[0]))
	b0 := uintptr(unsafe.Pointer(&b[0]))
	return a0 < b0+4*uintptr(len(b)) && b0 < a0+4*uintptr(len(a))
}

// product makes y = W x for len(y) rows of format f.
func (c *Core) product(f byte, y []float32, w []byte, x []float32) {
	if len(y) == 0 {
		return
	}
	k := &c.k
	if (f == fmtQ8 || f == fmtQ4) && c.opt.Numerics == HW {
		q := &c.buf.q
		q.resize(len(x))
		k.quantize(q, x)
		gemv := k.gemvQ8
		if f == fmtQ4 {
			gemv = k.gemvQ4
		}
		if c.parts(len(y), len(w)) == 1 {
			gemv(y, w, q)
			return
		}
		n := len(w) / len(y)
		c.split(len(y), len(w), func(_, from, to int) { gemv(y[from:to], w[from*n:to*n], q) })
		return
	}
	gemv := k.gemvF32
	switch f {
	case fmtQ8:
		gemv = k.gemvQ8Float
	case fmtQ4:
		gemv = k.gemvQ4Float
	case fmtF16:
		gemv = k.gemvF16
	case fmtBF16:
		gemv = k.gemvBF16
	}
	if c.parts(len(y), len(w)) == 1 {
		gemv(y, w, x, &c.buf.wide[0])
		return
	}
	n := len(w) / len(y)
	c.split(len(y), len(w), func(part, from, to int) { gemv(y[from:to], w[from*n:to*n], x, &c.buf.wide[part]) })
}
