package vec

import "math"

// ifBelow returns (c, 1) if c < t, otherwise (+0, 0). It avoids a branch, which would be unpredictable.
// Adding +0 does not change a lane, which starts at +0 and never becomes -0.
func ifBelow(c, t float64) (float64, int) {
	one := uint64(0)
	if c < t {
		one = 1
	}
	return math.Float64frombits(math.Float64bits(c) & -one), int(one)
}

// Below returns the number and the sum of the u[j] that are less than t.
func Below(u []float64, t float64) (count int, sum float64) {
	var s lanes
	j, count := belowBlocks(&s, u, t)
	for ; j < len(u); j++ {
		c, one := ifBelow(u[j], t)
		s[j&7] += c
		count += one
	}
	return count, s.sum()
}

// CompressBelow copies the u[j] that are less than t to the front of dst, in increasing j, and returns
// their number. It panics if len(dst) is smaller. The rest of dst is unspecified.
func CompressBelow(dst, u []float64, t float64) int {
	j, n := compressBelowBlocks(dst, u, t)
	for ; j < len(u); j++ {
		c, one := ifBelow(u[j], t)
		if n < len(dst) {
			dst[n] = c
		} else if one != 0 {
			panic(shortDst)
		}
		n += one
	}
	return n
}
