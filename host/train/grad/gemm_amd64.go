package grad

import "golang.org/x/sys/cpu"

var hasKernel = cpu.X86.HasAVX2

// kernel4x16 does gemm's step for 4 rows and 16 columns of C.
//
//go:noescape
func kernel4x16(k int, a *float32, ai, ap int, b *float32, ldb int, c *float32, ldc int)

// kernel4x8 does gemm's step for 4 rows and 8 columns of C.
//
//go:noescape
func kernel4x8(k int, a *float32, ai, ap int, b *float32, ldb int, c *float32, ldc int)

// exp8 is exp of n elements in place; n is a multiple of 8. c is expConstants.
//
//go:noescape
func exp8(x *float32, n int, c *[13]float32)
