#include "textflag.h"

// Sums for the exact products with AVX2: per row the double sum of w*x and of
// |w*x| over whole groups of eight; the caller adds what is left of a row.

#define EXACT4(X, A) \
	VMULPD X, Y0, Y0          \
	VADDPD Y0, Y8, Y8         \
	VANDPD Y15, Y0, Y0        \
	VADDPD Y0, Y9, Y9         \
	VMULPD A, Y1, Y1          \
	VADDPD Y1, Y10, Y10       \
	VANDPD Y15, Y1, Y1        \
	VADDPD Y1, Y11, Y11

#define FOLD4(V, W, MEM) \
	VADDPD       W, V, V     \
	VEXTRACTF128 $1, V, X1   \
	VADDPD       V, Y1, Y0   \
	VPERMILPD    $1, X0, X1  \
	VADDSD       X1, X0, X0  \
	VMOVSD       X0, MEM

// func exactF32AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)
TEXT ·exactF32AVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ a+8(FP), BX
	MOVQ w+16(FP), R9
	MOVQ n8+32(FP), R13
	MOVQ rows+40(FP), R14
	MOVQ stride+48(FP), R8
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15
rowF32:
	MOVQ R9, SI
	MOVQ x+24(FP), R10
	MOVQ R13, R15
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
loopF32:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	EXACT4((R10), 32(R10))
	ADDQ $32, SI
	ADDQ $64, R10
	DECQ R15
	JNZ loopF32
	FOLD4(Y8, Y10, (DI))
	FOLD4(Y9, Y11, (BX))
	ADDQ $8, DI
	ADDQ $8, BX
	ADDQ R8, R9
	DECQ R14
	JNZ rowF32
	VZEROUPPER
	RET

// func exactF16AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)
TEXT ·exactF16AVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ a+8(FP), BX
	MOVQ w+16(FP), R9
	MOVQ n8+32(FP), R13
	MOVQ rows+40(FP), R14
	MOVQ stride+48(FP), R8
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15
rowF16:
	MOVQ R9, SI
	MOVQ x+24(FP), R10
	MOVQ R13, R15
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
loopF16:
	VCVTPH2PS (SI), Y2
	VCVTPS2PD X2, Y0
	VEXTRACTF128 $1, Y2, X2
	VCVTPS2PD X2, Y1
	EXACT4((R10), 32(R10))
	ADDQ $16, SI
	ADDQ $64, R10
	DECQ R15
	JNZ loopF16
	FOLD4(Y8, Y10, (DI))
	FOLD4(Y9, Y11, (BX))
	ADDQ $8, DI
	ADDQ $8, BX
	ADDQ R8, R9
	DECQ R14
	JNZ rowF16
	VZEROUPPER
	RET

// func exactBF16AVX2(s, a *float64, w *byte, x *float64, n8, rows, stride int)
TEXT ·exactBF16AVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ a+8(FP), BX
	MOVQ w+16(FP), R9
	MOVQ n8+32(FP), R13
	MOVQ rows+40(FP), R14
	MOVQ stride+48(FP), R8
	VPCMPEQD Y15, Y15, Y15
	VPSRLQ $1, Y15, Y15
rowBF16:
	MOVQ R9, SI
	MOVQ x+24(FP), R10
	MOVQ R13, R15
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
loopBF16:
	VPMOVZXWD (SI), Y2
	VPSLLD $16, Y2, Y2
	VCVTPS2PD X2, Y0
	VEXTRACTF128 $1, Y2, X2
	VCVTPS2PD X2, Y1
	EXACT4((R10), 32(R10))
	ADDQ $16, SI
	ADDQ $64, R10
	DECQ R15
	JNZ loopBF16
	FOLD4(Y8, Y10, (DI))
	FOLD4(Y9, Y11, (BX))
	ADDQ $8, DI
	ADDQ $8, BX
	ADDQ R8, R9
	DECQ R14
	JNZ rowBF16
	VZEROUPPER
	RET
