#include "textflag.h"

DATA bytes0F<>+0(SB)/4, $0x0F0F0F0F
GLOBL bytes0F<>(SB), RODATA|NOPTR, $4
DATA lanes16<>+0(SB)/4, $0
DATA lanes16<>+4(SB)/4, $1
DATA lanes16<>+8(SB)/4, $2
DATA lanes16<>+12(SB)/4, $3
DATA lanes16<>+16(SB)/4, $4
DATA lanes16<>+20(SB)/4, $5
DATA lanes16<>+24(SB)/4, $6
DATA lanes16<>+28(SB)/4, $7
DATA lanes16<>+32(SB)/4, $8
DATA lanes16<>+36(SB)/4, $9
DATA lanes16<>+40(SB)/4, $10
DATA lanes16<>+44(SB)/4, $11
DATA lanes16<>+48(SB)/4, $12
DATA lanes16<>+52(SB)/4, $13
DATA lanes16<>+56(SB)/4, $14
DATA lanes16<>+60(SB)/4, $15
GLOBL lanes16<>(SB), RODATA|NOPTR, $64

// Z17 = the 16 rows' block scales at (AX)+index, as singles; Z18, K1 used.
#define SCALES \
	KXNORW     K1, K1, K1           \
	VPGATHERDD (AX)(Z29*1), K1, Z18 \
	VPMOVDW    Z18, Y18             \
	VCVTPH2PS  Y18, Z17

// Float numerics: 16 rows at once, each with 16 lanes of singles in one of
// Z0-Z15. Z30, Z31 hold the block of x, the stack the rows' scales.

#define FROW8(LOW, HIGH, ACC, OFF) \
	VPMOVSXBD LOW, Z18            \
	VPMOVSXBD HIGH, Z19           \
	VCVTDQ2PS Z18, Z18            \
	VCVTDQ2PS Z19, Z19            \
	VMULPS    Z30, Z18, Z18       \
	VMULPS    Z31, Z19, Z19       \
	VADDPS    Z19, Z18, Z18       \
	VMULPS.BCST scale-64+OFF(SP), Z18, Z18 \
	VADDPS    Z18, ACC, ACC

#define FROW4(ADDR, ACC, OFF) \
	VMOVDQU32 ADDR, X18           \
	VPSRLW    $4, X18, X19        \
	VPANDD    X28, X18, X18       \
	VPANDD    X28, X19, X19       \
	VPMOVZXBD X18, Z18            \
	VPMOVZXBD X19, Z19            \
	VPSUBD    Z27, Z18, Z18       \
	VPSUBD    Z27, Z19, Z19       \
	VCVTDQ2PS Z18, Z18            \
	VCVTDQ2PS Z19, Z19            \
	VMULPS    Z30, Z18, Z18       \
	VMULPS    Z31, Z19, Z19       \
	VADDPS    Z19, Z18, Z18       \
	VMULPS.BCST scale-64+OFF(SP), Z18, Z18 \
	VADDPS    Z18, ACC, ACC

// FSUM4 is SUM4 for singles.
#define FSUM4(A, B, C, D) \
	VUNPCKHPS B, A, Z16   \
	VUNPCKLPS B, A, A     \
	VADDPS    Z16, A, A   \
	VUNPCKHPS D, C, Z16   \
	VUNPCKLPS D, C, C     \
	VADDPS    Z16, C, C   \
	VUNPCKHPD C, A, Z16   \
	VUNPCKLPD C, A, A     \
	VADDPS    Z16, A, A

// FOLD16 leaves the 16 rows' sums in Z0.
#define FOLD16 \
	FSUM4(Z0, Z1, Z2, Z3)         \
	FSUM4(Z4, Z5, Z6, Z7)         \
	FSUM4(Z8, Z9, Z10, Z11)       \
	FSUM4(Z12, Z13, Z14, Z15)     \
	VSHUFF64X2 $0x88, Z4, Z0, Z1  \
	VSHUFF64X2 $0xDD, Z4, Z0, Z2  \
	VADDPS     Z2, Z1, Z1         \
	VSHUFF64X2 $0x88, Z12, Z8, Z3 \
	VSHUFF64X2 $0xDD, Z12, Z8, Z5 \
	VADDPS     Z5, Z3, Z3         \
	VSHUFF64X2 $0x88, Z3, Z1, Z0  \
	VSHUFF64X2 $0xDD, Z3, Z1, Z2  \
	VADDPS     Z2, Z0, Z0

#define FZERO \
	VPXORD Z0, Z0, Z0 \
	VPXORD Z1, Z1, Z1 \
	VPXORD Z2, Z2, Z2 \
	VPXORD Z3, Z3, Z3 \
	VPXORD Z4, Z4, Z4 \
	VPXORD Z5, Z5, Z5 \
	VPXORD Z6, Z6, Z6 \
	VPXORD Z7, Z7, Z7 \
	VPXORD Z8, Z8, Z8 \
	VPXORD Z9, Z9, Z9 \
	VPXORD Z10, Z10, Z10 \
	VPXORD Z11, Z11, Z11 \
	VPXORD Z12, Z12, Z12 \
	VPXORD Z13, Z13, Z13 \
	VPXORD Z14, Z14, Z14 \
	VPXORD Z15, Z15, Z15

// func gemvQ8FloatAVX512(y *float32, w *byte, x *float32, blocks, groups int)
TEXT ·gemvQ8FloatAVX512(SB), 0, $64-40
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+24(FP), R13
	MOVQ groups+32(FP), R14
	IMUL3Q $34, R13, R8
	LEAQ (R8)(R8*2), R9
	VPBROADCASTD R8, Z29
	VPMULLD lanes16<>(SB), Z29, Z29

group8f:
	MOVQ x+16(FP), R10
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	LEAQ (BX)(R8*4), CX
	LEAQ (CX)(R8*4), DX
	MOVQ R13, R15
	FZERO

block8f:
	VMOVUPS (R10), Z30
	VMOVUPS 64(R10), Z31
	SCALES
	VMOVUPS Z17, scale-64(SP)
	FROW8(2(AX), 18(AX), Z0, 0)
	FROW8(2(AX)(R8*1), 18(AX)(R8*1), Z1, 4)
	FROW8(2(AX)(R8*2), 18(AX)(R8*2), Z2, 8)
	FROW8(2(AX)(R9*1), 18(AX)(R9*1), Z3, 12)
	FROW8(2(BX), 18(BX), Z4, 16)
	FROW8(2(BX)(R8*1), 18(BX)(R8*1), Z5, 20)
	FROW8(2(BX)(R8*2), 18(BX)(R8*2), Z6, 24)
	FROW8(2(BX)(R9*1), 18(BX)(R9*1), Z7, 28)
	FROW8(2(CX), 18(CX), Z8, 32)
	FROW8(2(CX)(R8*1), 18(CX)(R8*1), Z9, 36)
	FROW8(2(CX)(R8*2), 18(CX)(R8*2), Z10, 40)
	FROW8(2(CX)(R9*1), 18(CX)(R9*1), Z11, 44)
	FROW8(2(DX), 18(DX), Z12, 48)
	FROW8(2(DX)(R8*1), 18(DX)(R8*1), Z13, 52)
	FROW8(2(DX)(R8*2), 18(DX)(R8*2), Z14, 56)
	FROW8(2(DX)(R9*1), 18(DX)(R9*1), Z15, 60)
	ADDQ $128, R10
	ADDQ $34, AX
	ADDQ $34, BX
	ADDQ $34, CX
	ADDQ $34, DX
	DECQ R15
	JNZ block8f

	FOLD16
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	MOVQ R8, AX
	SHLQ $4, AX
	ADDQ AX, SI
	DECQ R14
	JNZ group8f
	VZEROUPPER
	RET

// func gemvQ4FloatAVX512(y *float32, w *byte, x *float32, blocks, groups int)
TEXT ·gemvQ4FloatAVX512(SB), 0, $64-40
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+24(FP), R13
	MOVQ groups+32(FP), R14
	IMUL3Q $18, R13, R8
	LEAQ (R8)(R8*2), R9
	VPBROADCASTD R8, Z29
	VPMULLD lanes16<>(SB), Z29, Z29
	VPBROADCASTD bytes0F<>(SB), X28
	MOVL $8, AX
	VPBROADCASTD AX, Z27

group4f:
	MOVQ x+16(FP), R10
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	LEAQ (BX)(R8*4), CX
	LEAQ (CX)(R8*4), DX
	MOVQ R13, R15
	FZERO

block4f:
	VMOVUPS (R10), Z30
	VMOVUPS 64(R10), Z31
	SCALES
	VMOVUPS Z17, scale-64(SP)
	FROW4(2(AX), Z0, 0)
	FROW4(2(AX)(R8*1), Z1, 4)
	FROW4(2(AX)(R8*2), Z2, 8)
	FROW4(2(AX)(R9*1), Z3, 12)
	FROW4(2(BX), Z4, 16)
	FROW4(2(BX)(R8*1), Z5, 20)
	FROW4(2(BX)(R8*2), Z6, 24)
	FROW4(2(BX)(R9*1), Z7, 28)
	FROW4(2(CX), Z8, 32)
	FROW4(2(CX)(R8*1), Z9, 36)
	FROW4(2(CX)(R8*2), Z10, 40)
	FROW4(2(CX)(R9*1), Z11, 44)
	FROW4(2(DX), Z12, 48)
	FROW4(2(DX)(R8*1), Z13, 52)
	FROW4(2(DX)(R8*2), Z14, 56)
	FROW4(2(DX)(R9*1), Z15, 60)
	ADDQ $128, R10
	ADDQ $18, AX
	ADDQ $18, BX
	ADDQ $18, CX
	ADDQ $18, DX
	DECQ R15
	JNZ block4f

	FOLD16
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	MOVQ R8, AX
	SHLQ $4, AX
	ADDQ AX, SI
	DECQ R14
	JNZ group4f
	VZEROUPPER
	RET
