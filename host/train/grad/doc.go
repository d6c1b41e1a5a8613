// Package grad computes values and gradients of small transformer models on
// the CPU: a tape of matrix operations, each with its derivative written by
// hand, over one float32 matrix product.
//
// Everything is deterministic: sums run in a fixed order that neither the
// number of threads nor the CPU's vector width changes, and products are
// rounded before they are added (no fused multiply-add), so that the assembly
// kernel and the plain Go one give the same bits.
//
// gemm.go is the matrix product, tape.go the tape, ops.go what a transformer
// needs, attention.go its attention, adamw.go the optimiser.
package grad
