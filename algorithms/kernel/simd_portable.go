//go:build !amd64 || purego

package kernel

func gaussRow(dst []float32, dots, norms []float64, xx, gamma float64) {
	gaussRowPortable(dst, dots, norms, xx, gamma)
}

func hammingBlock(dst, plane []uint64, stride int, word []uint64) {
	hammingBlockPortable(dst, plane, stride, word)
}

func bitRow(dst []float32, plane []uint64, stride int, word []uint64, table []float32, reach int) bool {
	return false
}

func byteDots(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	byteDotsPortable(dst, y, x, stride, points, scale)
}

func byteDots4(dst []float64, y []uint8, x []int16, stride, points int, scale float64) {
	byteDots4Portable(dst, y, x, stride, points, scale)
}

func tileDots(dst, tile []float64, offset []int, value []float64) {
	tileDotsPortable(dst, tile, offset, value)
}
