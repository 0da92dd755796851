//go:build amd64 && !purego

#include "textflag.h"

// func addRowsAVX2(u, v, x, y *float64, coef *float64, rows *[]float32, count, n int)
//
// Eight columns at a time: the sums of the four vectors are Y0 to Y7. AX is the
// position, R12 the slice header of a row, R13 its four coefficients.
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-64
	MOVQ u+0(FP), DI
	MOVQ v+8(FP), R8
	MOVQ x+16(FP), R9
	MOVQ y+24(FP), R10
	MOVQ coef+32(FP), BX
	MOVQ rows+40(FP), DX
	MOVQ count+48(FP), R11
	MOVQ n+56(FP), CX
	SHLQ $5, R11
	ADDQ BX, R11
	XORQ AX, AX

columns:
	VMOVUPD (DI)(AX*8), Y0
	VMOVUPD 32(DI)(AX*8), Y1
	VMOVUPD (R8)(AX*8), Y2
	VMOVUPD 32(R8)(AX*8), Y3
	VMOVUPD (R9)(AX*8), Y4
	VMOVUPD 32(R9)(AX*8), Y5
	VMOVUPD (R10)(AX*8), Y6
	VMOVUPD 32(R10)(AX*8), Y7
	MOVQ    BX, R13
	MOVQ    DX, R12

row:
	MOVQ         (R12), SI
	VCVTPS2PD    (SI)(AX*4), Y8
	VCVTPS2PD    16(SI)(AX*4), Y9
	VBROADCASTSD (R13), Y10
	VBROADCASTSD 8(R13), Y11
	VMULPD       Y8, Y10, Y12
	VMULPD       Y9, Y10, Y13
	VMULPD       Y8, Y11, Y14
	VMULPD       Y9, Y11, Y15
	VADDPD       Y12, Y0, Y0
	VADDPD       Y13, Y1, Y1
	VADDPD       Y14, Y2, Y2
	VADDPD       Y15, Y3, Y3
	VBROADCASTSD 16(R13), Y10
	VBROADCASTSD 24(R13), Y11
	VMULPD       Y8, Y10, Y12
	VMULPD       Y9, Y10, Y13
	VMULPD       Y8, Y11, Y14
	VMULPD       Y9, Y11, Y15
	VADDPD       Y12, Y4, Y4
	VADDPD       Y13, Y5, Y5
	VADDPD       Y14, Y6, Y6
	VADDPD       Y15, Y7, Y7
	ADDQ         $24, R12
	ADDQ         $32, R13
	CMPQ         R13, R11
	JLT          row

	VMOVUPD Y0, (DI)(AX*8)
	VMOVUPD Y1, 32(DI)(AX*8)
	VMOVUPD Y2, (R8)(AX*8)
	VMOVUPD Y3, 32(R8)(AX*8)
	VMOVUPD Y4, (R9)(AX*8)
	VMOVUPD Y5, 32(R9)(AX*8)
	VMOVUPD Y6, (R10)(AX*8)
	VMOVUPD Y7, 32(R10)(AX*8)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     columns
	VZEROUPPER
	RET
