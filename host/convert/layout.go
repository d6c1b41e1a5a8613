package convert

import (
	"fmt"

	"ssnail-kit/host/image"
)

// buffer is a block of scratch: an activation or a cache.
type buffer struct {
	name string
	size uint64
	addr uint32
}

// floats makes a buffer of n f32 values.
func floats(name string, n int) *buffer { return &buffer{name: name, size: 4 * uint64(n)} }

// layout says where everything lies. Weights and buffers carry their own
// addresses; all of these are only meaningful if end is within the memory.
type layout struct {
	ctx     int
	kv16    bool // the caches hold F16
	tables  uint32
	rope    uint32 // table of (cos, sin) pairs, one row per position; llama only
	ropeRow uint32 // bytes of a row
	attn    []uint32
	k, v    []*buffer // caches by layer; encoders share one pair
	buffers []*buffer // all of scratch, in order
	scratch uint64    // start of scratch = end of the file
	end     uint64    // first address behind everything
}

// kvBytes is the size of a value in the caches.
func (l *layout) kvBytes() int {
	if l.kv16 {
		return 2
	}
	return 4
}

// cursor hands out addresses as image.Place does, but counts beyond the
// address space, since the size of what does not fit has to be told.
type cursor uint64

func (c *cursor) place(size, align uint64) uint64 {
	a := (uint64(*c) + align - 1) &^ (align - 1)
	if a < image.HyperBase && a+size > image.HyperBase {
		a = image.HyperBase
	}
	*c = cursor(a + size)
	return a
}

// slots is the number of instruction slots that the script is given.
func slots(layers int) int { return image.ScriptSlotsBase + image.ScriptSlotsLayer*layers }

// tablesAddr is where the vocabulary starts: behind the script's slots.
func tablesAddr(layers int) uint32 {
	return image.Align(image.Payload+uint32(slots(layers))*image.InstructionBytes, image.BlockAlign)
}

// place lays out tables, weights in their present formats, and scratch.
func (p *Plan) place(ctx int) *layout {
	l := &layout{ctx: ctx, kv16: p.opts.KV == "f16", tables: tablesAddr(p.Params.Layers)}
	c := cursor(p.Tables.End)
	for _, w := range p.weights {
		w.addr = uint32(c.place(w.bytes(), image.BlockAlign))
	}
	if p.Params.Arch == image.Llama {
		l.ropeRow = uint32(p.Params.HeadDim/2) * 8
		l.rope = uint32(c.place(uint64(ctx)*uint64(l.ropeRow), image.BlockAlign))
	}
	for range p.Params.Layers {
		l.attn = append(l.attn, uint32(c.place(image.AttnBlockBytes, image.BlockAlign)))
	}
	l.scratch = c.place(0, image.EndAlign)
	p.model.scratch(l)
	for _, b := range l.buffers {
		b.addr = uint32(c.place((b.size+image.EndAlign-1)&^(image.EndAlign-1), image.EndAlign))
	}
	l.end = uint64(c)
	return l
}

// caches adds the K caches of n layers, then their V caches.
func (l *layout) caches(n, kvDim int) {
	size := uint64(l.ctx) * uint64(kvDim) * uint64(l.kvBytes())
	add := func(kind string) (list []*buffer) {
		for i := range n {
			name := fmt.Sprintf("%s cache %d", kind, i)
			if n == 1 {
				name = kind + " cache"
			}
			list = append(list, l.add(&buffer{name: name, size: size}))
		}
		return list
	}
	l.k = add("K")
	l.v = add("V")
}

func (l *layout) add(b *buffer) *buffer {
	l.buffers = append(l.buffers, b)
	return b
}

// cache returns the caches of a layer.
func (l *layout) cache(layer int) (k, v *buffer) {
	if len(l.k) == 1 {
		layer = 0
	}
	return l.k[layer], l.v[layer]
}

// needed is the memory from image.Base on that the image uses.
func (l *layout) needed() uint64 { return l.end - image.Base }

// fits reports whether a memory of mb megabytes is enough.
func (l *layout) fits(mb int) bool { return l.needed() <= uint64(mb)<<20 }

// attnBlocks returns the attention block of each layer.
func (p *Plan) attnBlocks() []image.AttnBlock {
	var format uint32
	if p.layout.kv16 {
		format = 1
	}
	blocks := make([]image.AttnBlock, p.Params.Layers)
	for i := range blocks {
		k, v := p.layout.cache(i)
		blocks[i] = image.AttnBlock{
			K: k.addr, V: v.addr,
			Heads: uint32(p.Params.Heads), KVHeads: uint32(p.Params.KVHeads),
			HeadDim: uint32(p.Params.HeadDim), KVFormat: format,
		}
	}
	return blocks
}
