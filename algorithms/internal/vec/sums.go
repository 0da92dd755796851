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

// AllFinite reports whether all k[j] are finite. The vector path matters if most rows are new: without
// it, a step of SMO with pairs takes nearly three times as long.
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
