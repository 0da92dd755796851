//go:build amd64 && !purego

package vec

import (
	"math"

	"golang.org/x/sys/cpu"
)

// A function …Blocks processes a leading multiple of sixteen elements of a pass with AVX2. It returns
// their number and their result. The loop of the caller processes the rest, or all elements without
// AVX2.

var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT

func blocks(n int) int {
	if !useAVX2 {
		return 0
	}
	return n &^ 15
}

// flip returns the number whose bits, XORed with those of x, give sign*x.
func flip(sign float64) float64 {
	if sign < 0 {
		return math.Copysign(0, -1)
	}
	return 0
}

func addScaledBlocks(dst []float64, a float64, k []float32) int {
	n := blocks(len(k))
	if n > 0 {
		addScaledAVX2(&dst[0], a, &k[0], n)
	}
	return n
}

func addScaled2Blocks(u []float64, a float64, v []float64, b float64, k []float32) int {
	n := blocks(len(k))
	if n > 0 {
		addScaled2AVX2(&u[0], a, &v[0], b, &k[0], n)
	}
	return n
}

func addRowsBlocks(dst *[GroupSize][]float64, coef []float64, rows [][]float32) int {
	n := blocks(len(rows[0]))
	if n > 0 {
		addRowsAVX2(&dst[0][0], &dst[1][0], &dst[2][0], &dst[3][0], &coef[0], &rows[0], len(rows), n)
	}
	return n
}

func belowBlocks(s *lanes, u []float64, t float64) (done, count int) {
	n := blocks(len(u))
	if n == 0 {
		return 0, 0
	}
	return n, belowAVX2(s, &u[0], t, n)
}

// compressed holds, for each subset of the four elements of a register, the permutation of their 32-bit
// halves that moves the subset to the front.
var compressed = [16][8]uint32{
	{},
	{0, 1},
	{2, 3},
	{0, 1, 2, 3},
	{4, 5},
	{0, 1, 4, 5},
	{2, 3, 4, 5},
	{0, 1, 2, 3, 4, 5},
	{6, 7},
	{0, 1, 6, 7},
	{2, 3, 6, 7},
	{0, 1, 2, 3, 6, 7},
	{4, 5, 6, 7},
	{0, 1, 4, 5, 6, 7},
	{2, 3, 4, 5, 6, 7},
	{0, 1, 2, 3, 4, 5, 6, 7},
}

func compressBelowBlocks(dst, u []float64, t float64) (done, count int) {
	n := blocks(len(u))
	if n == 0 || len(dst) < 8 {
		return 0, 0
	}
	return compressBelowAVX2(&dst[0], len(dst), &u[0], t, &compressed, n)
}

// search holds the last value stored in each lane, and the start of its block of eight elements, or a
// negative number. The best value is one of them.
type search struct {
	v     [8]float64
	block [8]int64
}

func newSearch() search {
	return search{block: [8]int64{-8, -8, -8, -8, -8, -8, -8, -8}}
}

// max returns the position and the value of the first largest value.
func (s *search) max() (j int, v float64) {
	j, v = -1, least
	for l, c := range s.v {
		i := int(s.block[l]) + l
		if i >= 0 && (c > v || c == v && i < j) {
			j, v = i, c
		}
	}
	return j, v
}

// min returns the position and the value of the first least value.
func (s *search) min() (j int, v float64) {
	j, v = -1, largest
	for l, c := range s.v {
		i := int(s.block[l]) + l
		if i >= 0 && (c < v || c == v && i < j) {
			j, v = i, c
		}
	}
	return j, v
}

func argMaxIfBlocks(x []float64, mask []int8) (done, j int, v float64) {
	n := blocks(len(x))
	if n == 0 {
		return 0, -1, least
	}
	best := newSearch()
	argMaxIfAVX2(&best, &x[0], &mask[0], n)
	j, v = best.max()
	return n, j, v
}

func argMinIfBlocks(x []float64, mask []int8) (done, j int, v float64) {
	n := blocks(len(x))
	if n == 0 {
		return 0, -1, largest
	}
	best := newSearch()
	argMinIfAVX2(&best, &x[0], &mask[0], n)
	j, v = best.min()
	return n, j, v
}

func addScaledPairExtremesBlocks(x []float64, a float64, k []float32, b float64, l []float32, up, low []int8) (done, imin int, vmin float64, imax int, vmax float64) {
	n := blocks(len(x))
	if n == 0 {
		return 0, -1, largest, -1, least
	}
	min, max := newSearch(), newSearch()
	addScaledPairExtremesAVX2(&min, &max, &x[0], a, &k[0], b, &l[0], &up[0], &low[0], n)
	imin, vmin = min.min()
	imax, vmax = max.max()
	return n, imin, vmin, imax, vmax
}

func secondOrderBlocks(x []float64, mask []int8, k []float32, diag []float64, t, kii float64) (done, j int, gain float64) {
	n := blocks(len(x))
	if n == 0 {
		return 0, -1, least
	}
	best := newSearch()
	secondOrderAVX2(&best, &x[0], &mask[0], &k[0], &diag[0], t, kii, n)
	j, gain = best.max()
	return n, j, gain
}

func argMaxGainBlocks(u []float64, sign float64, alpha []float64, upper float64, diag []float64) (done, j int, gain float64) {
	n := blocks(len(u))
	if n == 0 || !prefilterValid(upper) {
		return 0, -1, least
	}
	best := newSearch()
	argMaxGainAVX2(&best, &u[0], flip(sign), &alpha[0], upper, &diag[0], n)
	j, gain = best.max()
	return n, j, gain
}

// prefilterValid reports whether the condition of enoughFor is valid for every gain.
func prefilterValid(upper float64) bool { return upper >= 0 && upper <= largestUpper }

func nextAboveBlocks(x []float64, sign float64, mask []int8, t float64) (done int) {
	n := blocks(len(x))
	if n == 0 {
		return 0
	}
	return nextAboveAVX2(&x[0], flip(sign), &mask[0], t, n)
}

func dot32Blocks(s *lanes, a []float64, k []float32) int {
	n := blocks(len(a))
	if n > 0 {
		dot32AVX2(s, &a[0], &k[0], n)
	}
	return n
}

func allFiniteBlocks(k []float32) (done int, ok bool) {
	n := blocks(len(k))
	if n == 0 {
		return 0, true
	}
	return n, allFiniteAVX2(&k[0], n)
}
