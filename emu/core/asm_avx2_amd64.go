package core

//go:noescape
func gemvQ8x8AVX2(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)

//go:noescape
func gemvQ4x8AVX2(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)

//go:noescape
func gemvQ8FloatAVX2(y *float32, w *byte, x *float32, blocks, groups int)

//go:noescape
func gemvQ4FloatAVX2(y *float32, w *byte, x *float32, blocks, groups int)

//go:noescape
func exactF32AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)

//go:noescape
func exactF16AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)

//go:noescape
func exactBF16AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)

//go:noescape
func addAVX2(dst, x, y *float32, n8 int)

//go:noescape
func mulAVX2(dst, x, y *float32, n8 int)

//go:noescape
func scaleMulAVX2(dst, x, weight *float32, n8 int, r float32)

//go:noescape
func chordAVX2(dst, x *float32, n8 int, c *chords)

//go:noescape
func quantizeAVX2(q *int8, d *float32, sum *int32, x *float32, blocks int)

//go:noescape
func widenAVX2(dst *float64, x *float32, n8 int)

//go:noescape
func ropeAVX2(x, cs *float32, n, hd int)

//go:noescape
func turnHalfAVX2(kt *float32, k *byte, steps, rowBytes, hd int)

//go:noescape
func turnSingleAVX2(kt *float32, k *byte, steps, rowBytes, hd int)

//go:noescape
func scoresAVX2(s, q, kt *float32, blocks, hd int, scale float32) (odd int)

//go:noescape
func softmaxAVX2(s *float32, steps int, c *chords)

//go:noescape
func mixHalfAVX2(out, w *float32, v *byte, steps, rowBytes, n8 int)

//go:noescape
func mixSingleAVX2(out, w *float32, v *byte, steps, rowBytes, n8 int)

//go:noescape
func siluMulFloatAVX2(dst, x, y *float32, n4 int)

//go:noescape
func geluFloatAVX2(dst, x *float32, n4 int)

//go:noescape
func dot64AVX2(x, y *float32, n8 int, lanes *[8]float64)

//go:noescape
func scoresFloatAVX2(s *float64, q, kt *float32, blocks, hd int, scale float64) (odd int)

//go:noescape
func softmaxFloatAVX2(s *float64, steps int) (total float64)

//go:noescape
func mixHalfFloatAVX2(out *float32, e *float64, v *byte, steps, rowBytes int, total float64)

//go:noescape
func mixSingleFloatAVX2(out *float32, e *float64, v *byte, steps, rowBytes int, total float64)
