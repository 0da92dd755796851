//go:build amd64 && !purego

#include "textflag.h"

// The loops take eight or sixteen elements at a time, in registers of four; n is
// a positive multiple of sixteen. AX is the position.

// compressBelowAVX2 stops before a block for which dst, of length room, might
// be too short: it writes whole registers.
//
// func compressBelowAVX2(dst *float64, room int, u *float64, t float64, permutations *[16][8]uint32, n int) (done, count int)
TEXT ·compressBelowAVX2(SB), NOSPLIT, $0-64
	MOVQ         dst+0(FP), SI
	MOVQ         room+8(FP), R9
	MOVQ         u+16(FP), DI
	VBROADCASTSD t+24(FP), Y15
	MOVQ         permutations+32(FP), R8
	MOVQ         n+40(FP), CX
	SUBQ         $8, R9
	XORQ         AX, AX
	XORQ         R10, R10

loop:
	CMPQ      R10, R9
	JGT       done
	VMOVUPD   (DI)(AX*8), Y0
	VMOVUPD   32(DI)(AX*8), Y1
	VCMPPD    $0x11, Y15, Y0, Y2
	VCMPPD    $0x11, Y15, Y1, Y3
	VMOVMSKPD Y2, BX
	VMOVMSKPD Y3, DX
	POPCNTL   BX, R11
	POPCNTL   DX, R12
	SHLQ      $5, BX
	SHLQ      $5, DX
	VMOVDQU   (R8)(BX*1), Y4
	VMOVDQU   (R8)(DX*1), Y5
	VPERMPS   Y0, Y4, Y0
	VPERMPS   Y1, Y5, Y1
	VMOVUPD   Y0, (SI)(R10*8)
	ADDQ      R11, R10
	VMOVUPD   Y1, (SI)(R10*8)
	ADDQ      R12, R10
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop

done:
	MOVQ AX, done+48(FP)
	MOVQ R10, count+56(FP)
	VZEROUPPER
	RET

// ABOVE leaves in Y0 which elements, of the eight at off folded into four, are
// greater than the level and have a mask, at moff, that is not 0. It uses Y1 to
// Y3. Y14 is the flip and Y15 the level.
#define ABOVE(off, moff) \
	VPMOVSXBQ moff+0(SI)(AX*1), Y2; \
	VPMOVSXBQ moff+4(SI)(AX*1), Y3; \
	VXORPD    off+0(DI)(AX*8), Y14, Y0; \
	VXORPD    off+32(DI)(AX*8), Y14, Y1; \
	VCMPPD    $0x1e, Y15, Y0, Y0; \
	VCMPPD    $0x1e, Y15, Y1, Y1; \
	VANDPD    Y2, Y0, Y0; \
	VANDPD    Y3, Y1, Y1; \
	VORPD     Y0, Y1, Y0

// nextAboveAVX2 returns the start of the first sixteen elements of which one is
// greater than t and has a mask that is not 0, or n.
//
// func nextAboveAVX2(x *float64, flip float64, mask *int8, t float64, n int) int
TEXT ·nextAboveAVX2(SB), NOSPLIT, $0-48
	MOVQ         x+0(FP), DI
	VBROADCASTSD flip+8(FP), Y14
	MOVQ         mask+16(FP), SI
	VBROADCASTSD t+24(FP), Y15
	MOVQ         n+32(FP), CX
	XORQ         AX, AX

loop:
	ABOVE(0, 0)
	VMOVUPD   Y0, Y4
	ABOVE(64, 8)
	VORPD     Y0, Y4, Y0
	VMOVMSKPD Y0, BX
	TESTL     BX, BX
	JNZ       found
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop

found:
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET
