package core

import "math"

// quantRows hands groups of rows to a kernel of hw numerics. A last group
// that is not full is taken from the end, some rows made twice with the same
// result; fewer rows than a group go to plain Go.
func quantRows(y []float32, w []byte, x *quantized, blockBytes, group int,
	kernel func(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int),
	plain func(y []float32, w []byte, x *quantized)) {
	blocks := len(x.d)
	n := len(y)
	if n < group || blocks == 0 || blocks > math.MaxInt32/64/blockBytes {
		plain(y, w, x)
		return
	}
	kernel(&y[0], &w[0], &x.q[0], &x.d[0], &x.sum[0], blocks, n/group)
	if n%group != 0 {
		r := n - group
		kernel(&y[r], &w[r*blocks*blockBytes], &x.q[0], &x.d[0], &x.sum[0], blocks, 1)
	}
}

// floatRows is quantRows for float numerics.
func floatRows(y []float32, w []byte, x []float32, blockBytes, group int,
	kernel func(y *float32, w *byte, x *float32, blocks, groups int),
	plain func(y []float32, w []byte, x []float32, _ *wideBuf)) {
	blocks := len(x) / 32
	n := len(y)
	if n < group || blocks == 0 || blocks > math.MaxInt32/64/blockBytes {
		plain(y, w, x, nil)
		return
	}
	kernel(&y[0], &w[0], &x[0], blocks, n/group)
	if n%group != 0 {
		r := n - group
		kernel(&y[r], &w[r*blocks*blockBytes], &x[0], blocks, 1)
	}
}

// widen returns x in double, padded with zeros to a multiple of eight.
func (b *wideBuf) widen(x []float32) []float64 {
	n := (len(x) + 7) &^ 7
	w := grow(&b.x, n)
	if n8 := len(x) / 8; n8 > 0 {
		widenAVX2(&w[0], &x[0], n8)
	}
	for i := len(x) &^ 7; i < n; i++ {
		w[i] = 0
		if i < len(x) {
			w[i] = float64(x[i])
		}
	}
	return w
}

// dotLanes is dot64 by a kernel; the values of a last, incomplete group are
// added after the full ones, as there.
func dotLanes(x, y []float32, kernel func(x, y *float32, n8 int, lanes *[8]float64)) float64 {
	var l [8]float64
	n := len(x) &^ 7
	if n > 0 {
		kernel(&x[0], &y[0], n/8, &l)
	}
	for i := n; i < len(x); i++ {
		l[i-n] += float64(x[i]) * float64(y[i])
	}
	return fold8(&l)
}

// finite tells whether all scores are numbers. The kernels' quick answer also
// sees the lanes beyond the last row, where an infinite query times 0 is NaN.
func finite[T float32 | float64](s []T) bool {
	for _, v := range s {
		if v-v != 0 {
			return false
		}
	}
	return true
}
