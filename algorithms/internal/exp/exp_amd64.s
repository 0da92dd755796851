//go:build !purego

#include "textflag.h"

// func negAVX2(dst *float32, z *float64, n int, table *[18][4]float64)
//
// Each iteration handles four elements. The table holds limit, log2(e), shift, ln2Hi,
// ln2Lo, -0 and 1/0!, …, 1/11!, 32 bytes each.
TEXT ·negAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ z+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ table+24(FP), R8
	VMOVUPD 0(R8), Y13
	VMOVUPD 32(R8), Y12
	VMOVUPD 64(R8), Y11
	VMOVUPD 96(R8), Y10
	VMOVUPD 128(R8), Y9
	VMOVUPD 160(R8), Y8
	VMOVUPD 544(R8), Y6

four:
	// x = -min(z, limit)
	VMINPD (SI), Y13, Y0
	VXORPD Y8, Y0, Y0

	// t = x log2(e) + shift; k = t - shift; r = (x - k ln2Hi) - k ln2Lo
	VMULPD Y12, Y0, Y1
	VADDPD Y11, Y1, Y1
	VSUBPD Y11, Y1, Y2
	VMULPD Y10, Y2, Y3
	VSUBPD Y3, Y0, Y0
	VMULPD Y9, Y2, Y3
	VSUBPD Y3, Y0, Y0

	// Horner.
	VMULPD Y0, Y6, Y2
	VADDPD 512(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 480(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 448(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 416(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 384(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 352(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 320(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 288(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 256(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 224(R8), Y2, Y2
	VMULPD Y0, Y2, Y2
	VADDPD 192(R8), Y2, Y2

	// Times 2^k: the low bits of t are k.
	VPSLLQ $52, Y1, Y1
	VPADDQ Y1, Y2, Y2
	VCVTPD2PSY Y2, X2
	VMOVUPS X2, (DI)

	ADDQ $32, SI
	ADDQ $16, DI
	SUBQ $4, CX
	JNE  four
	VZEROUPPER
	RET
