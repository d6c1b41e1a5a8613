#include "textflag.h"

// Sums for the exact products: per row the double sum of w*x and of |w*x|.
// x is padded with zeros to a multiple of eight; mask selects the weights of a
// last, incomplete group.

#define EXACT8 \
	VMULPD (R10), Z0, Z1   \
	VADDPD Z1, Z16, Z16    \
	VANDPD Z31, Z1, Z1     \
	VADDPD Z1, Z17, Z17    \
	ADDQ   $64, R10

#define EXACTHEAD \
	MOVQ s+0(FP), DI       \
	MOVQ a+8(FP), BX       \
	MOVQ w+16(FP), SI      \
	MOVQ n8+32(FP), R13    \
	MOVQ rows+40(FP), R14  \
	MOVQ mask+48(FP), AX   \
	KMOVQ AX, K2           \
	POPCNTQ AX, R9         \
	MOVQ $0x7FFFFFFFFFFFFFFF, AX \
	VPBROADCASTQ AX, Z31

#define FOLDTO(V, W, MEM) \
	VEXTRACTF64X4 $1, V, Y1    \
	VADDPD        Y1, W, Y0    \
	VEXTRACTF128  $1, Y0, X1   \
	VADDPD        X1, X0, X0   \
	VPERMILPD     $1, X0, X1   \
	VADDSD        X1, X0, X0   \
	VMOVSD        X0, MEM

#define EXACTTAIL(ROW) \
	FOLDTO(Z16, Y16, (DI))  \
	FOLDTO(Z17, Y17, (BX))  \
	ADDQ $8, DI             \
	ADDQ $8, BX             \
	DECQ R14                \
	JNZ  ROW                \
	VZEROUPPER              \
	RET

#define EXACTROW \
	MOVQ   x+24(FP), R10     \
	MOVQ   R13, R15          \
	VPXORQ Z16, Z16, Z16     \
	VPXORQ Z17, Z17, Z17

// func exactF32AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)
TEXT ·exactF32AVX512(SB), NOSPLIT, $0-56
	EXACTHEAD
rowF32:
	EXACTROW
	TESTQ R15, R15
	JZ restF32
loopF32:
	VCVTPS2PD (SI), Z0
	ADDQ $32, SI
	EXACT8
	DECQ R15
	JNZ loopF32
restF32:
	TESTQ R9, R9
	JZ doneF32
	VMOVDQU32.Z (SI), K2, Y0
	VCVTPS2PD Y0, Z0
	EXACT8
	LEAQ (SI)(R9*4), SI
doneF32:
	EXACTTAIL(rowF32)

// func exactF16AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)
TEXT ·exactF16AVX512(SB), NOSPLIT, $0-56
	EXACTHEAD
rowF16:
	EXACTROW
	TESTQ R15, R15
	JZ restF16
loopF16:
	VCVTPH2PS (SI), Y0
	VCVTPS2PD Y0, Z0
	ADDQ $16, SI
	EXACT8
	DECQ R15
	JNZ loopF16
restF16:
	TESTQ R9, R9
	JZ doneF16
	VMOVDQU16.Z (SI), K2, X0
	VCVTPH2PS X0, Y0
	VCVTPS2PD Y0, Z0
	EXACT8
	LEAQ (SI)(R9*2), SI
doneF16:
	EXACTTAIL(rowF16)

// func exactBF16AVX512(s, a *float64, w *byte, x *float64, n8, rows int, mask uint64)
TEXT ·exactBF16AVX512(SB), NOSPLIT, $0-56
	EXACTHEAD
rowBF16:
	EXACTROW
	TESTQ R15, R15
	JZ restBF16
loopBF16:
	VPMOVZXWD (SI), Y0
	VPSLLD $16, Y0, Y0
	VCVTPS2PD Y0, Z0
	ADDQ $16, SI
	EXACT8
	DECQ R15
	JNZ loopBF16
restBF16:
	TESTQ R9, R9
	JZ doneBF16
	VMOVDQU16.Z (SI), K2, X0
	VPMOVZXWD X0, Y0
	VPSLLD $16, Y0, Y0
	VCVTPS2PD Y0, Z0
	EXACT8
	LEAQ (SI)(R9*2), SI
doneBF16:
	EXACTTAIL(rowBF16)
