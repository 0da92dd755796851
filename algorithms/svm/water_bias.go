package svm

import (
	"math"
	"slices"
)

// WaterLevelBias returns the water level gamma and the bias b of a problem with
// an unregularized bias: the largest gamma, over all b, such that
//
//	sum_i max(0, gamma - (c_i + y_i b)) = volume,
//
// where pos and neg hold the responses c_i = y_i <w, Phi(x_i)> of the two
// classes. In terms of the levels in two basins, gamma+ = gamma - b and
// gamma- = gamma + b, it maximises (gamma+ + gamma-)/2 under
// V+(gamma+) + V-(gamma-) = volume. At the optimum the same number of points of
// each class is under water, until a class is exhausted; then its level rises
// alone. Where that leaves b an interval, the middle of it is taken.
//
// The minimax distribution p* has mass 1/2 on each class, and under is the
// number of points of a class that it is spread over: p_i = 1/(2 under) for
// every point under water, and no more than that for those at the surface.
//
// It takes O(n) expected operations and does not change its arguments. It
// panics if a class is empty or the volume negative or NaN; a NaN in the
// responses makes gamma and b NaN.
//
// Source: Cotter 2013, section 2.3.5 and Alg. "water-bias", whose misprints
// TestErratumWaterBias shows.
func WaterLevelBias(pos, neg []float64, volume float64) (gamma, b float64, under int) {
	checkWater(min(len(pos), len(neg)), volume)
	levelPos, levelNeg := waterLevels(slices.Clone(pos), slices.Clone(neg), volume)
	under = max(1, countBelow(pos, levelPos), countBelow(neg, levelNeg))
	return (levelPos + levelNeg) / 2, (levelNeg - levelPos) / 2, under
}

// waterLevels returns gamma+ and gamma-. It overwrites its arguments.
func waterLevels(pos, neg []float64, volume float64) (levelPos, levelNeg float64) {
	lowPos, ok := least(pos)
	lowNeg, okNeg := least(neg)
	if !ok || !okNeg {
		return math.NaN(), math.NaN()
	}
	for i := range pos {
		pos[i] -= lowPos
	}
	for i := range neg {
		neg[i] -= lowNeg
	}
	levelPos, levelNeg = fillTwo(pos, neg, volume)
	return lowPos + levelPos, lowNeg + levelNeg
}

// step is the highest point of a class that the water reaches and the lowest
// that it does not, +Inf if there is none.
type step struct{ top, next float64 }

// fillTwo returns the water levels in two basins. It reorders p and q, the
// floors of the basins.
func fillTwo(p, q []float64, volume float64) (levelP, levelQ float64) {
	_, rise, x, y := meetTwo(p, q, volume)
	return share(rise, x, y)
}

// meetTwo returns the number m of points that the water reaches in each of two
// basins, and by how much the levels, taken together, are above the highest of
// them. It reorders p and q, the floors of the basins.
//
// With p_1 <= p_2 <= … and q_1 <= q_2 <= … in order, the volume at which the
// m-th points are reached,
//
//	W(m) = m (p_m + q_m) - (p_1 + … + p_m) - (q_1 + … + q_m),
//
// does not decrease in m. The level sought lies between the m-th points and
// the next, where m is the largest with W(m) <= volume: found by bisection of
// the ranks, with a selection that costs half as much each time.
func meetTwo(p, q []float64, volume float64) (m int, rise float64, x, y step) {
	most := min(len(p), len(q))
	selectNth(p, most-1)
	selectNth(q, most-1)
	high := most
	var sum float64
	for m < high {
		mid := (m + high + 1) / 2
		selectNth(p[m:high], mid-1-m)
		selectNth(q[m:high], mid-1-m)
		s := sum
		for i := m; i < mid; i++ {
			s += p[i] + q[i]
		}
		// W(1) = 0 whatever its rounding.
		if mid == 1 || float64(float64(mid)*(p[mid-1]+q[mid-1]))-s <= volume {
			m, sum, x.top, y.top = mid, s, p[mid-1], q[mid-1]
		} else {
			high = mid - 1
		}
	}
	x.next, _ = least(p[m:])
	y.next, _ = least(q[m:])
	return m, max(0, (volume+sum)/float64(m)-x.top-y.top), x, y
}

// share splits a rise between two basins whose levels may each rise from top to
// next, and no further if the other can: the middle of the possible splits.
func share(rise float64, x, y step) (levelP, levelQ float64) {
	riseP := min(rise, x.next-x.top)
	riseQ := min(rise, y.next-y.top)
	levelP = x.top + (rise+riseP-riseQ)/2
	levelQ = y.top + (rise-riseP+riseQ)/2
	return max(x.top, min(levelP, x.next)), max(y.top, min(levelQ, y.next))
}
