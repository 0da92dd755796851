//go:build amd64 && !purego

#include "textflag.h"
#include "search_amd64.h"

// The loops take eight elements at a time, in two registers of four; n is a
// positive multiple of sixteen. AX is the position. A division is slow, so it is
// done only for blocks that pass both conditions of enoughFor.
//
// DI is u, SI alpha, R8 diag. Y15 is the flip of u, Y14 one, Y13 upper, Y11 the
// sign bit and Y10 zero. F, in Y12, is the gain to be exceeded and Y9 enoughFor
// it.

// GRADIENT leaves g = 1-c in G, lo = -alpha in LO and hi = upper-alpha in HI.
#define GRADIENT(off, G, LO, HI) \
	VXORPD  off(DI)(AX*8), Y15, G; \
	VMOVUPD off(SI)(AX*8), HI; \
	VXORPD  HI, Y11, LO; \
	VSUBPD  G, Y14, G; \
	VSUBPD  HI, Y13, HI

// PROMISING leaves in Y0 where the gain might be greater than F. It uses Y1 to
// Y4.
#define PROMISING(off) \
	GRADIENT(off, Y1, Y2, Y3); \
	VMULPD Y1, Y2, Y2; \
	VMULPD Y1, Y3, Y3; \
	VMAXPD Y3, Y2, Y2; \
	VMULPD Y1, Y1, Y1; \
	VMULPD off(R8)(AX*8), Y9, Y4; \
	VCMPPD $0x16, Y12, Y2, Y2; \
	VCMPPD $0x15, Y4, Y1, Y1; \
	VANDPD Y1, Y2, Y0

// GAIN leaves the gain in F and where it is greater than Y12 in M. It uses Y4 to
// Y7.
#define GAIN(off, F, M) \
	VMOVUPD off(R8)(AX*8), F; \
	GRADIENT(off, Y5, Y6, Y7); \
	VDIVPD  F, Y5, M; \
	VCMPPD  $4, Y10, Y5, Y4; \
	VANDPD  Y4, M, M; \
	VMAXPD  M, Y6, M; \
	VMINPD  M, Y7, M; \
	VMULPD  Y8, M, Y4; \
	VMULPD  F, Y4, F; \
	VSUBPD  F, Y5, F; \
	VMULPD  F, M, F; \
	VCMPPD  $GREATER, Y12, F, M

// func argMaxGainAVX2(best *search, u *float64, flip float64, alpha *float64, upper float64, diag *float64, n int)
TEXT ·argMaxGainAVX2(SB), NOSPLIT, $0-56
	MOVQ         best+0(FP), DX
	MOVQ         u+8(FP), DI
	VBROADCASTSD flip+16(FP), Y15
	MOVQ         alpha+24(FP), SI
	VBROADCASTSD upper+32(FP), Y13
	MOVQ         diag+40(FP), R8
	MOVQ         n+48(FP), CX
	BROADCAST($0x3ff0000000000000, Y14, X14)
	BROADCAST($0x8000000000000000, Y11, X11)
	VXORPD       Y10, Y10, Y10
	BROADCAST(NEGATIVE_INFINITY, Y12, X12)
	VMOVUPD      Y12, Y9
	XORQ         AX, AX

loop:
	PROMISING(0)
	VMOVUPD   Y0, Y8
	PROMISING(32)
	VORPD     Y0, Y8, Y0
	VMOVMSKPD Y0, BX
	TESTL     BX, BX
	JNZ       divide

next:
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  loop
	VZEROUPPER
	RET

divide:
	// Store the gains greater than F in the search at DX. Then update F and, unless the
	// gain is tiny, Y9. The constants are 0.5, slightlyLessThan2 and leastGain.
	BROADCAST($0x3fe0000000000000, Y8, X8)
	GAIN(0, Y0, Y2)
	GAIN(32, Y1, Y3)
	IMPROVE(DX, VMAXPD, Y0, X0, Y1, X1, Y2, Y3, Y12)
	BROADCAST($0x3fffffffffffffe0, Y8, X8)
	VMULPD   Y8, Y12, Y9
	MOVQ     $0x2b2bff2ee48e0530, BX
	VMOVQ    BX, X8
	VUCOMISD X8, X12
	JHI      next
	BROADCAST(NEGATIVE_INFINITY, Y9, X9)
	JMP  next
