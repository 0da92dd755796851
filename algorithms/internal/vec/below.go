package vec

import "math"

// ifBelow returns (c, 1) if c < t and (+0, 0) otherwise, without a branch: which
// it is cannot be predicted. A lane starts at +0 and never becomes -0, so adding
// +0 does not change it.
func ifBelow(c, t float64) (float64, int) {
	one := uint64(0)
	if c < t {
		one = 1
	}
	return math.Float64frombits(math.Float64bits(c) & -one), int(one)
}

// Below returns the number and the sum of the sign*u[j] that are less than t.
func Below(u []float64, sign, t float64) (count int, sum float64) {
	checkSign(sign)
	var s lanes
	j, count := belowBlocks(&s, u, sign, t)
	for ; j < len(u); j++ {
		c, one := ifBelow(sign*u[j], t)
		s[j&7] += c
		count += one
	}
	return count, s.sum()
}

// AddScaled2Below is AddScaled2(u, a, v, b, k) and then Below(u, sign, t), in
// one pass.
func AddScaled2Below(u []float64, a float64, v []float64, b float64, k []float32, sign, t float64) (count int, sum float64) {
	checkSign(sign)
	if len(u) != len(k) || len(v) != len(k) {
		panic(badLength)
	}
	var s lanes
	j, count := addScaled2BelowBlocks(&s, u, a, v, b, k, sign, t)
	for ; j < len(u); j++ {
		y := float64(k[j])
		x := u[j] + float64(a*y)
		u[j] = x
		v[j] += float64(b * y)
		c, one := ifBelow(sign*x, t)
		s[j&7] += c
		count += one
	}
	return count, s.sum()
}

// AddScaledDiff2Below is AddScaledDiff2(u, a, v, b, k, l) and then
// Below(u, sign, t), in one pass.
func AddScaledDiff2Below(u []float64, a float64, v []float64, b float64, k, l []float32, sign, t float64) (count int, sum float64) {
	checkSign(sign)
	if len(u) != len(k) || len(v) != len(k) || len(l) != len(k) {
		panic(badLength)
	}
	var s lanes
	j, count := addScaledDiff2BelowBlocks(&s, u, a, v, b, k, l, sign, t)
	for ; j < len(u); j++ {
		y := float64(k[j]) - float64(l[j])
		x := u[j] + float64(a*y)
		u[j] = x
		v[j] += float64(b * y)
		c, one := ifBelow(sign*x, t)
		s[j&7] += c
		count += one
	}
	return count, s.sum()
}

// NthBelow returns the index of the r-th, counted from 0, of the j with
// sign*u[j] < t in increasing j, or -1 if there are no more than r of them. It
// stops where it finds it.
func NthBelow(u []float64, sign, t float64, r int) int {
	checkSign(sign)
	if r < 0 {
		return -1
	}
	j, r := nthBelowBlocks(u, sign, t, r)
	for ; j+8 <= len(u); j += 8 {
		var among int
		for _, x := range u[j : j+8] {
			_, one := ifBelow(sign*x, t)
			among += one
		}
		if among > r {
			break
		}
		r -= among
	}
	for ; j < len(u); j++ {
		if sign*u[j] < t {
			if r == 0 {
				return j
			}
			r--
		}
	}
	return -1
}

// CompressBelow copies the values sign*u[j] that are less than t, in increasing
// j, to the front of dst and returns their number, which len(dst) must not be
// smaller than. What it leaves in the rest of dst is unspecified. dst and u may
// start at the same element.
func CompressBelow(dst []float64, u []float64, sign, t float64) int {
	checkSign(sign)
	j, n := compressBelowBlocks(dst, u, sign, t)
	for ; j < len(u); j++ {
		c := sign * u[j]
		_, one := ifBelow(c, t)
		if n < len(dst) {
			dst[n] = c
		} else if one != 0 {
			panic(shortDst)
		}
		n += one
	}
	return n
}
