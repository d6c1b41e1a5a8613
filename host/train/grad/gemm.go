package grad

// gemm adds A*B to C: C is m x n, A m x k with element (i,p) at a[i*ai+p*ap],
// B k x n, both B and C row by row with strides ldb and ldc. Each element of C
// is ((c + a0*b0) + a1*b1) + ... in order of p, each step rounded to float32.
func gemm(m, n, k int, a []float32, ai, ap int, b []float32, ldb int, c []float32, ldc int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	i := 0
	if hasKernel {
		for ; i+4 <= m; i += 4 {
			j := 0
			for ; j+16 <= n; j += 16 {
				kernel4x16(k, &a[i*ai], ai, ap, &b[j], ldb, &c[i*ldc+j], ldc)
			}
			for ; j+8 <= n; j += 8 {
				kernel4x8(k, &a[i*ai], ai, ap, &b[j], ldb, &c[i*ldc+j], ldc)
			}
			if j < n {
				gemmPlain(4, n-j, k, a[i*ai:], ai, ap, b[j:], ldb, c[i*ldc+j:], ldc)
			}
		}
	}
	if i < m && hasKernel && n >= 8 {
		gemmTail(m-i, n, k, a[i*ai:], ai, ap, b, ldb, c[i*ldc:], ldc)
	} else if i < m {
		gemmPlain(m-i, n, k, a[i*ai:], ai, ap, b, ldb, c[i*ldc:], ldc)
	}
}

// gemmTail does the last one to three rows with the kernel for four, in copies
// whose other rows are zero.
func gemmTail(m, n, k int, a []float32, ai, ap int, b []float32, ldb int, c []float32, ldc int) {
	buf := make([]float32, 4*(k+n))
	a4, c4 := buf[:4*k], buf[4*k:]
	for i := range m {
		for p := range k {
			a4[i*k+p] = a[i*ai+p*ap]
		}
		copy(c4[i*n:][:n], c[i*ldc:][:n])
	}
	gemm(4, n, k, a4, k, 1, b, ldb, c4, n)
	for i := range m {
		copy(c[i*ldc:][:n], c4[i*n:][:n])
	}
}

// gemmPlain is gemm without assembly: the definition of its result.
func gemmPlain(m, n, k int, a []float32, ai, ap int, b []float32, ldb int, c []float32, ldc int) {
	for i := range m {
		row := c[i*ldc:][:n]
		for p := range k {
			f := a[i*ai+p*ap]
			bp := b[p*ldb:][:n]
			for j := range row {
				row[j] += float32(f * bp[j])
			}
		}
	}
}
