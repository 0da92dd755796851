//go:build amd64 && !purego

#include "textflag.h"

// The loops take sixteen elements at a time, four registers of four; n is a
// positive multiple of sixteen. AX is the position and Y15 the level.
//
// Y8 and Y9 are the lanes 0-3 and 4-7 of a sum, Y10 and Y11 of a count. A masked
// element adds +0 to its lane, which changes nothing: a lane starts at +0 and
// never becomes -0.

// COUNT accounts for the elements in Y0 and Y1.
#define COUNT \
	VCMPPD $0x11, Y15, Y0, Y2; \
	VCMPPD $0x11, Y15, Y1, Y3; \
	VANDPD Y2, Y0, Y0; \
	VANDPD Y3, Y1, Y1; \
	VPSUBQ Y2, Y10, Y10; \
	VPSUBQ Y3, Y11, Y11; \
	VADDPD Y0, Y8, Y8; \
	VADDPD Y1, Y9, Y9

// TOTAL stores the sums at address s and leaves the count in AX.
#define TOTAL(s) \
	VMOVUPD      Y8, 0(s); \
	VMOVUPD      Y9, 32(s); \
	VPADDQ       Y11, Y10, Y10; \
	VEXTRACTI128 $1, Y10, X11; \
	VPADDQ       X11, X10, X10; \
	VPSRLDQ      $8, X10, X11; \
	VPADDQ       X11, X10, X10; \
	VMOVQ        X10, AX; \
	VZEROUPPER

// func belowAVX2(s *lanes, u *float64, t float64, n int) int
TEXT ·belowAVX2(SB), NOSPLIT, $0-40
	MOVQ         s+0(FP), DX
	MOVQ         u+8(FP), DI
	VBROADCASTSD t+16(FP), Y15
	VXORPD       Y8, Y8, Y8
	VXORPD       Y9, Y9, Y9
	VPXOR        Y10, Y10, Y10
	VPXOR        Y11, Y11, Y11
	MOVQ         n+24(FP), CX
	XORQ         AX, AX

loop:
	VMOVUPD (DI)(AX*8), Y0
	VMOVUPD 32(DI)(AX*8), Y1
	COUNT

	VMOVUPD 64(DI)(AX*8), Y0
	VMOVUPD 96(DI)(AX*8), Y1
	COUNT
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop
	TOTAL(DX)
	MOVQ    AX, ret+32(FP)
	RET
