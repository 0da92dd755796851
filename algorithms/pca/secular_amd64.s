//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8

// TERM sets Y8 to weight/(pole - origin - y) of pole AX, and Y9 to what that gives
// over the same difference.
#define TERM \
	VBROADCASTSD (SI)(AX*8), Y8 \
	VSUBPD       Y4, Y8, Y8     \
	VSUBPD       Y5, Y8, Y8     \
	VDIVPD       Y8, Y7, Y9     \
	VBROADCASTSD (DX)(AX*8), Y8 \
	VMULPD       Y9, Y8, Y8     \
	VMULPD       Y9, Y8, Y9

// func secularSumsAVX2(s *secularSums, pole, weight *float64, n, least, most int)
//
// least and most are of the splits. Between them a mask takes the lanes that a term
// does not belong to out of the sum.
TEXT ·secularSumsAVX2(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), DI
	MOVQ         pole+8(FP), SI
	MOVQ         weight+16(FP), DX
	MOVQ         n+24(FP), BX
	MOVQ         least+32(FP), R8
	MOVQ         most+40(FP), R9
	VMOVUPD      secularSums_origin(DI), Y4
	VMOVUPD      secularSums_y(DI), Y5
	VMOVDQU      secularSums_split(DI), Y6
	VBROADCASTSD one<>(SB), Y7
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	VXORPD       Y2, Y2, Y2
	VXORPD       Y3, Y3, Y3
	XORQ         AX, AX

below:
	CMPQ   AX, R8
	JGE    belowSome
	TERM
	VADDPD Y8, Y0, Y0
	VADDPD Y9, Y1, Y1
	INCQ   AX
	JMP    below

belowSome:
	CMPQ         AX, R9
	JGE          last
	TERM
	MOVQ         AX, X10
	VPBROADCASTQ X10, Y10
	VPCMPGTQ     Y10, Y6, Y10
	VANDPD       Y10, Y8, Y8
	VANDPD       Y10, Y9, Y9
	VADDPD       Y8, Y0, Y0
	VADDPD       Y9, Y1, Y1
	INCQ         AX
	JMP          belowSome

last:
	LEAQ -1(BX), AX

above:
	CMPQ   AX, R9
	JLT    aboveSome
	TERM
	VADDPD Y8, Y2, Y2
	VADDPD Y9, Y3, Y3
	DECQ   AX
	JMP    above

aboveSome:
	CMPQ         AX, R8
	JLT          done
	TERM
	MOVQ         AX, X10
	VPBROADCASTQ X10, Y10
	VPCMPGTQ     Y10, Y6, Y10
	VANDNPD      Y8, Y10, Y8
	VANDNPD      Y9, Y10, Y9
	VADDPD       Y8, Y2, Y2
	VADDPD       Y9, Y3, Y3
	DECQ         AX
	JMP          aboveSome

done:
	VMOVUPD Y0, secularSums_below(DI)
	VMOVUPD Y1, secularSums_slopeBelow(DI)
	VMOVUPD Y2, secularSums_above(DI)
	VMOVUPD Y3, secularSums_slopeAbove(DI)
	VZEROUPPER
	RET
