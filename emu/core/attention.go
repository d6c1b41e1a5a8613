package core

import (
	"fmt"

	"ssnail-kit/host/image"
)

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

// attend runs an attention, its heads shared by the threads where there are
// many steps. It returns the first head with a score that is not finite, -1
// for none.
func (c *Core) attend(j *attnJob) int {
	run := c.k.attn
	if c.opt.Numerics == Float {
		run = c.k.attnFloat
	}
	work := len(j.k) * j.group
	if c.parts(j.heads, work) == 1 {
		return run(j, 0, j.heads, &c.buf.attn[0])
	}
	bad := make([]int, c.opt.Threads)
	for i := range bad {
		bad[i] = -1
	}
	c.split(j.heads, work, func(part, from, to int) { bad[part] = run(j, from, to, &c.buf.attn[part]) })
	for _, b := range bad {
		if b >= 0 {
			return b
		}
	}
	return -1
}
