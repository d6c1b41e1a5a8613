package softcore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ssnail-kit/emu/core"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/ggml"
	"ssnail-kit/host/image"
)

// Where operands of random instructions lie.
const (
	xAt = 0x8020000
	yAt = 0x8040000
	wAt = 0x8100000
	zAt = 0x8060000
)

// weights is n rows of cols random weights in a format.
func weights(t *testing.T, rng *rand.Rand, f ggml.Type, rows, cols int, scale float64) []byte {
	t.Helper()
	var b []byte
	for range rows {
		v := make([]float32, cols)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * scale)
			if rng.IntN(50) == 0 {
				v[i] = 0
			}
		}
		n, err := ggml.RowBytes(f, cols)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]byte, n)
		if err := ggml.Quantize(f, row, v); err != nil {
			t.Fatal(err)
		}
		b = append(b, row...)
	}
	return b
}

// Every instruction on vectors with random operands, the sizes about those of
// pieces and tiles; short of what needs much time.
func TestRandomInstructions(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	r := newRig(t, machine.Options{})
	rounds := 1
	if full() {
		rounds = 10
	}
	sizes := []int{1, 2, 31, 64, 255, 256, 257, 300}
	for range rounds {
		for _, n := range sizes {
			scale := math.Pow(10, rng.Float64()*5-3)
			x, y := singles(rng, n, scale, true), singles(rng, n, 1, true)
			for _, in := range []image.Instruction{
				{Op: image.VADD, X: xAt, Y: yAt, Z: zAt}, {Op: image.VADD, X: xAt, Y: yAt, Z: xAt}, {Op: image.VMUL, X: xAt, Y: yAt, Z: zAt},
				{Op: image.SILUMUL, X: xAt, Y: yAt, Z: zAt}, {Op: image.RMSNORM, X: xAt, Y: yAt, Z: zAt}, {Op: image.GELU, X: xAt, Z: zAt},
				{Op: image.CVT16, X: xAt, Z: zAt}, {Op: image.ARGMAX, A: 4, X: xAt}, {Op: image.COPY, X: xAt, Y: zAt, Z: uint32(4*n - n%3)},
				{Op: image.COPY, X: xAt, Y: xAt + 5, Z: uint32(4 * n)}, {Op: image.COPY, X: xAt + 5, Y: xAt, Z: uint32(4 * n)},
			} {
				c := step{Name: fmt.Sprint(in.Op, n), Ins: encode(in), N: [3]uint32{uint32(n), 0, math.Float32bits(1e-5)},
					Mem: []memBytes{{xAt, x}, {yAt, y}}}
				r.both(&c, xAt, zAt+8*n+16-xAt)
			}
			c := step{Name: fmt.Sprint("LAYERNORM", n), Ins: encode(image.Instruction{Op: image.LAYERNORM, X: xAt, Y: yAt, Z: zAt}),
				N: [3]uint32{uint32(n), 0, math.Float32bits(1e-12)}, Mem: []memBytes{{xAt, x}, {yAt, append(y, singles(rng, n, 1, true)...)}}}
			r.both(&c, zAt, 4*n)
			rows := 1 + rng.IntN(5)
			c = step{Name: fmt.Sprint("MEANROWS", n), Ins: encode(image.Instruction{Op: image.MEANROWS, A: 2, X: xAt, Z: zAt}),
				N: [3]uint32{uint32(n)}, Mem: []memBytes{{xAt, singles(rng, n*rows, scale, true)}}}
			c.R[2] = uint32(rows)
			r.both(&c, zAt, 4*n)
			hd := []int{2, 8, 64}[rng.IntN(3)]
			c = step{Name: fmt.Sprint("ROPE", n, hd), Ins: encode(image.Instruction{Op: image.ROPE, X: xAt, Y: yAt}),
				N: [3]uint32{uint32(n / hd * hd), uint32(hd)}, Mem: []memBytes{{xAt, x}, {yAt, singles(rng, hd, 1, true)}}}
			r.both(&c, xAt, 4*n)
		}
		for _, f := range []ggml.Type{ggml.F32, ggml.F16, ggml.BF16, ggml.Q8_0, ggml.Q4_0} {
			for _, s := range [][2]int{{1, 32}, {3, 64}, {5, 96}, {131, 32}, {2, 544}, {9, 192}} {
				rows, cols := s[0], s[1]
				scale := math.Pow(10, rng.Float64()*4-3)
				w := weights(t, rng, f, rows, cols, 0.5)
				x := singles(rng, cols, scale, true)
				for b := range byte(3) {
					in := image.Instruction{Op: image.GEMV, A: byte(f), B: b, X: wAt, Y: xAt, Z: zAt}
					c := step{Name: fmt.Sprint("GEMV ", f, s, b), Ins: encode(in), N: [3]uint32{uint32(cols), uint32(rows)},
						Mem: []memBytes{{wAt, w}, {xAt, x}, {zAt, singles(rng, rows, 1, true)}}}
					r.both(&c, zAt, 4*rows)
				}
				c := step{Name: fmt.Sprint("DEQROW ", f, s), Ins: encode(image.Instruction{Op: image.DEQROW, A: byte(f), X: wAt, Z: zAt}),
					N: [3]uint32{uint32(cols)}, Mem: []memBytes{{wAt, w}}}
				r.both(&c, zAt, 4*cols)
			}
		}
	}
}

// The same products with weights rewritten, for which the script is only the
// one instruction.
func TestRewrittenWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	r := newRig(t, machine.Options{})
	const script = image.Payload
	for _, f := range []ggml.Type{ggml.F16, ggml.Q8_0, ggml.Q4_0} {
		sizes := [][2]int{{1, 32}, {3, 64}, {130, 96}, {7, 160}, {5, 160}}
		if f == ggml.F16 {
			sizes = append(sizes, [2]int{64, 172}, [2]int{65, 256}, [2]int{200, 1}, [2]int{63, 17})
		}
		if f == ggml.Q8_0 {
			sizes = append(sizes, [2]int{9000, 96}) // rewritten across a megabyte
		}
		for _, s := range sizes {
			rows, cols := s[0], s[1]
			for _, scale := range []float64{1, 1e-3, 1e-30, 1e6} {
				if rows > 1000 && scale != 1 {
					break
				}
				wide := 0.5
				if scale == 1e-3 { // all below 1
					wide = 0.1
				}
				w := weights(t, rng, f, rows, cols, wide)
				x := singles(rng, cols, scale, true)
				if scale == 1e6 { // exponents far apart
					copy(x, singles(rng, cols/2, 1e-12, false))
				}
				ins := image.Instruction{Op: image.GEMV, A: byte(f), X: wAt, Y: xAt, Z: zAt}
				n := image.Instruction{Op: image.SETN, X: uint32(cols), Y: uint32(rows)}
				a, b := n.Encode(), ins.Encode()
				r.m.Poke(script, append(a[:], b[:]...))
				var head [image.HeaderSize]byte
				binary.LittleEndian.PutUint32(head[image.OffScript:], script)
				binary.LittleEndian.PutUint32(head[image.OffWeights:], script+32)
				binary.LittleEndian.PutUint32(head[image.OffMemNeeded:], 0x200000)
				r.m.Poke(image.Base, head[:])
				r.m.Poke(wAt, w)
				r.order(2, r.at("SOFT_PREPARE"))
				if r.word(r.at("SOFT_DONE")) != uint32(len(w)) || r.m.Peek(r.flat("table_count"), 1)[0] != 1 {
					t.Fatalf("%v %v: %d of %d bytes rewritten", f, s, r.word(r.at("SOFT_DONE")), len(w))
				}
				for b := range byte(3) {
					ins.B = b
					c := step{Name: fmt.Sprint("GEMV ", f, s, scale, b), Ins: encode(ins), N: [3]uint32{uint32(cols), uint32(rows)},
						Mem: []memBytes{{wAt, w}, {xAt, x}, {zAt, singles(rng, rows, 1, true)}}}
					r.both(&c, zAt, 4*rows)
				}
			}
		}
	}
}

// Scalars, jumps and faults.
func TestControl(t *testing.T) {
	r := newRig(t, machine.Options{})
	regs := func(c *step) *step {
		for i := range uint32(15) {
			c.R[i] = i*0x01010101 + 7
			c.A[i] = 0x8010000 + 0x111*i
		}
		c.R[5] = c.R[4]
		return c
	}
	end := uint32(image.Base + 8<<20)
	rel := uint32(image.RelFlag | 3<<24)
	for _, in := range []image.Instruction{
		{Op: image.NOP}, {Op: image.SYNC}, {Op: image.LI, A: 3, Z: 0xDEADBEEF}, {Op: image.LI, A: 15, Z: 5}, {Op: image.ADDI, A: 2, B: 7, Z: 0xFFFFFFF0},
		{Op: image.LEA, A: 1, B: 2, X: rel | 0x123456, Z: 36}, {Op: image.LEA, A: 1, B: 9, X: 0x8000000, Z: 0xFFFFFFFF},
		{Op: image.LDR, A: 4, X: 0x8010003}, {Op: image.LDR, A: 15, X: 0x8010003}, {Op: image.STR, A: 4, X: rel | 5}, {Op: image.STR, A: 15, X: 0x80FFFFD},
		{Op: image.LDR, A: 4, X: end - 4}, {Op: image.LDR, A: 4, X: end - 3}, {Op: image.LDR, A: 4, X: end}, {Op: image.LDR, A: 4, X: 0x7FFFFFF},
		{Op: image.STR, A: 4, X: 0}, {Op: image.STR, A: 4, X: 0xFFFFFFF},
		{Op: image.BEQ, A: 4, B: 5, X: jobAt + 16}, {Op: image.BEQ, A: 4, B: 6, X: 1}, {Op: image.BNE, A: 4, B: 5, X: 1},
		{Op: image.BEQ, A: 4, B: 5, X: jobAt + 8}, {Op: image.BNE, A: 1, B: 5, X: 0x7000000}, {Op: image.BLT, A: 3, B: 4, X: 0x9000000},
		{Op: image.BLT, A: 4, B: 3, X: 1}, {Op: image.BLT, A: 4, B: 4, X: 1}, {Op: image.BLT, A: 15, B: 4, X: 3},
		{Op: 0x04}, {Op: 0x13}, {Op: 0x1F}, {Op: 0x2A}, {Op: 0xFF}, {Op: image.GEMV, A: 3, X: wAt, Y: xAt, Z: zAt}, {Op: image.GEMV, A: 8, B: 4, X: wAt, Y: xAt, Z: zAt},
		{Op: image.GEMV, A: 8, X: end - 16, Y: xAt, Z: zAt}, {Op: image.GEMV, A: 8, X: wAt, Y: end - 4, Z: zAt}, {Op: image.GEMV, A: 8, X: wAt, Y: xAt, Z: 4},
		{Op: image.VADD, X: xAt, Y: yAt, Z: end - 8}, {Op: image.ARGMAX, X: end - 8}, {Op: image.RMSNORM, X: xAt, Y: 0, Z: zAt},
		{Op: image.COPY, X: xAt, Y: end - 3, Z: 4}, {Op: image.COPY, X: xAt, Y: zAt, Z: 0x10000}, {Op: image.COPY, X: 0xFFFFE, Y: zAt, Z: 4},
		{Op: image.COPY, X: 0x80FFFF1, Y: 0x81FFFFE, Z: 1500}, {Op: image.ROPE, X: xAt, Y: yAt}, {Op: image.ATTN, X: xAt, Y: yAt, Z: zAt}, {Op: image.ATTN, X: end - 31, Y: yAt, Z: zAt},
	} {
		c := regs(&step{Name: fmt.Sprint(in), Ins: encode(in), N: [3]uint32{32, 2, 0}, Mem: []memBytes{{0x8010000, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}},
			{xAt, make([]byte, 128)}, {yAt, make([]byte, 128)}, {wAt, make([]byte, 68)}, {0x80FFFF1, []byte("over the end of a megabyte")}}})
		c.R[15] = 0
		r.both(c, 0x8010000, 0x1F0100)
	}
	for _, bad := range []uint32{0x7F800000, 0xFF800000, 0x7FC00000} {
		b := binary.LittleEndian.AppendUint32(make([]byte, 12), bad)
		c := &step{Name: fmt.Sprintf("ARGMAX of %08x", bad), Ins: encode(image.Instruction{Op: image.ARGMAX, X: xAt}), N: [3]uint32{4}, Mem: []memBytes{{xAt, b}}}
		r.both(c, xAt, 16)
	}
	rng := rand.New(rand.NewPCG(19, 20))
	for round := range 300 { // few values, so that they meet again; zeros of both signs
		n := 1 + rng.IntN(600)
		few := []uint32{0, 0x80000000, 0xFF7FFFFF, 0xC1000000, 0xBF800001, 0xBF800000, 0x80000001, 1, 0x3F800000, 0x7F7FFFFF}
		few = few[rng.IntN(len(few)/2):][:1+rng.IntN(len(few)/2)]
		var b []byte
		for range n {
			v := few[rng.IntN(len(few))]
			if round%3 == 0 {
				v = math.Float32bits(float32(rng.NormFloat64()) - 4*float32(round%2))
			}
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		c := &step{Name: fmt.Sprint("ARGMAX ", n), Ins: encode(image.Instruction{Op: image.ARGMAX, A: 3, X: xAt}), N: [3]uint32{uint32(n)}, Mem: []memBytes{{xAt, b}}}
		r.both(c, xAt, 4)
	}
	c := &step{Name: "ARGMAX of nothing", Ins: encode(image.Instruction{Op: image.ARGMAX, X: xAt})}
	r.both(c, xAt, 16)
}

// SiLU and GELU around the ends of all their chords, where a fast way to find
// the chord could choose the wrong one, and for all magnitudes.
func TestChords(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	r := newRig(t, machine.Options{})
	for _, fn := range []struct {
		op   image.Op
		high float64
	}{{image.SILUMUL, 12}, {image.GELU, 6}} {
		var x, y []byte
		put := func(v uint32) {
			if v>>23&255 == 255 {
				v = 0x80000000
			}
			x = binary.LittleEndian.AppendUint32(x, v)
			y = binary.LittleEndian.AppendUint32(y, math.Float32bits(float32(rng.NormFloat64()*math.Pow(10, rng.Float64()*6-3))))
		}
		for i := range 257 {
			end := math.Float32bits(float32(float64(i)/128*fn.high - fn.high))
			for d := uint32(0); d < 40; d++ {
				put(end + d)
				put(end - d)
			}
			for range 20 {
				put(end + rng.Uint32N(1<<rng.IntN(20)))
			}
		}
		for range 8000 {
			put(rng.Uint32()&0x807FFFFF | uint32(80+rng.IntN(56))<<23)
		}
		n := len(x) / 4
		for at := 0; at < n; at += 4096 {
			some := min(4096, n-at)
			c := step{Name: fmt.Sprint(fn.op, at), Ins: encode(image.Instruction{Op: fn.op, X: xAt, Y: yAt, Z: zAt}), N: [3]uint32{uint32(some)},
				Mem: []memBytes{{xAt, x[4*at:][:4*some]}, {yAt, y[4*at:][:4*some]}}}
			r.both(&c, zAt, 4*some)
		}
	}
}

// A result over the vector quantised last makes it another vector, also when it
// is that of a matrix which quantises nothing.
func TestForgetsVector(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	r := newRig(t, machine.Options{})
	const n, w2At = 64, wAt + 0x10000
	mem := []memBytes{{wAt, weights(t, rng, ggml.Q8_0, n, n, 0.5)}, {w2At, weights(t, rng, ggml.F16, n, n, 0.5)},
		{xAt, singles(rng, n, 1, true)}, {yAt, singles(rng, n, 1, true)}}
	var job []byte
	for _, in := range []image.Instruction{
		{Op: image.GEMV, A: byte(ggml.Q8_0), X: wAt, Y: xAt, Z: zAt},
		{Op: image.GEMV, A: byte(ggml.F16), X: w2At, Y: yAt, Z: xAt},
		{Op: image.GEMV, A: byte(ggml.Q8_0), X: wAt, Y: xAt, Z: zAt + 4*n},
	} {
		b := in.Encode()
		job = append(job, b[:]...)
	}
	r.pokeWord(r.flat("N_"), n)
	r.pokeWord(r.flat("N_")+4, n)
	mem = append(mem, memBytes{jobAt, append(job, byte(image.HALT))})
	ref := core.NewMemory(core.R3)
	c := core.New(ref, core.Options{Numerics: core.HW})
	c.N = [3]uint32{n, n}
	for _, m := range mem {
		r.m.Poke(m.addr, m.data)
		if err := ref.Write(m.addr, m.data); err != nil {
			t.Fatal(err)
		}
	}
	c.Start(jobAt)
	if err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if code := r.job(jobAt); code != 0 {
		t.Fatalf("error %d", code)
	}
	want, err := ref.Slice(zAt, 8*n)
	if err != nil {
		t.Fatal(err)
	}
	r.same("three products", zAt, r.m.Peek(zAt, 8*n), want)
}

// Quantising, seen through the unit matrix: values at and beside the halves
// where rounding turns, for scales of all magnitudes.
func TestQuantise(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	r := newRig(t, machine.Options{})
	const n = 32
	unit := make([]byte, 0, 34*n)
	for i := range n {
		row := make([]byte, 34)
		binary.LittleEndian.PutUint16(row, ggml.F32ToF16(1))
		row[2+i] = 1
		unit = append(unit, row...)
	}
	rounds := 400
	if full() {
		rounds = 5000
	}
	for round := range rounds {
		amax := float32(127)
		switch round % 4 {
		case 1:
			amax = float32(math.Ldexp(127, rng.IntN(30)-20))
		case 2:
			amax = float32(rng.Float64() + 0.5)
		case 3:
			amax = math.Float32frombits(uint32(rng.IntN(140))<<23 | rng.Uint32()&0x7FFFFF)
		}
		id := 1 / (amax / 127)
		x := binary.LittleEndian.AppendUint32(nil, math.Float32bits(amax))
		for len(x) < 4*n {
			v := math.Float32bits((float32(rng.IntN(127))+0.5)/id) + uint32(rng.IntN(7)) - 3
			switch {
			case rng.IntN(8) == 0:
				v = math.Float32bits(amax * rng.Float32())
			case math.Abs(float64(math.Float32frombits(v))) > float64(amax) || v>>23&255 == 255:
				v = 0
			}
			x = binary.LittleEndian.AppendUint32(x, v|rng.Uint32()&(1<<31))
		}
		c := step{Name: fmt.Sprint("quantise ", amax), Ins: encode(image.Instruction{Op: image.GEMV, A: byte(ggml.Q8_0), X: wAt, Y: xAt, Z: zAt}),
			N: [3]uint32{n, n}, Mem: []memBytes{{wAt, unit}, {xAt, x}}}
		r.both(&c, zAt, 4*n)
	}
}
