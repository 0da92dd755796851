//go:build amd64 && !purego

package pca

import (
	"slices"

	"golang.org/x/sys/cpu"
)

var useAVX2 = cpu.X86.HasAVX2

// fast takes the sums of all lanes by AVX2, and reports whether the CPU can.
func (s *secularSums) fast(pole, weight []float64) bool {
	if !useAVX2 {
		return false
	}
	secularSumsAVX2(s, &pole[0], &weight[0], len(pole), int(slices.Min(s.split[:])), int(slices.Max(s.split[:])))
	return true
}

//go:noescape
func secularSumsAVX2(s *secularSums, pole, weight *float64, n, least, most int)
