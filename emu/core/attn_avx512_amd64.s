#include "textflag.h"

// Attention. Scores are made for 16 rows of the K cache at once: their values
// are first turned so that each vector holds one dimension of 16 rows, then
// every head that shares them goes through the dimensions in order.

DATA rows16<>+0(SB)/4, $0
DATA rows16<>+4(SB)/4, $1
DATA rows16<>+8(SB)/4, $2
DATA rows16<>+12(SB)/4, $3
DATA rows16<>+16(SB)/4, $4
DATA rows16<>+20(SB)/4, $5
DATA rows16<>+24(SB)/4, $6
DATA rows16<>+28(SB)/4, $7
DATA rows16<>+32(SB)/4, $8
DATA rows16<>+36(SB)/4, $9
DATA rows16<>+40(SB)/4, $10
DATA rows16<>+44(SB)/4, $11
DATA rows16<>+48(SB)/4, $12
DATA rows16<>+52(SB)/4, $13
DATA rows16<>+56(SB)/4, $14
DATA rows16<>+60(SB)/4, $15
GLOBL rows16<>(SB), RODATA|NOPTR, $64

// func turnHalfAVX512(kt *float32, k *byte, steps, rowBytes, hd int)
// kt[t/16][d][t%16] = k[t][d] for an even number of halves hd a row; lanes
// beyond steps are 0.
TEXT ·turnHalfAVX512(SB), NOSPLIT, $0-40
	MOVQ kt+0(FP), DI
	MOVQ k+8(FP), SI
	MOVQ steps+16(FP), R15
	MOVQ rowBytes+24(FP), R8
	MOVQ hd+32(FP), R13
	VPBROADCASTD R8, Z29
	VPMULLD rows16<>(SB), Z29, Z29
	SHLQ $4, R8
block:
	KXNORW K1, K1, K1
	CMPQ R15, $16
	JGE full
	MOVL $1, AX
	MOVQ R15, CX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
full:
	MOVQ SI, AX
	MOVQ R13, R14
dim:
	KMOVW K1, K2
	VPXORD Z0, Z0, Z0
	VPGATHERDD (AX)(Z29*1), K2, Z0
	VPMOVDW Z0, Y1
	VPSRLD $16, Z0, Z0
	VPMOVDW Z0, Y2
	VCVTPH2PS Y1, Z1
	VCVTPH2PS Y2, Z2
	VMOVUPS Z1, (DI)
	VMOVUPS Z2, 64(DI)
	ADDQ $128, DI
	ADDQ $4, AX
	SUBQ $2, R14
	JNZ dim
	ADDQ R8, SI
	SUBQ $16, R15
	JG block
	VZEROUPPER
	RET

// func turnSingleAVX512(kt *float32, k *byte, steps, rowBytes, hd int)
TEXT ·turnSingleAVX512(SB), NOSPLIT, $0-40
	MOVQ kt+0(FP), DI
	MOVQ k+8(FP), SI
	MOVQ steps+16(FP), R15
	MOVQ rowBytes+24(FP), R8
	MOVQ hd+32(FP), R13
	VPBROADCASTD R8, Z29
	VPMULLD rows16<>(SB), Z29, Z29
	SHLQ $4, R8
block:
	KXNORW K1, K1, K1
	CMPQ R15, $16
	JGE full
	MOVL $1, AX
	MOVQ R15, CX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1
full:
	MOVQ SI, AX
	MOVQ R13, R14
dim:
	KMOVW K1, K2
	VPXORD Z0, Z0, Z0
	VPGATHERDD (AX)(Z29*1), K2, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, DI
	ADDQ $4, AX
	DECQ R14
	JNZ dim
	ADDQ R8, SI
	SUBQ $16, R15
	JG block
	VZEROUPPER
	RET

// func scoresAVX512(s, q, kt *float32, blocks, hd int, scale float32) (odd int)
// One head: s[t] = seq(q*k[t]) * scale for 16*blocks rows.
TEXT ·scoresAVX512(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ kt+16(FP), SI
	MOVQ blocks+24(FP), R15
	MOVQ hd+32(FP), R13
	VBROADCASTSS scale+40(FP), Z31
	VPXORD Z30, Z30, Z30
block:
	MOVQ q+8(FP), AX
	MOVQ R13, R14
	VPXORD Z0, Z0, Z0
dim:
	VBROADCASTSS (AX), Z1
	VMULPS (SI), Z1, Z1
	VADDPS Z1, Z0, Z0
	ADDQ $4, AX
	ADDQ $64, SI
	DECQ R14
	JNZ dim
	VMULPS Z31, Z0, Z0
	VMOVUPS Z0, (DI)
	VSUBPS Z0, Z0, Z0
	VORPS Z0, Z30, Z30
	ADDQ $64, DI
	DECQ R15
	JNZ block
	VCMPPS $3, Z30, Z30, K1
	KMOVW K1, AX
	MOVQ AX, odd+48(FP)
	VZEROUPPER
	RET

DATA minusInf<>+0(SB)/4, $0xFF800000
DATA minusInf<>+4(SB)/4, $255
DATA minusInf<>+8(SB)/4, $0x3F800000
GLOBL minusInf<>(SB), RODATA|NOPTR, $12

#define LASTMASK \
	MOVL $1, AX        \
	MOVQ R15, CX       \
	SHLL CX, AX        \
	DECL AX            \
	KMOVW AX, K1

// func softmaxAVX512(s *float32, steps int, c *chords)
// s becomes the weights of steps scores. Room beyond steps up to a multiple
// of 16 is overwritten.
TEXT ·softmaxAVX512(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), SI
	MOVQ steps+8(FP), R14
	MOVQ c+16(FP), R8
	VBROADCASTSS minusInf<>(SB), Z0
	MOVQ SI, DI
	MOVQ R14, R15
	SUBQ $16, R15
	JL maxtail
maxloop:
	VMOVUPS (DI), Z1
	VMAXPS Z0, Z1, Z0       // a NaN in Z1 leaves Z0
	ADDQ $64, DI
	SUBQ $16, R15
	JGE maxloop
maxtail:
	ADDQ $16, R15
	JZ maxdone
	LASTMASK
	VMOVUPS (DI), Z1
	VMAXPS Z0, Z1, K1, Z0
maxdone:
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4E, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xB1, X0, X1
	VMAXPS X1, X0, X0
	VBROADCASTSS X0, Z31
	// e = exp chord of s - max
	VBROADCASTSS 0(R8), Z24
	VBROADCASTSS 4(R8), Z25
	VBROADCASTSS 8(R8), Z26
	VPBROADCASTD minusInf<>+4(SB), Z27
	VPXORD Z28, Z28, Z28
	VBROADCASTSS minusInf<>+8(SB), Z29
	MOVQ SI, DI
	MOVQ R14, R15
exploop:
	VMOVUPS (DI), Z0
	VSUBPS Z31, Z0, Z0
	VSUBPS Z24, Z0, Z1
	VMULPS Z26, Z1, Z1
	VCVTTPS2DQ Z1, Z1
	VPMINSD Z27, Z1, Z1
	VPMAXSD Z28, Z1, Z1
	KXNORW K2, K2, K2
	VGATHERDPS 12(R8)(Z1*4), K2, Z2
	KXNORW K3, K3, K3
	VGATHERDPS 1036(R8)(Z1*4), K3, Z3
	VMULPS Z0, Z3, Z3
	VADDPS Z2, Z3, Z3
	VCMPPS $5, Z25, Z0, K2
	VMOVAPS Z29, K2, Z3
	VCMPPS $1, Z24, Z0, K2
	VMOVAPS Z28, K2, Z3
	VMOVUPS Z3, (DI)
	ADDQ $64, DI
	SUBQ $16, R15
	JG exploop
	// the sum, in order
	VXORPS X0, X0, X0
	MOVQ SI, DI
	MOVQ R14, R15
	SUBQ $4, R15
	JL sumtail
sumloop:
	VADDSS (DI), X0, X0
	VADDSS 4(DI), X0, X0
	VADDSS 8(DI), X0, X0
	VADDSS 12(DI), X0, X0
	ADDQ $16, DI
	SUBQ $4, R15
	JGE sumloop
sumtail:
	ADDQ $4, R15
	JZ sumdone
sumone:
	VADDSS (DI), X0, X0
	ADDQ $4, DI
	DECQ R15
	JNZ sumone
sumdone:
	VDIVSS X0, X29, X0
	VBROADCASTSS X0, Z31
	MOVQ R14, R15
scale:
	VMULPS (SI), Z31, Z0
	VMOVUPS Z0, (SI)
	ADDQ $64, SI
	SUBQ $16, R15
	JG scale
	VZEROUPPER
	RET

// func mixHalfAVX512(out, w *float32, v *byte, steps, rowBytes int, mask uint64)
// out[d] = sum in order of w[t]*v[t][d] for up to 64 halves a row, those with a
// 1 in mask.
TEXT ·mixHalfAVX512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ mask+40(FP), DX
	KMOVW DX, K1
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	SHRQ $16, DX
	JNZ wide
one:
	VMOVDQU16.Z (SI), K1, Y0
	VCVTPH2PS Y0, Z0
	VMULPS.BCST (AX), Z0, Z0
	VADDPS Z0, Z16, Z16
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ one
	VMOVUPS Z16, K1, (DI)
	VZEROUPPER
	RET
wide:
	KMOVW DX, K2
	SHRQ $16, DX
	KMOVW DX, K3
	SHRQ $16, DX
	KMOVW DX, K4
many:
	VBROADCASTSS (AX), Z4
	VMOVDQU16.Z (SI), K1, Y0
	VMOVDQU16.Z 32(SI), K2, Y1
	VMOVDQU16.Z 64(SI), K3, Y2
	VMOVDQU16.Z 96(SI), K4, Y3
	VCVTPH2PS Y0, Z0
	VCVTPH2PS Y1, Z1
	VCVTPH2PS Y2, Z2
	VCVTPH2PS Y3, Z3
	VMULPS Z4, Z0, Z0
	VMULPS Z4, Z1, Z1
	VMULPS Z4, Z2, Z2
	VMULPS Z4, Z3, Z3
	VADDPS Z0, Z16, Z16
	VADDPS Z1, Z17, Z17
	VADDPS Z2, Z18, Z18
	VADDPS Z3, Z19, Z19
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ many
	VMOVUPS Z16, K1, (DI)
	VMOVUPS Z17, K2, 64(DI)
	VMOVUPS Z18, K3, 128(DI)
	VMOVUPS Z19, K4, 192(DI)
	VZEROUPPER
	RET

// func mixSingleAVX512(out, w *float32, v *byte, steps, rowBytes int, mask uint64)
TEXT ·mixSingleAVX512(SB), NOSPLIT, $0-48
	MOVQ out+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ mask+40(FP), DX
	KMOVW DX, K1
	SHRQ $16, DX
	KMOVW DX, K2
	SHRQ $16, DX
	KMOVW DX, K3
	SHRQ $16, DX
	KMOVW DX, K4
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
many:
	VBROADCASTSS (AX), Z4
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z 64(SI), K2, Z1
	VMOVUPS.Z 128(SI), K3, Z2
	VMOVUPS.Z 192(SI), K4, Z3
	VMULPS Z4, Z0, Z0
	VMULPS Z4, Z1, Z1
	VMULPS Z4, Z2, Z2
	VMULPS Z4, Z3, Z3
	VADDPS Z0, Z16, Z16
	VADDPS Z1, Z17, Z17
	VADDPS Z2, Z18, Z18
	VADDPS Z3, Z19, Z19
	ADDQ $4, AX
	ADDQ R8, SI
	DECQ R15
	JNZ many
	VMOVUPS Z16, K1, (DI)
	VMOVUPS Z17, K2, 64(DI)
	VMOVUPS Z18, K3, 128(DI)
	VMOVUPS Z19, K4, 192(DI)
	VZEROUPPER
	RET
