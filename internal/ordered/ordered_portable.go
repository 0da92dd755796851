//go:build !amd64 || purego

package ordered

func addRowsBlocks(dst []float64, alpha float64, x, a []float64, stride int) int { return 0 }

func productsBlocks(sum *[Left * Right]float64, a, b []float64) bool { return false }
