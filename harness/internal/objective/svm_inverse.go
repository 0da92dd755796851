package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Parameters of the inverse problem.
const (
	// inverseAccuracy is the relative accuracy of nu or R at the optimum.
	inverseAccuracy = 1e-4
	// coarseGap is the relative gap of a first, coarse optimum at each lambda. The coarse optimum
	// suffices if the logarithm of its nu or R differs from the target by more than farOff.
	coarseGap = 1e-4
	farOff    = 0.25
	// bracketFactor is the factor between the lambdas tried for a bracket. It is small because a small lambda
	// takes far more work than a large one. bracketSteps bounds the number of lambdas tried, and rootSteps
	// the number of times the bracket is narrowed.
	bracketFactor = 4
	bracketSteps  = 20
	rootSteps     = 100
	// guessSteps bounds the steps per point of a coarse optimum. The bound for a reference would make
	// the search too slow.
	guessSteps = 1000
)

// inverse finds the lambda whose optimum has the given nu = hinge/|w| or R = |w|. nu increases with
// lambda, and R decreases. The search starts at lambda = 1/n, multiplies by a constant factor until it
// has a bracket, and narrows the bracket by regula falsi on logarithms (the Illinois variant).
func (s *svmSolver) inverse(ctx context.Context, given string, value float64) (*SVMOptimum, error) {
	if !(value > 0) || math.IsInf(value, 1) {
		return nil, fmt.Errorf("objective: %s = %v must be positive and finite", given, value)
	}
	o, err := (&inverseSearch{svmSolver: s, given: given, value: value}).search(ctx)
	if errors.Is(err, errSteps) {
		return nil, fmt.Errorf("objective: the search for a lambda with %s = %g takes too many steps, because the optimum "+
			"hardly depends on lambda: set lambda or C instead", given, value)
	}
	return o, err
}

func (q *inverseSearch) search(ctx context.Context) (*SVMOptimum, error) {
	first, err := q.solveAt(ctx, 1/float64(q.problem.Rows.Train()))
	if err != nil || first.found {
		return first.optimum, err
	}
	second, err := q.bracket(ctx, first)
	if err != nil || second.found {
		return second.optimum, err
	}
	return q.narrow(ctx, first, second)
}

// inverseSearch searches for the lambda of svmSolver.inverse.
type inverseSearch struct {
	*svmSolver
	given string
	value float64
}

// guess is the optimum at one lambda.
type guess struct {
	lambda  float64
	optimum *SVMOptimum
	// miss is log(nu/target) or -log(R/target). It increases with lambda.
	miss float64
	// found is true if the optimum has the given nu or R.
	found bool
}

// solveAt solves the problem for one lambda. It stops at the coarse gap if the optimum is far off.
func (q *inverseSearch) solveAt(ctx context.Context, lambda float64) (guess, error) {
	a, err := q.ascend(lambda)
	if err != nil {
		return guess{}, err
	}
	a.limit(fixedSteps/10, guessSteps)
	o, err := a.reach(ctx, coarseGap)
	if err != nil {
		return guess{}, err
	}
	g := guess{lambda: lambda, optimum: o, miss: q.miss(o)}
	if math.Abs(g.miss) > farOff {
		return g, nil
	}
	if g.optimum, err = a.certify(ctx); err != nil {
		return guess{}, err
	}
	g.miss = q.miss(g.optimum)
	g.found = math.Abs(math.Expm1(g.miss)) <= inverseAccuracy
	return g, nil
}

// valueOf returns the nu or R of an optimum. If w = 0, lambda is too large, and nu counts as infinite.
func (q *inverseSearch) valueOf(o *SVMOptimum) float64 {
	switch {
	case q.given == "R":
		return o.Norm
	case o.Norm == 0:
		return math.Inf(1)
	default:
		return o.Nu()
	}
}

// miss returns guess.miss of an optimum.
func (q *inverseSearch) miss(o *SVMOptimum) float64 {
	m := math.Log(q.valueOf(o) / q.value)
	if q.given == "R" {
		m = -m
	}
	return m
}

// bracket returns a guess whose miss has the opposite sign of from's.
func (q *inverseSearch) bracket(ctx context.Context, from guess) (guess, error) {
	factor := float64(bracketFactor)
	if from.miss > 0 {
		factor = 1.0 / bracketFactor
	}
	last := from
	for range bracketSteps {
		next, err := q.solveAt(ctx, last.lambda*factor)
		switch {
		case errors.Is(err, errSteps):
			return guess{}, q.outOfRange(last)
		case err != nil:
			return guess{}, err
		case next.found || next.miss > 0 != (from.miss > 0):
			return next, nil
		case q.saturated(last, next):
			return guess{}, q.outOfRange(next)
		}
		last = next
	}
	return guess{}, q.outOfRange(last)
}

// saturated reports whether a smaller lambda no longer changes the optimum, so that the problem is
// effectively not regularised.
func (q *inverseSearch) saturated(last, next guess) bool {
	return next.lambda < last.lambda && math.Abs(next.optimum.Norm-last.optimum.Norm) <= inverseAccuracy*next.optimum.Norm
}

// outOfRange returns an error with the last guess.
func (q *inverseSearch) outOfRange(g guess) error {
	relation := "smaller"
	if (g.miss > 0) != (q.given == "R") {
		relation = "larger"
	}
	return fmt.Errorf("objective: %s = %g is out of range: at lambda = %.3g, the last one solved, %s is %.6g; set a %s %s",
		q.given, q.value, g.lambda, q.given, q.valueOf(g.optimum), relation, q.given)
}

// narrow returns the optimum with the given nu or R, which lies between two guesses.
func (q *inverseSearch) narrow(ctx context.Context, a, b guess) (*SVMOptimum, error) {
	missA, missB := bounded(a.miss), bounded(b.miss)
	for range rootSteps {
		t := missA / (missA - missB)
		next, err := q.solveAt(ctx, between(a.lambda, b.lambda, t))
		switch {
		case err != nil:
			return nil, err
		case next.found:
			return next.optimum, nil
		}
		// b is the latest guess, and a the other end of the bracket.
		if next.miss > 0 != (b.miss > 0) {
			a, missA = b, missB
		} else {
			missA /= 2
		}
		b, missB = next, bounded(next.miss)
	}
	return nil, fmt.Errorf("objective: no lambda gives %s = %g to a relative accuracy of %g; at lambda = %g it is %g: "+
		"set lambda instead", q.given, q.value, inverseAccuracy, b.lambda, q.valueOf(b.optimum))
}

// bounded bounds a miss, which is infinite if nu is 0 or infinite.
func bounded(miss float64) float64 { return math.Max(-50, math.Min(50, miss)) }

// between returns the geometric mean of a and b with weights 1-t and t.
func between(a, b, t float64) float64 {
	t = math.Max(0.01, math.Min(0.99, t))
	// The bits of Exp and Pow depend on the CPU; those of Expm1 do not.
	return a * (1 + math.Expm1(t*math.Log(b/a)))
}
