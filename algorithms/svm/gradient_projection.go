package svm

import (
	"math"
	"slices"
)

// workingSetQP is the quadratic programme of a working set of q coordinates,
//
//	minimise f(z) = z'Kz/2 + b'z  subject to lo_i <= z_i <= hi_i, lo_i <= 0 <= hi_i,
//	and if balanced also to sum_i z_i = 0,
//
// with K symmetric positive semidefinite, solved from z = 0 by gradient projection:
// in turn
//
//  1. a point of sufficient decrease along the path P(z - s grad f(z)), s > 0,
//     where P projects onto the feasible set;
//  2. from there, minimisation over the variables that are not at a bound by
//     conjugate gradients, with all directions projected onto sum_i p_i = 0 if
//     balanced. A variable that comes to a bound stays there, and the
//     minimisation starts anew over the others.
//
// K is q x q, row by row. Space for all of it is allocated once. It is the programme
// of sparse.boxQP without epsilon, but small, dense and solved to rounding.
//
// Source: Nocedal and Wright 1999, "Numerical Optimization", section 16.6; for the
// search along the path Moré and Toraldo 1991, "On the solution of large quadratic
// programming problems with bound constraints", https://doi.org/10.1137/0801008.
type workingSetQP struct {
	q        int
	balanced bool

	k         []float64 // q x q
	b, lo, hi []float64
	z         []float64

	grad, trial, next, res, dir, kdir []float64
	turns                             []float64
	free                              []int
	step                              float64
}

func newWorkingSetQP(q int, balanced bool) workingSetQP {
	v := func(n int) []float64 { return make([]float64, n) }
	return workingSetQP{
		q: q, balanced: balanced,
		k: v(q * q), b: v(q), lo: v(q), hi: v(q), z: v(q),
		grad: v(q), trial: v(q), next: v(q), res: v(q), dir: v(q), kdir: v(q),
		turns: v(2 * q), free: make([]int, 0, q),
	}
}

// set describes variable i but for its row of K.
func (p *workingSetQP) set(i int, b, lo, hi float64) { p.b[i], p.lo[i], p.hi[i] = b, lo, hi }

// Relative accuracy to which the optimality conditions are met, unless rounding is
// coarser, and decrease that is sufficient, as a part of what the gradient promises.
const (
	qpTolerance  = 1e-12
	qpSufficient = 0.01
	qpHalvings   = 60
)

// solve leaves the minimiser in z and returns -f(z) >= 0.
func (p *workingSetQP) solve() float64 {
	clear(p.z)
	if p.balanced {
		// A constant in b is without effect on f, but not on its rounding.
		var mean float64
		for _, b := range p.b {
			mean += b
		}
		mean /= float64(p.q)
		for i := range p.b {
			p.b[i] -= mean
		}
	}
	copy(p.grad, p.b)
	first := p.violation()
	var trace, largest float64
	for i := range p.q {
		trace += p.k[i*p.q+i]
		largest = max(largest, math.Abs(p.b[i]))
	}
	p.step = 1
	if trace > 0 {
		p.step = float64(p.q) / trace
	}
	var best float64
	for range 50 + 10*p.q {
		var reach float64
		for i, z := range p.z {
			reach += float64(math.Abs(z) * p.k[i*p.q+i])
		}
		const ulp = 0x1p-53
		if p.violation() <= max(qpTolerance*first, 4*ulp*(largest+reach)) {
			break
		}
		if !p.search() {
			break
		}
		p.minimiseFace()
		f := p.value(p.next)
		if !(f < best) {
			break
		}
		best = f
		copy(p.z, p.next)
		p.gradient(p.z)
	}
	return -best
}

// gradient sets grad = Kz + b.
func (p *workingSetQP) gradient(z []float64) {
	for i := range p.q {
		p.grad[i] = p.b[i] + dot(p.k[i*p.q:(i+1)*p.q], z)
	}
}

// value returns f(z).
func (p *workingSetQP) value(z []float64) float64 {
	var f float64
	for i, zi := range z {
		f += float64(zi * (p.b[i] + 0.5*dot(p.k[i*p.q:(i+1)*p.q], z)))
	}
	return f
}

// violation returns by how much z, whose gradient is grad, violates the optimality
// conditions.
func (p *workingSetQP) violation() float64 {
	least, greatest := math.Inf(1), math.Inf(-1)
	if !p.balanced {
		least, greatest = 0, 0
	}
	for i, g := range p.grad {
		if p.z[i] < p.hi[i] {
			least = min(least, g)
		}
		if p.z[i] > p.lo[i] {
			greatest = max(greatest, g)
		}
	}
	if p.balanced {
		return max(0, greatest-least)
	}
	return max(-least, greatest)
}

// search sets next to a point of sufficient decrease on the projected gradient
// path. It reports whether there is one.
func (p *workingSetQP) search() bool {
	start := p.value(p.z)
	sufficient := func(s float64) bool {
		p.project(p.trial, s)
		var slope float64
		for i, t := range p.trial {
			slope += float64(p.grad[i] * (t - p.z[i]))
		}
		return slope < 0 && p.value(p.trial) <= start+float64(qpSufficient*slope)
	}
	if sufficient(p.step) {
		for range qpHalvings {
			p.next, p.trial = p.trial, p.next
			if !sufficient(2*p.step) || slices.Equal(p.trial, p.next) || p.value(p.trial) >= p.value(p.next) {
				break
			}
			p.step *= 2
		}
		return true
	}
	for range qpHalvings {
		p.step *= 0.5
		if sufficient(p.step) {
			p.next, p.trial = p.trial, p.next
			return true
		}
	}
	return false
}

// project sets dst to the feasible point nearest to z - s grad.
func (p *workingSetQP) project(dst []float64, s float64) {
	for i, z := range p.z {
		dst[i] = z - float64(s*p.grad[i])
	}
	var mu float64
	if p.balanced {
		mu = p.multiplier(dst)
	}
	for i, v := range dst {
		dst[i] = min(max(v-mu, p.lo[i]), p.hi[i])
	}
	if p.balanced {
		p.balance(dst)
	}
}

// balance takes off what rounding has left of the sum of dst, which may be much
// smaller than what was projected, from the variables that are not at a bound.
func (p *workingSetQP) balance(dst []float64) {
	var sum float64
	var free int
	for i, v := range dst {
		sum += v
		if p.lo[i] < v && v < p.hi[i] {
			free++
		}
	}
	if sum == 0 || free == 0 {
		return
	}
	share := sum / float64(free)
	for i, v := range dst {
		if p.lo[i] < v && v < p.hi[i] {
			dst[i] = min(max(v-share, p.lo[i]), p.hi[i])
		}
	}
}

// multiplier returns the mu for which sum_i clip(v_i - mu) = 0. The sum is
// piecewise linear in mu and does not increase; it turns at v_i - hi_i and at
// v_i - lo_i.
func (p *workingSetQP) multiplier(v []float64) float64 {
	for i, vi := range v {
		p.turns[2*i], p.turns[2*i+1] = vi-p.hi[i], vi-p.lo[i]
	}
	slices.Sort(p.turns)
	sum := func(mu float64) (s float64) {
		for i, vi := range v {
			s += min(max(vi-mu, p.lo[i]), p.hi[i])
		}
		return s
	}
	// sum >= 0 at the first turn, where all are at their upper bound, and <= 0 at
	// the last.
	low, high := 0, len(p.turns)-1
	for high-low > 1 {
		if mid := (low + high) / 2; sum(p.turns[mid]) >= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	a, b := p.turns[low], p.turns[high]
	sa, sb := sum(a), sum(b)
	if !(sa > sb) {
		return a
	}
	return min(max(a+float64((b-a)*(sa/(sa-sb))), a), b)
}

// minimiseFace minimises over the variables of next that are not at a bound.
func (p *workingSetQP) minimiseFace() {
	for {
		p.free = p.free[:0]
		for i, z := range p.next {
			if p.lo[i] < z && z < p.hi[i] {
				p.free = append(p.free, i)
			}
		}
		if len(p.free) == 0 || p.balanced && len(p.free) == 1 {
			return
		}
		if !p.conjugateGradients() {
			return
		}
	}
}

// conjugateGradients minimises over the free variables of next. It stops where one
// of them comes to a bound, and reports whether that happened.
func (p *workingSetQP) conjugateGradients() bool {
	var scale float64
	clear(p.dir)
	for _, i := range p.free {
		p.res[i] = -p.b[i] - dot(p.k[i*p.q:(i+1)*p.q], p.next)
		scale = max(scale, p.k[i*p.q+i])
	}
	p.centre(p.res)
	for _, i := range p.free {
		p.dir[i] = p.res[i]
	}
	rr := p.freeDot(p.res, p.res)
	stop := rr * 1e-28
	for range 2 * len(p.free) {
		if !(rr > stop) {
			return false
		}
		for _, i := range p.free {
			p.kdir[i] = dot(p.k[i*p.q:(i+1)*p.q], p.dir)
		}
		curvature := p.freeDot(p.dir, p.kdir)
		length := math.Inf(1)
		if curvature > 1e-15*scale*p.freeDot(p.dir, p.dir) {
			length = p.freeDot(p.res, p.dir) / curvature
		}
		limit, at := p.reach()
		if !(length < limit) {
			p.advance(limit)
			p.next[at] = p.lo[at]
			if p.dir[at] > 0 {
				p.next[at] = p.hi[at]
			}
			return true
		}
		p.advance(length)
		for _, i := range p.free {
			p.res[i] -= float64(length * p.kdir[i])
		}
		p.centre(p.res)
		before := rr
		rr = p.freeDot(p.res, p.res)
		for _, i := range p.free {
			p.dir[i] = p.res[i] + float64(rr/before*p.dir[i])
		}
	}
	return false
}

// reach returns how far next can go in the direction dir, and the variable that
// then is at a bound.
func (p *workingSetQP) reach() (limit float64, at int) {
	limit, at = math.Inf(1), p.free[0]
	for _, i := range p.free {
		room := math.Inf(1)
		switch d := p.dir[i]; {
		case d > 0:
			room = (p.hi[i] - p.next[i]) / d
		case d < 0:
			room = (p.lo[i] - p.next[i]) / d
		}
		if room < limit {
			limit, at = room, i
		}
	}
	return limit, at
}

// advance adds t dir to the free variables, within the bounds.
func (p *workingSetQP) advance(t float64) {
	for _, i := range p.free {
		p.next[i] = min(max(p.next[i]+float64(t*p.dir[i]), p.lo[i]), p.hi[i])
	}
}

// centre makes the free part of v sum to 0 if the programme is balanced. It does
// so twice: what rounding leaves of the sum the first time may be as large as the
// centred v.
func (p *workingSetQP) centre(v []float64) {
	if !p.balanced {
		return
	}
	for range 2 {
		var mean float64
		for _, i := range p.free {
			mean += v[i]
		}
		mean /= float64(len(p.free))
		for _, i := range p.free {
			v[i] -= mean
		}
	}
}

func (p *workingSetQP) freeDot(a, b []float64) float64 {
	var s float64
	for _, i := range p.free {
		s += float64(a[i] * b[i])
	}
	return s
}

// dot returns a'b.
func dot(a, b []float64) float64 {
	var s float64
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}
