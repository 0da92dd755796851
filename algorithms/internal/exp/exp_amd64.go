//go:build !purego

package exp

import (
	"math"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// constants holds the constants of negAVX2, each in four lanes.
var constants = func() (table [18][4]float64) {
	numbers := append([]float64{limit, math.Log2E, shift, ln2Hi, ln2Lo, math.Copysign(0, -1)}, taylor[:]...)
	for i, x := range numbers {
		table[i] = [4]float64{x, x, x, x}
	}
	return table
}()

// negBlocks processes a leading multiple of four elements of NegTo and returns their number.
func negBlocks(dst []float32, z []float64) int {
	n := len(dst) &^ 3
	if !hasAVX2 || n == 0 {
		return 0
	}
	negAVX2(&dst[0], &z[0], n, &constants)
	return n
}

// negAVX2 is NegTo for n elements, where n is a positive multiple of 4.
//
//go:noescape
func negAVX2(dst *float32, z *float64, n int, table *[18][4]float64)
