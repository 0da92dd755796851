package svm

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/vec"
)

// WaterLevel returns the level gamma to which a volume of water rises in a
// basin with a floor of heights c, one unit wide each,
//
//	sum_i max(0, gamma - c_i) = volume,
//
// the largest minimum of c + xi over xi >= 0 with 1'xi <= volume. Without water
// it is the least of the c_i. The result under is the number of points that
// the minimax distribution p* is uniform on: those with c_i < gamma, or, if
// there is no such point, those with c_i equal to the least.
//
// It does not change c. It panics if c is empty or has a NaN, or the volume is
// negative or not finite.
//
// Source: Cotter 2013, section 2.3.2 and Alg. "water", which never puts the
// highest point under water and need not end: see TestErratumWater.
func WaterLevel(c []float64, volume float64) (gamma float64, under int) {
	checkWater(volume, c)
	h := heights{pos: c}
	if gamma, under = h.level(volume, math.Inf(1)); under == 0 {
		under = h.surface(gamma, 0)
	}
	return gamma, under
}

func checkWater(volume float64, floors ...[]float64) {
	for _, c := range floors {
		if len(c) == 0 || slices.ContainsFunc(c, math.IsNaN) || !(volume >= 0) || math.IsInf(volume, 1) {
			panic("svm: a floor that is empty or has a NaN, or a volume of water that is not a finite number >= 0")
		}
	}
}

// heights are the heights c_i = y_i u_i of points with the responses u, the
// positive ones first; for the points of one class the other is empty.
type heights struct{ pos, neg []float64 }

// level returns the water level, and the number of heights below it, by
// Newton's method on the volume below t,
//
//	V(t) = sum_i max(0, t - c_i),
//
// from t = near. V is convex and piecewise linear: from the second on the
// iterates fall, and the last one is exact.
func (h heights) level(volume, near float64) (t float64, under int) {
	if volume == 0 {
		return h.lowest(), 0
	}
	under, sum := h.below(near)
	if under == 0 {
		under, sum = h.below(math.Inf(1))
	}
	for before := math.MaxInt; under > 0; before = under {
		t = (volume + sum) / float64(under)
		if under, sum = h.below(t); under >= before {
			return t, under
		}
	}
	return h.lowest(), 0 // rounding leaves no water
}

// draw returns a random point: each of those under water has the probability 1/m,
// and those at the surface share what is left.
func (h heights) draw(level float64, under, m int, rng *rand.Rand) int {
	if m > 0 {
		if r := rng.IntN(m); r < under {
			return h.nth(r, math.Inf(-1), level)
		}
	}
	return h.nth(rng.IntN(h.surface(level, under)), level, math.Nextafter(level, math.Inf(1)))
}

// surface returns the number of heights equal to the level, if under are below.
func (h heights) surface(level float64, under int) int {
	atMost, _ := h.below(math.Nextafter(level, math.Inf(1)))
	return atMost - under
}

// below returns the number and the sum of the heights less than t.
func (h heights) below(t float64) (count int, sum float64) {
	count, sum = vec.Below(h.pos, 1, t)
	k, s := vec.Below(h.neg, -1, t)
	return count + k, sum + s
}

// copyBelow copies the heights less than t to the front of dst and returns them.
func (h heights) copyBelow(dst []float64, t float64) []float64 {
	k := vec.CompressBelow(dst, h.pos, 1, t)
	k += vec.CompressBelow(dst[k:], h.neg, -1, t)
	return dst[:k]
}

// count returns the number of heights.
func (h heights) count() int { return len(h.pos) + len(h.neg) }

// lowest returns the least height.
func (h heights) lowest() float64 { return min(lowest(h.pos, 1), lowest(h.neg, -1)) }

// lowest returns the least sign*u[i]. Few blocks have one below those before.
func lowest(u []float64, sign float64) float64 {
	low := math.Inf(1)
	for block := range slices.Chunk(u, 256) {
		if k, _ := vec.Below(block, sign, low); k > 0 {
			for _, v := range block {
				low = min(low, sign*v)
			}
		}
	}
	return low
}

// nth returns the index of the r-th, counted from 0, of the heights c with
// from <= c < to, by bisection.
func (h heights) nth(r int, from, to float64) int {
	i, u, sign := 0, h.pos, 1.0
	if k := between(u, sign, from, to); r >= k {
		r, i, u, sign = r-k, len(h.pos), h.neg, -1
	}
	for len(u) > 1 {
		half := len(u) / 2
		if k := between(u[:half], sign, from, to); r < k {
			u = u[:half]
		} else {
			r, i, u = r-k, i+half, u[half:]
		}
	}
	return i
}

// between returns the number of the sign*u[i] in [from, to).
func between(u []float64, sign, from, to float64) int {
	k, _ := vec.Below(u, sign, to)
	if math.IsInf(from, -1) {
		return k
	}
	l, _ := vec.Below(u, sign, from)
	return k - l
}
