//go:build amd64 && !purego

#include "textflag.h"
#include "row_amd64.h"
#include "search_amd64.h"

// The loops take eight elements at a time, in two registers of four; n is a
// positive multiple of sixteen. AX is the position.

// BETTER leaves in M0 and M1 which of Y0 and Y1 are better than F, less or
// greater, and not masked. It uses Y4 and Y5.
#define BETTER(op, mask, F, M0, M1) \
	VPMOVSXBQ (mask)(AX*1), Y4; \
	VPMOVSXBQ 4(mask)(AX*1), Y5; \
	VCMPPD    $op, F, Y0, M0; \
	VCMPPD    $op, F, Y1, M1; \
	VANDPD    Y4, M0, M0; \
	VANDPD    Y5, M1, M1

// func argMaxIfAVX2(best *search, x *float64, mask *int8, n int)
TEXT ·argMaxIfAVX2(SB), NOSPLIT, $0-32
	MOVQ best+0(FP), DX
	MOVQ x+8(FP), DI
	MOVQ mask+16(FP), SI
	MOVQ n+24(FP), CX
	BROADCAST(NEGATIVE_INFINITY, Y15, X15)
	XORQ AX, AX

loop:
	VMOVUPD   (DI)(AX*8), Y0
	VMOVUPD   32(DI)(AX*8), Y1
	BETTER(GREATER, SI, Y15, Y2, Y3)
	VORPD     Y2, Y3, Y4
	VMOVMSKPD Y4, BX
	TESTL     BX, BX
	JNZ       improve

next:
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

improve:
	IMPROVE(DX, VMAXPD, Y0, X0, Y1, X1, Y2, Y3, Y15)
	JMP next

// func argMinIfAVX2(best *search, x *float64, mask *int8, n int)
TEXT ·argMinIfAVX2(SB), NOSPLIT, $0-32
	MOVQ best+0(FP), DX
	MOVQ x+8(FP), DI
	MOVQ mask+16(FP), SI
	MOVQ n+24(FP), CX
	BROADCAST(POSITIVE_INFINITY, Y15, X15)
	XORQ AX, AX

loop:
	VMOVUPD   (DI)(AX*8), Y0
	VMOVUPD   32(DI)(AX*8), Y1
	BETTER(LESS, SI, Y15, Y2, Y3)
	VORPD     Y2, Y3, Y4
	VMOVMSKPD Y4, BX
	TESTL     BX, BX
	JNZ       improve

next:
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

improve:
	IMPROVE(DX, VMINPD, Y0, X0, Y1, X1, Y2, Y3, Y15)
	JMP next

// func addScaledPairExtremesAVX2(min, max *search, x *float64, a float64, k *float32, b float64, l *float32, up, low *int8, n int)
TEXT ·addScaledPairExtremesAVX2(SB), NOSPLIT, $0-80
	MOVQ         min+0(FP), DX
	MOVQ         max+8(FP), R11
	MOVQ         x+16(FP), DI
	VBROADCASTSD a+24(FP), Y12
	MOVQ         k+32(FP), SI
	VBROADCASTSD b+40(FP), Y13
	MOVQ         l+48(FP), R8
	MOVQ         up+56(FP), R9
	MOVQ         low+64(FP), R10
	MOVQ         n+72(FP), CX
	BROADCAST(POSITIVE_INFINITY, Y14, X14)
	BROADCAST(NEGATIVE_INFINITY, Y15, X15)
	AHEAD(SI, R13)
	AHEAD(R8, R12)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	PREFETCHT0 (R12)(AX*4)
	VCVTPS2PD  (SI)(AX*4), Y0
	VCVTPS2PD  16(SI)(AX*4), Y1
	VCVTPS2PD  (R8)(AX*4), Y2
	VCVTPS2PD  16(R8)(AX*4), Y3
	VMULPD     Y12, Y0, Y0
	VMULPD     Y12, Y1, Y1
	VMULPD     Y13, Y2, Y2
	VMULPD     Y13, Y3, Y3
	VADDPD     (DI)(AX*8), Y0, Y0
	VADDPD     32(DI)(AX*8), Y1, Y1
	VADDPD     Y2, Y0, Y0
	VADDPD     Y3, Y1, Y1
	VMOVUPD    Y0, (DI)(AX*8)
	VMOVUPD    Y1, 32(DI)(AX*8)
	BETTER(LESS, R9, Y14, Y6, Y7)
	BETTER(GREATER, R10, Y15, Y8, Y9)
	VORPD      Y6, Y7, Y4
	VORPD      Y8, Y9, Y5
	VORPD      Y4, Y5, Y4
	VMOVMSKPD  Y4, BX
	TESTL      BX, BX
	JNZ        improve

next:
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

improve:
	VMOVUPD Y0, Y2
	VMOVUPD Y1, Y3
	IMPROVE(DX, VMINPD, Y0, X0, Y1, X1, Y6, Y7, Y14)
	IMPROVE(R11, VMAXPD, Y2, X2, Y3, X3, Y8, Y9, Y15)
	JMP     next
