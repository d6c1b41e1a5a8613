#include "textflag.h"

// Element by element work, 16 singles at once; a mask takes the last ones.

#define TAILMASK \
	MOVL $1, AX        \
	MOVQ R15, CX       \
	SHLL CX, AX        \
	DECL AX            \
	KMOVW AX, K1

// func addAVX512(dst, x, y *float32, n int)
TEXT ·addAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), R15
	SUBQ $16, R15
	JL   tail
loop:
	VMOVUPS (SI), Z0
	VADDPS (DX), Z0, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, R15
	JGE  loop
tail:
	ADDQ $16, R15
	JZ   done
	TAILMASK
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	VADDPS Z1, Z0, Z0
	VMOVUPS Z0, K1, (DI)
done:
	VZEROUPPER
	RET

// func mulAVX512(dst, x, y *float32, n int)
TEXT ·mulAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), R15
	SUBQ $16, R15
	JL   tail
loop:
	VMOVUPS (SI), Z0
	VMULPS (DX), Z0, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, R15
	JGE  loop
tail:
	ADDQ $16, R15
	JZ   done
	TAILMASK
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	VMULPS Z1, Z0, Z0
	VMOVUPS Z0, K1, (DI)
done:
	VZEROUPPER
	RET

// func scaleMulAVX512(dst, x, weight *float32, n int, r float32)
TEXT ·scaleMulAVX512(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weight+16(FP), DX
	MOVQ n+24(FP), R15
	VBROADCASTSS r+32(FP), Z31
	SUBQ $16, R15
	JL   tail
loop:
	VMULPS (SI), Z31, Z0
	VMULPS (DX), Z0, Z0
	VMOVUPS Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, R15
	JGE  loop
tail:
	ADDQ $16, R15
	JZ   done
	TAILMASK
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z1
	VMULPS Z0, Z31, Z0
	VMULPS Z1, Z0, Z0
	VMOVUPS Z0, K1, (DI)
done:
	VZEROUPPER
	RET

DATA c255<>+0(SB)/4, $255
GLOBL c255<>(SB), RODATA|NOPTR, $4

// CHORD evaluates the chords at R8 (lo, hi, k, c0, c1) of Z0 into Z3: 0 below,
// Z0 itself at and above hi (not less than: a NaN too). Z24 lo, Z25 hi, Z26 k, Z27 255, Z28 zero.
#define CHORDCONST \
	VBROADCASTSS 0(R8), Z24  \
	VBROADCASTSS 4(R8), Z25  \
	VBROADCASTSS 8(R8), Z26  \
	VPBROADCASTD c255<>(SB), Z27 \
	VPXORD Z28, Z28, Z28
#define CHORD \
	VSUBPS Z24, Z0, Z1            \
	VMULPS Z26, Z1, Z1            \
	VCVTTPS2DQ Z1, Z1             \
	VPMINSD Z27, Z1, Z1           \
	VPMAXSD Z28, Z1, Z1           \
	KXNORW K2, K2, K2             \
	VGATHERDPS 12(R8)(Z1*4), K2, Z2   \
	KXNORW K3, K3, K3             \
	VGATHERDPS 1036(R8)(Z1*4), K3, Z3 \
	VMULPS Z0, Z3, Z3             \
	VADDPS Z2, Z3, Z3             \
	VCMPPS $5, Z25, Z0, K2        \
	VMOVAPS Z0, K2, Z3            \
	VCMPPS $1, Z24, Z0, K2        \
	VMOVAPS Z28, K2, Z3

// func siluMulAVX512(dst, x, y *float32, n int, c *chords)
TEXT ·siluMulAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), R15
	MOVQ c+32(FP), R8
	CHORDCONST
	SUBQ $16, R15
	JL   tail
loop:
	VMOVUPS (SI), Z0
	CHORD
	VMULPS (DX), Z3, Z3
	VMOVUPS Z3, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, R15
	JGE  loop
tail:
	ADDQ $16, R15
	JZ   done
	TAILMASK
	VMOVUPS.Z (SI), K1, Z0
	VMOVUPS.Z (DX), K1, Z4
	CHORD
	VMULPS Z4, Z3, Z3
	VMOVUPS Z3, K1, (DI)
done:
	VZEROUPPER
	RET

// func geluAVX512(dst, x *float32, n int, c *chords)
TEXT ·geluAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), R15
	MOVQ c+24(FP), R8
	CHORDCONST
	SUBQ $16, R15
	JL   tail
loop:
	VMOVUPS (SI), Z0
	CHORD
	VMOVUPS Z3, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, R15
	JGE  loop
tail:
	ADDQ $16, R15
	JZ   done
	TAILMASK
	VMOVUPS.Z (SI), K1, Z0
	CHORD
	VMOVUPS Z3, K1, (DI)
done:
	VZEROUPPER
	RET

DATA sixteen<>+0(SB)/4, $16
GLOBL sixteen<>(SB), RODATA|NOPTR, $4
DATA index16<>+0(SB)/4, $0
DATA index16<>+4(SB)/4, $1
DATA index16<>+8(SB)/4, $2
DATA index16<>+12(SB)/4, $3
DATA index16<>+16(SB)/4, $4
DATA index16<>+20(SB)/4, $5
DATA index16<>+24(SB)/4, $6
DATA index16<>+28(SB)/4, $7
DATA index16<>+32(SB)/4, $8
DATA index16<>+36(SB)/4, $9
DATA index16<>+40(SB)/4, $10
DATA index16<>+44(SB)/4, $11
DATA index16<>+48(SB)/4, $12
DATA index16<>+52(SB)/4, $13
DATA index16<>+56(SB)/4, $14
DATA index16<>+60(SB)/4, $15
GLOBL index16<>(SB), RODATA|NOPTR, $64

// func argmaxAVX512(x *float32, n int, val *[16]float32, idx *[16]int32) (odd int)
// n is a multiple of 16 and not 0. Per lane the first maximum; odd is not 0 if
// any value is not finite.
TEXT ·argmaxAVX512(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), R15
	VMOVDQU32 index16<>(SB), Z3     // indices of this step
	VPBROADCASTD sixteen<>(SB), Z4
	VMOVUPS (SI), Z0                // best values
	VMOVDQA32 Z3, Z1                // best indices
	VPXORD Z5, Z5, Z5
loop:
	VMOVUPS (SI), Z2
	VSUBPS Z2, Z2, Z6
	VORPS Z6, Z5, Z5                // a NaN's exponent stays visible
	VCMPPS $0x1E, Z0, Z2, K1        // greater
	VMOVAPS Z2, K1, Z0
	VMOVDQA32 Z3, K1, Z1
	VPADDD Z4, Z3, Z3
	ADDQ $64, SI
	SUBQ $16, R15
	JNZ loop
	VCMPPS $3, Z5, Z5, K1
	KMOVW K1, AX
	MOVQ AX, odd+32(FP)
	MOVQ val+16(FP), DI
	VMOVUPS Z0, (DI)
	MOVQ idx+24(FP), DI
	VMOVDQU32 Z1, (DI)
	VZEROUPPER
	RET

DATA half127<>+0(SB)/4, $0x42FE0000 // 127
DATA half127<>+4(SB)/4, $0x3EFFFFFF // the single before 0.5
DATA half127<>+8(SB)/4, $0x80000000
DATA half127<>+12(SB)/4, $0x3F800000 // 1
DATA half127<>+16(SB)/4, $0x01010101
DATA half127<>+20(SB)/4, $0x7FFFFFFF
GLOBL half127<>(SB), RODATA|NOPTR, $24

// ROUNDAWAY rounds V to integers, halves away from zero; 0 where not finite
// (where V-V is not ordered).
#define ROUNDAWAY(V, T) \
	VSUBPS V, V, T            \
	VCMPPS $7, T, T, K1       \
	VPANDD Z29, V, T          \
	VPORD Z28, T, T           \
	VADDPS T, V, V            \
	VCVTTPS2DQ.Z V, K1, V

// func quantizeAVX512(q *int8, d *float32, sum *int32, x *float32, blocks int)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ d+8(FP), BX
	MOVQ sum+16(FP), DX
	MOVQ x+24(FP), SI
	MOVQ blocks+32(FP), R15
	VPBROADCASTD half127<>+4(SB), Z28
	VPBROADCASTD half127<>+8(SB), Z29
	VPBROADCASTD half127<>+20(SB), Z30
	VPBROADCASTD half127<>+16(SB), Y31
	VMOVSS half127<>+0(SB), X26
	VMOVSS half127<>+12(SB), X27
	VPXORD Z20, Z20, Z20
block:
	VMOVUPS (SI), Z0
	VMOVUPS 64(SI), Z1
	// The greatest magnitude, NaNs left out, compared as integers.
	VCMPPS $7, Z0, Z0, K1
	VCMPPS $7, Z1, Z1, K2
	VPANDD.Z Z30, Z0, K1, Z2
	VPANDD.Z Z30, Z1, K2, Z3
	VPMAXUD Z3, Z2, Z2
	VEXTRACTI64X4 $1, Z2, Y3
	VPMAXUD Y3, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMAXUD X3, X2, X2
	VPSHUFD $0x4E, X2, X3
	VPMAXUD X3, X2, X2
	VPSHUFD $0xB1, X2, X3
	VPMAXUD X3, X2, X2
	VDIVSS X26, X2, X4       // d
	VPXORD X5, X5, X5
	VUCOMISS X5, X4
	JE zero
	VDIVSS X4, X27, X5       // id
zero:
	VCVTPS2PH $0, X4, X4
	VCVTPH2PS X4, X4
	VMOVSS X4, (BX)
	VBROADCASTSS X5, Z5
	VMULPS Z5, Z0, Z0
	VMULPS Z5, Z1, Z1
	ROUNDAWAY(Z0, Z2)
	ROUNDAWAY(Z1, Z3)
	VPADDD Z0, Z1, Z2
	VPMOVDB Z0, (DI)
	VPMOVDB Z1, 16(DI)
	VEXTRACTI64X4 $1, Z2, Y3
	VPADDD Y3, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPADDD X3, X2, X2
	VPSHUFD $0x4E, X2, X3
	VPADDD X3, X2, X2
	VPSHUFD $0xB1, X2, X3
	VPADDD X3, X2, X2
	VMOVD X2, (DX)
	ADDQ $128, SI
	ADDQ $32, DI
	ADDQ $4, BX
	ADDQ $4, DX
	DECQ R15
	JNZ block
	VZEROUPPER
	RET
