//go:build amd64 && !purego

#include "textflag.h"

// masks holds eight words of ones, then eight of zeros.
DATA masks<>+0(SB)/8, $-1
DATA masks<>+8(SB)/8, $-1
DATA masks<>+16(SB)/8, $-1
DATA masks<>+24(SB)/8, $-1
DATA masks<>+32(SB)/8, $-1
DATA masks<>+40(SB)/8, $-1
DATA masks<>+48(SB)/8, $-1
DATA masks<>+56(SB)/8, $-1
GLOBL masks<>(SB), RODATA|NOPTR, $128

// func addRowsAVX2(dst *float64, alpha float64, x, a *float64, rows, stride, n int)
//
// rows and n must be positive. The sums of 32 columns at a time, then of 16 and of at most 8,
// stay in registers for all rows.
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	VBROADCASTSD alpha+8(FP), Y14
	MOVQ         x+16(FP), SI
	MOVQ         a+24(FP), DX
	MOVQ         rows+32(FP), CX
	MOVQ         stride+40(FP), R8
	SHLQ         $3, R8
	MOVQ         n+48(FP), BX

wide:
	CMPQ    BX, $32
	JLT     narrow
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VMOVUPD 128(DI), Y4
	VMOVUPD 160(DI), Y5
	VMOVUPD 192(DI), Y6
	VMOVUPD 224(DI), Y7
	MOVQ    DX, R9
	XORQ    AX, AX

wideRow:
	VBROADCASTSD (SI)(AX*8), Y15
	VMULPD       Y14, Y15, Y15
	VMULPD       0(R9), Y15, Y8
	VMULPD       32(R9), Y15, Y9
	VMULPD       64(R9), Y15, Y10
	VMULPD       96(R9), Y15, Y11
	VADDPD       Y8, Y0, Y0
	VADDPD       Y9, Y1, Y1
	VADDPD       Y10, Y2, Y2
	VADDPD       Y11, Y3, Y3
	VMULPD       128(R9), Y15, Y8
	VMULPD       160(R9), Y15, Y9
	VMULPD       192(R9), Y15, Y10
	VMULPD       224(R9), Y15, Y11
	VADDPD       Y8, Y4, Y4
	VADDPD       Y9, Y5, Y5
	VADDPD       Y10, Y6, Y6
	VADDPD       Y11, Y7, Y7
	ADDQ         R8, R9
	INCQ         AX
	CMPQ         AX, CX
	JLT          wideRow
	VMOVUPD      Y0, 0(DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	VMOVUPD      Y4, 128(DI)
	VMOVUPD      Y5, 160(DI)
	VMOVUPD      Y6, 192(DI)
	VMOVUPD      Y7, 224(DI)
	ADDQ         $256, DI
	ADDQ         $256, DX
	SUBQ         $32, BX
	JMP          wide

narrow:
	CMPQ    BX, $16
	JLT     narrower
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	MOVQ    DX, R9
	XORQ    AX, AX

narrowRow:
	VBROADCASTSD (SI)(AX*8), Y15
	VMULPD       Y14, Y15, Y15
	VMULPD       0(R9), Y15, Y8
	VMULPD       32(R9), Y15, Y9
	VMULPD       64(R9), Y15, Y10
	VMULPD       96(R9), Y15, Y11
	VADDPD       Y8, Y0, Y0
	VADDPD       Y9, Y1, Y1
	VADDPD       Y10, Y2, Y2
	VADDPD       Y11, Y3, Y3
	ADDQ         R8, R9
	INCQ         AX
	CMPQ         AX, CX
	JLT          narrowRow
	VMOVUPD      Y0, 0(DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	ADDQ         $128, DI
	ADDQ         $128, DX
	SUBQ         $16, BX

narrower:
	TESTQ      BX, BX
	JZ         done
	MOVQ       $8, R10
	CMPQ       BX, R10
	CMOVQLT    BX, R10
	SHLQ       $3, R10
	LEAQ       masks<>+64(SB), R11
	SUBQ       R10, R11
	VMOVUPD    (R11), Y12
	VMOVUPD    32(R11), Y13
	VMASKMOVPD (DI), Y12, Y0
	VMASKMOVPD 32(DI), Y13, Y1
	MOVQ       DX, R9
	XORQ       AX, AX

narrowerRow:
	VBROADCASTSD (SI)(AX*8), Y15
	VMULPD       Y14, Y15, Y15
	VMASKMOVPD   (R9), Y12, Y8
	VMASKMOVPD   32(R9), Y13, Y9
	VMULPD       Y8, Y15, Y8
	VMULPD       Y9, Y15, Y9
	VADDPD       Y8, Y0, Y0
	VADDPD       Y9, Y1, Y1
	ADDQ         R8, R9
	INCQ         AX
	CMPQ         AX, CX
	JLT          narrowerRow
	VMASKMOVPD   Y0, Y12, (DI)
	VMASKMOVPD   Y1, Y13, 32(DI)
	ADDQ         R10, DI
	ADDQ         R10, DX
	SHRQ         $3, R10
	SUBQ         R10, BX
	JMP          narrower

done:
	VZEROUPPER
	RET

// FOLD adds the eight partial sums of an inner product, four in lo and four in hi.
#define FOLD(lo, hi, x, x2) \
	VADDPD       hi, lo, lo  \
	VEXTRACTF128 $1, lo, x2  \
	VADDPD       x2, x, x    \
	VUNPCKHPD    x, x, x2    \
	VADDSD       x2, x, x

// func dotsAVX2(dst, x, a *float64, rows, stride, n int)
//
// Two rows at a time share the elements of x; a remaining row is processed separately.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-48
	MOVQ    dst+0(FP), DI
	MOVQ    x+8(FP), SI
	MOVQ    a+16(FP), DX
	MOVQ    rows+24(FP), BX
	MOVQ    stride+32(FP), R8
	SHLQ    $3, R8
	MOVQ    n+40(FP), R10
	MOVQ    R10, AX
	ANDQ    $7, AX
	LEAQ    masks<>+64(SB), R13
	MOVQ    AX, CX
	SHLQ    $3, CX
	SUBQ    CX, R13
	VMOVUPD (R13), Y12
	VMOVUPD 32(R13), Y13
	SHRQ    $3, R10

two:
	CMPQ   BX, $2
	JLT    one
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   SI, R11
	MOVQ   DX, R12
	MOVQ   R10, CX
	TESTQ  CX, CX
	JZ     twoTail

twoColumns:
	VMOVUPD (R11), Y4
	VMOVUPD 32(R11), Y5
	VMULPD  (R12), Y4, Y6
	VMULPD  32(R12), Y5, Y7
	VMULPD  (R12)(R8*1), Y4, Y8
	VMULPD  32(R12)(R8*1), Y5, Y9
	VADDPD  Y6, Y0, Y0
	VADDPD  Y7, Y1, Y1
	VADDPD  Y8, Y2, Y2
	VADDPD  Y9, Y3, Y3
	ADDQ    $64, R11
	ADDQ    $64, R12
	DECQ    CX
	JNZ     twoColumns

twoTail:
	TESTQ      AX, AX
	JZ         twoFold
	VMASKMOVPD (R11), Y12, Y4
	VMASKMOVPD 32(R11), Y13, Y5
	VMASKMOVPD (R12), Y12, Y6
	VMASKMOVPD 32(R12), Y13, Y7
	VMASKMOVPD (R12)(R8*1), Y12, Y8
	VMASKMOVPD 32(R12)(R8*1), Y13, Y9
	VMULPD     Y6, Y4, Y6
	VMULPD     Y7, Y5, Y7
	VMULPD     Y8, Y4, Y8
	VMULPD     Y9, Y5, Y9
	VADDPD     Y6, Y0, Y0
	VADDPD     Y7, Y1, Y1
	VADDPD     Y8, Y2, Y2
	VADDPD     Y9, Y3, Y3

twoFold:
	FOLD(Y0, Y1, X0, X4)
	FOLD(Y2, Y3, X2, X5)
	VMOVSD X0, (DI)
	VMOVSD X2, 8(DI)
	ADDQ   $16, DI
	LEAQ   (DX)(R8*2), DX
	SUBQ   $2, BX
	JMP    two

one:
	TESTQ  BX, BX
	JZ     done
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	MOVQ   SI, R11
	MOVQ   DX, R12
	MOVQ   R10, CX
	TESTQ  CX, CX
	JZ     oneTail

oneColumns:
	VMOVUPD (R11), Y4
	VMOVUPD 32(R11), Y5
	VMULPD  (R12), Y4, Y6
	VMULPD  32(R12), Y5, Y7
	VADDPD  Y6, Y0, Y0
	VADDPD  Y7, Y1, Y1
	ADDQ    $64, R11
	ADDQ    $64, R12
	DECQ    CX
	JNZ     oneColumns

oneTail:
	TESTQ      AX, AX
	JZ         oneFold
	VMASKMOVPD (R11), Y12, Y4
	VMASKMOVPD 32(R11), Y13, Y5
	VMASKMOVPD (R12), Y12, Y6
	VMASKMOVPD 32(R12), Y13, Y7
	VMULPD     Y6, Y4, Y6
	VMULPD     Y7, Y5, Y7
	VADDPD     Y6, Y0, Y0
	VADDPD     Y7, Y1, Y1

oneFold:
	FOLD(Y0, Y1, X0, X4)
	VMOVSD X0, (DI)

done:
	VZEROUPPER
	RET
