package convert

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// ropeTable makes rows of the RoPE table: f32 (cos, sin) pairs, one per pair
// of a head, of the angle position * frequency computed in f64.
type ropeTable struct {
	freq  []float64
	scale float64 // positions are divided by it
}

// newRopeTable computes the frequencies 1 / base^(2j/headDim); factors, if
// any, divide them one by one (llama 3's rope_freqs.weight).
func newRopeTable(p *Params, factors []float32) *ropeTable {
	t := &ropeTable{scale: p.RopeScale}
	for j := range p.HeadDim / 2 {
		f := 1 / pow(p.RopeBase, 2*j, p.HeadDim)
		if factors != nil {
			f /= float64(factors[j])
		}
		t.freq = append(t.freq, f)
	}
	return t
}

// row appends the row of a position.
func (t *ropeTable) row(dst []byte, pos int) []byte {
	x := float64(pos)
	if t.scale != 1 {
		x /= t.scale
	}
	for _, f := range t.freq {
		sin, cos := sincos(float64(x * f))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(cos)))
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(sin)))
	}
	return dst
}

// pow is base^(n/d), correctly rounded with the exponent rounded to f64 first.
// math.Pow is not the same to the last bit on every processor, and an error of
// the frequency grows with the position.
func pow(base float64, n, d int) float64 {
	if n == 0 || base == 1 {
		return 1
	}
	const prec = 200
	newF := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	// y = (base^n)^(1/d) by Newton's method.
	a := ipow(newF(base), n)
	y := newF(math.Pow(base, float64(n)/float64(d)))
	for range 3 { // doubles 52 good bits each time
		// y += (a/y^(d-1) - y) / d
		q := new(big.Float).SetPrec(prec).Quo(a, ipow(y, d-1))
		q.Sub(q, y)
		q.Quo(q, newF(float64(d)))
		y.Add(y, q)
	}
	// The rounded exponent differs from n/d by delta: multiply by base^delta.
	exact := new(big.Float).SetPrec(prec).Quo(newF(float64(n)), newF(float64(d)))
	delta, _ := new(big.Float).SetPrec(prec).Sub(newF(float64(n)/float64(d)), exact).Float64()
	y.Mul(y, new(big.Float).SetPrec(prec).Add(newF(1), newF(delta*math.Log(base))))
	v, _ := y.Float64()
	return v
}

// ipow is x^n for n >= 0.
func ipow(x *big.Float, n int) *big.Float {
	r := new(big.Float).SetPrec(x.Prec()).SetInt64(1)
	sq := new(big.Float).Copy(x)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r.Mul(r, sq)
		}
		sq.Mul(sq, sq)
	}
	return r
}

// Pi/2 in three parts; the first two have 33 bits, so that products with the
// small whole numbers used here are exact.
const (
	pio2a = 0x1.921fb544p+0
	pio2b = 0x1.0b4611a6p-34
	pio2c = 0x1.3198a2e037073p-69
)

// sincos is the sine and cosine of 0 <= x < 2^20, good to about one unit in
// the last place of f64. Products are rounded before they are added, so that
// no processor fuses them and the table is the same everywhere.
func sincos(x float64) (sin, cos float64) {
	k := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r0, b := x-float64(k*pio2a), float64(k*pio2b)
	r1 := r0 - b
	// What r1 lost when it was rounded, and the third part of pi/2.
	v := r1 - r0
	lo := (r0 - (r1 - v)) - (b + v) - float64(k*pio2c)
	r := r1 + lo
	lo = (r1 - r) + lo
	z := float64(r * r)

	// Taylor series; |r| <= pi/4.
	var s, c float64
	for i := 19; i >= 3; i -= 2 {
		s = float64(z*(s+sign(i/2))) / float64((i-1)*i)
	}
	for i := 20; i >= 4; i -= 2 {
		c = float64(z*(c+sign(i/2-1))) / float64((i-1)*i)
	}
	// sin r = r + r*s; cos r = 1 - z/2 * (1 + ...), both with the effect of lo.
	s = r + (float64(r*s) + lo)
	half := float64(z * 0.5)
	head := 1 - half
	c = head + (((1 - head) - half) + float64(float64(half*-1)*c) - float64(r*lo))

	switch int64(k) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	}
	return -c, s
}

func sign(i int) float64 {
	if i%2 == 1 {
		return -1
	}
	return 1
}

// ropeFactors reads rope_freqs.weight, nil if the model has none.
func ropeFactors(f *gguf.File, p *Params) ([]float32, error) {
	const name = "rope_freqs.weight"
	t := f.Tensor(name)
	if t == nil {
		return nil, nil
	}
	n := p.HeadDim / 2
	if !sameShape(t.Dims, []uint64{uint64(n)}) {
		return nil, &TensorError{Tensor: name, Msg: fmt.Sprintf("its shape is %v, half a head has %d values", t.Dims, n)}
	}
	if t.Type != ggml.F32 {
		return nil, &TensorError{Tensor: name, Msg: fmt.Sprintf("its format is %s, F32 is expected", t.Type)}
	}
	v, err := readVector(t)
	if err != nil {
		return nil, err
	}
	for i, x := range v {
		if x <= 0 {
			return nil, &TensorError{Tensor: name, Msg: fmt.Sprintf("entry %d is %v, a positive factor is expected", i, x)}
		}
	}
	return v, nil
}
