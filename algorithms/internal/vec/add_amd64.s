//go:build amd64 && !purego

#include "textflag.h"
#include "row_amd64.h"

// The loops take eight elements at a time, in two registers of four; n is a
// positive multiple of sixteen. AX is the position.

// func addScaledAVX2(dst *float64, a float64, k *float32, n int)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         k+16(FP), SI
	MOVQ         n+24(FP), CX
	AHEAD(SI, R13)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	VCVTPS2PD  (SI)(AX*4), Y1
	VCVTPS2PD  16(SI)(AX*4), Y2
	VMULPD     Y0, Y1, Y1
	VMULPD     Y0, Y2, Y2
	VADDPD     (DI)(AX*8), Y1, Y1
	VADDPD     32(DI)(AX*8), Y2, Y2
	VMOVUPD    Y1, (DI)(AX*8)
	VMOVUPD    Y2, 32(DI)(AX*8)
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        loop
	VZEROUPPER
	RET

// func addScaled2AVX2(u *float64, a float64, v *float64, b float64, k *float32, n int)
TEXT ·addScaled2AVX2(SB), NOSPLIT, $0-48
	MOVQ         u+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         v+16(FP), R8
	VBROADCASTSD b+24(FP), Y1
	MOVQ         k+32(FP), SI
	MOVQ         n+40(FP), CX
	AHEAD(SI, R13)
	XORQ         AX, AX

loop:
	PREFETCHT0 (R13)(AX*4)
	VCVTPS2PD  (SI)(AX*4), Y2
	VCVTPS2PD  16(SI)(AX*4), Y3
	VMULPD     Y0, Y2, Y4
	VMULPD     Y0, Y3, Y5
	VMULPD     Y1, Y2, Y2
	VMULPD     Y1, Y3, Y3
	VADDPD     (DI)(AX*8), Y4, Y4
	VADDPD     32(DI)(AX*8), Y5, Y5
	VADDPD     (R8)(AX*8), Y2, Y2
	VADDPD     32(R8)(AX*8), Y3, Y3
	VMOVUPD    Y4, (DI)(AX*8)
	VMOVUPD    Y5, 32(DI)(AX*8)
	VMOVUPD    Y2, (R8)(AX*8)
	VMOVUPD    Y3, 32(R8)(AX*8)
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        loop
	VZEROUPPER
	RET
