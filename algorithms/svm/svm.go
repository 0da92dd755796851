// Package svm implements the support vector machine optimisers of Cotter 2013, chapters 1 and 2. Each
// method is one file with one type that implements Step.
//
// The training set is x_1, …, x_n with labels y_i = ±1. A kernel classifier is g(x) = <w, Phi(x)> + b
// with w = sum_i alpha_i y_i Phi(x_i). The optimisers follow the thesis's outline (Algorithm
// "traditional-kernel"): choose a working set, solve a subproblem on it, update alpha and the responses,
// scale. They see kernel rows, never data, and update the responses of all points. Objectives and losses
// are computed elsewhere.
package svm

import (
	"errors"
	"fmt"
	"math"

	"stochopt/algorithms"
)

// Rows gives an optimiser access to the kernel matrix. There are N points, of which the first n are the
// training points. The others (validation, test) are included so that the same pass updates their
// responses. Rows is not safe for concurrent use.
type Rows interface {
	// Train returns n.
	Train() int
	// Len returns N >= n.
	Len() int
	// Row returns K(x_i, x_j) for all j < N, 0 <= i < n. The caller must not modify it. Only the last
	// two returned rows are valid.
	Row(i int) []float32
	// Diag returns K(x_j, x_j) for all j < N, equal to Row(j)[j] for j < n. The caller must not modify
	// it.
	Diag() []float64
}

// Problem is the input of a kernel optimiser.
type Problem struct {
	Rows Rows
	// Positive is the number n+ of positive training points, which come first. Point i < n has the label
	// +1 if i < Positive, otherwise -1.
	Positive int
}

// PositiveFirst returns the order of the points of a Problem for labels y of 1 and -1: the indices of
// the positive ones, then those of the others, and how many are positive. It returns an error if a label
// is neither.
func PositiveFirst(y []float64) (order []int, positive int, err error) {
	var negative []int
	for i, v := range y {
		switch v {
		case 1:
			order = append(order, i)
		case -1:
			negative = append(negative, i)
		default:
			return nil, 0, fmt.Errorf("svm: label %g of point %d; labels are 1 and -1", v, i)
		}
	}
	return append(order, negative...), len(order), nil
}

// Score returns g(z) = sum_i alpha_i y_i K(x_i, z) + b of a point z, from its kernel values K(x_i, z)
// with the n training points. It panics if s has no coefficients.
func (p Problem) Score(s *Solution, row []float32) float64 {
	if len(s.Alpha) != len(row) {
		panic(fmt.Sprintf("svm: %d coefficients and %d kernel values", len(s.Alpha), len(row)))
	}
	g := s.Bias
	for i, alpha := range s.Alpha {
		g += alpha * p.Label(i) * float64(row[i])
	}
	return g
}

// Label returns y_i of training point i.
func (p Problem) Label(i int) float64 { return label(i, p.Positive) }

// Check returns an error if there are no rows or training points, if the number of positive points is
// out of range, or if the diagonal is invalid. With a bias, there must be points of both classes.
func (p Problem) Check(bias bool) error {
	if p.Rows == nil {
		return errors.New("the kernel rows are nil")
	}
	n, all, diag := p.Rows.Train(), p.Rows.Len(), p.Rows.Diag()
	switch {
	case n < 1:
		return fmt.Errorf("n = %d training points; there must be at least one", n)
	case all < n:
		return fmt.Errorf("there are N = %d points, fewer than the n = %d training points", all, n)
	case p.Positive < 0 || p.Positive > n:
		return fmt.Errorf("%d positive points; there must be between 0 and %d, the number of training points", p.Positive, n)
	case bias && (p.Positive == 0 || p.Positive == n):
		return fmt.Errorf("%d of the n = %d training points are positive; with a bias there must be points of both classes",
			p.Positive, n)
	case len(diag) != all:
		return fmt.Errorf("the diagonal of the kernel has %d entries; it must have %d, one for each point", len(diag), all)
	}
	for i, k := range diag {
		if !(k >= 0 && k <= math.MaxFloat32) {
			return fmt.Errorf("K(x, x) = %g for point %d; it must be finite and not negative; "+
				"check the features and the parameters of the kernel", k, i)
		}
	}
	return nil
}

func label(i, positive int) float64 {
	if i < positive {
		return 1
	}
	return -1
}

// Order yields an infinite sequence of training indices.
type Order interface {
	// Next returns an index 0 <= i < n.
	Next() int
}

// Solution is a classifier with its scores and norm.
type Solution struct {
	// Scores holds g(x_j) = <w, Phi(x_j)> + b for all N points.
	Scores []float64
	// Alpha holds the n coefficients of w = sum_i alpha_i y_i Phi(x_i). It is empty for some linear
	// methods.
	Alpha []float64
	// Bias is b, 0 for problems without a bias.
	Bias float64
	// NormSq is |w|^2.
	NormSq float64
}

// Learner is an iterative SVM optimiser.
type Learner interface {
	algorithms.Stepper
	// SolutionTo writes the classifier of the current state. It reuses the slices of s if they are long
	// enough. It does not change the state of the learner, costs O(N) and needs no kernel row.
	SolutionTo(s *Solution)
}

// SupportCounter is a Learner that knows the number of support vectors of its classifier.
type SupportCounter interface {
	Learner
	// Support returns the number of coefficients of SolutionTo's Alpha that are nonzero up to rounding.
	// It costs O(1).
	Support() int
	// SupportBounds returns bounds on Support after the next Step. It costs O(1).
	SupportBounds() (least, most int)
}

// PreviousKeeper is a SupportCounter that may keep the classifier before its last Step.
type PreviousKeeper interface {
	SupportCounter
	// KeepsPrevious reports whether PreviousTo is available.
	KeepsPrevious() bool
	// PreviousTo writes Alpha and Bias of the classifier before the last Step, with the same bits as
	// SolutionTo, and nothing else. It costs O(n).
	PreviousTo(s *Solution)
}
