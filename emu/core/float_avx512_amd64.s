#include "textflag.h"

// Float numerics in double, eight lanes at once: the same operations in the
// same order as exp64 and its callers.

DATA fconst<>+0(SB)/8, $0x4085E00000000000  // 700
DATA fconst<>+8(SB)/8, $0xC085E00000000000  // -700
DATA fconst<>+16(SB)/8, $0x3FF71547652B82FE // log2(e)
DATA fconst<>+24(SB)/8, $0x4338000000000000 // 1.5*2^52
DATA fconst<>+32(SB)/8, $0x3FE62E42FEE00000 // ln 2, high part
DATA fconst<>+40(SB)/8, $0x3DEA39EF35793C76 // ln 2, low part
DATA fconst<>+48(SB)/8, $0x3FF0000000000000 // 1
DATA fconst<>+56(SB)/8, $0x8000000000000000
DATA fconst<>+64(SB)/8, $0xFFF0000000000000 // -infinity
DATA fconst<>+72(SB)/8, $0x3FA6E4E26D4801F7 // 0.044715
DATA fconst<>+80(SB)/8, $0x3FF9884533D43651 // 2*sqrt(2/pi)
GLOBL fconst<>(SB), RODATA|NOPTR, $88

#define EXPCONST \
	VBROADCASTSD fconst<>+0(SB), Z31  \
	VBROADCASTSD fconst<>+8(SB), Z30  \
	VBROADCASTSD fconst<>+16(SB), Z29 \
	VBROADCASTSD fconst<>+24(SB), Z28 \
	VBROADCASTSD fconst<>+32(SB), Z27 \
	VBROADCASTSD fconst<>+40(SB), Z26 \
	VBROADCASTSD fconst<>+48(SB), Z25 \
	VBROADCASTSD fconst<>+56(SB), Z24 \
	LEAQ ·expPoly(SB), R9

#define EXPTERM(OFF) \
	VMULPD Z1, Z2, Z2 \
	VADDPD.BCST OFF(R9), Z2, Z2

// Z2 = exp(Z0); Z0, Z1, Z3, Z4 are changed.
#define EXP64 \
	VMINPD Z31, Z0, Z0      \
	VMAXPD Z30, Z0, Z0      \
	VMULPD Z29, Z0, Z3      \
	VADDPD Z28, Z3, Z3      \
	VSUBPD Z28, Z3, Z4      \
	VMULPD Z27, Z4, Z1      \
	VSUBPD Z1, Z0, Z1       \
	VMULPD Z26, Z4, Z4      \
	VSUBPD Z4, Z1, Z1       \
	VBROADCASTSD (R9), Z2   \
	EXPTERM(8)              \
	EXPTERM(16)             \
	EXPTERM(24)             \
	EXPTERM(32)             \
	EXPTERM(40)             \
	EXPTERM(48)             \
	EXPTERM(56)             \
	EXPTERM(64)             \
	EXPTERM(72)             \
	EXPTERM(80)             \
	EXPTERM(88)             \
	VPSLLQ $52, Z3, Z3      \
	VPADDQ Z3, Z2, Z2

#define MASK8 \
	MOVL $-1, AX       \
	KMOVW AX, K1       \
	CMPQ R15, $8       \
	JGE  2(PC)         \
	KMOVW R10, K1

#define LASTOF8 \
	MOVL $1, R10       \
	MOVQ R15, CX       \
	ANDQ $7, CX        \
	SHLL CX, R10       \
	DECL R10

// func siluMulFloatAVX512(dst, x, y *float32, n int)
TEXT ·siluMulFloatAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), R15
	EXPCONST
	LASTOF8
loop:
	MASK8
	VMOVUPS.Z (SI), K1, Y5
	VCVTPS2PD Y5, Z5
	VXORPD Z24, Z5, Z0
	EXP64
	VADDPD Z25, Z2, Z2
	VDIVPD Z2, Z5, Z5
	VMOVUPS.Z (DX), K1, Y6
	VCVTPS2PD Y6, Z6
	VMULPD Z6, Z5, Z5
	VCVTPD2PS Z5, Y5
	VMOVUPS Y5, K1, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, R15
	JG loop
	VZEROUPPER
	RET

// func geluFloatAVX512(dst, x *float32, n int)
TEXT ·geluFloatAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), R15
	EXPCONST
	VBROADCASTSD fconst<>+72(SB), Z23
	VBROADCASTSD fconst<>+80(SB), Z22
	LASTOF8
loop:
	MASK8
	VMOVUPS.Z (SI), K1, Y5
	VCVTPS2PD Y5, Z5
	VMULPD Z5, Z5, Z0
	VMULPD Z5, Z0, Z0
	VMULPD Z23, Z0, Z0
	VADDPD Z0, Z5, Z0
	VMULPD Z22, Z0, Z0
	VXORPD Z24, Z0, Z0
	EXP64
	VADDPD Z25, Z2, Z2
	VDIVPD Z2, Z5, Z5
	VCVTPD2PS Z5, Y5
	VMOVUPS Y5, K1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, R15
	JG loop
	VZEROUPPER
	RET

// func dot64AVX512(x, y *float32, n8 int, lanes *[8]float64)
TEXT ·dot64AVX512(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DX
	MOVQ n8+16(FP), R15
	MOVQ lanes+24(FP), DI
	VPXORQ Z0, Z0, Z0
loop:
	VCVTPS2PD (SI), Z1
	VCVTPS2PD (DX), Z2
	VFMADD231PD Z1, Z2, Z0
	ADDQ $32, SI
	ADDQ $32, DX
	DECQ R15
	JNZ loop
	VMOVUPD Z0, (DI)
	VZEROUPPER
	RET

// func scoresFloatAVX512(s *float64, q, kt *float32, blocks, hd int, scale float64) (odd int)
TEXT ·scoresFloatAVX512(SB), NOSPLIT, $0-56
	MOVQ s+0(FP), DI
	MOVQ kt+16(FP), SI
	MOVQ blocks+24(FP), R15
	MOVQ hd+32(FP), R13
	VBROADCASTSD scale+40(FP), Z31
	VPXORQ Z30, Z30, Z30
block:
	MOVQ q+8(FP), AX
	MOVQ R13, R14
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
dim:
	VCVTPS2PD.BCST (AX), Z2
	VCVTPS2PD (SI), Z3
	VCVTPS2PD 32(SI), Z4
	VFMADD231PD Z2, Z3, Z0
	VFMADD231PD Z2, Z4, Z1
	ADDQ $4, AX
	ADDQ $64, SI
	DECQ R14
	JNZ dim
	VMULPD Z31, Z0, Z0
	VMULPD Z31, Z1, Z1
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VSUBPD Z0, Z0, Z0
	VSUBPD Z1, Z1, Z1
	VORPD Z0, Z30, Z30
	VORPD Z1, Z30, Z30
	ADDQ $128, DI
	DECQ R15
	JNZ block
	VCMPPD $3, Z30, Z30, K1
	KMOVW K1, AX
	MOVQ AX, odd+48(FP)
	VZEROUPPER
	RET

// func softmaxFloatAVX512(s *float64, steps int) (total float64)
// s becomes exp(s-max), rounded to singles; total is their sum in order.
TEXT ·softmaxFloatAVX512(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), SI
	MOVQ steps+8(FP), R14
	VBROADCASTSD fconst<>+64(SB), Z0
	MOVQ SI, DI
	MOVQ R14, R15
	SUBQ $8, R15
	JL maxtail
maxloop:
	VMOVUPD (DI), Z1
	VMAXPD Z0, Z1, Z0
	ADDQ $64, DI
	SUBQ $8, R15
	JGE maxloop
maxtail:
	ADDQ $8, R15
	JZ maxdone
	LASTOF8
	KMOVW R10, K1
	VMOVUPD (DI), Z1
	VMAXPD Z0, Z1, K1, Z0
maxdone:
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPD X1, X0, X0
	VPERMILPD $1, X0, X1
	VMAXPD X1, X0, X0
	VBROADCASTSD X0, Z20
	EXPCONST
	VPXORQ Z21, Z21, Z21
	MOVQ R14, R15
	LASTOF8
exploop:
	MASK8
	VMOVUPD (SI), Z0
	VSUBPD Z20, Z0, Z0
	EXP64
	VCVTPD2PS Z2, Y2
	VCVTPS2PD Y2, Z2
	VMOVUPD Z2, (SI)
	VADDPD Z2, Z21, K1, Z21
	ADDQ $64, SI
	SUBQ $8, R15
	JG exploop
	// fold8
	VEXTRACTF64X4 $1, Z21, Y1
	VADDPD Y1, Y21, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VPERMILPD $1, X0, X1
	VADDSD X1, X0, X0
	VMOVSD X0, total+16(FP)
	VZEROUPPER
	RET

// Two sums are kept, of even and odd rows: Z16-Z19 and Z20-Z23.
#define MIXHEAD \
	VPXORQ Z16, Z16, Z16 \
	VPXORQ Z17, Z17, Z17 \
	VPXORQ Z18, Z18, Z18 \
	VPXORQ Z19, Z19, Z19 \
	VPXORQ Z20, Z20, Z20 \
	VPXORQ Z21, Z21, Z21 \
	VPXORQ Z22, Z22, Z22 \
	VPXORQ Z23, Z23, Z23 \
	KMOVW DX, K1 \
	SHRQ $8, DX \
	KMOVW DX, K2 \
	SHRQ $8, DX \
	KMOVW DX, K3 \
	SHRQ $8, DX \
	KMOVW DX, K4

#define HALVES \
	VBROADCASTSD (AX), Z4 \
	VMOVDQU16.Z (SI), K1, X0 \
	VMOVDQU16.Z 16(SI), K2, X1 \
	VMOVDQU16.Z 32(SI), K3, X2 \
	VMOVDQU16.Z 48(SI), K4, X3 \
	VCVTPH2PS X0, Y0 \
	VCVTPH2PS X1, Y1 \
	VCVTPH2PS X2, Y2 \
	VCVTPH2PS X3, Y3

#define SINGLES \
	VBROADCASTSD (AX), Z4 \
	VMOVUPS.Z (SI), K1, Y0 \
	VMOVUPS.Z 32(SI), K2, Y1 \
	VMOVUPS.Z 64(SI), K3, Y2 \
	VMOVUPS.Z 96(SI), K4, Y3

#define MIXROW(A, B, C, D) \
	VCVTPS2PD Y0, Z0 \
	VCVTPS2PD Y1, Z1 \
	VCVTPS2PD Y2, Z2 \
	VCVTPS2PD Y3, Z3 \
	VFMADD231PD Z4, Z0, A \
	VFMADD231PD Z4, Z1, B \
	VFMADD231PD Z4, Z2, C \
	VFMADD231PD Z4, Z3, D \
	ADDQ $8, AX \
	ADDQ R8, SI \
	DECQ R15

#define ONEHALF(A) \
	VMOVDQU16.Z (SI), K1, X0 \
	VCVTPH2PS X0, Y0 \
	VCVTPS2PD Y0, Z0 \
	VFMADD231PD.BCST (AX), Z0, A \
	ADDQ $8, AX \
	ADDQ R8, SI \
	DECQ R15

#define MIXTAIL \
	VADDPD Z20, Z16, Z16 \
	VADDPD Z21, Z17, Z17 \
	VADDPD Z22, Z18, Z18 \
	VADDPD Z23, Z19, Z19 \
	VDIVPD Z31, Z16, Z16 \
	VDIVPD Z31, Z17, Z17 \
	VDIVPD Z31, Z18, Z18 \
	VDIVPD Z31, Z19, Z19 \
	VCVTPD2PS Z16, Y0 \
	VCVTPD2PS Z17, Y1 \
	VCVTPD2PS Z18, Y2 \
	VCVTPD2PS Z19, Y3 \
	VMOVUPS Y0, K1, (DI) \
	VMOVUPS Y1, K2, 32(DI) \
	VMOVUPS Y2, K3, 64(DI) \
	VMOVUPS Y3, K4, 96(DI) \
	VZEROUPPER \
	RET

// func mixHalfFloatAVX512(out *float32, e *float64, v *byte, steps, rowBytes int, mask uint64, total float64)
// out[d] = sum of e[t]*v[t][d] / total, for up to 32 values a row.
TEXT ·mixHalfFloatAVX512(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ e+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ mask+40(FP), DX
	VBROADCASTSD total+48(FP), Z31
	MIXHEAD
	KTESTB K2, K2
	JNZ many
one:
	ONEHALF(Z16)
	JZ oneend
	ONEHALF(Z20)
	JNZ one
oneend:
	VADDPD Z20, Z16, Z16
	VDIVPD Z31, Z16, Z16
	VCVTPD2PS Z16, Y0
	VMOVUPS Y0, K1, (DI)
	VZEROUPPER
	RET
many:
	HALVES
	MIXROW(Z16, Z17, Z18, Z19)
	JZ end
	HALVES
	MIXROW(Z20, Z21, Z22, Z23)
	JNZ many
end:
	MIXTAIL

// func mixSingleFloatAVX512(out *float32, e *float64, v *byte, steps, rowBytes int, mask uint64, total float64)
// out[d] = sum of e[t]*v[t][d] / total, for up to 32 values a row.
TEXT ·mixSingleFloatAVX512(SB), NOSPLIT, $0-56
	MOVQ out+0(FP), DI
	MOVQ e+8(FP), AX
	MOVQ v+16(FP), SI
	MOVQ steps+24(FP), R15
	MOVQ rowBytes+32(FP), R8
	MOVQ mask+40(FP), DX
	VBROADCASTSD total+48(FP), Z31
	MIXHEAD
many:
	SINGLES
	MIXROW(Z16, Z17, Z18, Z19)
	JZ end
	SINGLES
	MIXROW(Z20, Z21, Z22, Z23)
	JNZ many
end:
	MIXTAIL
