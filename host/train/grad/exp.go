package grad

import "math"

// exp is e^x in float32, good to about two units in the last place: 2^k times
// a polynomial in the rest. It is 0 below -87 and stays at e^88 above 88.
func exp(x float32) float32 {
	if x < -87 {
		return 0
	}
	if x > 88 {
		x = 88
	}
	const magic = 3 << 22 // adding it rounds to a whole number
	k := float32(float32(x*1.4426950408889634)+magic) - magic
	r := float32(x - float32(k*0.693359375))
	r = float32(r + float32(k*2.12194440e-4))
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	y := float32(float32(p*float32(r*r))+r) + 1
	return y * math.Float32frombits(uint32(int32(k)+127)<<23)
}

// expAll is exp of every element in place, eight at a time where the CPU can,
// with the same bits.
func expAll(x []float32) {
	if n := len(x) &^ 7; hasKernel && n > 0 {
		exp8(&x[0], n, &expConstants)
		x = x[n:]
	}
	for i, v := range x {
		x[i] = exp(v)
	}
}

// expConstants are exp's, in the order that exp8 reads them.
var expConstants = [13]float32{
	-87, 88, 1.4426950408889634, 3 << 22, 0.693359375, 2.12194440e-4,
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1,
}
