package core

import (
	"math"

	"golang.org/x/sys/cpu"
)

func hasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL &&
		x.HasAVX512VNNI && x.HasPOPCNT
}

// avx512Kernels replaces what AVX-512 with VNNI does faster.
func avx512Kernels() kernels {
	k := goKernels()
	k.name = "avx512"
	k.add = func(dst, x, y []float32) {
		if len(dst) > 0 {
			addAVX512(&dst[0], &x[0], &y[0], len(dst))
		}
	}
	k.mul = func(dst, x, y []float32) {
		if len(dst) > 0 {
			mulAVX512(&dst[0], &x[0], &y[0], len(dst))
		}
	}
	k.scaleMul = func(dst, x []float32, r float32, g []float32) {
		if len(dst) > 0 {
			scaleMulAVX512(&dst[0], &x[0], &g[0], len(dst), r)
		}
	}
	k.siluMul = func(dst, x, y []float32) {
		if len(dst) > 0 {
			siluMulAVX512(&dst[0], &x[0], &y[0], len(dst), &siluChords)
		}
	}
	k.gelu = func(dst, x []float32) {
		if len(dst) > 0 {
			geluAVX512(&dst[0], &x[0], len(dst), &geluChords)
		}
	}
	k.rope = func(x, cs []float32) {
		if len(cs)%8 != 0 || len(x) == 0 {
			ropeGo(x, cs)
			return
		}
		ropeAVX2(&x[0], &cs[0], len(x), len(cs))
	}
	k.argmax = argmax512
	k.quantize = func(q *quantized, x []float32) {
		if len(q.d) > 0 {
			quantizeAVX512(&q.q[0], &q.d[0], &q.sum[0], &x[0], len(q.d))
		}
	}
	k.gemvQ8 = func(y []float32, w []byte, x *quantized) {
		quantRows(y, w, x, 34, 16, gemvQ8x16AVX512, gemvQ8Go)
	}
	k.gemvQ4 = func(y []float32, w []byte, x *quantized) {
		quantRows(y, w, x, 18, 16, gemvQ4x16AVX512, gemvQ4Go)
	}
	k.gemvQ8Float = func(y []float32, w []byte, x []float32, _ *wideBuf) {
		floatRows(y, w, x, 34, 16, gemvQ8FloatAVX512, gemvQ8FloatGo)
	}
	k.gemvQ4Float = func(y []float32, w []byte, x []float32, _ *wideBuf) {
		floatRows(y, w, x, 18, 16, gemvQ4FloatAVX512, gemvQ4FloatGo)
	}
	k.gemvF32 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows(y, w, x, b, fmtF32, exactF32AVX512)
	}
	k.gemvF16 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows(y, w, x, b, fmtF16, exactF16AVX512)
	}
	k.gemvBF16 = func(y []float32, w []byte, x []float32, b *wideBuf) {
		exactRows(y, w, x, b, fmtBF16, exactBF16AVX512)
	}
	k.siluMulFloat = func(dst, x, y []float32) {
		if len(dst) > 0 {
			siluMulFloatAVX512(&dst[0], &x[0], &y[0], len(dst))
		}
	}
	k.geluFloat = func(dst, x []float32) {
		if len(dst) > 0 {
			geluFloatAVX512(&dst[0], &x[0], len(dst))
		}
	}
	k.dot64 = func(x, y []float32) float64 { return dotLanes(x, y, dot64AVX512) }
	k.attn = attn512
	k.attnFloat = attnFloat512
	return k
}

func argmax512(x []float32) (best, bad int) {
	n := len(x) &^ 15
	if n == 0 {
		return argmaxGo(x)
	}
	var val [16]float32
	var idx [16]int32
	if argmaxAVX512(&x[0], n, &val, &idx) != 0 {
		return argmaxGo(x)
	}
	best = int(idx[0])
	top := val[0]
	for i, v := range val {
		if v > top || v == top && int(idx[i]) < best {
			top, best = v, int(idx[i])
		}
	}
	bad = -1
	for i := n; i < len(x); i++ {
		v := x[i]
		if v-v != 0 {
			return argmaxGo(x)
		}
		if v > top {
			top, best = v, i
		}
	}
	return best, bad
}

func exactRows(y []float32, w []byte, x []float32, b *wideBuf, f byte,
	kernel func(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)) {
	if len(y) == 0 || len(x) == 0 {
		clear(y)
		return
	}
	wide := b.widen(x)
	s, a := grow(&b.s, len(y)), grow(&b.a, len(y))
	kernel(&s[0], &a[0], &w[0], &wide[0], len(x)/8, len(y), 1<<(len(x)%8)-1)
	n := len(w) / len(y)
	for i := range y {
		v, ok := settle(s[i], a[i], len(x))
		if !ok {
			row := grow(&b.row, len(x))
			dequantize(f, row, w[i*n:(i+1)*n])
			v = exactRow(&b.exact, row, x)
		}
		y[i] = v
	}
}

// attn512 turns each KV head's keys once and lets the heads that share them
// run over them.
func attn512(j *attnJob, from, to int, buf *attnBuf) int {
	size := 4
	turn, mix := turnSingleAVX512, mixSingleAVX512
	if j.half {
		size, turn, mix = 2, turnHalfAVX512, mixHalfAVX512
	}
	rowBytes := j.kvHeads * j.hd * size
	if j.half && j.hd%2 != 0 || rowBytes > math.MaxInt32/16 {
		return attnGo(j, from, to, buf)
	}
	blocks := (j.steps + 15) / 16
	s := grow(&buf.s, 16*blocks)
	kt := grow(&buf.kt, 16*blocks*j.hd)
	scale := rsqrt(float32(j.hd))
	bad, turned := -1, -1
	for h := from; h < to; h++ {
		kv := h / j.group
		at := kv * j.hd * size
		if kv != turned {
			turn(&kt[0], &j.k[at], j.steps, rowBytes, j.hd)
			turned = kv
		}
		if scoresAVX512(&s[0], &j.q[h*j.hd], &kt[0], blocks, j.hd, scale) != 0 && bad < 0 && !finite(s[:j.steps]) {
			bad = h
		}
		softmaxAVX512(&s[0], j.steps, &expChords)
		for d := 0; d < j.hd; d += 64 {
			n := min(64, j.hd-d)
			mix(&j.out[h*j.hd+d], &s[0], &j.v[at+d*size], j.steps, rowBytes, ^uint64(0)>>(64-n))
		}
	}
	return bad
}

// attnFloat512 is the same in float numerics.
func attnFloat512(j *attnJob, from, to int, buf *attnBuf) int {
	size := 4
	turn, mix := turnSingleAVX512, mixSingleFloatAVX512
	if j.half {
		size, turn, mix = 2, turnHalfAVX512, mixHalfFloatAVX512
	}
	rowBytes := j.kvHeads * j.hd * size
	if j.half && j.hd%2 != 0 || rowBytes > math.MaxInt32/16 {
		return attnFloatGo(j, from, to, buf)
	}
	blocks := (j.steps + 15) / 16
	s := grow(&buf.d, 16*blocks)
	kt := grow(&buf.kt, 16*blocks*j.hd)
	scale := 1 / math.Sqrt(float64(j.hd))
	bad, turned := -1, -1
	for h := from; h < to; h++ {
		kv := h / j.group
		at := kv * j.hd * size
		if kv != turned {
			turn(&kt[0], &j.k[at], j.steps, rowBytes, j.hd)
			turned = kv
		}
		if scoresFloatAVX512(&s[0], &j.q[h*j.hd], &kt[0], blocks, j.hd, scale) != 0 && bad < 0 && !finite(s[:j.steps]) {
			bad = h
		}
		total := softmaxFloatAVX512(&s[0], j.steps)
		for d := 0; d < j.hd; d += 32 {
			n := min(32, j.hd-d)
			mix(&j.out[h*j.hd+d], &s[0], &j.v[at+d*size], j.steps, rowBytes, 1<<n-1, total)
		}
	}
	return bad
}
