package vec

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

// HingeSum returns the sum of max(0, 1 - sign*u[j]): the hinge loss of
// responses of one class. A response that is NaN adds nothing.
func HingeSum(u []float64, sign float64) float64 {
	checkSign(sign)
	var s lanes
	for j := hingeSumBlocks(&s, u, sign); j < len(u); j++ {
		if h := 1 - sign*u[j]; h > 0 {
			s[j&7] += h
		}
	}
	return s.sum()
}

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
