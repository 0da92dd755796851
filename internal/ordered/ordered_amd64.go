//go:build amd64 && !purego

package ordered

import "golang.org/x/sys/cpu"

var (
	useAVX2   = cpu.X86.HasAVX2
	useAVX512 = cpu.X86.HasAVX512F
)

// wideColumns is the number of columns that addRowsAVX512 processes at a time.
const wideColumns = 64

// addRowsFast implements AddRows in assembly. It returns false if the CPU does not support it.
func addRowsFast(dst []float64, alpha float64, x, a []float64, stride int) bool {
	if !useAVX2 {
		return false
	}
	if wide := len(dst) / wideColumns * wideColumns; useAVX512 && wide > 0 {
		addRowsAVX512(&dst[0], alpha, &x[0], &a[0], len(x), stride, wide)
		if dst, a = dst[wide:], a[wide:]; len(dst) == 0 {
			return true
		}
	}
	addRowsAVX2(&dst[0], alpha, &x[0], &a[0], len(x), stride, len(dst))
	return true
}

// dotsFast implements Dots in assembly. It returns false if the CPU does not support it.
func dotsFast(dst, x, a []float64, stride int) bool {
	switch {
	case useAVX512:
		dotsAVX512(&dst[0], &x[0], &a[0], len(dst), stride, len(x))
	case useAVX2:
		dotsAVX2(&dst[0], &x[0], &a[0], len(dst), stride, len(x))
	default:
		return false
	}
	return true
}

//go:noescape
func addRowsAVX2(dst *float64, alpha float64, x, a *float64, rows, stride, n int)

//go:noescape
func addRowsAVX512(dst *float64, alpha float64, x, a *float64, rows, stride, n int)

//go:noescape
func dotsAVX2(dst, x, a *float64, rows, stride, n int)

//go:noescape
func dotsAVX512(dst, x, a *float64, rows, stride, n int)
