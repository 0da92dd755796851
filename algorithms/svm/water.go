package svm

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/vec"
)

// WaterLevel returns the level gamma of a volume of water above a floor of the
// heights c, one unit wide each,
//
//	sum_i max(0, gamma - c_i) = volume,
//
// the largest minimum of c + xi over xi >= 0 with 1'xi <= volume. Without water
// it is the least of the c_i. The result under is the number of points that
// the minimax distribution p* is uniform on: those with c_i < gamma, or, if
// there is no such point, those with c_i equal to the least.
//
// It does not change c. A height that is NaN, or so large that sums overflow, makes
// gamma NaN, and so does such a volume. It panics if c is empty or the volume negative.
//
// Source: Cotter 2013, section 2.3.2 and Alg. "water", which never puts the
// highest point under water and need not end: see TestErratumWater.
func WaterLevel(c []float64, volume float64) (gamma float64, under int) {
	if !checkWater(volume, c) {
		return math.NaN(), 0
	}
	if gamma, under = waterLevel(c, volume, math.Inf(1)); under == 0 {
		under = surface(c, gamma, 0)
	}
	return gamma, under
}

// maxWater bounds the heights times their number, and the volume of water.
const maxWater = math.MaxFloat64 / 8

// checkWater reports whether the sums of all heights and the volume are finite.
func checkWater(volume float64, floors ...[]float64) bool {
	ok := volume <= maxWater
	for _, c := range floors {
		if len(c) == 0 || volume < 0 {
			panic("svm: an empty floor, or a negative volume of water")
		}
		most := maxWater / float64(len(c))
		ok = ok && !slices.ContainsFunc(c, func(v float64) bool { return !(math.Abs(v) <= most) })
	}
	return ok
}

// waterLevel returns the water level, and the number of the c_i below it, by
// Newton's method on the volume below t,
//
//	V(t) = sum_i max(0, t - c_i),
//
// from t = near. V is convex and piecewise linear: from the second on the
// iterates fall, and the last one is exact.
func waterLevel(c []float64, volume, near float64) (t float64, under int) {
	if volume == 0 {
		return lowest(c), 0
	}
	under, sum := vec.Below(c, near)
	if under == 0 {
		under, sum = vec.Below(c, math.Inf(1))
	}
	for before := math.MaxInt; under > 0; before = under {
		t = (volume + sum) / float64(under)
		if under, sum = vec.Below(c, t); under >= before {
			return t, under
		}
	}
	return lowest(c), 0 // rounding leaves no water
}

// lowest returns the least c_i. Few blocks have one below those before.
func lowest(c []float64) float64 {
	low := math.Inf(1)
	for block := range slices.Chunk(c, 256) {
		if k, _ := vec.Below(block, low); k > 0 {
			low = slices.Min(block)
		}
	}
	return low
}

// surface returns the number of the c_i at the level, if under are below it.
func surface(c []float64, level float64, under int) int {
	return between(c, math.Inf(-1), math.Nextafter(level, math.Inf(1))) - under
}

// drawPoint returns a random i: each of those under water has the probability
// 1/m, and those at the surface share what is left.
func drawPoint(c []float64, level float64, under, m int, rng *rand.Rand) int {
	if m > 0 {
		if r := rng.IntN(m); r < under {
			return nth(c, r, math.Inf(-1), level)
		}
	}
	return nth(c, rng.IntN(surface(c, level, under)), level, math.Nextafter(level, math.Inf(1)))
}

// nth returns the r-th i, counted from 0, with from <= c_i < to, by bisection.
func nth(c []float64, r int, from, to float64) (i int) {
	for len(c) > 1 {
		half := len(c) / 2
		if k := between(c[:half], from, to); r < k {
			c = c[:half]
		} else {
			r, i, c = r-k, i+half, c[half:]
		}
	}
	return i
}

// between returns the number of the c_i in [from, to).
func between(c []float64, from, to float64) int {
	k, _ := vec.Below(c, to)
	if math.IsInf(from, -1) {
		return k
	}
	l, _ := vec.Below(c, from)
	return k - l
}
