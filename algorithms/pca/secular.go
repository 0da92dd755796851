package pca

import "math"

// secularIterations bounds the iterations for one root. Bisection alone takes no
// more than about 1100 from any bracket of doubles down to its last bit.
const secularIterations = 1200

// solveSecular finds the roots of
//
//	f(y) = 1 + sum_j weight_j/(pole_j - y),
//
// for increasing poles and positive weights, of which there is one in each
// interval between neighbouring poles and one above the last. Row i of diff is
// set to pole - root i, which is accurate in every entry because the root is
// represented as its difference to the nearest pole. It reports whether all
// roots were found.
func (e *rank1Eigen) solveSecular() bool {
	k := len(e.pole)
	if k == 0 {
		return true
	}
	if k == 1 {
		e.diff[0] = -e.weight[0]
		return true
	}
	for i := range k - 1 {
		if !e.innerRoot(i) {
			return false
		}
	}
	return e.lastRoot()
}

// shiftPoles sets diff to pole - pole[origin].
func (e *rank1Eigen) shiftPoles(diff []float64, origin int) {
	p := e.pole[origin]
	for j, v := range e.pole {
		diff[j] = v - p
	}
}

// innerRoot finds the root between poles i and i+1.
func (e *rank1Eigen) innerRoot(i int) bool {
	k := len(e.pole)
	diff := e.diff[i*k : (i+1)*k]
	e.shiftPoles(diff, i)
	gap := diff[i+1]
	mid := e.evaluate(diff, i+1, gap/2)
	f := mid.value()
	wi, wj := e.weight[i], e.weight[i+1]
	rest := f + (wi-wj)/(gap/2)
	// Start from the root that the two poles have with the others held constant.
	var y, lo, hi float64
	if f >= 0 {
		hi = gap / 2
		y = lowerRoot(rest*gap+wi+wj, wi*gap, rest)
	} else {
		e.shiftPoles(diff, i+1)
		lo = -gap / 2
		y = lowerRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
	y, ok := e.iterate(diff, i+1, y, lo, hi, lowerRoot)
	subtract(diff, y)
	return ok
}

// lastRoot finds the root above the last pole.
func (e *rank1Eigen) lastRoot() bool {
	k := len(e.pole)
	diff := e.diff[(k-1)*k:]
	e.shiftPoles(diff, k-1)
	gap := -diff[k-2]
	var hi float64
	for _, w := range e.weight {
		hi += w
	}
	y := hi / 2
	wi, wj := e.weight[k-2], e.weight[k-1]
	rest := e.evaluate(diff, k-1, y).value() + wi/(gap+y) + wj/y
	if rest > 0 {
		y = upperRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
	// The sum is rounded, and the root can be within that of it.
	y, ok := e.iterate(diff, k-1, y, 0, hi*(1+8*float64(k)*unitRoundoff), upperRoot)
	subtract(diff, y)
	return ok
}

func subtract(diff []float64, y float64) {
	for j := range diff {
		diff[j] -= y
	}
}

// secularValue is f(y) - 1 as the sum of the terms below and above a split, with
// derivatives.
type secularValue struct {
	below, above           float64
	slopeBelow, slopeAbove float64
}

func (v secularValue) value() float64 { return 1 + (v.below + v.above) }

// evaluate computes f at y, relative to the pole that diff is.
func (e *rank1Eigen) evaluate(diff []float64, split int, y float64) (v secularValue) {
	weight := e.weight[:len(diff)]
	for j, p := range diff[:split] {
		inv := 1 / (p - y)
		t := weight[j] * inv
		v.below += t
		v.slopeBelow += t * inv
	}
	for j := len(diff) - 1; j >= split; j-- {
		inv := 1 / (diff[j] - y)
		t := weight[j] * inv
		v.above += t
		v.slopeAbove += t * inv
	}
	return v
}

// iterate improves the root y, bracketed by lo and hi, by interpolating the
// terms below and those above the split each by a rational function with its
// pole at the nearest one (Bunch, Nielsen and Sorensen 1978), safeguarded by
// bisection. branch picks the root of the interpolant, the lower one between two
// poles and the upper one above them. It reports whether it has converged.
func (e *rank1Eigen) iterate(diff []float64, split int, y, lo, hi float64, branch func(a, b, c float64) float64) (root float64, ok bool) {
	noise := unitRoundoff * float64(len(diff))
	for range secularIterations {
		if !(y > lo && y < hi) {
			y = lo + (hi-lo)/2
			if y == lo || y == hi {
				return boundary(lo, hi), true
			}
		}
		v := e.evaluate(diff, split, y)
		f := v.value()
		if math.Abs(f) <= noise*(1+math.Abs(v.below)+math.Abs(v.above)) {
			return y, true
		}
		if f < 0 {
			lo = y
		} else {
			hi = y
		}
		p, q := diff[split-1]-y, diff[split]-y
		a := (p+q)*f - p*q*(v.slopeBelow+v.slopeAbove)
		b := p * q * f
		c := f - p*v.slopeBelow - q*v.slopeAbove
		step := branch(a, b, c)
		if !(step*f < 0) {
			step = -f / (v.slopeBelow + v.slopeAbove)
		}
		if y+step == y {
			return y, true
		}
		y += step
	}
	return y, false
}

// boundary returns the end of a bracket that is not the pole, at 0.
func boundary(lo, hi float64) float64 {
	if lo == 0 {
		return hi
	}
	return lo
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
	r := math.Sqrt(max(0, a*a-4*b*c))
	if a >= 0 {
		return (a + r) / (2 * c)
	}
	return 2 * b / (a - r)
}
