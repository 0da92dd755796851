package sparse

import (
	"errors"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// RBPConfig configures RBP.
type RBPConfig struct {
	// Budget is the greatest number B of mistakes that are remembered, and so of
	// expansion vectors, B >= 1. More than n is n.
	Budget int
}

// RBP is the Randomized Budget Perceptron, a kernel Perceptron that remembers at
// most B of its mistakes. It looks at one example x_i a step. If
// y_i <w, Phi(x_i)> <= 0, a mistake,
//
//	w <- w + y_i Phi(x_i)                  while B are not remembered,
//	w <- w - y_r Phi(x_r) + y_i Phi(x_i)   after that,
//
// where r is drawn uniformly from the B mistakes that are remembered, not the new
// one: in expectation w shrinks by 1 - 1/B. The expected number of mistakes is within
// a constant factor of the sum of the hinge losses of any u, |u| up to the order of
// sqrt(B), up to lower-order terms.
//
// A step is charged as many kernel evaluations and inner products as there are
// expansion vectors before it: these classify the example. A mistake costs a kernel
// row, or two where another is forgotten, and one pass over the n training points,
// another example O(1).
//
// Source: Cavallanti, Cesa-Bianchi & Gentile 2007, "Tracking the best hyperplane
// with a simple budget Perceptron", Machine Learning 69,
// https://doi.org/10.1007/s10994-007-5003-0, abstract read, which has the rule and
// the sqrt(B). That the new mistake is not among those that are drawn from is from
// memory, and the same in DOGMA, a program of others. The paper knows no passes: an
// example that is mistaken again while it is remembered is remembered twice.
type RBP struct {
	budgeted
	rng *rand.Rand
}

var _ Learner = (*RBP)(nil)

// NewRBP returns the Randomized Budget Perceptron at w = 0; rng draws what is
// forgotten. It returns an error if the budget is below 1, the order or rng
// is nil, or the problem malformed.
func NewRBP(cfg RBPConfig, p svm.Problem, order svm.Order, rng *rand.Rand) (*RBP, error) {
	b, err := newBudgeted("rbp", cfg.Budget, p, order)
	if err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, errors.New("sparse: rbp: no random numbers given")
	}
	return &RBP{b, rng}, nil
}

// Step implements algorithms.Stepper.
func (a *RBP) Step() algorithms.Status { return a.once(a.step) }

func (a *RBP) step() algorithms.Status {
	i, row, status := a.look()
	switch {
	case row == nil:
	case a.full():
		a.replace(a.rng.IntN(a.budget), i, row, 1)
	default:
		a.remember(i, row)
	}
	return status
}
