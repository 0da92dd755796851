package svm

import (
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms"
)

// PerceptronConfig configures Perceptron.
type PerceptronConfig struct {
	// Average selects the mean of w_0, …, w_{T-1}, the iterates that classified T examples, instead of
	// w_T.
	Average bool
	// Sample, if not nil, draws the returned iterate uniformly from w_0, …, w_{T-1}, as in the theorem
	// on the Perceptron. It rarely changes from one step to the next.
	Sample *rand.Rand
}

// Perceptron is the online kernel Perceptron. A step classifies one example x_i:
//
//	w_t = w_{t-1} + y_i Phi(x_i)  if  y_i <w_{t-1}, Phi(x_i)> <= 0,
//	w_t = w_{t-1}                 otherwise.
//
// It optimises no objective. Its error bound, by online-to-batch conversion, holds for a single pass
// over examples in random order. From the second pass on it may overfit.
//
// A step is charged one kernel evaluation and one inner product for each support vector before it, to
// classify the example. A mistake costs a kernel row and one pass over all N points. A correctly
// classified example costs O(1).
//
// Source: Cotter 2013, section 1.5.1; Cesa-Bianchi, Conconi & Gentile 2001, "On the generalization
// ability of on-line learning algorithms".
type Perceptron struct {
	kernelIterate
	average       bool
	sample        *rand.Rand
	drawn         Solution // the sampled iterate
	order         Order
	outputSupport int // support of the average or of the sampled iterate
}

var _ SupportCounter = (*Perceptron)(nil)

// NewPerceptron returns the Perceptron at w = 0. It returns an error if order is nil, if p is invalid,
// or if both Average and Sample are set.
func NewPerceptron(cfg PerceptronConfig, p Problem, order Order) (*Perceptron, error) {
	if order == nil {
		return nil, fmt.Errorf("svm: perceptron: the order of the training points is nil")
	}
	it, err := newKernelIterate("perceptron", p, cfg.Average)
	if err != nil {
		return nil, err
	}
	if cfg.Average && cfg.Sample != nil {
		return nil, fmt.Errorf("svm: perceptron: the classifier cannot be both an average and a sample")
	}
	return &Perceptron{kernelIterate: it, average: cfg.Average, sample: cfg.Sample, order: order}, nil
}

// Step implements algorithms.Stepper.
func (a *Perceptron) Step() algorithms.Status {
	i := a.order.Next()
	mistake := a.response(i) <= 0
	var row []float32
	if mistake {
		var err error
		if row, err = a.rows.Checked(i); err != nil {
			return a.badRow(err)
		}
	}
	a.addToAverage()
	a.cost.Iterations++
	if a.sample == nil {
		a.outputSupport = a.support
	} else if a.sample.Int64N(a.cost.Iterations) == 0 { // keeps each of T iterates with probability 1/T
		a.outputSupport = a.support
		a.lastTo(&a.drawn)
	}
	evals := int64(a.support)
	a.cost.KernelEvals += evals
	a.cost.InnerProducts += evals
	if !mistake {
		return algorithms.Status{}
	}
	a.cost.KernelEvalsMoved += evals
	a.add(i, 1, row)
	return algorithms.Status{}
}

// Support implements SupportCounter. For the average it counts the points in any of the averaged iterates.
func (a *Perceptron) Support() int {
	if a.average || a.sample != nil {
		return a.outputSupport
	}
	return a.support
}

// SupportBounds implements SupportCounter.
func (a *Perceptron) SupportBounds() (least, most int) {
	if a.average || a.sample != nil {
		return a.outputSupport, a.support
	}
	return a.kernelIterate.SupportBounds()
}

// SolutionTo implements Learner.
func (a *Perceptron) SolutionTo(s *Solution) {
	switch {
	case a.average:
		a.averageTo(s)
	case a.sample != nil && a.cost.Iterations > 0:
		s.Scores, s.Alpha = append(s.Scores[:0], a.drawn.Scores...), append(s.Alpha[:0], a.drawn.Alpha...)
		s.Bias, s.NormSq = a.drawn.Bias, a.drawn.NormSq
	default:
		a.lastTo(s)
	}
}
