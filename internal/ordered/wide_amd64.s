//go:build amd64 && !purego

#include "textflag.h"

// func addRowsAVX512(dst *float64, alpha float64, x, a *float64, rows, stride, n int)
//
// rows must be positive and n a multiple of 64. The sums of 64 columns at a time stay in
// registers for all rows.
TEXT ·addRowsAVX512(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	VBROADCASTSD alpha+8(FP), Z14
	MOVQ         x+16(FP), SI
	MOVQ         a+24(FP), DX
	MOVQ         rows+32(FP), CX
	MOVQ         stride+40(FP), R8
	SHLQ         $3, R8
	MOVQ         n+48(FP), BX

columns:
	TESTQ   BX, BX
	JZ      done
	VMOVUPD 0(DI), Z0
	VMOVUPD 64(DI), Z1
	VMOVUPD 128(DI), Z2
	VMOVUPD 192(DI), Z3
	VMOVUPD 256(DI), Z4
	VMOVUPD 320(DI), Z5
	VMOVUPD 384(DI), Z6
	VMOVUPD 448(DI), Z7
	MOVQ    DX, R9
	XORQ    AX, AX

row:
	VBROADCASTSD (SI)(AX*8), Z15
	VMULPD       Z14, Z15, Z15
	VMULPD       0(R9), Z15, Z8
	VMULPD       64(R9), Z15, Z9
	VMULPD       128(R9), Z15, Z10
	VMULPD       192(R9), Z15, Z11
	VADDPD       Z8, Z0, Z0
	VADDPD       Z9, Z1, Z1
	VADDPD       Z10, Z2, Z2
	VADDPD       Z11, Z3, Z3
	VMULPD       256(R9), Z15, Z8
	VMULPD       320(R9), Z15, Z9
	VMULPD       384(R9), Z15, Z10
	VMULPD       448(R9), Z15, Z11
	VADDPD       Z8, Z4, Z4
	VADDPD       Z9, Z5, Z5
	VADDPD       Z10, Z6, Z6
	VADDPD       Z11, Z7, Z7
	ADDQ         R8, R9
	INCQ         AX
	CMPQ         AX, CX
	JLT          row
	VMOVUPD      Z0, 0(DI)
	VMOVUPD      Z1, 64(DI)
	VMOVUPD      Z2, 128(DI)
	VMOVUPD      Z3, 192(DI)
	VMOVUPD      Z4, 256(DI)
	VMOVUPD      Z5, 320(DI)
	VMOVUPD      Z6, 384(DI)
	VMOVUPD      Z7, 448(DI)
	ADDQ         $512, DI
	ADDQ         $512, DX
	SUBQ         $64, BX
	JMP          columns

done:
	VZEROUPPER
	RET

// FOLD512 adds the eight partial sums in z.
#define FOLD512(z, y, x, y2, x2) \
	VEXTRACTF64X4 $1, z, y2  \
	VADDPD        y2, y, y   \
	VEXTRACTF128  $1, y, x2  \
	VADDPD        x2, x, x   \
	VUNPCKHPD     x, x, x2   \
	VADDSD        x2, x, x

// func dotsAVX512(dst, x, a *float64, rows, stride, n int)
//
// Four rows at a time share the elements of x; remaining rows are processed separately.
TEXT ·dotsAVX512(SB), NOSPLIT, $0-48
	MOVQ  dst+0(FP), DI
	MOVQ  x+8(FP), SI
	MOVQ  a+16(FP), DX
	MOVQ  rows+24(FP), BX
	MOVQ  stride+32(FP), R8
	SHLQ  $3, R8
	LEAQ  (R8)(R8*2), R9
	MOVQ  n+40(FP), R10
	MOVQ  R10, CX
	ANDQ  $7, CX
	MOVQ  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVW AX, K1
	SHRQ  $3, R10

four:
	CMPQ   BX, $4
	JLT    one
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   SI, R11
	MOVQ   DX, R12
	MOVQ   R10, CX
	TESTQ  CX, CX
	JZ     fourTail

fourColumns:
	VMOVUPD (R11), Z4
	VMULPD  (R12), Z4, Z5
	VMULPD  (R12)(R8*1), Z4, Z6
	VMULPD  (R12)(R8*2), Z4, Z7
	VMULPD  (R12)(R9*1), Z4, Z8
	VADDPD  Z5, Z0, Z0
	VADDPD  Z6, Z1, Z1
	VADDPD  Z7, Z2, Z2
	VADDPD  Z8, Z3, Z3
	ADDQ    $64, R11
	ADDQ    $64, R12
	DECQ    CX
	JNZ     fourColumns

fourTail:
	TESTQ AX, AX
	JZ    fourFold
	VMOVUPD.Z (R11), K1, Z4
	VMOVUPD.Z (R12), K1, Z5
	VMOVUPD.Z (R12)(R8*1), K1, Z6
	VMOVUPD.Z (R12)(R8*2), K1, Z7
	VMOVUPD.Z (R12)(R9*1), K1, Z8
	VMULPD    Z5, Z4, Z5
	VMULPD    Z6, Z4, Z6
	VMULPD    Z7, Z4, Z7
	VMULPD    Z8, Z4, Z8
	VADDPD    Z5, Z0, Z0
	VADDPD    Z6, Z1, Z1
	VADDPD    Z7, Z2, Z2
	VADDPD    Z8, Z3, Z3

fourFold:
	FOLD512(Z0, Y0, X0, Y4, X4)
	FOLD512(Z1, Y1, X1, Y5, X5)
	FOLD512(Z2, Y2, X2, Y6, X6)
	FOLD512(Z3, Y3, X3, Y7, X7)
	VMOVSD X0, (DI)
	VMOVSD X1, 8(DI)
	VMOVSD X2, 16(DI)
	VMOVSD X3, 24(DI)
	ADDQ   $32, DI
	LEAQ   (DX)(R8*4), DX
	SUBQ   $4, BX
	JMP    four

one:
	TESTQ  BX, BX
	JZ     done
	VXORPD Y0, Y0, Y0
	MOVQ   SI, R11
	MOVQ   DX, R12
	MOVQ   R10, CX
	TESTQ  CX, CX
	JZ     oneTail

oneColumns:
	VMOVUPD (R11), Z4
	VMULPD  (R12), Z4, Z5
	VADDPD  Z5, Z0, Z0
	ADDQ    $64, R11
	ADDQ    $64, R12
	DECQ    CX
	JNZ     oneColumns

oneTail:
	TESTQ AX, AX
	JZ    oneFold
	VMOVUPD.Z (R11), K1, Z4
	VMOVUPD.Z (R12), K1, Z5
	VMULPD    Z5, Z4, Z5
	VADDPD    Z5, Z0, Z0

oneFold:
	FOLD512(Z0, Y0, X0, Y4, X4)
	VMOVSD X0, (DI)
	ADDQ   $8, DI
	ADDQ   R8, DX
	DECQ   BX
	JMP    one

done:
	VZEROUPPER
	RET
