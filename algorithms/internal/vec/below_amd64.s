//go:build amd64 && !purego

#include "textflag.h"
#include "row_amd64.h"

// The loops take sixteen elements at a time, four registers of four; n is a
// positive multiple of sixteen. AX is the position. flip has the sign bit alone,
// or nothing: XOR with it multiplies by -1 or +1. Y14 is the flip and Y15 the
// level.
//
// Y8 and Y9 are the lanes 0-3 and 4-7 of a sum, Y10 and Y11 of a count. A masked
// element adds +0 to its lane, which changes nothing: a lane starts at +0 and
// never becomes -0.

// NONE clears the lanes.
#define NONE \
	VXORPD Y8, Y8, Y8; \
	VXORPD Y9, Y9, Y9; \
	VPXOR  Y10, Y10, Y10; \
	VPXOR  Y11, Y11, Y11

// COUNT accounts for the elements in Y0 and Y1.
#define COUNT \
	VXORPD Y14, Y0, Y0; \
	VXORPD Y14, Y1, Y1; \
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

// func belowAVX2(s *lanes, u *float64, flip, t float64, n int) int
TEXT ·belowAVX2(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), DX
	MOVQ         u+8(FP), DI
	VBROADCASTSD flip+16(FP), Y14
	VBROADCASTSD t+24(FP), Y15
	NONE
	MOVQ         n+32(FP), CX
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
	MOVQ    AX, ret+40(FP)
	RET

// func addScaled2BelowAVX2(s *lanes, u *float64, a float64, v *float64, b float64, k *float32, flip, t float64, n int) int
TEXT ·addScaled2BelowAVX2(SB), NOSPLIT, $0-80
	MOVQ         s+0(FP), DX
	MOVQ         u+8(FP), DI
	VBROADCASTSD a+16(FP), Y13
	MOVQ         v+24(FP), R8
	VBROADCASTSD b+32(FP), Y12
	MOVQ         k+40(FP), SI
	VBROADCASTSD flip+48(FP), Y14
	VBROADCASTSD t+56(FP), Y15
	NONE
	MOVQ         n+64(FP), CX
	AHEAD(SI, R13)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	VCVTPS2PD  (SI)(AX*4), Y4
	VCVTPS2PD  16(SI)(AX*4), Y5
	VMULPD     Y13, Y4, Y0
	VMULPD     Y13, Y5, Y1
	VMULPD     Y12, Y4, Y4
	VMULPD     Y12, Y5, Y5
	VADDPD     (DI)(AX*8), Y0, Y0
	VADDPD     32(DI)(AX*8), Y1, Y1
	VADDPD     (R8)(AX*8), Y4, Y4
	VADDPD     32(R8)(AX*8), Y5, Y5
	VMOVUPD    Y0, (DI)(AX*8)
	VMOVUPD    Y1, 32(DI)(AX*8)
	VMOVUPD    Y4, (R8)(AX*8)
	VMOVUPD    Y5, 32(R8)(AX*8)
	COUNT

	VCVTPS2PD  32(SI)(AX*4), Y4
	VCVTPS2PD  48(SI)(AX*4), Y5
	VMULPD     Y13, Y4, Y0
	VMULPD     Y13, Y5, Y1
	VMULPD     Y12, Y4, Y4
	VMULPD     Y12, Y5, Y5
	VADDPD     64(DI)(AX*8), Y0, Y0
	VADDPD     96(DI)(AX*8), Y1, Y1
	VADDPD     64(R8)(AX*8), Y4, Y4
	VADDPD     96(R8)(AX*8), Y5, Y5
	VMOVUPD    Y0, 64(DI)(AX*8)
	VMOVUPD    Y1, 96(DI)(AX*8)
	VMOVUPD    Y4, 64(R8)(AX*8)
	VMOVUPD    Y5, 96(R8)(AX*8)
	COUNT
	ADDQ       $16, AX
	CMPQ       AX, CX
	JLT        loop
	TOTAL(DX)
	MOVQ       AX, ret+72(FP)
	RET

// func addScaledDiff2BelowAVX2(s *lanes, u *float64, a float64, v *float64, b float64, k, l *float32, flip, t float64, n int) int
TEXT ·addScaledDiff2BelowAVX2(SB), NOSPLIT, $0-88
	MOVQ         s+0(FP), DX
	MOVQ         u+8(FP), DI
	VBROADCASTSD a+16(FP), Y13
	MOVQ         v+24(FP), R8
	VBROADCASTSD b+32(FP), Y12
	MOVQ         k+40(FP), SI
	MOVQ         l+48(FP), R9
	VBROADCASTSD flip+56(FP), Y14
	VBROADCASTSD t+64(FP), Y15
	NONE
	MOVQ         n+72(FP), CX
	AHEAD(SI, R13)
	AHEAD(R9, R12)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	PREFETCHT0 (R12)(AX*4)
	VCVTPS2PD  (SI)(AX*4), Y4
	VCVTPS2PD  16(SI)(AX*4), Y5
	VCVTPS2PD  (R9)(AX*4), Y6
	VCVTPS2PD  16(R9)(AX*4), Y7
	VSUBPD     Y6, Y4, Y4
	VSUBPD     Y7, Y5, Y5
	VMULPD     Y13, Y4, Y0
	VMULPD     Y13, Y5, Y1
	VMULPD     Y12, Y4, Y4
	VMULPD     Y12, Y5, Y5
	VADDPD     (DI)(AX*8), Y0, Y0
	VADDPD     32(DI)(AX*8), Y1, Y1
	VADDPD     (R8)(AX*8), Y4, Y4
	VADDPD     32(R8)(AX*8), Y5, Y5
	VMOVUPD    Y0, (DI)(AX*8)
	VMOVUPD    Y1, 32(DI)(AX*8)
	VMOVUPD    Y4, (R8)(AX*8)
	VMOVUPD    Y5, 32(R8)(AX*8)
	COUNT

	VCVTPS2PD  32(SI)(AX*4), Y4
	VCVTPS2PD  48(SI)(AX*4), Y5
	VCVTPS2PD  32(R9)(AX*4), Y6
	VCVTPS2PD  48(R9)(AX*4), Y7
	VSUBPD     Y6, Y4, Y4
	VSUBPD     Y7, Y5, Y5
	VMULPD     Y13, Y4, Y0
	VMULPD     Y13, Y5, Y1
	VMULPD     Y12, Y4, Y4
	VMULPD     Y12, Y5, Y5
	VADDPD     64(DI)(AX*8), Y0, Y0
	VADDPD     96(DI)(AX*8), Y1, Y1
	VADDPD     64(R8)(AX*8), Y4, Y4
	VADDPD     96(R8)(AX*8), Y5, Y5
	VMOVUPD    Y0, 64(DI)(AX*8)
	VMOVUPD    Y1, 96(DI)(AX*8)
	VMOVUPD    Y4, 64(R8)(AX*8)
	VMOVUPD    Y5, 96(R8)(AX*8)
	COUNT
	ADDQ       $16, AX
	CMPQ       AX, CX
	JLT        loop
	TOTAL(DX)
	MOVQ       AX, ret+80(FP)
	RET
