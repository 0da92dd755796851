//go:build amd64 && !purego

package ordered

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// addRowsFast and productsFast report whether they have done their work.

func addRowsFast(dst []float64, alpha float64, x, a []float64, stride int) bool {
	if !useAVX2 {
		return false
	}
	addRowsAVX2(&dst[0], alpha, &x[0], &a[0], len(x), stride, len(dst))
	return true
}

func productsFast(sum *[Left * Right]float64, a, b []float64) bool {
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
