// Package pca implements the algorithms for streaming principal component analysis of Cotter 2013, part
// II. Each sees samples x_t in R^d, once each, and finds a k-dimensional subspace that captures as much
// as possible of the uncentred second moment E[x x^T]:
//
//	maximise  E[x^T M x]  subject to  M a rank-k orthogonal projection,
//
// or its convex relaxation 0 <= M <= I, tr M = k.
package pca

import (
	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

// Source yields the samples of a stream, one in each step.
type Source interface {
	// Dim returns the dimension d of the samples.
	Dim() int
	// Next returns the next sample, of length Dim. The slice is read-only and valid until the next call.
	// ok is false when there is no further sample.
	Next() (x []float64, ok bool)
}

// NewMatrixSource returns a source of the rows of x, in order and each once. It keeps x, which must not
// change. MSG and others see samples that are independent: shuffle the rows of a matrix that is sorted.
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

// Learner is an algorithm for streaming PCA.
type Learner interface {
	algorithms.Stepper
	// Dims returns the dimension d of the samples and the dimension k of the subspace, 0 < k < d.
	Dims() (d, k int)
	// Rank returns k'_t, the number of nontrivial eigenvalues of the current iterate. It is the rank of
	// M. For Warmuth & Kuzmin it is the number of eigenvalues of W below the cap 1/(d-k).
	Rank() int
	// StateTo writes the current iterate to dst, without aliasing the learner.
	StateTo(dst *State)
}

// State is an iterate in the scale of M (0 <= M <= I, tr M = k),
//
//	M = U diag(Sigma) U^T + Bulk (I - U U^T).
//
// A subspace has Sigma = 1 and Bulk = 0. The W of Warmuth & Kuzmin is represented by M = I - (d-k) W,
// where a capped eigenvalue of W is 0.
type State struct {
	// U is d x m with orthonormal columns. m may differ from k. U is nil if m = 0.
	U *mat.Dense
	// Sigma holds the m eigenvalues in decreasing order.
	Sigma []float64
	// Bulk is the eigenvalue of the d-m directions outside the span of U. It is at most the smallest of
	// Sigma.
	Bulk float64
}
