package svm

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/smo"
)

// dual is the common part of the methods that maximise the dual objective,
//
//	maximise D(alpha) = 1'alpha - |w|^2/2,  w = sum_i alpha_i y_i Phi(x_i),
//	subject to 0 <= alpha_i <= 1/(lambda n), with a bias also sum_i y_i alpha_i = 0.
//
// The variables are beta_i = y_i alpha_i, so that the classes differ only in their bounds. The gradient
// is dD/dbeta_i = y_i - u_i with u_i = <w, Phi(x_i)>. qp.V holds the responses u of all N points.
//
// Source: Cotter 2013, problems "dual-objective" and "biased-dual-objective".
type dual struct {
	method    string
	qp        *smo.Dual
	tolerance float64
	cost      algorithms.Cost
	status    algorithms.Status
}

// In this range of lambda no product of multipliers, kernel values and n overflows.
const (
	minLambda = 1e-100
	maxLambda = 1e100
)

// newDual returns alpha = 0 for the named method. It returns an error if an argument is invalid.
func newDual(method string, lambda, tolerance float64, bias bool, p Problem) (dual, error) {
	if err := p.Check(bias); err != nil {
		return dual{}, fmt.Errorf("svm: %s: %w", method, err)
	}
	if !(lambda >= minLambda && lambda <= maxLambda) {
		return dual{}, fmt.Errorf("svm: %s: lambda = %g; it must be in [%g, %g]", method, lambda, minLambda, maxLambda)
	}
	if !(tolerance >= 0) || math.IsInf(tolerance, 1) {
		return dual{}, fmt.Errorf("svm: %s: tolerance = %g; it must be finite and not negative", method, tolerance)
	}
	n := p.Rows.Train()
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = p.Label(i)
	}
	qp := smo.New(rows.New(p.Rows), p.Rows.Diag(), labels, 0, bias)
	upper := 1 / (lambda * float64(n))
	for i := range n {
		if i < p.Positive {
			qp.Hi[i] = upper
		} else {
			qp.Lo[i] = -upper
		}
	}
	qp.Begin()
	return dual{method: method, qp: qp, tolerance: tolerance}, nil
}

// Cost implements algorithms.Stepper.
func (d *dual) Cost() algorithms.Cost { return d.cost }

// Support implements SupportCounter.
func (d *dual) Support() int { return d.qp.Nonzero }

// charge counts a step with a working set of k points.
func (d *dual) charge(k int) {
	n := int64(d.qp.N)
	d.cost.Iterations++
	d.cost.KernelEvals += int64(k) * n
	d.cost.InnerProducts += int64(k) * n
	d.cost.KernelEvalsMoved += int64(len(d.qp.Changed)) * n
}

// stop ends the run and returns its status.
func (d *dual) stop(s algorithms.Status) algorithms.Status {
	d.status = algorithms.Status{State: s.State, Reason: d.method + ": " + s.Reason}
	return d.status
}

// PreviousTo implements PreviousKeeper for problems without a bias.
func (d *dual) PreviousTo(s *Solution) {
	d.alphaTo(s)
	for _, c := range slices.Backward(d.qp.Changed) {
		s.Alpha[c.I] = math.Abs(c.Beta)
	}
	s.Bias = 0
}

func (d *dual) alphaTo(s *Solution) {
	s.Alpha = append(s.Alpha[:0], d.qp.Beta...)
	for i, b := range s.Alpha {
		s.Alpha[i] = math.Abs(b)
	}
}

// supportAfter returns bounds on the support after a step that changes at most the given number of
// coefficients.
func (d *dual) supportAfter(changes int) (least, most int) {
	return max(d.qp.Nonzero-changes, 0), min(d.qp.Nonzero+changes, d.qp.N)
}

// SolutionTo implements Learner. With a bias, b is the mean of y_i - u_i over the free multipliers.
// Without free multipliers it is the midpoint of the interval allowed by the KKT conditions (Cotter
// 2013, section "Unregularized Bias").
func (d *dual) SolutionTo(s *Solution) {
	d.alphaTo(s)
	s.Scores = append(s.Scores[:0], d.qp.V...)
	s.NormSq = d.qp.NormSq()
	s.Bias = d.qp.Offset()
	if s.Bias != 0 {
		for j := range s.Scores {
			s.Scores[j] += s.Bias
		}
	}
}

// BestBias returns a b that minimises the hinge loss
//
//	sum_i max(0, 1 - y_i (s_i + b))
//
// of n > 0 scores, with the positive points first. The loss is piecewise linear. Its slope is -n+ at the
// far left and increases by 1 at each y_i - s_i. Its minimisers are therefore the interval between the
// n+ smallest of these numbers and the others. BestBias returns the midpoint of the interval or, if a
// class is empty, its finite end. It costs O(n log n).
func BestBias(scores []float64, positive int) float64 {
	if len(scores) == 0 || positive < 0 || positive > len(scores) {
		panic("svm: BestBias needs at least one score, and a number of positive points between 0 and n")
	}
	breakpoints := make([]float64, len(scores))
	for i, s := range scores {
		if i < positive {
			breakpoints[i] = 1 - s
		} else {
			breakpoints[i] = -1 - s
		}
	}
	slices.Sort(breakpoints)
	switch positive {
	case 0:
		return breakpoints[0]
	case len(breakpoints):
		return breakpoints[positive-1]
	}
	low, high := breakpoints[positive-1], breakpoints[positive]
	return low + 0.5*(high-low)
}
