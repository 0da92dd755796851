package svm

import (
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms"
)

// Conversions of the Perceptron's iterates into one classifier.
const (
	conversionLast    = "last"
	conversionAverage = "average"
	conversionSample  = "sample"
)

// PerceptronConfig configures Perceptron.
type PerceptronConfig struct {
	// Conversion says which classifier is returned after T examples: "last"
	// (the default), w_T; "average", the mean of w_0, …, w_{T-1}, those that
	// the examples were classified with; or "sample", one of them drawn
	// uniformly from the current pass of n examples.
	Conversion string
}

// Perceptron is the online kernel Perceptron, which looks at one example a step:
//
//	w_t = w_{t-1} + y_i Phi(x_i)  if  y_i <w_{t-1}, Phi(x_i)> <= 0,
//	w_t = w_{t-1}                 otherwise.
//
// It optimizes no objective. Its guarantee on the error, by way of the
// conversion from online to batch, holds for a single pass over examples in
// random order; from the second pass on it may overfit.
//
// A step is charged as many kernel evaluations and inner products as there are
// support vectors before it: these classify the example. A mistake costs a
// kernel row and one pass over all N points, another example O(1).
//
// Source: Cotter 2013, section 1.5.1; Cesa-Bianchi, Conconi & Gentile 2001, "On
// the generalization ability of on-line learning algorithms".
type Perceptron struct {
	kernelIterate
	conversion string
	order      Order
	rng        *rand.Rand
	sample     Solution
	mixed      int // support of the average, or of the sample
}

var _ Sparse = (*Perceptron)(nil)

// NewPerceptron returns the Perceptron at w = 0. The generator rng is for the
// conversion "sample" and may be nil for the others. It returns an error if the
// order, or an rng that is needed, is nil, the conversion is unknown, or the
// problem malformed.
func NewPerceptron(cfg PerceptronConfig, p Problem, order Order, rng *rand.Rand) (*Perceptron, error) {
	conversion := cfg.Conversion
	switch conversion {
	case "":
		conversion = conversionLast
	case conversionLast, conversionAverage, conversionSample:
	default:
		return nil, fmt.Errorf("svm: perceptron: unknown conversion %q; want %q, %q or %q", conversion, conversionLast, conversionAverage, conversionSample)
	}
	if order == nil {
		return nil, fmt.Errorf("svm: perceptron: no order of the training points given")
	}
	if conversion == conversionSample && rng == nil {
		return nil, fmt.Errorf("svm: perceptron: no random numbers given for the conversion %q", conversion)
	}
	it, err := newKernelIterate("perceptron", p, conversion == conversionAverage)
	if err != nil {
		return nil, err
	}
	a := &Perceptron{kernelIterate: it, conversion: conversion, order: order, rng: rng}
	if conversion == conversionSample {
		a.lastTo(&a.sample)
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *Perceptron) Step() algorithms.Status {
	i := a.order.Next()
	mistake := a.response(i) <= 0
	var row []float32
	if mistake {
		var err error
		if row, err = a.rows.Checked(i); err != nil {
			return a.ended(err)
		}
	}
	switch a.conversion {
	case conversionAverage:
		a.average()
		a.mixed = a.support
	case conversionSample:
		a.draw()
	}
	a.cost.Iterations++
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

// draw keeps w as the sample with probability 1/k if it is the k-th iterate of
// the pass, so that in the end each was kept with the same probability.
func (a *Perceptron) draw() {
	if k := a.cost.Iterations%int64(a.n) + 1; a.rng.Int64N(k) == 0 {
		a.lastTo(&a.sample)
		a.mixed = a.support
	}
}

// Support implements Sparse. Of the average it counts the points that were added
// to one of the iterates averaged.
func (a *Perceptron) Support() int {
	if a.conversion == conversionLast {
		return a.support
	}
	return a.mixed
}

// Reach implements Sparse.
func (a *Perceptron) Reach() (least, most int) {
	if a.conversion == conversionLast {
		return a.kernelIterate.Reach()
	}
	return a.mixed, a.support
}

// SolutionTo implements Learner.
func (a *Perceptron) SolutionTo(s *Solution) {
	switch a.conversion {
	case conversionAverage:
		a.averageTo(s)
	case conversionSample:
		s.Scores = append(s.Scores[:0], a.sample.Scores...)
		s.Alpha = append(s.Alpha[:0], a.sample.Alpha...)
		s.Bias, s.NormSq = 0, a.sample.NormSq
	default:
		a.lastTo(s)
	}
}
