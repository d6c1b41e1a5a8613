package convert

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// miniCore runs the decoder scripts of this package in the plainest way: one
// case per instruction, f32 in memory, f64 in between. It is no model of the
// hardware; it tells whether a script computes what it should.
type miniCore struct {
	t      *testing.T
	mem    []byte // from image.Base on
	r, a   [16]uint32
	n      [3]uint32
	logits [][]float32 // what each ARGMAX saw
	steps  int
}

// runImage loads an image, gives it a prompt and runs it to the end.
func runImage(t *testing.T, file []byte, prompt []uint32, count uint32) *miniCore {
	t.Helper()
	h, err := image.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &miniCore{t: t, mem: make([]byte, h.MemNeeded)}
	copy(c.mem, file[:image.HeaderSize])
	copy(c.mem[image.Payload-image.Base:], file[image.HeaderSize:])
	for i, id := range prompt {
		c.put(image.TokenBuffer+uint32(4*i), id)
	}
	c.put(image.Base+image.OffPromptLen, uint32(len(prompt)))
	c.put(image.Base+image.OffNGenerate, count)
	c.run(h.Script)
	return c
}

func (c *miniCore) word(addr uint32) uint32 { return binary.LittleEndian.Uint32(c.at(addr, 4)) }
func (c *miniCore) put(addr, v uint32)      { binary.LittleEndian.PutUint32(c.at(addr, 4), v) }

func (c *miniCore) at(addr, n uint32) []byte {
	off := uint64(addr) - image.Base
	if addr < image.Base || off+uint64(n) > uint64(len(c.mem)) {
		panic(fmt.Sprintf("%d bytes at $%X are outside the memory", n, addr))
	}
	return c.mem[off : off+uint64(n)]
}

func (c *miniCore) addr(operand uint32) uint32 {
	rel, r, off := image.SplitRel(operand)
	if rel {
		return c.a[r] + off
	}
	return off
}

func (c *miniCore) load(addr, n uint32) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(math.Float32frombits(c.word(addr + uint32(4*i))))
	}
	return v
}

func (c *miniCore) store(addr uint32, v []float64) {
	for i, x := range v {
		c.put(addr+uint32(4*i), math.Float32bits(float32(x)))
	}
}

func (c *miniCore) storeF16(addr uint32, v []float64) {
	for i, x := range v {
		binary.LittleEndian.PutUint16(c.at(addr+uint32(2*i), 2), ggml.F32ToF16(float32(x)))
	}
}

// rows reads weights.
func (c *miniCore) rows(format byte, addr, cols, rows uint32) [][]float64 {
	bytes, err := ggml.RowBytes(ggml.Type(format), int(cols))
	if err != nil {
		panic(err)
	}
	out := make([][]float64, rows)
	f := make([]float32, cols)
	for r := range out {
		if err := ggml.Dequantize(ggml.Type(format), f, c.at(addr+uint32(r*bytes), uint32(bytes))); err != nil {
			panic(err)
		}
		for _, x := range f {
			out[r] = append(out[r], float64(x))
		}
	}
	return out
}

func (c *miniCore) run(pc uint32) {
	for {
		if c.steps++; c.steps > 1e6 {
			c.t.Fatal("the script does not end")
		}
		in := image.Decode((*[16]byte)(c.at(pc, 16)))
		pc += 16
		x, y, z := c.addr(in.X), c.addr(in.Y), c.addr(in.Z)
		n := c.n[0]
		r := func(i byte) uint32 {
			if i == 15 {
				return 0
			}
			return c.r[i]
		}
		switch in.Op {
		case image.HALT:
			return
		case image.SYNC:
		case image.SETN:
			c.n = [3]uint32{in.X, in.Y, in.Z}
		case image.LI:
			c.r[in.A] = in.Z
		case image.LDR:
			c.r[in.A] = c.word(x)
		case image.STR:
			c.put(x, r(in.A))
		case image.ADDI:
			c.r[in.A] = r(in.B) + in.Z
		case image.LEA:
			c.a[in.A] = x + r(in.B)*in.Z
		case image.BEQ:
			if r(in.A) == r(in.B) {
				pc = x
			}
		case image.BNE:
			if r(in.A) != r(in.B) {
				pc = x
			}
		case image.BLT:
			if r(in.A) < r(in.B) {
				pc = x
			}
		case image.GEMV:
			c.gemv(in, x, y, z)
		case image.DEQROW:
			c.store(z, c.rows(in.A, x, n, 1)[0])
		case image.ARGMAX:
			var seen []float32
			best := 0
			for i, v := range c.load(x, n) {
				seen = append(seen, float32(v))
				if v > float64(seen[best]) {
					best = i
				}
			}
			c.logits = append(c.logits, seen)
			c.r[in.A] = uint32(best)
		case image.VADD:
			a, b := c.load(x, n), c.load(y, n)
			for i := range a {
				a[i] += b[i]
			}
			c.store(z, a)
		case image.RMSNORM:
			c.store(z, rmsnorm(c.load(x, n), c.load(y, n), float64(math.Float32frombits(c.n[2]))))
		case image.SILUMUL:
			a, b := c.load(x, n), c.load(y, n)
			for i := range a {
				a[i] = silu(a[i]) * b[i]
			}
			c.store(z, a)
		case image.ROPE:
			v, cs := c.load(x, n), c.load(y, c.n[1])
			for i := 0; i < len(v); i += 2 {
				j := i % int(c.n[1])
				v[i], v[i+1] = v[i]*cs[j]-v[i+1]*cs[j+1], v[i]*cs[j+1]+v[i+1]*cs[j]
			}
			c.store(x, v)
		case image.CVT16:
			c.storeF16(z, c.load(x, n))
		case image.ATTN:
			c.attn(image.DecodeAttn((*[32]byte)(c.at(x, 32))), y, z, r(in.A)+1)
		default:
			c.t.Fatalf("%v at $%X: the test does not know it", in.Op, pc-16)
		}
	}
}

func (c *miniCore) gemv(in image.Instruction, x, y, z uint32) {
	v := c.load(y, c.n[0])
	var out []float64
	for _, row := range c.rows(in.A, x, c.n[0], c.n[1]) {
		out = append(out, dot(row, v))
	}
	if in.B&image.GemvF16 != 0 {
		c.storeF16(z, out)
		return
	}
	if in.B&image.GemvAdd != 0 {
		for i, old := range c.load(z, c.n[1]) {
			out[i] += old
		}
	}
	c.store(z, out)
}

func (c *miniCore) attn(b image.AttnBlock, q, z, rows uint32) {
	cache := func(addr uint32) [][]float64 {
		return c.rows(byte(b.KVFormat), addr, b.KVHeads*b.HeadDim, rows)
	}
	c.store(z, attend(c.load(q, b.Heads*b.HeadDim), cache(b.K), cache(b.V), int(b.Heads), int(b.KVHeads), int(b.HeadDim)))
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func silu(x float64) float64 { return x / (1 + math.Exp(-x)) }

func rmsnorm(x, w []float64, eps float64) []float64 {
	s := 1 / math.Sqrt(dot(x, x)/float64(len(x))+eps)
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] * s * w[i]
	}
	return out
}

// attend is attention of one query over all rows of k and v.
func attend(q []float64, k, v [][]float64, heads, kvHeads, hd int) []float64 {
	out := make([]float64, heads*hd)
	for h := range heads {
		g := h / (heads / kvHeads) * hd
		w := make([]float64, len(k))
		most := math.Inf(-1)
		for t := range k {
			w[t] = dot(q[h*hd:][:hd], k[t][g:][:hd]) / math.Sqrt(float64(hd))
			most = max(most, w[t])
		}
		var sum float64
		for t := range w {
			w[t] = math.Exp(w[t] - most)
			sum += w[t]
		}
		for t := range w {
			for i := range hd {
				out[h*hd+i] += w[t] / sum * v[t][g+i]
			}
		}
	}
	return out
}
