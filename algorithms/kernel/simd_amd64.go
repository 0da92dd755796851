//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// The vector paths perform the operations of the portable paths in the same order in each lane, without
// fused multiply-add, and so give the same bits.

var hasAVX2 = cpu.X86.HasAVX2

// The assembly depends on these constants.
var (
	_ [block]struct{}     = [256]struct{}{}
	_ [byteGroup]struct{} = [4]struct{}{}
	_ [byteAlign]struct{} = [32]struct{}{}
)

func hammingBlock(dst, plane []uint64, stride int, word []uint64) {
	if !hasAVX2 {
		hammingBlockPortable(dst, plane, stride, word)
		return
	}
	_, _ = dst[block-1], plane[(len(word)-1)*stride+block-1]
	hammingBlockAVX2(&dst[0], &plane[0], stride, &word[0], len(word))
}

// byteDots may read and write up to byteGroup-1 additional points.
func byteDots(dst []float64, y []uint8, x []int16, points int, scale float64) {
	if !hasAVX2 || points == 0 {
		byteDotsPortable(dst, y, x, points, scale)
		return
	}
	points = roundUp(points, byteGroup)
	_, _ = dst[points-1], y[points*len(x)-1]
	byteDotsAVX2(&dst[0], &y[0], &x[0], len(x), points, scale)
}

// hammingBlockAVX2 is hammingBlockPortable for words > 0.
//
//go:noescape
func hammingBlockAVX2(dst, plane *uint64, stride int, word *uint64, words int)

// byteDotsAVX2 is byteDotsPortable for a positive multiple of 4 points and a stride that is a multiple
// of 32.
//
//go:noescape
func byteDotsAVX2(dst *float64, y *uint8, x *int16, stride, points int, scale float64)
