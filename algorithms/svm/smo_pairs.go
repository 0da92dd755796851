package svm

import (
	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Pairs without a bias. With x = u - y, changing beta_i = y_i alpha_i by p and
// beta_j by r raises the objective by
//
//	-(x_i p + x_j r) - (K_ii p^2 + 2 K_ij p r + K_jj r^2)/2,
//
// which is maximised over the rectangle that the bounds leave for (p, r).
//
// Selection: the pair that SMO with a bias would take, if there is one whose x
// differ the wrong way; else the greatest violators in either direction. One step
// so makes progress both on the differences between responses and on their mean,
// and the increase is at least that of the best pair and of either coordinate.
// Where all kernel values are close to 1, as those of a wide Gaussian are, a
// single coordinate can change nothing but the mean, which all others then have to
// put right again.
//
// Source: Steinwart, Hush and Scovel 2011, "Training SVMs without offset",
// https://www.jmlr.org/papers/v12/steinwart11a.html, for pairs; the selection is
// that of Fan, Chen and Lin.

func (s *SMO) stepFreePair() algorithms.Status {
	if v := s.pair.boxViolation(); v <= s.tolerance {
		return s.stop(algorithms.Converged, "the KKT conditions are violated by %.3g at most", v)
	}
	i, j := s.pair.i, -1
	if i < 0 {
		i = s.pair.j
	}
	ki, ok := s.row(i)
	if !ok {
		return s.status
	}
	if s.pair.violation() > 0 {
		j = s.partner(i, s.pair.least, ki)
	}
	if j < 0 {
		j = s.pair.j
	}
	if j < 0 || j == i {
		return s.stepAlone(i, ki)
	}
	kj, ok := s.row(j)
	if !ok {
		return s.status
	}
	r := rectangle{
		x: [2]float64{s.u[i] - s.label(i), s.u[j] - s.label(j)},
		k: [3]float64{s.diag[i], float64(ki[j]), s.diag[j]},
	}
	r.hi[0], r.lo[0] = s.room(i)
	r.hi[1], r.lo[1] = s.room(j)
	p, q := r.solve()
	gain := r.gain(p, q)
	if !(gain > 0) {
		return s.stop(algorithms.Converged, stuckReason)
	}
	a, b := s.move(i, p), s.move(j, q)
	if a == 0 && b == 0 {
		return s.stop(algorithms.Converged, stuckReason)
	}
	s.update(a, ki, b, kj)
	s.charge(2, count(a)+count(b))
	s.stuck.Add(gain, s.DualObjective)
	return algorithms.Status{}
}

// stepAlone changes one coordinate where there is no other to change with it.
func (s *SMO) stepAlone(i int, k []float32) algorithms.Status {
	gain := s.moveGain(i)
	a := s.move(i, s.bestMove(i))
	if a == 0 {
		return s.stop(algorithms.Converged, stuckReason)
	}
	vec.AddScaled(s.u, a, k)
	s.pair.i, s.pair.least, s.pair.j, s.pair.greatest = s.extremes()
	s.charge(1, 1)
	s.stuck.Add(gain, s.DualObjective)
	return algorithms.Status{}
}

// rectangle is a concave problem of two variables, in -lo <= (p, q) <= hi.
type rectangle struct {
	x      [2]float64
	k      [3]float64 // K_ii, K_ij, K_jj
	lo, hi [2]float64
}

// gain returns the objective.
func (r *rectangle) gain(p, q float64) float64 {
	return -float64(p*(r.x[0]+0.5*float64(r.k[0]*p)+float64(r.k[1]*q))) - float64(q*(r.x[1]+0.5*float64(r.k[2]*q)))
}

// solve returns the maximiser: the stationary point if that is inside, else the
// best of the maximisers on the four sides.
func (r *rectangle) solve() (p, q float64) {
	if det := float64(r.k[0]*r.k[2]) - float64(r.k[1]*r.k[1]); det > minCurvature*float64(r.k[0]*r.k[2]) {
		p = (float64(r.k[1]*r.x[1]) - float64(r.k[2]*r.x[0])) / det
		q = (float64(r.k[1]*r.x[0]) - float64(r.k[0]*r.x[1])) / det
		if -r.lo[0] <= p && p <= r.hi[0] && -r.lo[1] <= q && q <= r.hi[1] {
			return p, q
		}
	}
	best := 0.0
	p, q = 0, 0
	try := func(a, b float64) {
		if g := r.gain(a, b); g > best {
			p, q, best = a, b, g
		}
	}
	for _, a := range [2]float64{-r.lo[0], r.hi[0]} {
		try(a, along(r.x[1]+float64(r.k[1]*a), r.k[2], r.lo[1], r.hi[1]))
	}
	for _, b := range [2]float64{-r.lo[1], r.hi[1]} {
		try(along(r.x[0]+float64(r.k[1]*b), r.k[0], r.lo[0], r.hi[0]), b)
	}
	// Where the two points are the same to the kernel, also one alone.
	try(along(r.x[0], r.k[0], r.lo[0], r.hi[0]), 0)
	try(0, along(r.x[1], r.k[2], r.lo[1], r.hi[1]))
	return p, q
}

// along maximises -x t - k t^2/2 over -lo <= t <= hi.
func along(x, k, lo, hi float64) float64 {
	if x == 0 {
		return 0
	}
	return min(max(-x/k, -lo), hi)
}
