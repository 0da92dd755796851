//go:build !purego

package kernel

import (
	"math"

	"golang.org/x/sys/cpu"
)

// The vector paths do the operations of the portable ones in the same order,
// lane by lane, and without fused multiply-add: the bits are the same.

var (
	hasAVX2 = cpu.X86.HasAVX2
	// hasPopcnt says that sixteen set bits can be counted and looked up at a time.
	hasPopcnt = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VPOPCNTDQ
)

// The assembly knows these numbers.
var (
	_ [block]struct{}     = [256]struct{}{}
	_ [tileWidth]struct{} = [32]struct{}{}
	_ [byteGroup]struct{} = [4]struct{}{}
	_ [byteGrain]struct{} = [32]struct{}{}
	_ [bitReach]struct{}  = [128]struct{}{}
)

// gaussConstants holds what gaussRowAVX2 reads, each number in four lanes.
var gaussConstants = func() (table [18][4]float64) {
	numbers := append([]float64{expLimit, math.Log2E, expShift, ln2Hi, ln2Lo, math.Copysign(0, -1)}, taylor[:]...)
	for i, x := range numbers {
		table[i] = [4]float64{x, x, x, x}
	}
	return table
}()

func gaussRow(dst []float32, dots, norms []float64, xx, gamma float64) {
	n := len(dst)
	dots, norms = dots[:n], norms[:n]
	m := 0
	if hasAVX2 && n >= 4 {
		m = n &^ 3
		gaussRowAVX2(&dst[0], &dots[0], &norms[0], m, xx, gamma, &gaussConstants)
	}
	gaussRowPortable(dst[m:], dots[m:], norms[m:], xx, gamma)
}

func hammingBlock(dst, plane []uint64, stride int, word []uint64) {
	if !hasAVX2 {
		hammingBlockPortable(dst, plane, stride, word)
		return
	}
	_, _ = dst[block-1], plane[(len(word)-1)*stride+block-1]
	hammingBlockAVX2(&dst[0], &plane[0], stride, &word[0], len(word))
}

// bitRow sets dst[j], j < block, to table[h], h < reach the number of bits in which
// word differs from plane[j], plane[stride+j], …; it reports whether it can.
func bitRow(dst []float32, plane []uint64, stride int, word []uint64, table []float32, reach int) bool {
	if !hasPopcnt || reach > bitReach {
		return false
	}
	_, _, _ = dst[block-1], plane[(len(word)-1)*stride+block-1], table[bitReach-1]
	bitRowAVX512(&dst[0], &plane[0], stride, &word[0], len(word), block, &table[0], reach)
	return true
}

// byteDots reads and writes up to byteGroup-1 points more than asked for.
func byteDots(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	if !hasAVX2 || points == 0 {
		byteDotsPortable(dst, y, x, stride, points, scale)
		return
	}
	points = roundUp(points, byteGroup)
	_, _, _ = dst[points-1], y[points*stride-1], x[stride-1]
	byteDotsAVX2(&dst[0], &y[0], &x[0], stride, points, scale)
}

// byteDots4 reads and writes up to byteGroup-1 points more than asked for.
func byteDots4(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	if !hasAVX2 || points == 0 {
		byteDots4Portable(dst, y, x, stride, points, scale)
		return
	}
	points = roundUp(points, byteGroup)
	_, _, _ = dst[(byteGroup-1)*block+points-1], y[points*stride-1], x[byteGroup*stride-1]
	byteDots4AVX2(&dst[0], &y[0], &x[0], stride, points, scale)
}

func tileDots(dst, tile []float64, offset []int, value []float64) {
	n := len(offset)
	if !hasAVX2 || n == 0 {
		tileDotsPortable(dst, tile, offset, value)
		return
	}
	// The offsets ascend.
	_, _, _ = dst[tileWidth-1], tile[offset[n-1]+tileWidth-1], value[n-1]
	tileDotsAVX2(&dst[0], &tile[0], &offset[0], &value[0], n)
}

// gaussRowAVX2 is gaussRowPortable for n points, a positive multiple of 4.
//
//go:noescape
func gaussRowAVX2(dst *float32, dots, norms *float64, n int, xx, gamma float64, table *[18][4]float64)

// hammingBlockAVX2 is hammingBlockPortable for words > 0.
//
//go:noescape
func hammingBlockAVX2(dst, plane *uint64, stride int, word *uint64, words int)

// bitRowAVX512 is bitRow for a table of bitReach numbers and a positive multiple of
// 16 points.
//
//go:noescape
func bitRowAVX512(dst *float32, plane *uint64, stride int, word *uint64, words, points int, table *float32, reach int)

// byteDotsAVX2 is byteDotsPortable for a positive multiple of 4 points and a
// stride that is a multiple of 32.
//
//go:noescape
func byteDotsAVX2(dst *float64, y *uint8, x *int16, stride, points int, scale float64)

// byteDots4AVX2 is byteDots4Portable for a positive even number of points and
// a stride that is a multiple of 32.
//
//go:noescape
func byteDots4AVX2(dst *float64, y *uint8, x *int16, stride, points int, scale float64)

// tileDotsAVX2 is tileDotsPortable for n > 0 features.
//
//go:noescape
func tileDotsAVX2(dst, tile *float64, offset *int, value *float64, n int)
