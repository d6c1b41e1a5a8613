package core

//go:noescape
func gemvQ8x16AVX512(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)

//go:noescape
func gemvQ4x16AVX512(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)

//go:noescape
func gemvQ8FloatAVX512(y *float32, w *byte, x *float32, blocks, groups int)

//go:noescape
func gemvQ4FloatAVX512(y *float32, w *byte, x *float32, blocks, groups int)

//go:noescape
func exactF32AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)

//go:noescape
func exactF16AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)

//go:noescape
func exactBF16AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)

//go:noescape
func addAVX512(dst, x, y *float32, n int)

//go:noescape
func mulAVX512(dst, x, y *float32, n int)

//go:noescape
func scaleMulAVX512(dst, x, weight *float32, n int, r float32)

//go:noescape
func siluMulAVX512(dst, x, y *float32, n int, c *chords)

//go:noescape
func geluAVX512(dst, x *float32, n int, c *chords)

//go:noescape
func argmaxAVX512(x *float32, n int, val *[16]float32, idx *[16]int32) (odd int)

//go:noescape
func quantizeAVX512(q *int8, d *float32, sum *int32, x *float32, blocks int)

//go:noescape
func turnHalfAVX512(kt *float32, k *byte, steps, rowBytes, hd int)

//go:noescape
func turnSingleAVX512(kt *float32, k *byte, steps, rowBytes, hd int)

//go:noescape
func scoresAVX512(s, q, kt *float32, blocks, hd int, scale float32) (odd int)

//go:noescape
func softmaxAVX512(s *float32, steps int, c *chords)

//go:noescape
func mixHalfAVX512(out, w *float32, v *byte, steps, rowBytes int, mask uint64)

//go:noescape
func mixSingleAVX512(out, w *float32, v *byte, steps, rowBytes int, mask uint64)

//go:noescape
func siluMulFloatAVX512(dst, x, y *float32, n int)

//go:noescape
func geluFloatAVX512(dst, x *float32, n int)

//go:noescape
func dot64AVX512(x, y *float32, n8 int, lanes *[8]float64)

//go:noescape
func scoresFloatAVX512(s *float64, q, kt *float32, blocks, hd int, scale float64) (odd int)

//go:noescape
func softmaxFloatAVX512(s *float64, steps int) (total float64)

//go:noescape
func mixHalfFloatAVX512(out *float32, e *float64, v *byte, steps, rowBytes int, mask uint64, total float64)

//go:noescape
func mixSingleFloatAVX512(out *float32, e *float64, v *byte, steps, rowBytes int, mask uint64, total float64)
