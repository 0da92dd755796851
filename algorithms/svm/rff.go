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
	// Gamma is the parameter of the Gaussian kernel exp(-gamma |x - x'|^2), 1/(2 sigma^2), positive.
	Gamma float64
	// MaxPairs is the final number of feature pairs, at least 1.
	MaxPairs int
	// Lambda is the regularisation parameter of the SVM, positive.
	Lambda float64
	// Tolerance is the relative duality gap (P - D)/P to which the linear SVM is solved. 0 means 1e-4.
	Tolerance float64
}

// RFF approximates a Gaussian kernel SVM by a linear SVM in random Fourier features. With k pairs the
// point x becomes
//
//	(cos <v_1, x>, sin <v_1, x>, …, cos <v_k, x>, sin <v_k, x>)/sqrt(k),
//	v_p ~ N(0, I/sigma^2) independently,
//
// whose inner products are exp(-gamma |x - x'|^2) in expectation. Step t increases the number of pairs
// to k = 2^(t-1), but at most MaxPairs, by drawing new ones. Then it solves
//
//	minimise  lambda/2 |w|^2 + mean hinge loss
//
// in these features to a relative duality gap, starting from the previous dual variables. The method is
// exhausted once it has MaxPairs pairs.
//
// With k pairs InnerProducts is k n, the cost of the features of the n training points. The optimisation
// and the features of the other points are not charged. A step costs O(N k d) operations and the
// optimisation, and needs the memory returned by RFFBytes. The context is checked after every O(N d)
// operations for the features, and after each pass.
//
// Directions v and features are computed in float64 and rounded once, to float32. They depend only on
// the generator, so that learners with other parameters and equal generators have the same features.
//
// Source: Rahimi & Recht 2007, "Random features for large-scale kernel machines"; Cotter 2013, sections
// 1.5 and 2.4. The linear SVM is solved as in Hsieh et al. 2008 (see LinearSDCA), with shrinking.
type RFF struct {
	ctx      context.Context
	cfg      RFFConfig
	features *fourier
	solver   *LinearSDCA
	ascent   *shrinkingAscent
	cost     algorithms.Cost
}

var _ Learner = (*RFF)(nil)

// NewRFF returns RFF for the points of x. The first train points are the training points, and the first
// positive of these are positive. directions draws the directions v, and order the order of the
// coordinates; they must be different generators. If ctx is cancelled, the current step ends with the
// status Failed. NewRFF returns an error if an argument is nil or a parameter is out of range.
func NewRFF(ctx context.Context, cfg RFFConfig, x kernel.Vectors, train, positive int, directions, order *rand.Rand) (*RFF, error) {
	const name = "rff"
	if ctx == nil || x == nil {
		return nil, errors.New("svm: " + name + ": the context or the points are nil")
	}
	if directions == nil || order == nil || directions == order {
		return nil, errors.New("svm: " + name + ": the directions and the order need two different random generators")
	}
	n, d := x.Dims()
	switch {
	case d < 1:
		return nil, fmt.Errorf("svm: %s: the points have %d features; there must be at least 1", name, d)
	case train < 1 || train > n:
		return nil, fmt.Errorf("svm: %s: %d training points; there must be between 1 and %d, the number of points",
			name, train, n)
	case positive < 0 || positive > train:
		return nil, fmt.Errorf("svm: %s: %d positive points; there must be between 0 and %d, the number of training points",
			name, positive, train)
	case cfg.MaxPairs < 1:
		return nil, fmt.Errorf("svm: %s: max pairs = %d; it must be at least 1", name, cfg.MaxPairs)
	case RFFBytes(n, cfg.MaxPairs) > math.MaxInt/2:
		return nil, fmt.Errorf("svm: %s: %d pairs of features for %d points exceed the address space; use fewer pairs",
			name, cfg.MaxPairs, n)
	case !(cfg.Tolerance >= 0):
		return nil, fmt.Errorf("svm: %s: tolerance is %v; it must be a relative duality gap, or 0 for 1e-4",
			name, cfg.Tolerance)
	}
	if err := checkLinearPositive(name, "gamma", cfg.Gamma); err != nil {
		return nil, err
	}
	if err := checkLinearPositive(name, "lambda", cfg.Lambda); err != nil {
		return nil, err
	}
	cfg.Tolerance = cmp.Or(cfg.Tolerance, 1e-4)
	f := newFourier(x, train, cfg.MaxPairs, cfg.Gamma, directions)
	solver := newLinearSDCA(cfg.Lambda, LinearProblem{Features: f, Positive: positive})
	return &RFF{ctx: ctx, cfg: cfg, features: f, solver: solver, ascent: newShrinkingAscent(solver, order)}, nil
}

// RFFSteps returns the number of steps that RFF takes to reach maxPairs >= 1 pairs.
func RFFSteps(maxPairs int) int {
	if maxPairs < 1 {
		panic("svm: RFFSteps needs at least one pair")
	}
	return 1 + bits.Len(uint(maxPairs-1))
}

// rffBytesOfPair is the memory for the weights of a pair: two in float64, and the same for the previous
// step, which has half as many pairs.
const rffBytesOfPair = 16 + 8

// RFFBytes returns the bytes that RFF takes for the given numbers of points and pairs: 8 for each pair
// and point, and 24 for each pair. It omits memory that does not depend on pairs. The result is at most
// math.MaxInt64.
func RFFBytes(points, pairs int) int64 {
	hi, lo := bits.Mul64(8*uint64(points)+rffBytesOfPair, uint64(pairs))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// Step implements algorithms.Stepper. A step that fails, or that follows the step with all pairs,
// changes and charges nothing.
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

// double doubles the number of pairs, to at most MaxPairs, and solves the linear SVM.
func (a *RFF) double() algorithms.Status {
	k := min(max(2*a.features.pairs, 1), a.cfg.MaxPairs)
	if err := a.features.grow(a.ctx, k); err != nil {
		return rffInterrupted(err)
	}
	if j := a.features.notFinite(); j >= 0 {
		return algorithms.Status{
			State:  algorithms.Diverged,
			Reason: fmt.Sprintf("svm: rff: point %d has a Fourier feature that is not finite; check and scale its values", j),
		}
	}
	a.solver.restart()
	gap, err := a.ascent.solve(a.ctx, a.cfg.Tolerance)
	if err != nil {
		return rffInterrupted(err)
	}
	if !(gap <= a.cfg.Tolerance) {
		return algorithms.Status{
			State: algorithms.Failed,
			Reason: fmt.Sprintf("svm: rff: with %d pairs the relative duality gap is still %.3g, not %g, after %d passes; "+
				"raise lambda or the tolerance",
				k, gap, a.cfg.Tolerance, a.ascent.maxPasses),
		}
	}
	if k == a.cfg.MaxPairs {
		return a.exhausted()
	}
	return algorithms.Status{}
}

// exhausted returns the status once all pairs are in use.
func (a *RFF) exhausted() algorithms.Status {
	reason := fmt.Sprintf("all %d pairs of features are in use", a.cfg.MaxPairs)
	return algorithms.Status{State: algorithms.Exhausted, Reason: reason}
}

// rffInterrupted returns the status of a step whose context was cancelled.
func rffInterrupted(err error) algorithms.Status {
	return algorithms.Status{State: algorithms.Failed, Reason: "svm: rff: interrupted: " + err.Error()}
}

// Cost implements algorithms.Stepper.
func (a *RFF) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. It costs O(N k). Alpha is empty, because the dual variables are
// coefficients of Fourier features, not of Phi.
func (a *RFF) SolutionTo(s *Solution) {
	linearSolutionTo(s, a.features, a.solver.w, 1)
}
