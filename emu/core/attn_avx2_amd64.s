#include "textflag.h"

// Attention with AVX2: eight rows of the K cache at once, turned first as the
// AVX-512 kernels do. Scores beyond the last row are minus infinity, which the
// caller puts there, so that no masks are needed behind the scores.

DATA seq8<>+0(SB)/4, $0
DATA seq8<>+4(SB)/4, $1
DATA seq8<>+8(SB)/4, $2
DATA seq8<>+12(SB)/4, $3
DATA seq8<>+16(SB)/4, $4
DATA seq8<>+20(SB)/4, $5
DATA seq8<>+24(SB)/4, $6
DATA seq8<>+28(SB)/4, $7
GLOBL seq8<>(SB), RODATA|NOPTR, $32

// Y12 = lane*rowBytes, Y13 = lanes; R8 rowBytes.
#define TURNHEAD \
	VMOVD        R8, X12           \
	VPBROADCASTD X12, Y12          \
	VMOVDQU      seq8<>(SB), Y13   \
	VPMULLD      Y13, Y12, Y12     \
	SHLQ         $3, R8

// Y11 = the lanes below R15.
#define TURNMASK \
	VMOVD        R15, X10          \
	VPBROADCASTD X10, Y10          \
	VPCMPGTD     Y13, Y10, Y11

// func turnHalfAVX2(kt *float32, k *byte, steps, rowBytes, hd int)
// kt[t/8][d][t%8] = k[t][d] for an even number of halves hd a row; lanes
// beyond steps are 0.
TEXT ·turnHalfAVX2(SB), NOSPLIT, $0-40
	MOVQ kt+0(FP), DI
	MOVQ k+8(FP), SI
	MOVQ steps+16(FP), R15
	MOVQ rowBytes+24(FP), R8
	MOVQ hd+32(FP), R13
	TURNHEAD
	VPCMPEQD Y14, Y14, Y14
	VPSRLD $16, Y14, Y14
block:
	TURNMASK
	MOVQ SI, AX
	MOVQ R13, R14
dim:
	VMOVDQA Y11, Y1
	VPXOR Y0, Y0, Y0
	VPGATHERDD Y1, (AX)(Y12*1), Y0
	VPAND Y14, Y0, Y1
	VPSRLD $16, Y0, Y0
	VPACKUSDW Y0, Y1, Y1       // low 0-3, high 0-3 | low 4-7, high 4-7
	VPERMQ $0xD8, Y1, Y1       // low 0-7 | high 0-7
	VEXTRACTI128 $1, Y1, X2
	VCVTPH2PS X1, Y1
	VCVTPH2PS X2, Y2
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, 32(DI)
	ADDQ $64, DI
	ADDQ $4, AX
	SUBQ $2, R14
	JNZ dim
	ADDQ R8, SI
	SUBQ $8, R15
	JG block
	VZEROUPPER
	RET

// func turnSingleAVX2(kt *float32, k *byte, steps, rowBytes, hd int)
TEXT ·turnSingleAVX2(SB), NOSPLIT, $0-40
	MOVQ kt+0(FP), DI
	MOVQ k+8(FP), SI
	MOVQ steps+16(FP), R15
	MOVQ rowBytes+24(FP), R8
	MOVQ hd+32(FP), R13
	TURNHEAD
block:
	TURNMASK
	MOVQ SI, AX
	MOVQ R13, R14
dim:
	VMOVDQA Y11, Y1
	VPXOR Y0, Y0, Y0
	VPGATHERDD Y1, (AX)(Y12*1), Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	ADDQ $4, AX
	DECQ R14
	JNZ dim
	ADDQ R8, SI
	SUBQ $8, R15
	JG block
	VZEROUPPER
	RET

// func scoresAVX2(s, q, kt *float32, blocks, hd int, scale float32) (odd int)
TEXT ·scoresAVX2(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ kt+16(FP), SI
	MOVQ blocks+24(FP), R15
	MOVQ hd+32(FP), R13
	VBROADCASTSS scale+40(FP), Y15
	VXORPS Y14, Y14, Y14
block:
	MOVQ q+8(FP), AX
	MOVQ R13, R14
	VXORPS Y0, Y0, Y0
dim:
	VBROADCASTSS (AX), Y1
	VMULPS (SI), Y1, Y1
	VADDPS Y1, Y0, Y0
	ADDQ $4, AX
	ADDQ $32, SI
	DECQ R14
	JNZ dim
	VMULPS Y15, Y0, Y0
	VMOVUPS Y0, (DI)
	VSUBPS Y0, Y0, Y0
	VORPS Y0, Y14, Y14
	ADDQ $32, DI
	DECQ R15
	JNZ block
	VCMPPS $3, Y14, Y14, Y14
	VMOVMSKPS Y14, AX
	MOVQ AX, odd+48(FP)
	VZEROUPPER
	RET

DATA one32<>+0(SB)/4, $0x3F800000
DATA one32<>+4(SB)/4, $0xFF800000
GLOBL one32<>(SB), RODATA|NOPTR, $8

// func softmaxAVX2(s *float32, steps int, c *chords)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), SI
	MOVQ steps+8(FP), R14
	MOVQ c+16(FP), R8
	VBROADCASTSS one32<>+4(SB), Y0
	MOVQ SI, DI
	MOVQ R14, R15
maxloop:
	VMOVUPS (DI), Y1
	VMAXPS Y0, Y1, Y0       // a NaN in Y1 leaves Y0
	ADDQ $32, DI
	SUBQ $8, R15
	JG maxloop
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4E, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xB1, X0, X1
	VMAXPS X1, X0, X0
	VBROADCASTSS X0, Y9
	VBROADCASTSS 0(R8), Y10
	VBROADCASTSS 4(R8), Y11
	VBROADCASTSS 8(R8), Y12
	VPCMPEQD Y13, Y13, Y13
	VPSRLD $24, Y13, Y13    // 255
	VPXOR Y14, Y14, Y14
	VBROADCASTSS one32<>+0(SB), Y15
	MOVQ SI, DI
	MOVQ R14, R15
exploop:
	VMOVUPS (DI), Y0
	VSUBPS Y9, Y0, Y0
	VSUBPS Y10, Y0, Y1
	VMULPS Y12, Y1, Y1
	VCVTTPS2DQ Y1, Y1
	VPMINSD Y13, Y1, Y1
	VPMAXSD Y14, Y1, Y1
	VPCMPEQD Y4, Y4, Y4
	VGATHERDPS Y4, 12(R8)(Y1*4), Y2
	VPCMPEQD Y4, Y4, Y4
	VGATHERDPS Y4, 1036(R8)(Y1*4), Y3
	VMULPS Y0, Y3, Y3
	VADDPS Y2, Y3, Y3
	VCMPPS $5, Y11, Y0, Y4
	VBLENDVPS Y4, Y15, Y3, Y3
	VCMPPS $1, Y10, Y0, Y4
	VANDNPS Y3, Y4, Y3
	VMOVUPS Y3, (DI)
	ADDQ $32, DI
	SUBQ $8, R15
	JG exploop
	// the sum, in order
	VXORPS X0, X0, X0
	MOVQ SI, DI
	MOVQ R14, R15
sumloop:
	VADDSS (DI), X0, X0
	ADDQ $4, DI
	DECQ R15
	JNZ sumloop
	VDIVSS X0, X15, X0
	VBROADCASTSS X0, Y9
	MOVQ R14, R15
scale:
	VMULPS (SI), Y9, Y0
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	SUBQ $8, R15
	JG scale
	VZEROUPPER
	RET

// func mixHalfAVX2(out, w *float32, v *byte, steps, rowBytes, n8 int)
// out[d] = sum in order of w[t]*v[t][d] for 8 or, where n8 is 4, 32 values a
// row.
TEXT ·mixHalfAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ n8+40(FP), DX
	VXORPS Y8, Y8, Y8
	CMPQ DX, $4
	JEQ wide
one:
	VBROADCASTSS (AX), Y4
	VCVTPH2PS 0(SI), Y0
	VMULPS Y4, Y0, Y0
	VADDPS Y0, Y8, Y8
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ one
	VMOVUPS Y8, (DI)
	VZEROUPPER
	RET
wide:
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
many:
	VBROADCASTSS (AX), Y4
	VCVTPH2PS 0(SI), Y0
	VMULPS Y4, Y0, Y0
	VCVTPH2PS 16(SI), Y1
	VMULPS Y4, Y1, Y1
	VCVTPH2PS 32(SI), Y2
	VMULPS Y4, Y2, Y2
	VCVTPH2PS 48(SI), Y3
	VMULPS Y4, Y3, Y3
	VADDPS Y0, Y8, Y8
	VADDPS Y1, Y9, Y9
	VADDPS Y2, Y10, Y10
	VADDPS Y3, Y11, Y11
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ many
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y10, 64(DI)
	VMOVUPS Y11, 96(DI)
	VZEROUPPER
	RET

// func mixSingleAVX2(out, w *float32, v *byte, steps, rowBytes, n8 int)
// out[d] = sum in order of w[t]*v[t][d] for 8 or, where n8 is 4, 32 values a
// row.
TEXT ·mixSingleAVX2(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ n8+40(FP), DX
	VXORPS Y8, Y8, Y8
	CMPQ DX, $4
	JEQ wide
one:
	VBROADCASTSS (AX), Y4
	VMULPS 0(SI), Y4, Y0
	VADDPS Y0, Y8, Y8
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ one
	VMOVUPS Y8, (DI)
	VZEROUPPER
	RET
wide:
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
many:
	VBROADCASTSS (AX), Y4
	VMULPS 0(SI), Y4, Y0
	VMULPS 32(SI), Y4, Y1
	VMULPS 64(SI), Y4, Y2
	VMULPS 96(SI), Y4, Y3
	VADDPS Y0, Y8, Y8
	VADDPS Y1, Y9, Y9
	VADDPS Y2, Y10, Y10
	VADDPS Y3, Y11, Y11
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ many
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y10, 64(DI)
	VMOVUPS Y11, 96(DI)
	VZEROUPPER
	RET
