package vec

import "math"

// Dot32 returns sum_j a[j]*k[j].
func Dot32(a []float64, k []float32) float64 {
	if len(a) != len(k) {
		panic(badLength)
	}
	var s lanes
	for j := dot32Blocks(&s, a, k); j < len(a); j++ {
		s[j&7] += float64(a[j] * float64(k[j]))
	}
	return s.sum()
}

// Finite reports whether x is neither infinite nor NaN. It does no arithmetic: where x is a
// product, x-x could be fused with it and be its rounding error.
func Finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// AllFinite reports whether no k[j] is infinite or NaN.
func AllFinite(k []float32) bool {
	j, ok := allFiniteBlocks(k)
	if !ok {
		return false
	}
	for _, x := range k[j:] {
		if x-x != 0 {
			return false
		}
	}
	return true
}
