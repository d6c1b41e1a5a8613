//go:build !amd64

package grad

const hasKernel = false

func kernel4x16(k int, a *float32, ai, ap int, b *float32, ldb int, c *float32, ldc int) {
	panic("grad: no kernel on this CPU")
}

func kernel4x8(k int, a *float32, ai, ap int, b *float32, ldb int, c *float32, ldc int) {
	panic("grad: no kernel on this CPU")
}

func exp8(x *float32, n int, c *[13]float32) { panic("grad: no kernel on this CPU") }
