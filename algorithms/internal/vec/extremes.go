package vec

import "math"

// ArgMaxIf returns the position and the value of the largest x[j] > -Inf with mask[j] != 0, with ties to
// the smallest j. Without such an element it returns (-1, -Inf).
func ArgMaxIf(x []float64, mask []int8) (j int, v float64) {
	if len(x) != len(mask) {
		panic(badLength)
	}
	i, j, v := argMaxIfBlocks(x, mask)
	for ; i < len(x); i++ {
		if x[i] > v && mask[i] != 0 {
			j, v = i, x[i]
		}
	}
	return j, v
}

// ArgMinIf returns the position and the value of the smallest x[j] < +Inf with mask[j] != 0, with ties
// to the smallest j. Without such an element it returns (-1, +Inf).
func ArgMinIf(x []float64, mask []int8) (j int, v float64) {
	if len(x) != len(mask) {
		panic(badLength)
	}
	i, j, v := argMinIfBlocks(x, mask)
	for ; i < len(x); i++ {
		if x[i] < v && mask[i] != 0 {
			j, v = i, x[i]
		}
	}
	return j, v
}

// NextAbove returns the smallest j with mask[j] != 0 and sign*x[j] > t, or -1.
func NextAbove(x []float64, sign float64, mask []int8, t float64) int {
	checkSign(sign)
	if len(x) != len(mask) {
		panic(badLength)
	}
	for j := nextAboveBlocks(x, sign, mask, t); j < len(x); j++ {
		if sign*x[j] > t && mask[j] != 0 {
			return j
		}
	}
	return -1
}

// AddScaledPairExtremes is AddScaledPair(x, a, k, b, l), ArgMinIf(x, up) and ArgMaxIf(x, low) in one
// pass: the update of SMO for a pair, with the selection of the next maximal violating pair.
func AddScaledPairExtremes(x []float64, a float64, k []float32, b float64, l []float32, up, low []int8) (imin int, vmin float64, imax int, vmax float64) {
	if len(x) != len(k) || len(x) != len(l) || len(x) != len(up) || len(x) != len(low) {
		panic(badLength)
	}
	j, imin, vmin, imax, vmax := addScaledPairExtremesBlocks(x, a, k, b, l, up, low)
	for ; j < len(x); j++ {
		y := (x[j] + float64(a*float64(k[j]))) + float64(b*float64(l[j]))
		x[j] = y
		if y < vmin && up[j] != 0 {
			imin, vmin = j, y
		}
		if y > vmax && low[j] != 0 {
			imax, vmax = j, y
		}
	}
	return imin, vmin, imax, vmax
}

// The extremes of no elements, from which searches start.
var (
	least   = math.Inf(-1)
	largest = math.Inf(1)
)
