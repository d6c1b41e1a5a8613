#include "textflag.h"

// Element by element work with AVX2, eight singles at once; callers take what
// is left.

// func addAVX2(dst, x, y *float32, n8 int)
TEXT ·addAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n8+24(FP), R15
loop:
	VMOVUPS (SI), Y0
	VADDPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	DECQ R15
	JNZ loop
	VZEROUPPER
	RET

// func mulAVX2(dst, x, y *float32, n8 int)
TEXT ·mulAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n8+24(FP), R15
loop:
	VMOVUPS (SI), Y0
	VMULPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	DECQ R15
	JNZ loop
	VZEROUPPER
	RET

// func scaleMulAVX2(dst, x, weight *float32, n8 int, r float32)
TEXT ·scaleMulAVX2(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weight+16(FP), DX
	MOVQ n8+24(FP), R15
	VBROADCASTSS r+32(FP), Y2
loop:
	VMULPS (SI), Y2, Y0
	VMULPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	DECQ R15
	JNZ loop
	VZEROUPPER
	RET

// func chordAVX2(dst, x *float32, n8 int, c *chords)
// 0 below the chords, x itself at and above them.
TEXT ·chordAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n8+16(FP), R15
	MOVQ c+24(FP), R8
	VBROADCASTSS 0(R8), Y10
	VBROADCASTSS 4(R8), Y11
	VBROADCASTSS 8(R8), Y12
	VPCMPEQD Y13, Y13, Y13
	VPSRLD $24, Y13, Y13    // 255
	VPXOR Y14, Y14, Y14
loop:
	VMOVUPS (SI), Y0
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
	VBLENDVPS Y4, Y0, Y3, Y3
	VCMPPS $1, Y10, Y0, Y4
	VANDNPS Y3, Y4, Y3
	VMOVUPS Y3, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ R15
	JNZ loop
	VZEROUPPER
	RET

DATA qconst<>+0(SB)/4, $0x42FE0000 // 127
DATA qconst<>+4(SB)/4, $0x3EFFFFFF // the single before 0.5
DATA qconst<>+8(SB)/4, $0x80000000
DATA qconst<>+12(SB)/4, $0x3F800000 // 1
DATA qconst<>+16(SB)/4, $0x7FFFFFFF
GLOBL qconst<>(SB), RODATA|NOPTR, $20

// MAGNITUDE leaves |V|, 0 for a NaN, in T.
#define MAGNITUDE(V, T) \
	VCMPPS $7, V, V, T \
	VANDPS V, T, T     \
	VANDPS Y12, T, T

// AWAY rounds V to integers, halves away from zero; 0 where V-V is not
// ordered.
#define AWAY(V, T, U) \
	VSUBPS V, V, T     \
	VCMPPS $7, T, T, T \
	VANDPS Y14, V, U   \
	VORPS  Y13, U, U   \
	VADDPS U, V, V     \
	VCVTTPS2DQ V, V    \
	VPAND  T, V, V

// func quantizeAVX2(q *int8, d *float32, sum *int32, x *float32, blocks int)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ sum+16(FP), DX
	MOVQ x+24(FP), SI
	MOVQ blocks+32(FP), R15
	VBROADCASTSS qconst<>+16(SB), Y12
	VBROADCASTSS qconst<>+4(SB), Y13
	VBROADCASTSS qconst<>+8(SB), Y14
	VMOVSS qconst<>+12(SB), X15
block:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS 64(SI), Y2
	VMOVUPS 96(SI), Y3
	MAGNITUDE(Y0, Y4)
	MAGNITUDE(Y1, Y5)
	MAGNITUDE(Y2, Y6)
	MAGNITUDE(Y3, Y7)
	VMAXPS Y5, Y4, Y4
	VMAXPS Y7, Y6, Y6
	VMAXPS Y6, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VMAXPS X5, X4, X4
	VPERMILPS $0x4E, X4, X5
	VMAXPS X5, X4, X4
	VPERMILPS $0xB1, X4, X5
	VMAXPS X5, X4, X4
	VDIVSS qconst<>+0(SB), X4, X4  // d
	VXORPS X5, X5, X5
	VUCOMISS X5, X4
	JE zero
	VDIVSS X4, X15, X5             // id
zero:
	VCVTPS2PH $0, X4, X4
	VCVTPH2PS X4, X4
	VMOVSS X4, (BX)
	VBROADCASTSS X5, Y5
	VMULPS Y5, Y0, Y0
	VMULPS Y5, Y1, Y1
	VMULPS Y5, Y2, Y2
	VMULPS Y5, Y3, Y3
	AWAY(Y0, Y6, Y7)
	AWAY(Y1, Y6, Y7)
	AWAY(Y2, Y6, Y7)
	AWAY(Y3, Y6, Y7)
	VPADDD Y1, Y0, Y4
	VPADDD Y3, Y2, Y5
	VPADDD Y5, Y4, Y4
	VPACKSSDW Y1, Y0, Y0   // quads 0 2 | 1 3 of the first 16
	VPACKSSDW Y3, Y2, Y2
	VPERMQ $0xD8, Y0, Y0
	VPERMQ $0xD8, Y2, Y2
	VPACKSSWB Y2, Y0, Y0
	VPERMQ $0xD8, Y0, Y0
	VMOVDQU Y0, (DI)
	VEXTRACTI128 $1, Y4, X5
	VPADDD X5, X4, X4
	VPSHUFD $0x4E, X4, X5
	VPADDD X5, X4, X4
	VPSHUFD $0xB1, X4, X5
	VPADDD X5, X4, X4
	VMOVD X4, (DX)
	ADDQ $128, SI
	ADDQ $32, DI
	ADDQ $4, BX
	ADDQ $4, DX
	DECQ R15
	JNZ block
	VZEROUPPER
	RET

// func widenAVX2(dst *float64, x *float32, n8 int)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n8+16(FP), R15
loop:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ R15
	JNZ loop
	VZEROUPPER
	RET

// func ropeAVX2(x, cs *float32, n, hd int)
// n is a multiple of hd, hd one of 8.
TEXT ·ropeAVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ n+16(FP), R14
	MOVQ hd+24(FP), R13
head:
	MOVQ cs+8(FP), SI
	MOVQ R13, R15
pair:
	VMOVUPS (DI), Y0
	VMOVUPS (SI), Y1
	VMOVSLDUP Y1, Y2
	VMOVSHDUP Y1, Y3
	VPERMILPS $0xB1, Y0, Y4
	VMULPS Y2, Y0, Y0
	VMULPS Y3, Y4, Y4
	VADDSUBPS Y4, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	ADDQ $32, SI
	SUBQ $8, R15
	JNZ pair
	SUBQ R13, R14
	JNZ head
	VZEROUPPER
	RET
