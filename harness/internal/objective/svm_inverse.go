package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Accuracy of the inverse problem.
const (
	// inverseAccuracy is how closely the optimum found has the nu or R asked
	// for, relative.
	inverseAccuracy = 1e-4
	// coarseGap is the relative gap at which an optimum is compared with what
	// is asked for, and farOff by how much, in logarithms, it must differ for
	// that to be enough.
	coarseGap = 1e-4
	farOff    = 0.25
	// stride is the factor between the lambdas that are tried in search of a
	// bracket, strides how many are tried, and rootSteps how often the bracket
	// is narrowed. A small lambda is far more work than a large one.
	stride    = 4
	strides   = 20
	rootSteps = 100
	// guessSteps bounds the steps of a guess, for each point. That of a
	// reference proper would be a long time to search.
	guessSteps = 1000
)

// inverse finds the lambda whose optimum has the nu = hinge/|w|, or the R =
// |w|, that is given: nu increases with lambda and R decreases. It searches
// from lambda = 1/n for a bracket, further by a factor each time, and narrows it
// by regula falsi on logarithms (the Illinois variant, which does not stall).
func (s *svmSolver) inverse(ctx context.Context, given string, value float64) (*SVMOptimum, error) {
	if !(value > 0) || math.IsInf(value, 1) {
		return nil, fmt.Errorf("objective: %s = %v must be positive and finite", given, value)
	}
	o, err := (&inverse{svmSolver: s, given: given, value: value}).search(ctx)
	if errors.Is(err, errSteps) {
		return nil, fmt.Errorf("objective: no lambda with %s = %g found after many steps, because the optimum hardly "+
			"depends on it: give lambda or C instead", given, value)
	}
	return o, err
}

func (q *inverse) search(ctx context.Context) (*SVMOptimum, error) {
	here, err := q.at(ctx, 1/float64(q.problem.Rows.Train()))
	if err != nil || here.found {
		return here.optimum, err
	}
	there, err := q.bracket(ctx, here)
	if err != nil || there.found {
		return there.optimum, err
	}
	return q.narrow(ctx, here, there)
}

type inverse struct {
	*svmSolver
	given string
	value float64
}

// guess is the optimum at a lambda, and by how much it misses.
type guess struct {
	lambda  float64
	optimum *SVMOptimum
	// miss is the logarithm of what it has over what is asked for, with the
	// sign changed for R, so that it increases with lambda.
	miss  float64
	found bool
}

// at solves for one lambda, as closely as it matters.
func (q *inverse) at(ctx context.Context, lambda float64) (guess, error) {
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

// of returns the nu or R of an optimum. A w of 0 belongs to a lambda that is
// too large.
func (q *inverse) of(o *SVMOptimum) float64 {
	switch {
	case q.given == "R":
		return o.Norm
	case o.Norm == 0:
		return math.Inf(1)
	default:
		return o.Nu()
	}
}

func (q *inverse) miss(o *SVMOptimum) float64 {
	m := math.Log(q.of(o) / q.value)
	if q.given == "R" {
		m = -m
	}
	return m
}

// bracket searches for a guess that misses on the other side than from.
func (q *inverse) bracket(ctx context.Context, from guess) (guess, error) {
	factor := float64(stride)
	if from.miss > 0 {
		factor = 1.0 / stride
	}
	last := from
	for range strides {
		next, err := q.at(ctx, last.lambda*factor)
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

// saturated reports whether a smaller lambda no longer changes the optimum: it
// is that of no regularisation.
func (q *inverse) saturated(last, next guess) bool {
	return next.lambda < last.lambda && math.Abs(next.optimum.Norm-last.optimum.Norm) <= inverseAccuracy*next.optimum.Norm
}

// outOfRange says how far the last guess came.
func (q *inverse) outOfRange(g guess) error {
	ask := "less"
	if (g.miss > 0) != (q.given == "R") {
		ask = "more"
	}
	return fmt.Errorf("objective: %s = %g is out of range: at lambda = %.3g, the last one solved, %s is %.6g; ask for %s",
		q.given, q.value, g.lambda, q.given, q.of(g.optimum), ask)
}

// narrow returns the optimum between two guesses.
func (q *inverse) narrow(ctx context.Context, a, b guess) (*SVMOptimum, error) {
	missA, missB := bounded(a.miss), bounded(b.miss)
	for range rootSteps {
		t := missA / (missA - missB)
		next, err := q.at(ctx, between(a.lambda, b.lambda, t))
		switch {
		case err != nil:
			return nil, err
		case next.found:
			return next.optimum, nil
		}
		// b is the latest guess, a the end on the other side of it.
		if next.miss > 0 != (b.miss > 0) {
			a, missA = b, missB
		} else {
			missA /= 2
		}
		b, missB = next, bounded(next.miss)
	}
	return nil, fmt.Errorf("objective: no lambda with %s = %g found to a relative error of %g; near lambda = %g it is %g: give "+
		"lambda instead", q.given, q.value, inverseAccuracy, b.lambda, q.of(b.optimum))
}

// bounded keeps a miss usable where the optimum has a nu of 0 or infinity.
func bounded(miss float64) float64 { return math.Max(-50, math.Min(50, miss)) }

// between returns the geometric mean of a and b with weights 1-t and t.
func between(a, b, t float64) float64 {
	t = math.Max(0.01, math.Min(0.99, t))
	// Expm1 and not Exp or Pow, whose bits depend on the CPU.
	return a * (1 + math.Expm1(t*math.Log(b/a)))
}
