package core

// allKernels are the sets this CPU can run, the fastest last.
func allKernels() []kernels {
	all := []kernels{goKernels()}
	if hasAVX2() {
		all = append(all, avx2Kernels())
	}
	if hasAVX512() {
		all = append(all, avx512Kernels())
	}
	return all
}
