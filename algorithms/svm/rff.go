package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
)

// RFFConfig configures RFF.
type RFFConfig struct {
	// Gamma is the parameter of the Gaussian kernel exp(-gamma |x - x'|^2),
	// 1/(2 sigma^2), positive.
	Gamma float64
	// MaxPairs is the number of feature pairs to end with, at least 1.
	MaxPairs int
	// Lambda is the regularisation parameter of the SVM, positive.
	Lambda float64
	// Tolerance is the relative duality gap (P - D)/P to which the linear SVM is
	// solved, 1e-4 if it is 0.
	Tolerance float64
	// MaxPasses bounds the passes over the training points in one step, 100,000
	// if it is 0. A step that needs more ends in Failed.
	MaxPasses int
}

// RFF approximates a Gaussian kernel SVM by a linear one in random Fourier
// features. With k pairs the point x becomes
//
//	(cos <v_1, x>, sin <v_1, x>, …, cos <v_k, x>, sin <v_k, x>)/sqrt(k),
//	v_p ~ N(0, I/sigma^2) independently,
//
// whose inner products are exp(-gamma |x - x'|^2) in expectation. Step t
// doubles the number of pairs to k = 2^(t-1), or MaxPairs if that is less, and
// keeps the pairs there are. Then it solves
//
//	minimise  lambda/2 |w|^2 + mean hinge loss
//
// in these features to a relative duality gap, starting from the dual variables
// of the step before. After MaxPairs the method is exhausted: it has no further
// features to draw.
//
// InnerProducts grows by n for every new pair, so that it is k n with k pairs:
// what it costs to make the features of the n training points. Neither the
// optimisation nor the features of the other points are charged. A step costs
// O(N k d) operations and the optimisation, and takes the memory that RFFBytes
// tells; the end of the context ends it after O(N d) operations for the
// features, or a pass. Directions v and features are computed in float64 and
// rounded once, to float32. The directions do not depend on what is solved in
// them: learners with other lambdas or tolerances and equal generators have the
// same features.
//
// Source: Rahimi & Recht 2007, "Random features for large-scale kernel
// machines"; Cotter 2013, sections 1.5 and 2.4. The linear SVM is solved as in
// Hsieh et al. 2008 (see LinearSDCA), with shrinking.
type RFF struct {
	ctx      context.Context
	cfg      RFFConfig
	features *fourier
	solver   *LinearSDCA
	ascent   *shrinkingAscent
	cost     algorithms.Cost
}

var _ Learner = (*RFF)(nil)

// NewRFF returns random Fourier features for the points of x: training points
// first, train of them, of which the first positive are positive. directions
// draws the directions v and order the order of the coordinates; they must be
// two generators. The end of ctx ends a step, which then is Failed. NewRFF
// returns an error if there is no training point, something is nil, or a
// parameter is out of its range.
func NewRFF(ctx context.Context, cfg RFFConfig, x kernel.Vectors, train, positive int, directions, order *rand.Rand) (*RFF, error) {
	const name = "rff"
	if ctx == nil || x == nil {
		return nil, errors.New("svm: " + name + ": a context and points are needed")
	}
	if directions == nil || order == nil || directions == order {
		return nil, errors.New("svm: " + name + ": two random generators are needed, one for the directions and one for the order")
	}
	n, d := x.Dims()
	switch {
	case d < 1:
		return nil, fmt.Errorf("svm: %s: the points have %d features; at least 1 is needed", name, d)
	case train < 1 || train > n:
		return nil, fmt.Errorf("svm: %s: %d training points among %d; give at least 1 and at most all", name, train, n)
	case positive < 0 || positive > train:
		return nil, fmt.Errorf("svm: %s: %d positive points among %d training points", name, positive, train)
	case cfg.MaxPairs < 1:
		return nil, fmt.Errorf("svm: %s: at most %d pairs of features; at least 1 is needed", name, cfg.MaxPairs)
	case RFFBytes(n, cfg.MaxPairs) > math.MaxInt/2:
		return nil, fmt.Errorf("svm: %s: %d pairs of features of %d points are more than memory can hold; lower the pairs", name, cfg.MaxPairs, n)
	case !(cfg.Tolerance >= 0):
		return nil, fmt.Errorf("svm: %s: tolerance is %v; give a relative duality gap, or 0 for 1e-4", name, cfg.Tolerance)
	case cfg.MaxPasses < 0:
		return nil, fmt.Errorf("svm: %s: at most %d passes; give a positive number, or 0 for 100,000", name, cfg.MaxPasses)
	}
	if err := checkLinearPositive(name, "gamma", cfg.Gamma); err != nil {
		return nil, err
	}
	if err := checkLinearPositive(name, "lambda", cfg.Lambda); err != nil {
		return nil, err
	}
	cfg.Tolerance, cfg.MaxPasses = cmp.Or(cfg.Tolerance, 1e-4), cmp.Or(cfg.MaxPasses, 100_000)
	f := newFourier(x, train, cfg.MaxPairs, cfg.Gamma, directions)
	solver := newLinearSDCA(cfg.Lambda, LinearProblem{Features: f, Positive: positive})
	return &RFF{ctx: ctx, cfg: cfg, features: f, solver: solver, ascent: newShrinkingAscent(solver, order)}, nil
}

// RFFSteps returns the number of steps in which RFF gets to maxPairs >= 1 pairs
// of features.
func RFFSteps(maxPairs int) int {
	if maxPairs < 1 {
		panic("svm: RFFSteps needs at least one pair")
	}
	return 1 + bits.Len(uint(maxPairs-1))
}

// rffBytesOfPair is the memory of a pair besides the features of the points: its
// two weights in float64, and as many of half as many pairs, those of the step
// before.
const rffBytesOfPair = 16 + 8

// RFFBytes returns the number of bytes that RFF needs for the given points and pairs of
// features, at least 1: 8 for a pair and point, and 24 for a pair, besides memory in
// proportion to the points or their dimension only. It is at most math.MaxInt64.
func RFFBytes(points, pairs int) int64 {
	hi, lo := bits.Mul64(8*uint64(points)+rffBytesOfPair, uint64(pairs))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// Step implements algorithms.Stepper. A step that fails, or that follows the one with all
// pairs, changes and charges nothing.
func (a *RFF) Step() algorithms.Status {
	if a.features.pairs == a.cfg.MaxPairs {
		return a.exhausted()
	}
	features, alpha, w := *a.features, slices.Clone(a.solver.alpha), a.solver.w
	status := a.double()
	if status.State != algorithms.Running && status.State != algorithms.Exhausted {
		*a.features, a.solver.alpha, a.solver.w = features, alpha, w
		return status
	}
	a.cost.Iterations++
	a.cost.InnerProducts = int64(a.features.pairs) * int64(a.features.train)
	return status
}

// double doubles the number of pairs, to at most MaxPairs, and solves.
func (a *RFF) double() algorithms.Status {
	k := min(max(2*a.features.pairs, 1), a.cfg.MaxPairs)
	if err := a.features.grow(a.ctx, k); err != nil {
		return rffEnded(err)
	}
	if j := a.features.notFinite(); j >= 0 {
		return algorithms.Status{
			State:  algorithms.Diverged,
			Reason: fmt.Sprintf("svm: rff: point %d has a Fourier feature that is not finite; are its values finite, and moderate?", j),
		}
	}
	a.solver.restart()
	gap, err := a.ascent.solve(a.ctx, a.cfg.Tolerance, a.cfg.MaxPasses)
	if err != nil {
		return rffEnded(err)
	}
	if !(gap <= a.cfg.Tolerance) {
		return algorithms.Status{
			State: algorithms.Failed,
			Reason: fmt.Sprintf("svm: rff: with %d pairs the relative duality gap is still %.3g, not %g, after %d passes; raise lambda, the tolerance or the passes",
				k, gap, a.cfg.Tolerance, a.cfg.MaxPasses),
		}
	}
	if k == a.cfg.MaxPairs {
		return a.exhausted()
	}
	return algorithms.Status{}
}

// exhausted is the status once all pairs are in use.
func (a *RFF) exhausted() algorithms.Status {
	reason := fmt.Sprintf("all %d pairs of features are in use", a.cfg.MaxPairs)
	return algorithms.Status{State: algorithms.Exhausted, Reason: reason}
}

// rffEnded is the status of a step that the context has ended.
func rffEnded(err error) algorithms.Status {
	return algorithms.Status{State: algorithms.Failed, Reason: "svm: rff: the step was ended: " + err.Error()}
}

// Cost implements algorithms.Stepper.
func (a *RFF) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. It costs O(N k), and leaves Alpha empty: the
// dual variables are the coefficients of Fourier features, not of Phi.
func (a *RFF) SolutionTo(s *Solution) {
	linearSolutionTo(s, a.features, a.solver.w, 1)
}
