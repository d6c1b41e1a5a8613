package grad

import "math"

// AdamW is the optimiser: Adam with decoupled weight decay.
type AdamW struct {
	Beta1, Beta2, Eps, Decay float64
	Step                     int
	M, V                     [][]float32 // moments, one pair for each parameter
}

// NewAdamW makes the optimiser for params with the usual constants.
func NewAdamW(params []*Matrix, decay float64) *AdamW {
	o := &AdamW{Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, Decay: decay}
	for _, p := range params {
		o.M = append(o.M, make([]float32, len(p.V)))
		o.V = append(o.V, make([]float32, len(p.V)))
	}
	return o
}

// Update changes params by their gradients at the learning rate lr, and clears
// the gradients. Vectors (one row) are not decayed.
func (o *AdamW) Update(params []*Matrix, lr float64) {
	o.Step++
	c1 := 1 - math.Pow(o.Beta1, float64(o.Step))
	c2 := 1 - math.Pow(o.Beta2, float64(o.Step))
	b1, b2 := float32(o.Beta1), float32(o.Beta2)
	rate := float32(lr / c1)
	root := float32(1 / math.Sqrt(c2))
	for i, p := range params {
		decay := float32(1)
		if p.Rows > 1 {
			decay = float32(1 - lr*o.Decay)
		}
		m, v := o.M[i], o.V[i]
		for j, g := range p.G {
			m[j] = float32(b1*m[j]) + float32((1-b1)*g)
			v[j] = float32(b2*v[j]) + float32((1-b2)*float32(g*g))
			d := float32(math.Sqrt(float64(v[j])))*root + float32(o.Eps)
			p.V[j] = float32(p.V[j]*decay) - float32(rate*m[j])/d
		}
		clear(p.G)
	}
}

// ClipNorm scales all gradients so that their common norm is at most limit,
// and returns the norm before.
func ClipNorm(params []*Matrix, limit float64) float64 {
	var sum float64
	for _, p := range params {
		for _, g := range p.G {
			sum += float64(g) * float64(g)
		}
	}
	norm := math.Sqrt(sum)
	if norm > limit {
		f := float32(limit / norm)
		for _, p := range params {
			for j := range p.G {
				p.G[j] *= f
			}
		}
	}
	return norm
}
