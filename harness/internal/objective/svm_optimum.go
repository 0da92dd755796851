package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// svmSolver solves the regularised problem for given values of lambda.
type svmSolver struct {
	problem    svm.Problem
	bias       bool
	within     float64 // the relative gap of a certified optimum
	rough      bool    // nu need not be accurate
	iterations int64
	// report, if set, is called repeatedly with the progress.
	report func(gap float64, steps int64)
}

// The relative accuracy of the hinge loss, and thus of nu: nuAccuracy for a reference, coarseAccuracy
// for a guess. The gap alone does not bound it in nearly separable problems, where the loss is a tiny
// part of the primal.
const (
	nuAccuracy     = 1e-5
	coarseAccuracy = 1e-2
)

// A dual ascent is stopped after fixedSteps + pointSteps*n steps for n points. It takes few steps per
// point unless the kernel matrix has low rank and lambda is small.
const (
	fixedSteps = 1000000
	pointSteps = 10000
)

// ErrNotCertified is wrapped by the error for an optimum that could not be solved to the accuracy of a
// reference. Its text is advice.
var ErrNotCertified = errors.New("use a larger lambda (a smaller C)")

var errSteps = errors.New("too many steps")

// refinedGap is the relative gap at which refining for nu stops.
const refinedGap = 1e-10

// reached reports whether the optimum has reached a relative gap and, where it matters, nu is accurate.
func (s *svmSolver) reached(o *SVMOptimum, gap float64) bool {
	g, accuracy := o.Gap(), nuAccuracy
	if s.rough {
		return g <= gap
	}
	if gap > certifiedGap {
		accuracy = coarseAccuracy
	}
	return g <= gap && (math.Abs(o.Hinge-o.bound) <= accuracy*o.Hinge || g <= refinedGap)
}

// optimum solves the problem.
func (s *svmSolver) optimum(ctx context.Context, lambda float64) (*SVMOptimum, error) {
	a, err := s.ascend(lambda)
	if err != nil {
		return nil, err
	}
	return a.certify(ctx)
}

// ascent is a dual ascent in progress.
type ascent struct {
	*svmSolver
	lambda float64
	smo    *svm.SMO
	// left is the number of steps left.
	left   int64
	status algorithms.Status
	state  svm.Solution
	scores []float64
}

func (s *svmSolver) ascend(lambda float64) (*ascent, error) {
	smo, err := svm.NewSMO(svm.SMOConfig{Lambda: lambda, Bias: s.bias, Pairs: true}, s.problem)
	if err != nil {
		return nil, err
	}
	return &ascent{svmSolver: s, lambda: lambda, smo: smo}, nil
}

// limit bounds the number of further steps by fixed + point*n for n training points.
func (a *ascent) limit(fixed, point int64) { a.left = fixed + point*int64(a.problem.Rows.Train()) }

// reach steps until the solver's own responses show the relative gap or the solver converges. It returns
// errSteps if no steps are left, or the error of the context or the solver.
func (a *ascent) reach(ctx context.Context, gap float64) (*SVMOptimum, error) {
	for {
		a.smo.SolutionTo(&a.state)
		o := a.measure(a.state.Scores, a.state.Bias)
		if a.reached(o, gap) || a.status.Stop() {
			return o, nil
		}
		if a.report != nil {
			a.report(o.Gap(), a.iterations)
		}
		if err := a.advance(ctx); err != nil {
			return nil, err
		}
	}
}

// advance takes enough steps to make measuring cheap in comparison.
func (a *ascent) advance(ctx context.Context) error {
	if a.left <= 0 {
		return errSteps
	}
	for range 100 + a.problem.Rows.Train()/8 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.status = a.smo.Step(); a.status.Stop() {
			if a.status.State != algorithms.Converged {
				return fmt.Errorf("objective: the optimum at lambda = %g: %s: %w", a.lambda, a.status.Reason, ErrNotCertified)
			}
			return nil
		}
		a.iterations++
		a.left--
	}
	return nil
}

// certify steps until responses recomputed from alpha show the gap of a certified optimum.
func (a *ascent) certify(ctx context.Context) (*SVMOptimum, error) {
	a.limit(fixedSteps, pointSteps)
	for gap := a.within / 2; ; gap /= 4 {
		_, err := a.reach(ctx, gap)
		if err != nil && !errors.Is(err, errSteps) {
			return nil, err
		}
		o := a.measure(a.recompute(), 0)
		switch {
		case o.Gap() <= a.within:
			o.Alpha = slices.Clone(a.state.Alpha)
			return o, nil
		case a.status.Stop() || err != nil:
			return nil, fmt.Errorf("objective: the relative duality gap at lambda = %g is %.2g, more than %g: %w",
				a.lambda, o.Gap(), a.within, ErrNotCertified)
		}
	}
}

// recompute recomputes <w, Phi(x_i)> of the training points from alpha.
func (a *ascent) recompute() []float64 {
	n := a.problem.Rows.Train()
	if a.scores == nil {
		a.scores = make([]float64, n)
	}
	clear(a.scores)
	for i, v := range a.state.Alpha {
		if v == 0 {
			continue
		}
		v *= a.problem.Label(i)
		for j, k := range a.problem.Rows.Row(i) {
			a.scores[j] += float64(v * float64(k))
		}
	}
	return a.scores
}

// measure returns the optimum that alpha certifies. scores are the scores of the training points,
// including the bias.
func (a *ascent) measure(scores []float64, bias float64) *SVMOptimum {
	p, alpha := a.problem, a.state.Alpha
	n := float64(len(alpha))
	upper := 1 / (a.lambda * n)
	o := &SVMOptimum{Lambda: a.lambda}
	best := bias
	if a.bias {
		best = bias + svm.BestBias(scores[:len(alpha)], p.Positive)
	}
	var sum, normSq float64
	for i, v := range alpha {
		y := p.Label(i)
		sum += v
		normSq += float64(v * y * (scores[i] - bias))
		if loss := 1 - y*(scores[i]-bias+best); loss > 0 {
			o.Hinge += loss
			if v >= upper {
				o.bound += loss
			}
		}
	}
	normSq = math.Max(normSq, 0)
	o.Hinge, o.bound = o.Hinge/n, o.bound/n
	o.Norm = math.Sqrt(normSq)
	o.Primal = primal(a.lambda, normSq, o.Hinge)
	// Rounding may make the dual exceed the primal.
	o.Dual = math.Min(a.lambda*(sum-normSq/2), o.Primal)
	return o
}
