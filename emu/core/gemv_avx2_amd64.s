#include "textflag.h"

// AVX2 kernels: eight rows of quantised weights at once, one row's sum a lane,
// as the AVX-512 kernels do with 16.

DATA ones16<>+0(SB)/8, $0x0001000100010001
DATA ones16<>+8(SB)/8, $0x0001000100010001
DATA ones16<>+16(SB)/8, $0x0001000100010001
DATA ones16<>+24(SB)/8, $0x0001000100010001
GLOBL ones16<>(SB), RODATA|NOPTR, $32
DATA nibble<>+0(SB)/8, $0x0F0F0F0F0F0F0F0F
DATA nibble<>+8(SB)/8, $0x0F0F0F0F0F0F0F0F
GLOBL nibble<>(SB), RODATA|NOPTR, $16
DATA low16<>+0(SB)/8, $0x0000FFFF0000FFFF
DATA low16<>+8(SB)/8, $0x0000FFFF0000FFFF
DATA low16<>+16(SB)/8, $0x0000FFFF0000FFFF
DATA low16<>+24(SB)/8, $0x0000FFFF0000FFFF
GLOBL low16<>(SB), RODATA|NOPTR, $32
DATA eights<>+0(SB)/8, $0x0000000800000008
DATA eights<>+8(SB)/8, $0x0000000800000008
DATA eights<>+16(SB)/8, $0x0000000800000008
DATA eights<>+24(SB)/8, $0x0000000800000008
GLOBL eights<>(SB), RODATA|NOPTR, $32
DATA lanes8<>+0(SB)/4, $0
DATA lanes8<>+4(SB)/4, $1
DATA lanes8<>+8(SB)/4, $2
DATA lanes8<>+12(SB)/4, $3
DATA lanes8<>+16(SB)/4, $4
DATA lanes8<>+20(SB)/4, $5
DATA lanes8<>+24(SB)/4, $6
DATA lanes8<>+28(SB)/4, $7
GLOBL lanes8<>(SB), RODATA|NOPTR, $32

// Y8 = the eight rows' block scales at (AX)+index as singles; Y9 used.
#define SCALES8 \
	VPCMPEQD   Y9, Y9, Y9           \
	VPGATHERDD Y9, (AX)(Y12*1), Y8  \
	VPAND      low16<>(SB), Y8, Y8  \
	VPACKUSDW  Y8, Y8, Y8           \
	VPERMQ     $0xD8, Y8, Y8        \
	VCVTPH2PS  X8, Y8

// ACC = eight sums of four products each of 32 weights and x in Y15. The
// magnitude of the weight times x with the weight's sign cannot overflow: x is
// at least -127.
#define ROW8(ADDR, ACC) \
	VMOVDQU    ADDR, Y10        \
	VPSIGNB    Y10, Y15, Y11    \
	VPABSB     Y10, Y10         \
	VPMADDUBSW Y11, Y10, Y10    \
	VPMADDWD   Y14, Y10, ACC

#define ROW4(ADDR, ACC) \
	VMOVDQU     ADDR, X10           \
	VPSRLW      $4, X10, X11        \
	VPAND       nibble<>(SB), X10, X10 \
	VPAND       nibble<>(SB), X11, X11 \
	VINSERTI128 $1, X11, Y10, Y10   \
	VPMADDUBSW  Y15, Y10, Y10       \
	VPMADDWD    Y14, Y10, ACC

#define ISUM4(A, B, C, D) \
	VPUNPCKHDQ  B, A, Y10 \
	VPUNPCKLDQ  B, A, A   \
	VPADDD      Y10, A, A \
	VPUNPCKHDQ  D, C, Y10 \
	VPUNPCKLDQ  D, C, C   \
	VPADDD      Y10, C, C \
	VPUNPCKHQDQ C, A, Y10 \
	VPUNPCKLQDQ C, A, A   \
	VPADDD      Y10, A, A

// Y0 = the eight rows' integer sums.
#define ISUM8 \
	ISUM4(Y0, Y1, Y2, Y3)         \
	ISUM4(Y4, Y5, Y6, Y7)         \
	VPERM2I128 $0x20, Y4, Y0, Y1  \
	VPERM2I128 $0x31, Y4, Y0, Y2  \
	VPADDD     Y2, Y1, Y0

#define ACCUMULATE8 \
	VBROADCASTSS (R12), Y9     \
	VMULPS       Y9, Y8, Y8    \
	VCVTDQ2PS    Y0, Y0        \
	VMULPS       Y8, Y0, Y0    \
	VADDPS       Y0, Y13, Y13

// Float numerics: two accumulators a row, scale in Y15, x in Y8-Y11.
#define FROW8(ADDR, LO, HI) \
	VPBROADCASTW ADDR, X15       \
	VCVTPH2PS X15, Y15           \
	LEAQ      ADDR, DX           \
	VPMOVSXBD 2(DX), Y12         \
	VPMOVSXBD 18(DX), Y13        \
	VCVTDQ2PS Y12, Y12           \
	VCVTDQ2PS Y13, Y13           \
	VMULPS    Y8, Y12, Y12       \
	VMULPS    Y10, Y13, Y13      \
	VADDPS    Y13, Y12, Y12      \
	VMULPS    Y15, Y12, Y12      \
	VADDPS    Y12, LO, LO        \
	VPMOVSXBD 10(DX), Y12        \
	VPMOVSXBD 26(DX), Y13        \
	VCVTDQ2PS Y12, Y12           \
	VCVTDQ2PS Y13, Y13           \
	VMULPS    Y9, Y12, Y12       \
	VMULPS    Y11, Y13, Y13      \
	VADDPS    Y13, Y12, Y12      \
	VMULPS    Y15, Y12, Y12      \
	VADDPS    Y12, HI, HI

#define FROW4(ADDR, LO, HI) \
	VPBROADCASTW ADDR, X15       \
	VCVTPH2PS X15, Y15           \
	LEAQ      ADDR, DX           \
	VMOVQ     2(DX), X12         \
	VPSRLW    $4, X12, X13       \
	VPAND     nibble<>(SB), X12, X12 \
	VPAND     nibble<>(SB), X13, X13 \
	VPMOVZXBD X12, Y12           \
	VPMOVZXBD X13, Y13           \
	VPSUBD    eights<>(SB), Y12, Y12 \
	VPSUBD    eights<>(SB), Y13, Y13 \
	VCVTDQ2PS Y12, Y12           \
	VCVTDQ2PS Y13, Y13           \
	VMULPS    Y8, Y12, Y12       \
	VMULPS    Y10, Y13, Y13      \
	VADDPS    Y13, Y12, Y12      \
	VMULPS    Y15, Y12, Y12      \
	VADDPS    Y12, LO, LO        \
	VMOVQ     10(DX), X12        \
	VPSRLW    $4, X12, X13       \
	VPAND     nibble<>(SB), X12, X12 \
	VPAND     nibble<>(SB), X13, X13 \
	VPMOVZXBD X12, Y12           \
	VPMOVZXBD X13, Y13           \
	VPSUBD    eights<>(SB), Y12, Y12 \
	VPSUBD    eights<>(SB), Y13, Y13 \
	VCVTDQ2PS Y12, Y12           \
	VCVTDQ2PS Y13, Y13           \
	VMULPS    Y9, Y12, Y12       \
	VMULPS    Y11, Y13, Y13      \
	VADDPS    Y13, Y12, Y12      \
	VMULPS    Y15, Y12, Y12      \
	VADDPS    Y12, HI, HI

#define FSUM4(A, B, C, D) \
	VUNPCKHPS B, A, Y12 \
	VUNPCKLPS B, A, A   \
	VADDPS    Y12, A, A \
	VUNPCKHPS D, C, Y12 \
	VUNPCKLPS D, C, C   \
	VADDPS    Y12, C, C \
	VUNPCKHPD C, A, Y12 \
	VUNPCKLPD C, A, A   \
	VADDPS    Y12, A, A

#define FZERO8 \
	VXORPS Y0, Y0, Y0 \
	VXORPS Y1, Y1, Y1 \
	VXORPS Y2, Y2, Y2 \
	VXORPS Y3, Y3, Y3 \
	VXORPS Y4, Y4, Y4 \
	VXORPS Y5, Y5, Y5 \
	VXORPS Y6, Y6, Y6 \
	VXORPS Y7, Y7, Y7

// func gemvQ8x8AVX2(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)
TEXT ·gemvQ8x8AVX2(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+40(FP), R13
	MOVQ groups+48(FP), R14
	IMUL3Q $34, R13, R8
	LEAQ (R8)(R8*2), R9
	VMOVD R8, X12
	VPBROADCASTD X12, Y12
	VPMULLD lanes8<>(SB), Y12, Y12
	VMOVDQU ones16<>(SB), Y14

group8:
	MOVQ q+16(FP), R10
	MOVQ sum+32(FP), R11
	MOVQ d+24(FP), R12
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	MOVQ R13, R15
	VXORPS Y13, Y13, Y13

block8:
	VMOVDQU (R10), Y15
	ROW8(2(AX), Y0)
	ROW8(2(AX)(R8*1), Y1)
	ROW8(2(AX)(R8*2), Y2)
	ROW8(2(AX)(R9*1), Y3)
	ROW8(2(BX), Y4)
	ROW8(2(BX)(R8*1), Y5)
	ROW8(2(BX)(R8*2), Y6)
	ROW8(2(BX)(R9*1), Y7)
	ISUM8
	SCALES8
	ACCUMULATE8
	ADDQ $32, R10
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ $34, AX
	ADDQ $34, BX
	DECQ R15
	JNZ block8

	VMOVUPS Y13, (DI)
	ADDQ $32, DI
	LEAQ (SI)(R8*8), SI
	DECQ R14
	JNZ group8
	VZEROUPPER
	RET

// func gemvQ8FloatAVX2(y *float32, w *byte, x *float32, blocks, groups int)
// Groups of four rows.
TEXT ·gemvQ8FloatAVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+24(FP), R13
	MOVQ groups+32(FP), R14
	IMUL3Q $34, R13, R8
	LEAQ (R8)(R8*2), R9

group8f:
	MOVQ x+16(FP), R10
	MOVQ SI, AX
	MOVQ R13, R15
	FZERO8

block8f:
	VMOVUPS (R10), Y8
	VMOVUPS 32(R10), Y9
	VMOVUPS 64(R10), Y10
	VMOVUPS 96(R10), Y11
	FROW8((AX), Y0, Y4)
	FROW8((AX)(R8*1), Y1, Y5)
	FROW8((AX)(R8*2), Y2, Y6)
	FROW8((AX)(R9*1), Y3, Y7)
	ADDQ $128, R10
	ADDQ $34, AX
	DECQ R15
	JNZ block8f

	// fold16
	FSUM4(Y0, Y1, Y2, Y3)
	FSUM4(Y4, Y5, Y6, Y7)
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VEXTRACTF128 $1, Y4, X5
	VADDPS X5, X4, X4
	VADDPS X4, X0, X0
	VMOVUPS X0, (DI)
	ADDQ $16, DI
	LEAQ (SI)(R8*4), SI
	DECQ R14
	JNZ group8f
	VZEROUPPER
	RET

// func gemvQ4x8AVX2(y *float32, w *byte, q *int8, d *float32, sum *int32, blocks, groups int)
TEXT ·gemvQ4x8AVX2(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+40(FP), R13
	MOVQ groups+48(FP), R14
	IMUL3Q $18, R13, R8
	LEAQ (R8)(R8*2), R9
	VMOVD R8, X12
	VPBROADCASTD X12, Y12
	VPMULLD lanes8<>(SB), Y12, Y12
	VMOVDQU ones16<>(SB), Y14

group4:
	MOVQ q+16(FP), R10
	MOVQ sum+32(FP), R11
	MOVQ d+24(FP), R12
	MOVQ SI, AX
	LEAQ (AX)(R8*4), BX
	MOVQ R13, R15
	VXORPS Y13, Y13, Y13

block4:
	VMOVDQU (R10), Y15
	ROW4(2(AX), Y0)
	ROW4(2(AX)(R8*1), Y1)
	ROW4(2(AX)(R8*2), Y2)
	ROW4(2(AX)(R9*1), Y3)
	ROW4(2(BX), Y4)
	ROW4(2(BX)(R8*1), Y5)
	ROW4(2(BX)(R8*2), Y6)
	ROW4(2(BX)(R9*1), Y7)
	ISUM8
	// The nibbles counted 8 too much each.
	VPBROADCASTD (R11), Y1
	VPSLLD $3, Y1, Y1
	VPSUBD Y1, Y0, Y0
	SCALES8
	ACCUMULATE8
	ADDQ $32, R10
	ADDQ $4, R11
	ADDQ $4, R12
	ADDQ $18, AX
	ADDQ $18, BX
	DECQ R15
	JNZ block4

	VMOVUPS Y13, (DI)
	ADDQ $32, DI
	LEAQ (SI)(R8*8), SI
	DECQ R14
	JNZ group4
	VZEROUPPER
	RET

// func gemvQ4FloatAVX2(y *float32, w *byte, x *float32, blocks, groups int)
// Groups of four rows.
TEXT ·gemvQ4FloatAVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ blocks+24(FP), R13
	MOVQ groups+32(FP), R14
	IMUL3Q $18, R13, R8
	LEAQ (R8)(R8*2), R9

group4f:
	MOVQ x+16(FP), R10
	MOVQ SI, AX
	MOVQ R13, R15
	FZERO8

block4f:
	VMOVUPS (R10), Y8
	VMOVUPS 32(R10), Y9
	VMOVUPS 64(R10), Y10
	VMOVUPS 96(R10), Y11
	FROW4((AX), Y0, Y4)
	FROW4((AX)(R8*1), Y1, Y5)
	FROW4((AX)(R8*2), Y2, Y6)
	FROW4((AX)(R9*1), Y3, Y7)
	ADDQ $128, R10
	ADDQ $18, AX
	DECQ R15
	JNZ block4f

	// fold16
	FSUM4(Y0, Y1, Y2, Y3)
	FSUM4(Y4, Y5, Y6, Y7)
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VEXTRACTF128 $1, Y4, X5
	VADDPS X5, X4, X4
	VADDPS X4, X0, X0
	VMOVUPS X0, (DI)
	ADDQ $16, DI
	LEAQ (SI)(R8*4), SI
	DECQ R14
	JNZ group4f
	VZEROUPPER
	RET
