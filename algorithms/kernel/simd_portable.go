//go:build !amd64 || purego

package kernel

func hammingBlock(dst, plane []uint64, stride int, word []uint64) {
	hammingBlockPortable(dst, plane, stride, word)
}

func byteDots(dst []float64, y []uint8, x []int16, points int, scale float64) {
	byteDotsPortable(dst, y, x, points, scale)
}
