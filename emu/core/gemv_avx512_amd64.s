#include "textflag.h"

// Matrix times quantised vector, 16 rows at once, for CPUs with AVX-512 F, BW,
// DQ, VL and VNNI. Each lane of Z16 carries one row's sum, in the order of the
// blocks, so the result is that of the plain loop.

DATA bytes80<>+0(SB)/4, $0x80808080
GLOBL bytes80<>(SB), RODATA|NOPTR, $4
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

// SUM4 leaves in A, per 128-bit lane, the sums of the four lanes' integers of
// A, B, C and D. It uses T.
#define SUM4(A, B, C, D, T) \
	VPUNPCKHDQ B, A, T     \
	VPUNPCKLDQ B, A, A     \
	VPADDD     T, A, A     \
	VPUNPCKHDQ D, C, T     \
	VPUNPCKLDQ D, C, C     \
	VPADDD     T, C, C     \
	VPUNPCKHQDQ C, A, T    \
	VPUNPCKLQDQ C, A, A    \
	VPADDD     T, A, A

// Z17 = the 16 rows' block scales at (AX)+index, as singles; Z18, K1 used.
#define SCALES \
	KXNORW     K1, K1, K1           \
	VPGATHERDD (AX)(Z29*1), K1, Z18 \
	VPMOVDW    Z18, Y18             \
	VCVTPH2PS  Y18, Z17

// Z16 += f32(Z0 as integers) * (Z17 * dx)
#define ACCUMULATE \
	VMULPS.BCST (R12), Z17, Z17 \
	VCVTDQ2PS   Z0, Z0          \
	VMULPS      Z17, Z0, Z0     \
	VADDPS      Z0, Z16, Z16

#define PAIR8(LO, HI, ACC) \
	VMOVDQU32    LO, Y20           \
	VINSERTI64X4 $1, HI, Z20, Z20  \
	VPXORD       Z31, Z20, Z20     \
	VPXORD       ACC, ACC, ACC     \
	VPDPBUSD     Z28, Z20, ACC

// func gemvQ8x16AVX512(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)
TEXT ·gemvQ8x16AVX512(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+40(FP), R13
	MOVQ groups+48(FP), R14
	IMUL3Q $34, R13, R8               // bytes of a row
	LEAQ (R8)(R8*2), R9
	VPBROADCASTD bytes80<>(SB), Z31
	VPBROADCASTD R8, Z29
	VPMULLD lanes16<>(SB), Z29, Z29   // where the rows start

group8:
	MOVQ q+16(FP), R10
	MOVQ sum+32(FP), R11
	MOVQ d+24(FP), R12
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	LEAQ (BX)(R8*4), CX
	LEAQ (CX)(R8*4), DX
	MOVQ R13, R15
	VPXORD Z16, Z16, Z16

block8:
	VBROADCASTI64X4 (R10), Z28
	SCALES
	PAIR8(2(AX), 2(BX), Z0)
	PAIR8(2(AX)(R8*1), 2(BX)(R8*1), Z1)
	PAIR8(2(AX)(R8*2), 2(BX)(R8*2), Z2)
	PAIR8(2(AX)(R9*1), 2(BX)(R9*1), Z3)
	PAIR8(2(CX), 2(DX), Z4)
	PAIR8(2(CX)(R8*1), 2(DX)(R8*1), Z5)
	PAIR8(2(CX)(R8*2), 2(DX)(R8*2), Z6)
	PAIR8(2(CX)(R9*1), 2(DX)(R9*1), Z7)
	SUM4(Z0, Z1, Z2, Z3, Z21)
	SUM4(Z4, Z5, Z6, Z7, Z22)
	VSHUFI64X2 $0x88, Z4, Z0, Z1
	VSHUFI64X2 $0xDD, Z4, Z0, Z2
	VPADDD Z1, Z2, Z0
	// The weights counted 128 too much each.
	VPBROADCASTD (R11), Z1
	VPSLLD $7, Z1, Z1
	VPSUBD Z1, Z0, Z0
	ACCUMULATE
	ADDQ $32, R10
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ $34, AX
	ADDQ $34, BX
	ADDQ $34, CX
	ADDQ $34, DX
	DECQ R15
	JNZ block8

	VMOVUPS Z16, (DI)
	ADDQ $64, DI
	MOVQ R8, AX
	SHLQ $4, AX
	ADDQ AX, SI
	DECQ R14
	JNZ group8
	VZEROUPPER
	RET

#define QUAD4(R0, R1, R2, R3, ACC) \
	VMOVDQU32    R0, X20           \
	VINSERTI32X4 $1, R1, Z20, Z20  \
	VINSERTI32X4 $2, R2, Z20, Z20  \
	VINSERTI32X4 $3, R3, Z20, Z20  \
	VPSRLW       $4, Z20, Z21      \
	VPANDD       Z31, Z20, Z20     \
	VPANDD       Z31, Z21, Z21     \
	VPXORD       ACC, ACC, ACC     \
	VPDPBUSD     Z28, Z20, ACC     \
	VPDPBUSD     Z27, Z21, ACC

// func gemvQ4x16AVX512(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)
TEXT ·gemvQ4x16AVX512(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+40(FP), R13
	MOVQ groups+48(FP), R14
	IMUL3Q $18, R13, R8
	LEAQ (R8)(R8*2), R9
	VPBROADCASTD bytes0F<>(SB), Z31
	VPBROADCASTD R8, Z29
	VPMULLD lanes16<>(SB), Z29, Z29

group4:
	MOVQ q+16(FP), R10
	MOVQ sum+32(FP), R11
	MOVQ d+24(FP), R12
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	LEAQ (BX)(R8*4), CX
	LEAQ (CX)(R8*4), DX
	MOVQ R13, R15
	VPXORD Z16, Z16, Z16

block4:
	VBROADCASTI32X4 (R10), Z28
	VBROADCASTI32X4 16(R10), Z27
	SCALES
	QUAD4(2(AX), 2(BX), 2(CX), 2(DX), Z0)
	QUAD4(2(AX)(R8*1), 2(BX)(R8*1), 2(CX)(R8*1), 2(DX)(R8*1), Z1)
	QUAD4(2(AX)(R8*2), 2(BX)(R8*2), 2(CX)(R8*2), 2(DX)(R8*2), Z2)
	QUAD4(2(AX)(R9*1), 2(BX)(R9*1), 2(CX)(R9*1), 2(DX)(R9*1), Z3)
	SUM4(Z0, Z1, Z2, Z3, Z21)
	// The nibbles counted 8 too much each.
	VPBROADCASTD (R11), Z1
	VPSLLD $3, Z1, Z1
	VPSUBD Z1, Z0, Z0
	ACCUMULATE
	ADDQ $32, R10
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ $18, AX
	ADDQ $18, BX
	ADDQ $18, CX
	ADDQ $18, DX
	DECQ R15
	JNZ block4

	VMOVUPS Z16, (DI)
	ADDQ $64, DI
	MOVQ R8, AX
	SHLQ $4, AX
	ADDQ AX, SI
	DECQ R14
	JNZ group4
	VZEROUPPER
	RET
