package svm

import (
	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Without a bias one coordinate changes. With g = 1 - c_i, c_i = y_i u_i, adding
// delta to alpha_i raises the objective by
//
//	delta g - delta^2 K_ii/2,
//
// and the best delta is g/K_ii, clipped to -alpha_i <= delta <= 1/(lambda n) -
// alpha_i. Selection: the i whose clipped delta brings the greatest increase, the
// first of equals.

// checkEvery is the number of steps between two looks at the violation, which
// takes a pass of its own.
const checkEvery = 32

func (s *SMO) stepCoordinate() algorithms.Status {
	if s.tolerance > 0 && s.cost.Iterations%checkEvery == 0 {
		if v := s.boxViolation(); v <= s.tolerance {
			return s.stop(algorithms.Converged, "the KKT conditions are violated by %.3g at most", v)
		}
	}
	i, gain := s.bestCoordinate()
	if !(gain > 0) {
		return s.stop(algorithms.Converged, "no multiplier can be improved: the KKT conditions hold")
	}
	k, ok := s.row(i)
	if !ok {
		return s.status
	}
	delta := s.move(i, s.bestMove(i))
	if delta == 0 {
		return s.stop(algorithms.Converged, stuckReason)
	}
	vec.AddScaled(s.u, delta, k)
	s.charge(1, 1)
	s.stuck.Add(gain, s.DualObjective)
	return algorithms.Status{}
}

// bestCoordinate returns the coordinate of greatest increase and the increase.
func (s *SMO) bestCoordinate() (i int, gain float64) {
	p, n := s.positive, s.n
	i, gain = vec.ArgMaxGain(s.u[:p], 1, s.alpha[:p], s.upper, s.diag[:p])
	if j, g := vec.ArgMaxGain(s.u[p:n], -1, s.alpha[p:], s.upper, s.diag[p:]); g > gain {
		return p + j, g
	}
	return i, gain
}

// bestMove returns the change of beta_i = y_i alpha_i that maximises the
// objective while nothing else changes (Cotter 2013, equation
// "dual-decomposition-unbiased-update", clipped).
func (d *dual) bestMove(i int) float64 {
	g := d.label(i) - d.u[i]
	if g == 0 {
		return 0
	}
	rise, fall := d.room(i)
	return min(max(g/d.diag[i], -fall), rise)
}

// moveGain returns the increase of the objective by bestMove.
func (d *dual) moveGain(i int) float64 {
	delta := d.bestMove(i)
	return delta * (d.label(i) - d.u[i] - 0.5*float64(delta*d.diag[i]))
}
