// Package pca holds the streaming principal component analysis algorithms of
// Cotter 2013, part II. Each finds, from samples x_t in R^d that it sees once
// each, a k-dimensional subspace that captures as much as possible of the
// uncentred second moment E[x x^T]:
//
//	maximise  E[x^T M x]  subject to  M a rank-k orthogonal projection,
//
// or the convex relaxation 0 <= M <= I, tr M = k of it.
package pca

import (
	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// Source yields the samples of a stream, one a step.
type Source interface {
	// Dim returns the dimension d of the samples.
	Dim() int
	// Next returns the next sample, of length Dim. The slice is read-only and
	// valid until the next call. ok is false when there is no further sample.
	Next() (x []float64, ok bool)
}

// NewMatrixSource returns a source of the rows of x, in order and each once. It
// keeps x, which must not change. MSG and others see samples that are independent:
// shuffle the rows of a matrix that is sorted.
func NewMatrixSource(x *mat.Dense) Source { return &matrixSource{x: x} }

type matrixSource struct {
	x    *mat.Dense
	next int
}

// Dim implements Source.
func (s *matrixSource) Dim() int {
	_, d := s.x.Dims()
	return d
}

// Next implements Source.
func (s *matrixSource) Next() (x []float64, ok bool) {
	if n, _ := s.x.Dims(); s.next == n {
		return nil, false
	}
	s.next++
	return s.x.RawRowView(s.next - 1), true
}

// Learner is what all algorithms of this package have in common.
type Learner interface {
	algorithms.Stepper
	// Dims returns the dimension d of the samples and the dimension k of the
	// subspace sought, 0 < k < d.
	Dims() (d, k int)
	// Rank returns k'_t, the number of nontrivial eigenvalues of the current
	// iterate: the rank of M, or for Warmuth & Kuzmin the number of
	// eigenvalues of W below the cap 1/(d-k).
	Rank() int
	// StateTo writes the current iterate to dst, in storage of its own.
	StateTo(dst *State)
}

// State is an iterate in the scale of M (0 <= M <= I, tr M = k), as
//
//	M = U diag(Sigma) U^T + Bulk (I - U U^T).
//
// Iterates that are a plain subspace have Sigma = 1. The W of Warmuth & Kuzmin
// is M = I - (d-k) W, so that a capped eigenvalue of W is 0 here.
type State struct {
	// U is d x m with orthonormal columns. It may have more or fewer than k
	// columns; it is nil when m = 0.
	U *mat.Dense
	// Sigma holds the m eigenvalues in decreasing order.
	Sigma []float64
	// Bulk is the eigenvalue of the d-m directions outside the span of U, at
	// most the smallest of Sigma.
	Bulk float64
}
