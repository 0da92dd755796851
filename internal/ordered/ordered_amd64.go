//go:build amd64 && !purego

package ordered

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// addRowsBlocks does a leading multiple of eight columns and returns their number.
func addRowsBlocks(dst []float64, alpha float64, x, a []float64, stride int) int {
	n := len(dst) &^ 7
	if !useAVX2 || n == 0 {
		return 0
	}
	addRowsAVX2(&dst[0], alpha, &x[0], &a[0], len(x), stride, n)
	return n
}

// productsBlocks reports whether it has done everything.
func productsBlocks(sum *[Left * Right]float64, a, b []float64) bool {
	if !useAVX2 {
		return false
	}
	productsAVX2(sum, &a[0], &b[0], len(a)/Left)
	return true
}

//go:noescape
func addRowsAVX2(dst *float64, alpha float64, x, a *float64, rows, stride, n int)

//go:noescape
func productsAVX2(sum *[Left * Right]float64, a, b *float64, n int)
