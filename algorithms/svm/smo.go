package svm

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/smo"
	"stochopt/algorithms/internal/vec"
)

// SMOConfig configures SMO.
type SMOConfig struct {
	// Lambda is the regularisation parameter. The dual variables are at most 1/(lambda n).
	Lambda float64
	// Bias gives the classifier an unregularised bias b.
	Bias bool
	// Pairs makes steps change two coordinates without a bias, too. This is not the method of the
	// thesis, but it converges much faster if the kernel is close to a constant. It has no effect with a
	// bias.
	Pairs bool
	// Tolerance is the violation of the KKT conditions, in units of the responses, at which the method
	// has converged. With single coordinates it is checked every 32 steps. With 0 the method continues
	// until rounding prevents any progress.
	Tolerance float64
}

// SMO is sequential minimal optimisation, ascent of the dual objective
//
//	maximise 1'alpha - |w|^2/2  subject to 0 <= alpha_i <= 1/(lambda n),
//
// and with a bias also to sum_i y_i alpha_i = 0. A step optimally changes the coordinate with the
// greatest gain or, with a bias, a pair of coordinates.
//
// Without a bias, adding delta to alpha_i increases the objective by
//
//	delta (1 - c_i) - delta^2 K_ii/2,  c_i = y_i u_i.
//
// The best delta is (1 - c_i)/K_ii, clipped to the bounds, and a step takes the i with the greatest
// increase. With a bias, a step adds y_i delta to alpha_i and subtracts y_j delta from alpha_j. With
// x = u - y, the best delta is (x_j - x_i)/(K_ii + K_jj - 2 K_ij), clipped (ERRATA.md lists the misprints
// of this formula). The pair is the greatest violator of the KKT conditions and the partner with the
// greatest gain to second order. Both are steps of smo.Dual in beta_i = y_i alpha_i.
//
// The working set depends only on the state, so the method is deterministic. The objective never
// decreases. A step costs O(N) and a kernel row for a coordinate, two for a pair. It is charged n or 2n
// kernel evaluations.
//
// Source: Cotter 2013, section "Dual Decomposition"; Platt 1998; Fan, Chen and Lin 2005, "Working set
// selection using second order information for training support vector machines",
// https://www.jmlr.org/papers/v6/fan05a.html.
type SMO struct {
	dual
	pairs bool // steps on pairs without a bias
	// The following are for single coordinates.
	positive int
	upper    float64
	alpha    []float64 // n
}

var _ PreviousKeeper = (*SMO)(nil)

// NewSMO returns SMO at alpha = 0. It returns an error if a parameter is out of range or if p is
// invalid. With a bias, p must have points of both classes.
func NewSMO(cfg SMOConfig, p Problem) (*SMO, error) {
	d, err := newDual("smo", cfg.Lambda, cfg.Tolerance, cfg.Bias, p)
	if err != nil {
		return nil, err
	}
	return &SMO{
		dual: d, pairs: cfg.Pairs && !cfg.Bias,
		positive: p.Positive, upper: max(d.qp.Hi[0], -d.qp.Lo[0]), alpha: make([]float64, d.qp.N),
	}, nil
}

// checkEvery is the number of steps on single coordinates between two checks for convergence.
const checkEvery = 32

// Step implements algorithms.Stepper. If it returns a status other than Running, it changes and charges
// nothing, and further calls return the same status.
func (s *SMO) Step() algorithms.Status {
	if s.status.Stop() {
		return s.status
	}
	step := s.stepCoordinate
	switch {
	case s.pairs:
		step = s.stepFreePair
	case s.qp.Bias:
		step = s.qp.Step
	}
	k, status := step(s.tolerance)
	if status.Stop() {
		return s.stop(status)
	}
	s.charge(k)
	return s.status
}

// SupportBounds implements SupportCounter.
func (s *SMO) SupportBounds() (least, most int) {
	if s.qp.Bias || s.pairs {
		return s.supportAfter(2)
	}
	return s.supportAfter(1)
}

// KeepsPrevious implements PreviousKeeper. It returns false with a bias, which depends on the responses
// before the step.
func (s *SMO) KeepsPrevious() bool { return !s.qp.Bias }

// stepCoordinate is smo.Dual.Step without a bias, but selects the coordinate in a single pass.
func (s *SMO) stepCoordinate(tolerance float64) (rows int, status algorithms.Status) {
	if s.qp.Stuck.Stuck || s.cost.Iterations%checkEvery == 0 && s.qp.Optimal(tolerance) {
		return 0, s.qp.Solved()
	}
	p, n := s.positive, s.qp.N
	i, gain := vec.ArgMaxGain(s.qp.V[:p], 1, s.alpha[:p], s.upper, s.qp.Diag[:p])
	if j, more := vec.ArgMaxGain(s.qp.V[p:n], -1, s.alpha[p:], s.upper, s.qp.Diag[p:]); more > gain {
		i = p + j
	}
	rows, status = s.qp.StepAt(i)
	s.alpha[i] = math.Abs(s.qp.Beta[i])
	return rows, status
}

// stepFreePair is smo.Dual.Step for pairs without a bias. With x = u - y, changing beta_i = y_i alpha_i
// by p and beta_j by r increases the objective by
//
//	-(x_i p + x_j r) - (K_ii p^2 + 2 K_ij p r + K_jj r^2)/2.
//
// The step maximises this over the rectangle of feasible (p, r).
//
// The pair is the pair of SMO with a bias, if one violates its conditions, otherwise the greatest
// violators in either direction. A step can then improve both the differences between responses and
// their mean. If all kernel values are close to 1, as for a wide Gaussian, a step on a single coordinate
// essentially changes only the mean. All other coordinates must then correct it.
//
// Source: Steinwart, Hush and Scovel 2011, "Training SVMs without offset",
// https://www.jmlr.org/papers/v12/steinwart11a.html, for pairs; the selection follows Fan, Chen and Lin.
func (s *SMO) stepFreePair(tolerance float64) (rows int, status algorithms.Status) {
	qp := s.qp
	qp.Changed = qp.Changed[:0]
	if qp.Optimal(tolerance) {
		return 0, qp.Solved()
	}
	i, j := qp.Up.I, -1
	if i < 0 {
		return qp.Step(tolerance)
	}
	ki, status := qp.Row(i)
	if status.Stop() {
		return 0, status
	}
	if qp.Up.Slope+qp.Down.Slope > 0 {
		j = qp.Partner(ki)
	}
	if j < 0 {
		j = qp.Down.I
	}
	if j < 0 || j == i {
		return qp.Step(tolerance)
	}
	kj, status := qp.Row(j)
	if status.Stop() {
		return 0, status
	}
	r := rectangle{
		x:  [2]float64{qp.V[i] - qp.Target[i], qp.V[j] - qp.Target[j]},
		k:  [3]float64{qp.Diag[i], float64(ki[j]), qp.Diag[j]},
		lo: [2]float64{qp.Beta[i] - qp.Lo[i], qp.Beta[j] - qp.Lo[j]},
		hi: [2]float64{qp.Hi[i] - qp.Beta[i], qp.Hi[j] - qp.Beta[j]},
	}
	p, q := r.solve()
	gain := r.gain(p, q)
	if !(gain > 0) {
		return 0, qp.Stop()
	}
	a, b := qp.Move(i, p), qp.Move(j, q)
	if a == 0 && b == 0 {
		return 0, qp.Stop()
	}
	qp.Update(a, ki, b, kj)
	qp.Stuck.Add(gain, qp.Objective)
	return 2, algorithms.Status{}
}

// rectangle is a concave maximisation problem in -lo <= (p, q) <= hi.
type rectangle struct {
	x      [2]float64
	k      [3]float64 // K_ii, K_ij, K_jj
	lo, hi [2]float64
}

// gain returns the objective at (p, q).
func (r *rectangle) gain(p, q float64) float64 {
	return -float64(p*(r.x[0]+0.5*float64(r.k[0]*p)+float64(r.k[1]*q))) - float64(q*(r.x[1]+0.5*float64(r.k[2]*q)))
}

// solve returns the maximiser: the stationary point if it is feasible, otherwise the best of the
// maximisers on the four sides.
func (r *rectangle) solve() (p, q float64) {
	if det := float64(r.k[0]*r.k[2]) - float64(r.k[1]*r.k[1]); det > smo.MinCurvature*float64(r.k[0]*r.k[2]) {
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
		try(a, maximiser(r.x[1]+float64(r.k[1]*a), r.k[2], r.lo[1], r.hi[1]))
	}
	for _, b := range [2]float64{-r.lo[1], r.hi[1]} {
		try(maximiser(r.x[0]+float64(r.k[1]*b), r.k[0], r.lo[0], r.hi[0]), b)
	}
	// If the two points are equal up to rounding, also try each alone.
	try(maximiser(r.x[0], r.k[0], r.lo[0], r.hi[0]), 0)
	try(0, maximiser(r.x[1], r.k[2], r.lo[1], r.hi[1]))
	return p, q
}

// maximiser returns the t that maximises -x t - k t^2/2 over -lo <= t <= hi.
func maximiser(x, k, lo, hi float64) float64 {
	if x == 0 {
		return 0
	}
	return min(max(-x/k, -lo), hi)
}
