//go:build !amd64 || purego

package ordered

func addRowsFast(dst []float64, alpha float64, x, a []float64, stride int) bool { return false }

func dotsFast(dst, x, a []float64, stride int) bool { return false }
