package pca

import (
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SAAConfig configures SAA.
type SAAConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
}

// SAA is the sample average approximation. It maximises the empirical objective over the samples so far,
//
//	maximise  tr(U^T S_t U)  subject to  U^T U = I,  S_t = (1/t) sum_{s<=t} x_s x_s^T.
//
// The solution consists of the k leading eigenvectors of S_t. A run gives a curve over prefixes of the
// sample: a step accumulates the second moment, and StateTo computes the eigendecomposition.
//
// A step costs O(d^2) and adds d to SumKT2, so that d*SumKT2 is n d^2, as in the table of bounds. It
// adds Rank to SumKT. StateTo costs O(d^3), or O(t^2 d) through the Gram matrix for the first 3d/4
// samples. Memory is O(d^2).
//
// Source: Cotter 2013, section 4.3.
type SAA struct {
	stream
	sum   *mat.SymDense // sum of x x^T
	trace float64       // its trace
	first []float64     // all samples while there are at most 3d/4, then nil

	span    *basis  // orthonormal basis of the span of the samples, at most k vectors
	largest float64 // largest norm of a sample
}

var _ Learner = (*SAA)(nil)

// NewSAA returns the sample average approximation over the samples of src. It returns an error if src is
// nil, or unless 0 < K < d.
func NewSAA(cfg SAAConfig, src Source) (*SAA, error) {
	st, err := newStream("saa", cfg.K, src, noStep)
	if err != nil {
		return nil, err
	}
	return &SAA{stream: st, sum: mat.NewSymDense(st.d, nil), span: newBasis(st.d, 0)}, nil
}

// Step implements algorithms.Stepper.
func (s *SAA) Step() algorithms.Status {
	x, _, ok := s.next()
	if !ok {
		return s.status
	}
	normX2 := floats.Dot(x, x)
	if !finite.Is(s.trace + normX2) {
		return s.stop(algorithms.Diverged, "sample %d takes the second moment out of the finite range", s.cost.Iterations+1)
	}
	s.trace += normX2
	s.sum.SymRankOne(s.sum, 1, mat.NewVecDense(s.d, x))
	if s.cost.Iterations < int64(s.d*3/4) {
		s.first = append(s.first, x...)
	} else {
		s.first = nil
	}
	s.largest = max(s.largest, math.Sqrt(normX2))
	s.extendSpan(x)
	return s.charge(s.Rank(), s.d)
}

// newDirection is the smallest component of a sample outside the span of the previous samples that
// increases the rank, relative to the largest norm. In the second moment it appears squared, close to
// the unit roundoff.
const newDirection = 1e-7

// extendSpan updates the basis of the span of the samples, until it has k vectors.
func (s *SAA) extendSpan(x []float64) {
	if s.span.k == s.k {
		return
	}
	v := slices.Clone(x)
	if s.span.orthonormaliseAgainst(v, s.span.k) && floats.Dot(v, x) > newDirection*s.largest {
		s.span.appendCol(1, v)
	}
}

// Rank implements Learner. It is min(k, r), where r is the numerical rank of the second moment of the
// samples so far.
func (s *SAA) Rank() int { return s.span.k }

// StateTo implements Learner. It writes the leading Rank eigenvectors of the second moment, in
// decreasing order of their eigenvalues.
func (s *SAA) StateTo(dst *State) {
	top, ok := s.leadingByGram()
	if !ok {
		top = s.leading()
	}
	top.stateTo(dst, s.Rank())
}

// leading returns the leading Rank eigenvectors of the second moment.
func (s *SAA) leading() *basis {
	top := newBasis(s.d, 0)
	_, vectors := eigen(s.sum)
	for j := range s.Rank() {
		top.appendCol(1, mat.Col(nil, s.d-1-j, vectors))
	}
	return top
}

// leadingByGram returns the same vectors as combinations X^T v of the samples, where v are the leading
// eigenvectors of the Gram matrix X X^T. It returns false if not all samples are stored, or if the
// result would not be accurate.
func (s *SAA) leadingByGram() (top *basis, ok bool) {
	n, rank := len(s.first)/s.d, s.Rank()
	top = newBasis(s.d, 0)
	if int64(n) != s.cost.Iterations || rank == 0 {
		return top, rank == 0
	}
	x := mat.NewDense(n, s.d, s.first)
	gram := mat.NewSymDense(n, nil)
	gram.SymOuterK(1, x)
	values, vectors := eigen(gram)
	for j := range rank {
		var u mat.VecDense
		u.MulVec(x.T(), mat.NewVecDense(n, mat.Col(nil, n-1-j, vectors)))
		top.appendCol(1, u.RawVector().Data)
	}
	// The rounding error of X^T v is relative to the largest singular value, which is too much for far
	// smaller ones.
	if values[n-rank] < 1e-10*values[n-1] {
		return nil, false
	}
	return top, top.orthonormalise() >= rank
}
