package pca

import "math"

// secularIterations bounds the iterations for one root. Bisection of any bracket down to its last bit
// takes at most about 1100.
const secularIterations = 1200

// secularRoot is the approximation origin + y of a root of the secular equation
//
//	f(y) = 1 + sum_j weight_j/(pole_j - y) = 0,
//
// for increasing poles and positive weights. There is one root between each pair of neighbouring poles
// and one above the last.
type secularRoot struct {
	pole, weight []float64
	last         bool    // above the last pole
	origin       float64 // a nearest pole
	split        int     // number of poles whose terms are counted as below the root
	y, lo, hi    float64 // origin + lo and origin + hi bracket the root
}

// findSecularRoot finds root i and sets diff to pole - root. Every entry is accurate, because the root
// is represented by its difference to the nearest pole. It returns false if it has not found the root.
func findSecularRoot(i int, pole, weight, diff []float64) bool {
	r := secularRoot{pole: pole, weight: weight}
	switch k := len(pole); {
	case k == 1:
		diff[0] = -weight[0]
		return true
	case i == k-1:
		r.startLast()
	default:
		r.startInner(i)
	}
	for range secularIterations {
		if r.narrow() || r.improve() {
			for j, p := range pole {
				diff[j] = (p - r.origin) - r.y
			}
			return true
		}
	}
	return false
}

// evaluate returns f(y), the sum of the magnitudes of its parts, and the slopes of the terms below and
// above the split. It adds the terms below the split in increasing order of the poles, and the terms
// above in decreasing order.
func (r *secularRoot) evaluate() (f, size, slopeBelow, slopeAbove float64) {
	origin, y, weight := r.origin, r.y, r.weight[:len(r.pole)]
	var below, above float64
	for j, p := range r.pole[:r.split] {
		inv := 1 / ((p - origin) - y)
		t := float64(weight[j] * inv)
		below += t
		slopeBelow += float64(t * inv)
	}
	for j := len(r.pole) - 1; j >= r.split; j-- {
		inv := 1 / ((r.pole[j] - origin) - y)
		t := float64(weight[j] * inv)
		above += t
		slopeAbove += float64(t * inv)
	}
	return 1 + (below + above), 1 + math.Abs(below) + math.Abs(above), slopeBelow, slopeAbove
}

// startInner sets the start for the root between poles i and i+1. It fixes the other terms at their
// values at the midpoint.
func (r *secularRoot) startInner(i int) {
	gap := r.pole[i+1] - r.pole[i]
	wi, wj := r.weight[i], r.weight[i+1]
	r.origin, r.split, r.y = r.pole[i], i+1, gap/2
	f, _, _, _ := r.evaluate()
	rest := f + (wi-wj)/(gap/2)
	if f >= 0 {
		r.hi = gap / 2
		r.y = lowerRoot(rest*gap+wi+wj, wi*gap, rest)
	} else {
		r.origin = r.pole[i+1]
		r.lo = -gap / 2
		r.y = lowerRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
}

// startLast sets the start for the root above the last pole. It fixes the terms of all but the last two
// poles at their values half-way to the upper bound.
func (r *secularRoot) startLast() {
	k := len(r.pole)
	gap := r.pole[k-1] - r.pole[k-2]
	wi, wj := r.weight[k-2], r.weight[k-1]
	var total float64
	for _, w := range r.weight {
		total += w
	}
	r.last, r.origin, r.split, r.y = true, r.pole[k-1], k-1, total/2
	f, _, _, _ := r.evaluate()
	if rest := f + wi/(gap+r.y) + wj/r.y; rest > 0 {
		r.y = upperRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
	// The sum is rounded, and the root may be within the rounding error of it.
	r.hi = total * (1 + 8*float64(k)*unitRoundoff)
}

// narrow moves y into the bracket. It returns true if no number is left between the ends of the bracket.
// y is then an end that is not the pole, which is at 0.
func (r *secularRoot) narrow() (done bool) {
	if r.y > r.lo && r.y < r.hi {
		return false
	}
	r.y = r.lo + (r.hi-r.lo)/2
	if r.y != r.lo && r.y != r.hi {
		return false
	}
	if r.y = r.lo; r.lo == 0 {
		r.y = r.hi
	}
	return true
}

// improve narrows the bracket and updates y. It interpolates the terms below the split, and the terms
// above, by a rational function with its pole at the nearest pole (Bunch, Nielsen and Sorensen 1978). It
// reports whether y has converged.
func (r *secularRoot) improve() (done bool) {
	f, size, slopeBelow, slopeAbove := r.evaluate()
	slope := slopeBelow + slopeAbove
	if noise := unitRoundoff * float64(len(r.pole)); math.Abs(f) <= noise*size {
		return true
	}
	if f < 0 {
		r.lo = r.y
	} else {
		r.hi = r.y
	}
	p, q := (r.pole[r.split-1]-r.origin)-r.y, (r.pole[r.split]-r.origin)-r.y
	a := (p+q)*f - p*q*slope
	b := p * q * f
	c := f - p*slopeBelow - q*slopeAbove
	solve := lowerRoot
	if r.last {
		solve = upperRoot
	}
	step := solve(a, b, c)
	if !(step*f < 0) {
		step = -f / slope
	}
	before := r.y
	r.y += step
	return r.y == before
}

// lowerRoot returns (a - sqrt(a^2-4bc))/(2c), without cancellation.
func lowerRoot(a, b, c float64) float64 {
	r := math.Sqrt(max(0, a*a-4*b*c))
	if a <= 0 {
		return (a - r) / (2 * c)
	}
	return 2 * b / (a + r)
}

// upperRoot returns (a + sqrt(a^2-4bc))/(2c), without cancellation.
func upperRoot(a, b, c float64) float64 {
	return -lowerRoot(-a, b, c)
}
