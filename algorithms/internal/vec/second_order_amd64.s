//go:build amd64 && !purego

#include "textflag.h"
#include "row_amd64.h"
#include "search_amd64.h"

// The loops take eight elements at a time, in two registers of four; n is a
// positive multiple of sixteen. AX is the position.

// A division is slow, so it is done only for blocks that a cheaper necessary
// condition lets pass: d*d/q > F, rounded, only if d*d >= F*q, both
// rounded, as rounding preserves order.
//
// func secondOrderAVX2(best *search, x *float64, mask *int8, k *float32, diag *float64, t, kii float64, n int)
TEXT ·secondOrderAVX2(SB), NOSPLIT, $0-64
	MOVQ         best+0(FP), DX
	MOVQ         x+8(FP), DI
	MOVQ         mask+16(FP), SI
	MOVQ         k+24(FP), R8
	MOVQ         diag+32(FP), R9
	VBROADCASTSD t+40(FP), Y15
	VBROADCASTSD kii+48(FP), Y14
	MOVQ         n+56(FP), CX
	BROADCAST($0x3d719799812dea11, Y13, X13) // 1e-12
	BROADCAST(NEGATIVE_INFINITY, Y12, X12)
	VXORPD       Y11, Y11, Y11
	AHEAD(R8, R13)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	VMOVUPD    (DI)(AX*8), Y0
	VMOVUPD    32(DI)(AX*8), Y1
	VCVTPS2PD  (R8)(AX*4), Y4
	VCVTPS2PD  16(R8)(AX*4), Y5
	VADDPD     (R9)(AX*8), Y14, Y2
	VADDPD     32(R9)(AX*8), Y14, Y3
	VSUBPD     Y15, Y0, Y0
	VSUBPD     Y15, Y1, Y1
	VADDPD     Y4, Y4, Y4
	VADDPD     Y5, Y5, Y5
	VSUBPD     Y4, Y2, Y2
	VSUBPD     Y5, Y3, Y3
	VMAXPD     Y13, Y2, Y2
	VMAXPD     Y13, Y3, Y3

	VPMOVSXBQ (SI)(AX*1), Y4
	VPMOVSXBQ 4(SI)(AX*1), Y5
	VCMPPD    $GREATER, Y11, Y0, Y6
	VCMPPD    $GREATER, Y11, Y1, Y7
	VMULPD    Y0, Y0, Y0
	VMULPD    Y1, Y1, Y1
	VMULPD    Y12, Y2, Y8
	VMULPD    Y12, Y3, Y9
	VANDPD    Y6, Y4, Y4
	VANDPD    Y7, Y5, Y5
	VCMPPD    $0x1d, Y8, Y0, Y8
	VCMPPD    $0x1d, Y9, Y1, Y9
	VANDPD    Y8, Y4, Y4
	VANDPD    Y9, Y5, Y5
	VORPD     Y4, Y5, Y6
	VMOVMSKPD Y6, BX
	TESTL     BX, BX
	JNZ       divide

next:
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

divide:
	VDIVPD Y2, Y0, Y0
	VDIVPD Y3, Y1, Y1
	VCMPPD $GREATER, Y12, Y0, Y2
	VCMPPD $GREATER, Y12, Y1, Y3
	VANDPD Y2, Y4, Y4
	VANDPD Y3, Y5, Y5
	IMPROVE(DX, VMAXPD, Y0, X0, Y1, X1, Y4, Y5, Y12)
	JMP    next
