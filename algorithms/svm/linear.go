package svm

import (
	"errors"
	"fmt"
	"math"

	"stochopt/algorithms"
)

// Features is a data matrix for linear optimisers: N points in d dimensions, of which the first n are
// the training points.
type Features interface {
	// Train returns n.
	Train() int
	// Len returns N >= n.
	Len() int
	// Dim returns d.
	Dim() int
	// Dot returns <w, x_j> for j < N; w has length d.
	Dot(w []float64, j int) float64
	// AddTo adds a x_j to w.
	AddTo(w []float64, a float64, j int)
	// NormSq returns |x_j|^2.
	NormSq(j int) float64
}

// LinearProblem is the input of a linear optimiser. Point i < n has the label +1 if i < Positive,
// otherwise -1.
type LinearProblem struct {
	Features Features
	Positive int
}

// Label returns y_i of training point i.
func (p LinearProblem) Label(i int) float64 { return label(i, p.Positive) }

// checkLinear returns an error if p is invalid for the named linear method.
func checkLinear(name string, p LinearProblem) error {
	if p.Features == nil {
		return fmt.Errorf("svm: %s: the features are nil", name)
	}
	n, all, d := p.Features.Train(), p.Features.Len(), p.Features.Dim()
	switch {
	case n < 1 || all < n:
		return fmt.Errorf("svm: %s: %d training points; there must be between 1 and %d, the number of points", name, n, all)
	case d < 1:
		return fmt.Errorf("svm: %s: the points have %d features; there must be at least 1", name, d)
	case p.Positive < 0 || p.Positive > n:
		return fmt.Errorf("svm: %s: %d positive points; there must be between 0 and %d, the number of training points",
			name, p.Positive, n)
	}
	return nil
}

// checkLinearPositive returns an error if a parameter is not a positive finite number.
func checkLinearPositive(name, parameter string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("svm: %s: %s is %v; it must be positive and finite", name, parameter, v)
	}
	return nil
}

// checkLinearAscent is checkLinear for methods with an order and a lambda.
func checkLinearAscent(name string, p LinearProblem, order Order, lambda float64) error {
	if err := checkLinear(name, p); err != nil {
		return err
	}
	if order == nil {
		return errors.New("svm: " + name + ": the order of the training points is nil")
	}
	return checkLinearPositive(name, "lambda", lambda)
}

// linearNormSq returns |w|^2, summed in increasing order of the coordinates.
func linearNormSq(w []float64) float64 {
	s := 0.0
	for _, v := range w {
		s += float64(v * v)
	}
	return s
}

// linearSolutionTo writes the classifier <scale w, x>, without coefficients.
func linearSolutionTo(s *Solution, f Features, w []float64, scale float64) {
	s.Scores = resize(s.Scores, f.Len())
	for j := range s.Scores {
		s.Scores[j] = scale * f.Dot(w, j)
	}
	s.Alpha = s.Alpha[:0]
	s.Bias = 0
	s.NormSq = scale * scale * linearNormSq(w)
}

// linearDiverged returns the status of a linear method whose response is not finite.
func linearDiverged(name string, t int64, response float64) algorithms.Status {
	return algorithms.Status{
		State:  algorithms.Diverged,
		Reason: fmt.Sprintf("svm: %s: the response is %v at step %d; check and scale the features", name, response, t+1),
	}
}
