//go:build amd64 && !purego

#include "textflag.h"
#include "row_amd64.h"

// The loops take eight elements at a time, in two registers of four; n is a
// positive multiple of sixteen. AX is the position. Y8 and Y9 are the lanes 0-3
// and 4-7 of the sum.

// func dot32AVX2(s *lanes, a *float64, k *float32, n int)
TEXT ·dot32AVX2(SB), NOSPLIT, $0-32
	MOVQ   s+0(FP), DX
	MOVQ   a+8(FP), DI
	MOVQ   k+16(FP), SI
	MOVQ   n+24(FP), CX
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	XORQ   AX, AX

loop:
	VCVTPS2PD (SI)(AX*4), Y0
	VCVTPS2PD 16(SI)(AX*4), Y1
	VMULPD    (DI)(AX*8), Y0, Y0
	VMULPD    32(DI)(AX*8), Y1, Y1
	VADDPD    Y0, Y8, Y8
	VADDPD    Y1, Y9, Y9
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VMOVUPD   Y8, 0(DX)
	VMOVUPD   Y9, 32(DX)
	VZEROUPPER
	RET

// A difference of a number and itself is +0, or NaN if it is not finite.
//
// func allFiniteAVX2(k *float32, n int) bool
TEXT ·allFiniteAVX2(SB), NOSPLIT, $0-17
	MOVQ   k+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPS Y0, Y0, Y0
	AHEAD(SI, R13)
	XORQ   AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	VMOVUPS    (SI)(AX*4), Y1
	VSUBPS     Y1, Y1, Y1
	VORPS      Y1, Y0, Y0
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        loop
	VPTEST     Y0, Y0
	SETEQ      ret+16(FP)
	VZEROUPPER
	RET
