package core

import (
	"math"

	"golang.org/x/sys/cpu"
)

// hasAVX2 also asks for F16C, which the cpu package does not name: every CPU
// with AVX2 and FMA has it.
func hasAVX2() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// avx2Kernels replaces what AVX2 does faster.
func avx2Kernels() kernels {
	k := goKernels()
	k.name = "avx2"
	k.add = func(dst, x, y []float32) {
		n := len(dst) &^ 7
		if n > 0 {
			addAVX2(&dst[0], &x[0], &y[0], n/8)
		}
		addGo(dst[n:], x[n:], y[n:])
	}
	k.mul = func(dst, x, y []float32) {
		n := len(dst) &^ 7
		if n > 0 {
			mulAVX2(&dst[0], &x[0], &y[0], n/8)
		}
		mulGo(dst[n:], x[n:], y[n:])
	}
	k.scaleMul = func(dst, x []float32, r float32, g []float32) {
		n := len(dst) &^ 7
		if n > 0 {
			scaleMulAVX2(&dst[0], &x[0], &g[0], n/8, r)
		}
		scaleMulGo(dst[n:], x[n:], r, g[n:])
	}
	k.siluMul = func(dst, x, y []float32) {
		// In pieces, so that y may be dst.
		var part [64]float32
		for len(dst) >= 8 {
			n := min(len(dst), len(part)) &^ 7
			chordAVX2(&part[0], &x[0], n/8, &siluChords)
			mulAVX2(&dst[0], &part[0], &y[0], n/8)
			dst, x, y = dst[n:], x[n:], y[n:]
		}
		siluMulGo(dst, x, y)
	}
	k.gelu = func(dst, x []float32) {
		n := len(dst) &^ 7
		if n > 0 {
			chordAVX2(&dst[0], &x[0], n/8, &geluChords)
		}
		geluGo(dst[n:], x[n:])
	}
	k.rope = func(x, cs []float32) {
		if len(cs)%8 != 0 || len(x) == 0 {
			ropeGo(x, cs)
			return
		}
		ropeAVX2(&x[0], &cs[0], len(x), len(cs))
	}
	k.quantize = func(q *quantized, x []float32) {
		if len(q.d) > 0 {
			quantizeAVX2(&q.q[0], &q.d[0], &q.sum[0], &x[0], len(q.d))
		}
	}
	k.gemvQ8 = func(y []float32, w []byte, x *quantized) {
		quantRows(y, w, x, 34, 8, gemvQ8x8AVX2, gemvQ8Go)
	}
	k.gemvQ4 = func(y []float32, w []byte, x *quantized) {
		quantRows(y, w, x, 18, 8, gemvQ4x8AVX2, gemvQ4Go)
	}
	k.gemvQ8Float = func(y []float32, w []byte, x []float32, _ *wideBuf) {
		floatRows(y, w, x, 34, 4, gemvQ8FloatAVX2, gemvQ8FloatGo)
	}
	k.gemvQ4Float = func(y []float32, w []byte, x []float32, _ *wideBuf) {
		floatRows(y, w, x, 18, 4, gemvQ4FloatAVX2, gemvQ4FloatGo)
	}
	k.gemvF32 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows2(y, w, x, b, fmtF32, exactF32AVX2)
	}
	k.gemvF16 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows2(y, w, x, b, fmtF16, exactF16AVX2)
	}
	k.gemvBF16 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows2(y, w, x, b, fmtBF16, exactBF16AVX2)
	}
	k.siluMulFloat = func(dst, x, y []float32) {
		n := len(dst) &^ 3
		if n > 0 {
			siluMulFloatAVX2(&dst[0], &x[0], &y[0], n/4)
		}
		siluMulFloatGo(dst[n:], x[n:], y[n:])
	}
	k.geluFloat = func(dst, x []float32) {
		n := len(dst) &^ 3
		if n > 0 {
			geluFloatAVX2(&dst[0], &x[0], n/4)
		}
		geluFloatGo(dst[n:], x[n:])
	}
	k.dot64 = func(x, y []float32) float64 { return dotLanes(x, y, dot64AVX2) }
	k.attn = attnAVX2
	k.attnFloat = attnFloatAVX2
	return k
}

// exactRows2 lets the kernel sum whole groups of eight and adds the rest.
func exactRows2(y []float32, w []byte, x []float32, b *wideBuf, f byte,
	kernel func(s, a *float64, w *byte, x *float64, n8, rows, stride int)) {
	n8 := len(x) / 8
	if n8 == 0 {
		gemvExact(y, w, x, b, f)
		return
	}
	wide := b.widen(x)
	s, a := grow(&b.s, len(y)), grow(&b.a, len(y))
	n := len(w) / len(y)
	kernel(&s[0], &a[0], &w[0], &wide[0], n8, len(y), n)
	rest := n / len(x) * 8 * n8 // bytes of a row that the kernel saw
	var tail [8]float32
	for i := range y {
		row := w[i*n : (i+1)*n]
		dequantize(f, tail[:len(x)%8], row[rest:])
		for j, v := range x[8*n8:] {
			p := float64(v) * float64(tail[j])
			s[i] += p
			a[i] += math.Abs(p)
		}
		v, ok := settle(s[i], a[i], len(x))
		if !ok {
			all := grow(&b.row, len(x))
			dequantize(f, all, row)
			v = exactRow(&b.exact, all, x)
		}
		y[i] = v
	}
}

// turns tells how an attention's cache is read, and whether the kernels can:
// they take pairs of halves, whole groups of eight values, and offsets in 32
// bits.
func (j *attnJob) turns() (size, rowBytes int, ok bool) {
	size = 4
	if j.half {
		size = 2
	}
	rowBytes = j.kvHeads * j.hd * size
	return size, rowBytes, j.hd%8 == 0 && rowBytes <= math.MaxInt32/16
}

func attnAVX2(j *attnJob, from, to int, buf *attnBuf) int {
	size, rowBytes, ok := j.turns()
	if !ok {
		return attnGo(j, from, to, buf)
	}
	turn, mix := turnSingleAVX2, mixSingleAVX2
	if j.half {
		turn, mix = turnHalfAVX2, mixHalfAVX2
	}
	blocks := (j.steps + 7) / 8
	s := grow(&buf.s, 8*blocks)
	kt := grow(&buf.kt, 8*blocks*j.hd)
	scale := rsqrt(float32(j.hd))
	bad, turned := -1, -1
	for h := from; h < to; h++ {
		kv := h / j.group
		at := kv * j.hd * size
		if kv != turned {
			turn(&kt[0], &j.k[at], j.steps, rowBytes, j.hd)
			turned = kv
		}
		if scoresAVX2(&s[0], &j.q[h*j.hd], &kt[0], blocks, j.hd, scale) != 0 && bad < 0 && !finite(s[:j.steps]) {
			bad = h
		}
		for i := j.steps; i < len(s); i++ {
			s[i] = float32(math.Inf(-1))
		}
		softmaxAVX2(&s[0], j.steps, &expChords)
		for d := 0; d < j.hd; {
			n8 := 1
			if j.hd-d >= 32 {
				n8 = 4
			}
			mix(&j.out[h*j.hd+d], &s[0], &j.v[at+d*size], j.steps, rowBytes, n8)
			d += 8 * n8
		}
	}
	return bad
}

func attnFloatAVX2(j *attnJob, from, to int, buf *attnBuf) int {
	size, rowBytes, ok := j.turns()
	if !ok {
		return attnFloatGo(j, from, to, buf)
	}
	turn, mix := turnSingleAVX2, mixSingleFloatAVX2
	if j.half {
		turn, mix = turnHalfAVX2, mixHalfFloatAVX2
	}
	blocks := (j.steps + 7) / 8
	s := grow(&buf.d, 8*blocks)
	kt := grow(&buf.kt, 8*blocks*j.hd)
	scale := 1 / math.Sqrt(float64(j.hd))
	bad, turned := -1, -1
	for h := from; h < to; h++ {
		kv := h / j.group
		at := kv * j.hd * size
		if kv != turned {
			turn(&kt[0], &j.k[at], j.steps, rowBytes, j.hd)
			turned = kv
		}
		if scoresFloatAVX2(&s[0], &j.q[h*j.hd], &kt[0], blocks, j.hd, scale) != 0 && bad < 0 && !finite(s[:j.steps]) {
			bad = h
		}
		for i := j.steps; i < len(s); i++ {
			s[i] = math.Inf(-1)
		}
		total := softmaxFloatAVX2(&s[0], j.steps)
		for d := 0; d < j.hd; d += 8 {
			mix(&j.out[h*j.hd+d], &s[0], &j.v[at+d*size], j.steps, rowBytes, total)
		}
	}
	return bad
}
