//go:build !purego

#include "textflag.h"

// func gaussRowAVX2(dst *float32, dots, norms *float64, n int, xx, gamma float64, table *[18][4]float64)
//
// Four points a turn. table: limit, log2(e), shift, ln2Hi, ln2Lo, -0, then
// 1/0!, …, 1/11!, 32 bytes each.
TEXT ·gaussRowAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ dots+8(FP), SI
	MOVQ norms+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSD xx+32(FP), Y15
	VBROADCASTSD gamma+40(FP), Y14
	MOVQ table+48(FP), R8
	VMOVUPD 0(R8), Y13
	VMOVUPD 32(R8), Y12
	VMOVUPD 64(R8), Y11
	VMOVUPD 96(R8), Y10
	VMOVUPD 128(R8), Y9
	VMOVUPD 160(R8), Y8
	VXORPD Y7, Y7, Y7
	VMOVUPD 544(R8), Y6

gauss:
	// z = gamma max((xx + yy) - 2 dot, 0)
	VADDPD (DX), Y15, Y0
	VMOVUPD (SI), Y1
	VADDPD Y1, Y1, Y1
	VSUBPD Y1, Y0, Y0
	VMAXPD Y7, Y0, Y0
	VMULPD Y14, Y0, Y0

	// x = -min(z, limit)
	VMINPD Y13, Y0, Y0
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

	ADDQ $32, DX
	ADDQ $32, SI
	ADDQ $16, DI
	SUBQ $4, CX
	JNE  gauss
	VZEROUPPER
	RET

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
// Eight points a turn: the set bits of a word are those of its nibbles, looked
// up; VPSADBW adds the bytes of each word.
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

// LOOK_UP sets dst to the entries of a table of 32 numbers, in low and high, of which
// the 16 lanes of Z0 have the last five bits of the index.
#define LOOK_UP(low, high, dst) \
	VMOVDQA64 Z0, dst        \
	VPERMI2PS high, low, dst

// func bitRowAVX512(dst *float32, plane *uint64, stride int, word *uint64, words, points int, table *float32, reach int)
//
// 16 points a turn: the set bits of the words are counted, and a count is the
// index in a table that is held in registers: of 32, 64 or 128 numbers.
TEXT ·bitRowAVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ plane+8(FP), SI
	MOVQ stride+16(FP), R8
	SHLQ $3, R8
	MOVQ word+24(FP), DX
	MOVQ words+32(FP), R9
	MOVQ points+40(FP), CX
	MOVQ table+48(FP), BX
	MOVQ reach+56(FP), R12
	VMOVUPS 0(BX), Z16
	VMOVUPS 64(BX), Z17
	CMPQ R12, $32
	JLE  sixteen
	VMOVUPS 128(BX), Z18
	VMOVUPS 192(BX), Z19
	MOVL $32, AX
	VPBROADCASTD AX, Z24
	CMPQ R12, $64
	JLE  sixteen
	VMOVUPS 256(BX), Z20
	VMOVUPS 320(BX), Z21
	VMOVUPS 384(BX), Z22
	VMOVUPS 448(BX), Z23
	MOVL $64, AX
	VPBROADCASTD AX, Z25

sixteen:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	MOVQ   SI, R10
	XORQ   R11, R11

count:
	VPBROADCASTQ (DX)(R11*8), Z2
	VPXORQ   (R10), Z2, Z3
	VPXORQ   64(R10), Z2, Z4
	VPOPCNTQ Z3, Z3
	VPOPCNTQ Z4, Z4
	VPADDQ   Z3, Z0, Z0
	VPADDQ   Z4, Z1, Z1
	ADDQ R8, R10
	INCQ R11
	CMPQ R11, R9
	JLT  count

	VPMOVQD      Z0, Y0
	VPMOVQD      Z1, Y1
	VINSERTI64X4 $1, Y1, Z0, Z0
	LOOK_UP(Z16, Z17, Z5)
	CMPQ R12, $32
	JLE  store
	LOOK_UP(Z18, Z19, Z6)
	VPTESTMD  Z24, Z0, K1
	VBLENDMPS Z6, Z5, K1, Z5
	CMPQ R12, $64
	JLE  store
	LOOK_UP(Z20, Z21, Z7)
	LOOK_UP(Z22, Z23, Z8)
	VBLENDMPS Z8, Z7, K1, Z7
	VPTESTMD  Z25, Z0, K2
	VBLENDMPS Z7, Z5, K2, Z5

store:
	VMOVUPS Z5, (DI)
	ADDQ $64, DI
	ADDQ $128, SI
	SUBQ $16, CX
	JNE  sixteen
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
// Four points a turn, one after the other: memory is read fastest in one stream.
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

// func byteDots4AVX2(dst *float64, y *uint8, x *int16, stride, points int, scale float64)
//
// Two points and four rows of x a turn, 16 features a step. The results of a
// row of x are 2048 bytes (block numbers) from those of the one before.
TEXT ·byteDots4AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ x+16(FP), R10
	MOVQ stride+24(FP), R8
	MOVQ points+32(FP), R9
	VBROADCASTSD scale+40(FP), Y15
	LEAQ (R10)(R8*2), R11
	LEAQ (R11)(R8*2), R12
	LEAQ (R12)(R8*2), R13

two:
	LEAQ (SI)(R8*1), BX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	XORQ CX, CX

features4:
	VPMOVZXBW (SI)(CX*1), Y8
	VPMOVZXBW (BX)(CX*1), Y9
	VMOVDQU (R10)(CX*2), Y10
	VMOVDQU (R11)(CX*2), Y11
	VPMADDWD Y8, Y10, Y12
	VPMADDWD Y9, Y10, Y13
	VPADDD Y12, Y0, Y0
	VPADDD Y13, Y4, Y4
	VPMADDWD Y8, Y11, Y12
	VPMADDWD Y9, Y11, Y13
	VPADDD Y12, Y1, Y1
	VPADDD Y13, Y5, Y5
	VMOVDQU (R12)(CX*2), Y10
	VMOVDQU (R13)(CX*2), Y11
	VPMADDWD Y8, Y10, Y12
	VPMADDWD Y9, Y10, Y13
	VPADDD Y12, Y2, Y2
	VPADDD Y13, Y6, Y6
	VPMADDWD Y8, Y11, Y12
	VPMADDWD Y9, Y11, Y13
	VPADDD Y12, Y3, Y3
	VPADDD Y13, Y7, Y7
	ADDQ $16, CX
	CMPQ CX, R8
	JLT  features4

	// X0 and X4: the first and the second point with the four rows of x.
	VPHADDD Y1, Y0, Y0
	VPHADDD Y3, Y2, Y2
	VPHADDD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPHADDD Y5, Y4, Y4
	VPHADDD Y7, Y6, Y6
	VPHADDD Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD X5, X4, X4
	VCVTDQ2PD X0, Y0
	VCVTDQ2PD X4, Y4
	VMULPD Y15, Y0, Y0
	VMULPD Y15, Y4, Y4
	VUNPCKLPD Y4, Y0, Y1
	VUNPCKHPD Y4, Y0, Y2
	VMOVUPD X1, (DI)
	VMOVUPD X2, 2048(DI)
	VEXTRACTF128 $1, Y1, 4096(DI)
	VEXTRACTF128 $1, Y2, 6144(DI)

	ADDQ $16, DI
	LEAQ (BX)(R8*1), SI
	SUBQ $2, R9
	JNE  two
	VZEROUPPER
	RET

// func tileDotsAVX2(dst, tile *float64, offset *int, value *float64, n int)
TEXT ·tileDotsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ tile+8(FP), SI
	MOVQ offset+16(FP), DX
	MOVQ value+24(FP), R8
	MOVQ n+32(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

tile:
	MOVQ (DX), AX
	LEAQ (SI)(AX*8), BX
	VBROADCASTSD (R8), Y8
	VMULPD (BX), Y8, Y9
	VMULPD 32(BX), Y8, Y10
	VMULPD 64(BX), Y8, Y11
	VMULPD 96(BX), Y8, Y12
	VADDPD Y9, Y0, Y0
	VADDPD Y10, Y1, Y1
	VADDPD Y11, Y2, Y2
	VADDPD Y12, Y3, Y3
	VMULPD 128(BX), Y8, Y9
	VMULPD 160(BX), Y8, Y10
	VMULPD 192(BX), Y8, Y11
	VMULPD 224(BX), Y8, Y12
	VADDPD Y9, Y4, Y4
	VADDPD Y10, Y5, Y5
	VADDPD Y11, Y6, Y6
	VADDPD Y12, Y7, Y7
	ADDQ $8, DX
	ADDQ $8, R8
	DECQ CX
	JNE  tile

	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	VZEROUPPER
	RET
