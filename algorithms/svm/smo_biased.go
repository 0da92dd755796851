package svm

import (
	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// With a bias, sum_i beta_i = 0 for beta_i = y_i alpha_i, so that two coordinates
// change together, beta_i by +delta and beta_j by -delta. With x = u - y this
// raises the objective by
//
//	delta (x_j - x_i) - delta^2 q/2,  q = K_ii + K_jj - 2 K_ij,
//
// and the best delta is (x_j - x_i)/q, clipped to what the bounds allow. The
// thesis prints + 2 K_ij in the numerator and leaves it out of the denominator;
// its bound for alpha_j has the wrong sign. Where q <= 0, which rounding or a
// kernel that is not positive definite may bring, q = 1e-12.
//
// Selection (WSS 2 of Fan, Chen and Lin): i is the first with the least x_i among
// those that can rise, j the first with the greatest (x_j - x_i)^2/q among those
// that can fall. The least and the greatest x are found in the same pass over the
// responses that updates them.

// minCurvature replaces a q that is not positive.
const minCurvature = 1e-12

// pairSelection is what a pass found for the next step.
type pairSelection struct {
	i        int     // first to attain least, -1 if no beta can rise
	least    float64 // of u - y where beta can rise
	j        int     // first to attain greatest, -1 if no beta can fall
	greatest float64 // of u - y where beta can fall
}

// violation returns the greatest violation by a pair whose sum stays the same.
func (p *pairSelection) violation() float64 { return max(0, p.greatest-p.least) }

// boxViolation returns the greatest violation by a single coordinate.
func (p *pairSelection) boxViolation() float64 { return max(0, p.greatest, -p.least) }

func (s *SMO) stepPair() algorithms.Status {
	if v := s.pair.violation(); v <= s.tolerance {
		return s.stop(algorithms.Converged, "the KKT conditions are violated by %.3g at most", v)
	}
	i, xi := s.pair.i, s.pair.least
	ki, ok := s.row(i)
	if !ok {
		return s.status
	}
	j := s.partner(i, xi, ki)
	if j < 0 {
		return s.stop(algorithms.Converged, stuckReason)
	}
	kj, ok := s.row(j)
	if !ok {
		return s.status
	}
	xj := s.u[j] - s.label(j)
	kii, kjj, kij := s.diag[i], s.diag[j], float64(ki[j])
	q := kii + kjj - 2*kij
	if !(q > minCurvature) {
		q = minCurvature
	}
	rise, _ := s.room(i)
	_, fall := s.room(j)
	delta := min((xj-xi)/q, rise, fall)
	a, b := s.move(i, delta), s.move(j, -delta)
	if a == 0 && b == 0 {
		return s.stop(algorithms.Converged, stuckReason)
	}
	s.update(a, ki, b, kj)
	s.charge(2, count(a)+count(b))
	s.stuck.Add(float64(delta*(xj-xi))-0.5*float64(delta*delta*q), s.DualObjective)
	return algorithms.Status{}
}

// partner returns the j that promises most together with i, x_i = xi.
func (s *SMO) partner(i int, xi float64, ki []float32) int {
	p, n, kii := s.positive, s.n, s.diag[i]
	j0, g0 := vec.SecondOrder(s.u[:p], s.low[:p], ki[:p], s.diag[:p], xi+1, kii)
	j1, g1 := vec.SecondOrder(s.u[p:n], s.low[p:], ki[p:n], s.diag[p:], xi-1, kii)
	if j1 >= 0 && g1 > g0 {
		return p + j1
	}
	return j0
}

// update adds a K_i + b K_j to the responses and finds the extremes.
func (s *SMO) update(a float64, ki []float32, b float64, kj []float32) {
	p, n := s.positive, s.n
	i0, v0, j0, w0 := vec.AddScaledPairExtremes(s.u[:p], a, ki[:p], b, kj[:p], s.up[:p], s.low[:p])
	i1, v1, j1, w1 := vec.AddScaledPairExtremes(s.u[p:n], a, ki[p:n], b, kj[p:n], s.up[p:], s.low[p:])
	vec.AddScaledPair(s.u[n:], a, ki[n:], b, kj[n:])
	s.pair.i, s.pair.least = s.lesser(i0, v0, i1, v1)
	s.pair.j, s.pair.greatest = s.greater(j0, w0, j1, w1)
}
