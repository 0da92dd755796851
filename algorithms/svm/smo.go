package svm

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/stagnation"
)

// SMOConfig configures SMO.
type SMOConfig struct {
	// Lambda is the regularisation parameter. The dual variables are at most
	// 1/(lambda n).
	Lambda float64
	// Bias says that the classifier has an unregularised bias b.
	Bias bool
	// Pairs says that without a bias, too, two coordinates change at a time. It
	// is the way to the optimum where a kernel is close to a constant, which the
	// single coordinates take very long to, but is not the method of the thesis.
	// With a bias it is without effect.
	Pairs bool
	// Tolerance is the violation of the KKT conditions, in units of the
	// responses, at which the method reports algorithms.Converged; single
	// coordinates look at it every 32 steps. At 0 it runs on until nothing can be
	// improved in floating point.
	Tolerance float64
}

// SMO is sequential minimal optimisation: ascent of the dual objective,
//
//	maximise 1'alpha - |w|^2/2  subject to 0 <= alpha_i <= 1/(lambda n),
//
// and with a bias also to sum_i y_i alpha_i = 0, by the best change of the one
// coordinate, or with a bias the one pair of coordinates, that promises most:
//
//   - without a bias (smo_unbiased.go) the coordinate whose best change raises
//     the objective most, or a pair (smo_pairs.go);
//   - with a bias (smo_biased.go) the greatest violator of the KKT conditions
//     and the partner that promises most to second order.
//
// The working set depends on the state alone: the method is deterministic. The
// objective never decreases.
//
// A step costs O(N) and a kernel row for a coordinate, two for a pair, and is
// charged n or 2n kernel evaluations.
//
// Source: Cotter 2013, section "Dual Decomposition"; Platt 1998; Fan, Chen and
// Lin 2005, "Working set selection using second order information for training
// support vector machines", https://www.jmlr.org/papers/v6/fan05a.html.
type SMO struct {
	dual
	bias      bool
	pairs     bool
	tolerance float64
	stuck     stagnation.Test
	pair      pairSelection // if bias or pairs
}

var _ PreviousKeeper = (*SMO)(nil)

// NewSMO returns SMO at alpha = 0. It returns an error if lambda or the tolerance
// is out of range, if the problem has no training points or an impossible
// diagonal, and, with a bias, if one class is empty.
func NewSMO(cfg SMOConfig, p Problem) (*SMO, error) {
	s := &SMO{bias: cfg.Bias, pairs: cfg.Pairs, tolerance: cfg.Tolerance}
	if err := checkTolerance("smo", cfg.Tolerance); err != nil {
		return nil, err
	}
	if err := s.init("smo", cfg.Lambda, cfg.Bias, p); err != nil {
		return nil, err
	}
	s.stuck = stagnation.New(s.n)
	if s.bias || s.pairs {
		s.pair.i, s.pair.least, s.pair.j, s.pair.greatest = s.extremes()
	}
	return s, nil
}

func checkTolerance(method string, tolerance float64) error {
	if !(tolerance >= 0) || math.IsInf(tolerance, 1) {
		return fmt.Errorf("svm: %s: tolerance = %g, want a finite number >= 0", method, tolerance)
	}
	return nil
}

const stuckReason = "the dual objective cannot be improved in floating point"

// Step implements algorithms.Stepper. Converged, like every status other than
// Running, means that nothing was changed and nothing is charged; Step may then
// be called again and returns the same.
func (s *SMO) Step() algorithms.Status {
	s.changed = s.changed[:0]
	switch {
	case s.status.Stop():
		return s.status
	case s.stuck.Stuck:
		return s.stop(algorithms.Converged, stuckReason)
	case s.bias:
		return s.stepPair()
	case s.pairs:
		return s.stepFreePair()
	default:
		return s.stepCoordinate()
	}
}

// Violation returns by how much the current point violates the KKT conditions,
// 0 at the optimum: with a bias the greatest difference u_j - y_j - (u_i - y_i)
// for which y_j alpha_j can fall and y_i alpha_i can rise, without one the
// greatest |1 - y_i u_i| in a direction in which alpha_i can go. It costs O(n)
// for single coordinates, nothing for pairs.
func (s *SMO) Violation() float64 {
	switch {
	case s.bias:
		return s.pair.violation()
	case s.pairs:
		return s.pair.boxViolation()
	default:
		return s.boxViolation()
	}
}

// Reach implements Sparse.
func (s *SMO) Reach() (least, most int) {
	if s.bias || s.pairs {
		return s.reach(2)
	}
	return s.reach(1)
}

// KeepsPrevious implements PreviousKeeper. A bias depends on the responses before the step.
func (s *SMO) KeepsPrevious() bool { return !s.bias }

// SolutionTo implements Learner. With a bias, b is the mean of y_i - u_i over the
// free multipliers.
func (s *SMO) SolutionTo(dst *Solution) { s.solutionTo(dst, s.bias) }
