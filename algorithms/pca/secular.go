package pca

import "math"

// secularIterations bounds the iterations for one root. Bisection alone takes no
// more than about 1100 from any bracket of doubles down to its last bit.
const secularIterations = 1200

// secularRoot is a root of the secular equation that is being looked for: origin + y,
// between origin + lo and origin + hi.
type secularRoot struct {
	last      bool    // above the last pole
	origin    float64 // the nearest pole, or one of the two that are nearest
	split     int     // the number of poles whose terms count as below it
	y, lo, hi float64
	at        secularValue // what f(y) is made of
}

// secularValue is f(y) - 1 as the sum of the terms below and above a split, with
// derivatives.
type secularValue struct {
	below, above           float64
	slopeBelow, slopeAbove float64
}

func (v secularValue) value() float64 { return 1 + (v.below + v.above) }

func (v secularValue) slope() float64 { return v.slopeBelow + v.slopeAbove }

// solveSecular finds the roots of
//
//	f(y) = 1 + sum_j weight_j/(pole_j - y),
//
// for increasing poles and positive weights, of which there is one in each
// interval between neighbouring poles and one above the last. Row i of diff is
// set to pole - root i, which is accurate in every entry because the root is
// represented as its difference to the nearest pole. It reports whether all
// roots were found.
//
// All roots advance side by side, so that the sums of several are taken at a time.
func (e *rank1Eigen) solveSecular() bool {
	k := len(e.pole)
	if k == 0 {
		return true
	}
	if k == 1 {
		e.diff[0] = -e.weight[0]
		return true
	}
	e.startRoots()
	for range secularIterations {
		e.keepOpen(func(r *secularRoot) bool { return r.narrow() })
		e.evaluate(e.open)
		e.keepOpen(func(r *secularRoot) bool { return e.improve(r) })
		if len(e.open) == 0 {
			return true
		}
	}
	return false
}

// keepOpen drops the roots that are found from those that are open.
func (e *rank1Eigen) keepOpen(found func(r *secularRoot) bool) {
	n := 0
	for _, i := range e.open {
		if found(&e.roots[i]) {
			e.found(i)
		} else {
			e.open[n] = i
			n++
		}
	}
	e.open = e.open[:n]
}

// found sets the row of diff of root i.
func (e *rank1Eigen) found(i int) {
	k := len(e.pole)
	r, diff := e.roots[i], e.diff[i*k:(i+1)*k]
	for j, p := range e.pole {
		diff[j] = (p - r.origin) - r.y
	}
}

// startRoots makes all roots open, each where it would be with the terms of all but
// its two nearest poles held constant.
func (e *rank1Eigen) startRoots() {
	k := len(e.pole)
	roots := e.roots[:k]
	e.open = e.open[:0]
	for i := range k {
		e.open = append(e.open, i)
	}
	for i := range k - 1 {
		roots[i] = secularRoot{origin: e.pole[i], split: i + 1, y: (e.pole[i+1] - e.pole[i]) / 2}
	}
	var total float64
	for _, w := range e.weight {
		total += w
	}
	roots[k-1] = secularRoot{last: true, origin: e.pole[k-1], split: k - 1, y: total / 2}
	e.evaluate(e.open)
	for i := range k - 1 {
		e.startInner(i)
	}
	e.startLast(&roots[k-1], total)
}

// startInner starts the root between poles i and i+1 from what f is in the middle.
func (e *rank1Eigen) startInner(i int) {
	r := &e.roots[i]
	gap := e.pole[i+1] - e.pole[i]
	wi, wj := e.weight[i], e.weight[i+1]
	f := r.at.value()
	rest := f + (wi-wj)/(gap/2)
	if f >= 0 {
		r.hi = gap / 2
		r.y = lowerRoot(rest*gap+wi+wj, wi*gap, rest)
	} else {
		r.origin = e.pole[i+1]
		r.lo = -gap / 2
		r.y = lowerRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
}

// startLast starts the root above the last pole, where total is the sum of all
// weights.
func (e *rank1Eigen) startLast(r *secularRoot, total float64) {
	k := len(e.pole)
	gap := e.pole[k-1] - e.pole[k-2]
	wi, wj := e.weight[k-2], e.weight[k-1]
	if rest := r.at.value() + wi/(gap+r.y) + wj/r.y; rest > 0 {
		r.y = upperRoot(wi+wj-rest*gap, -wj*gap, rest)
	}
	// The sum is rounded, and the root can be within that of it.
	r.hi = total * (1 + 8*float64(k)*unitRoundoff)
}

// narrow moves y into the bracket, and reports whether nothing is left of it but
// its ends; y is then the end that is not the pole, at 0.
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

// improve moves y by interpolating the terms below and those above the split each
// by a rational function with its pole at the nearest one (Bunch, Nielsen and
// Sorensen 1978), and narrows the bracket. It reports whether y has converged.
func (e *rank1Eigen) improve(r *secularRoot) (done bool) {
	v, f := r.at, r.at.value()
	noise := unitRoundoff * float64(len(e.pole))
	if math.Abs(f) <= noise*(1+math.Abs(v.below)+math.Abs(v.above)) {
		return true
	}
	if f < 0 {
		r.lo = r.y
	} else {
		r.hi = r.y
	}
	p, q := (e.pole[r.split-1]-r.origin)-r.y, (e.pole[r.split]-r.origin)-r.y
	a := (p+q)*f - p*q*v.slope()
	b := p * q * f
	c := f - p*v.slopeBelow - q*v.slopeAbove
	var step float64
	if r.last {
		step = upperRoot(a, b, c)
	} else {
		step = lowerRoot(a, b, c)
	}
	if !(step*f < 0) {
		step = -f / v.slope()
	}
	if r.y+step == r.y {
		return true
	}
	r.y += step
	return false
}

// secularLanes is the number of roots whose sums are taken at a time.
const secularLanes = 4

// secularSums holds the sums of several roots, and what they are of: each root by
// itself, with no multiplication fused with an addition.
type secularSums struct {
	origin, y                            [secularLanes]float64
	split                                [secularLanes]int64
	below, above, slopeBelow, slopeAbove [secularLanes]float64
}

// evaluate sets what f(y) of each of some roots is made of.
func (e *rank1Eigen) evaluate(some []int) {
	s := &e.sums
	for len(some) > 0 {
		n := min(secularLanes, len(some))
		for l := range secularLanes {
			r := &e.roots[some[min(l, n-1)]]
			s.origin[l], s.y[l], s.split[l] = r.origin, r.y, int64(r.split)
		}
		if n == 1 || !s.fast(e.pole, e.weight) {
			for l := range n {
				s.sum(l, e.pole, e.weight)
			}
		}
		for l := range n {
			e.roots[some[l]].at = secularValue{s.below[l], s.above[l], s.slopeBelow[l], s.slopeAbove[l]}
		}
		some = some[n:]
	}
}

// sum takes the sums of one root: of the terms below the split from the first on,
// of those above it from the last on.
func (s *secularSums) sum(l int, pole, weight []float64) {
	origin, y, split := s.origin[l], s.y[l], int(s.split[l])
	weight = weight[:len(pole)]
	var below, above, slopeBelow, slopeAbove float64
	for j, p := range pole[:split] {
		inv := 1 / ((p - origin) - y)
		t := float64(weight[j] * inv)
		below += t
		slopeBelow += float64(t * inv)
	}
	for j := len(pole) - 1; j >= split; j-- {
		inv := 1 / ((pole[j] - origin) - y)
		t := float64(weight[j] * inv)
		above += t
		slopeAbove += float64(t * inv)
	}
	s.below[l], s.above[l], s.slopeBelow[l], s.slopeAbove[l] = below, above, slopeBelow, slopeAbove
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
