package core

import (
	"math"
	"slices"
)

// kernels are the inner loops, chosen once per core for the CPU it runs on.
// Every set gives the same bits.
type kernels struct {
	name string

	add, mul     func(dst, x, y []float32)
	scaleMul     func(dst, x []float32, r float32, g []float32) // (x*r)*g
	siluMul      func(dst, x, y []float32)
	siluMulFloat func(dst, x, y []float32)
	gelu         func(dst, x []float32)
	geluFloat    func(dst, x []float32)
	rope         func(x, cs []float32)
	dot64        func(x, y []float32) float64
	// argmax is the first maximum and the first value that is not finite, -1
	// for none.
	argmax func(x []float32) (best, bad int)

	quantize func(q *quantized, x []float32)
	// The following make len(y) rows.
	gemvQ8, gemvQ4             func(y []float32, w []byte, x *quantized)
	gemvQ8Float, gemvQ4Float   func(y []float32, w []byte, x []float32, b *wideBuf)
	gemvF32, gemvF16, gemvBF16 func(y []float32, w []byte, x []float32, b *wideBuf)

	// The heads from..to-1 of an attention; the first head with a score that
	// is not finite, or -1.
	attn, attnFloat func(j *attnJob, from, to int, buf *attnBuf) int
}

// attnBuf is the space that one goroutine's attention needs.
type attnBuf struct {
	s   []float32
	kt  []float32 // keys turned: one dimension of 16 rows after the other
	d   []float64
	acc []float64
}

// wideBuf is what one goroutine's products in double need.
type wideBuf struct {
	x, s, a []float64
	row     []float32
	exact   exactSum
}

// goKernels are the kernels in plain Go: the definition of the others.
func goKernels() kernels {
	return kernels{
		name:         "go",
		add:          addGo,
		mul:          mulGo,
		scaleMul:     scaleMulGo,
		siluMul:      siluMulGo,
		siluMulFloat: siluMulFloatGo,
		gelu:         geluGo,
		geluFloat:    geluFloatGo,
		rope:         ropeGo,
		dot64:        dot64,
		argmax:       argmaxGo,
		quantize:     quantizeGo,
		gemvQ8:       gemvQ8Go,
		gemvQ4:       gemvQ4Go,
		gemvQ8Float:  gemvQ8FloatGo,
		gemvQ4Float:  gemvQ4FloatGo,
		gemvF32:      gemvF32Go,
		gemvF16:      gemvF16Go,
		gemvBF16:     gemvBF16Go,
		attn:         attnGo,
		attnFloat:    attnFloatGo,
	}
}

func addGo(dst, x, y []float32) {
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func mulGo(dst, x, y []float32) {
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func scaleMulGo(dst, x []float32, r float32, g []float32) {
	for i, v := range x {
		dst[i] = float32(v*r) * g[i]
	}
}

func siluMulGo(dst, x, y []float32) {
	for i, v := range x {
		dst[i] = silu(v) * y[i]
	}
}

func geluGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = gelu(v)
	}
}

func ropeGo(x, cs []float32) {
	for len(x) > 0 {
		for i := 0; i < len(cs); i += 2 {
			c, s := cs[i], cs[i+1]
			a, b := x[i], x[i+1]
			x[i] = float32(a*c) - float32(b*s)
			x[i+1] = float32(a*s) + float32(b*c)
		}
		x = x[len(cs):]
	}
}

func argmaxGo(x []float32) (best, bad int) {
	bad = -1
	for i, v := range x {
		if v-v != 0 && bad < 0 {
			bad = i
		}
		if v > x[best] {
			best = i
		}
	}
	return best, bad
}

func gemvQ8Go(y []float32, w []byte, x *quantized) {
	n := 34 * len(x.d)
	for r := range y {
		y[r] = dotQ8Go(w[r*n:(r+1)*n], x)
	}
}

func gemvQ4Go(y []float32, w []byte, x *quantized) {
	n := 18 * len(x.d)
	for r := range y {
		y[r] = dotQ4Go(w[r*n:(r+1)*n], x)
	}
}

func gemvQ8FloatGo(y []float32, w []byte, x []float32, _ *wideBuf) {
	n := len(x) / 32 * 34
	for r := range y {
		y[r] = dotQ8FloatGo(w[r*n:(r+1)*n], x)
	}
}

func gemvQ4FloatGo(y []float32, w []byte, x []float32, _ *wideBuf) {
	n := len(x) / 32 * 18
	for r := range y {
		y[r] = dotQ4FloatGo(w[r*n:(r+1)*n], x)
	}
}

func gemvF32Go(y []float32, w []byte, x []float32, b *wideBuf) { gemvExact(y, w, x, b, fmtF32) }

func gemvF16Go(y []float32, w []byte, x []float32, b *wideBuf) { gemvExact(y, w, x, b, fmtF16) }

func gemvBF16Go(y []float32, w []byte, x []float32, b *wideBuf) { gemvExact(y, w, x, b, fmtBF16) }

// gemvExact makes rows of weights of format f, each element of which is a
// single of its own.
func gemvExact(y []float32, w []byte, x []float32, b *wideBuf, f byte) {
	n := len(w) / len(y)
	row := grow(&b.row, len(x))
	for r := range y {
		dequantize(f, row, w[r*n:(r+1)*n])
		var s0, s1, a0, a1 float64
		for i := 0; i+1 < len(row); i += 2 {
			p := float64(x[i]) * float64(row[i])
			q := float64(x[i+1]) * float64(row[i+1])
			s0 += p
			s1 += q
			a0 += math.Abs(p)
			a1 += math.Abs(q)
		}
		if i := len(row) - 1; i >= 0 && i%2 == 0 {
			p := float64(x[i]) * float64(row[i])
			s0 += p
			a0 += math.Abs(p)
		}
		v, ok := settle(s0+s1, a0+a1, len(x))
		if !ok {
			v = exactRow(&b.exact, row, x)
		}
		y[r] = v
	}
}

// exactRow is a row's exact sum, rounded to double and then to single.
func exactRow(e *exactSum, row, x []float32) float32 {
	e.reset()
	for i, v := range x {
		e.add(float64(v) * float64(row[i]))
	}
	return float32(e.value())
}

func attnGo(j *attnJob, from, to int, buf *attnBuf) int {
	bad := -1
	s := grow(&buf.s, j.steps)
	for h := from; h < to; h++ {
		if attnHeadHW(j, h, s, j.out[h*j.hd:(h+1)*j.hd]) && bad < 0 {
			bad = h
		}
	}
	return bad
}

func attnFloatGo(j *attnJob, from, to int, buf *attnBuf) int {
	bad := -1
	s := grow(&buf.d, j.steps)
	acc := grow(&buf.acc, 2*j.hd)
	for h := from; h < to; h++ {
		if attnHeadFloat(j, h, s, acc, j.out[h*j.hd:(h+1)*j.hd]) && bad < 0 {
			bad = h
		}
	}
	return bad
}

// Kernels lists the names of the kernel sets that this CPU can run, plain Go
// first, the fastest last.
func Kernels() []string {
	var names []string
	for _, k := range allKernels() {
		names = append(names, k.name)
	}
	return names
}

// HasKernels tells whether this CPU can run the kernel set called name.
func HasKernels(name string) bool { return slices.Contains(Kernels(), name) }

// chooseKernels returns the set called name, the fastest for "".
func chooseKernels(name string) kernels {
	all := allKernels()
	if name == "" {
		return all[len(all)-1]
	}
	for _, k := range all {
		if k.name == name {
			return k
		}
	}
	return all[0]
}
