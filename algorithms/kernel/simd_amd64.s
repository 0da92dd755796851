//go:build !purego

#include "textflag.h"

// nibbles holds the number of set bits of 0, …, 15, in both lanes.
DATA nibbles<>+0(SB)/8, $0x0302020102010100
DATA nibbles<>+8(SB)/8, $0x0403030203020201
DATA nibbles<>+16(SB)/8, $0x0302020102010100
DATA nibbles<>+24(SB)/8, $0x0403030203020201
GLOBL nibbles<>(SB), RODATA|NOPTR, $32

DATA lowNibbles<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL lowNibbles<>(SB), RODATA|NOPTR, $8

// func hammingBlockAVX2(dst, plane *uint64, stride int, word *uint64, words int)
//
// Each iteration handles eight points. The set bits of each nibble are looked up, and
// VPSADBW adds the bytes of each word.
TEXT ·hammingBlockAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ plane+8(FP), SI
	MOVQ stride+16(FP), R8
	SHLQ $3, R8
	MOVQ word+24(FP), DX
	MOVQ words+32(FP), R9
	VMOVDQU nibbles<>(SB), Y15
	VPBROADCASTQ lowNibbles<>(SB), Y14
	VPXOR Y13, Y13, Y13
	MOVQ $32, CX             // block/8

points:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R10
	XORQ  R11, R11

words:
	VPBROADCASTQ (DX)(R11*8), Y2
	VPXOR (R10), Y2, Y3
	VPXOR 32(R10), Y2, Y4
	VPAND Y14, Y3, Y5
	VPAND Y14, Y4, Y6
	VPSRLW $4, Y3, Y3
	VPSRLW $4, Y4, Y4
	VPAND Y14, Y3, Y3
	VPAND Y14, Y4, Y4
	VPSHUFB Y5, Y15, Y5
	VPSHUFB Y6, Y15, Y6
	VPSHUFB Y3, Y15, Y3
	VPSHUFB Y4, Y15, Y4
	VPADDB Y5, Y3, Y3
	VPADDB Y6, Y4, Y4
	VPSADBW Y13, Y3, Y3
	VPSADBW Y13, Y4, Y4
	VPADDQ Y3, Y0, Y0
	VPADDQ Y4, Y1, Y1
	ADDQ R8, R10
	INCQ R11
	CMPQ R11, R9
	JLT  words

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, DI
	ADDQ $64, SI
	DECQ CX
	JNE  points
	VZEROUPPER
	RET

// BYTE_ROW sets sum, in eight lanes, to the inner product of the row of bytes at
// SI with x at DX, and moves SI to the next row.
#define BYTE_ROW(loop, sum) \
	VPXOR sum, sum, sum                \
	VPXOR Y8, Y8, Y8                   \
	XORQ  CX, CX                       \
loop:                                      \
	VPMOVZXBW (SI)(CX*1), Y4           \
	VPMOVZXBW 16(SI)(CX*1), Y5         \
	VPMADDWD  (DX)(CX*2), Y4, Y4       \
	VPMADDWD  32(DX)(CX*2), Y5, Y5     \
	VPADDD    Y4, sum, sum             \
	VPADDD    Y5, Y8, Y8               \
	ADDQ      $32, CX                  \
	CMPQ      CX, R8                   \
	JLT       loop                     \
	VPADDD    Y8, sum, sum             \
	ADDQ      R8, SI

// func byteDotsAVX2(dst *float64, y *uint8, x *int16, stride, points int, scale float64)
//
// Each iteration handles four points, one after the other, because a single memory
// stream is fastest.
TEXT ·byteDotsAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ stride+24(FP), R8
	MOVQ points+32(FP), R9
	VBROADCASTSD scale+40(FP), Y15

four:
	BYTE_ROW(first, Y0)
	BYTE_ROW(second, Y1)
	BYTE_ROW(third, Y2)
	BYTE_ROW(fourth, Y3)

	// The sums of the eight lanes of each, side by side.
	VPHADDD Y1, Y0, Y0
	VPHADDD Y3, Y2, Y2
	VPHADDD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VCVTDQ2PD X0, Y0
	VMULPD Y15, Y0, Y0
	VMOVUPD Y0, (DI)

	ADDQ $32, DI
	SUBQ $4, R9
	JNE  four
	VZEROUPPER
	RET
