package pca

import (
	"math"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SAAConfig configures SAA.
type SAAConfig struct {
	// K is the dimension k of the subspace sought, 0 < k < d.
	K int
}

// SAA is the sample average approximation: the exact maximiser of the empirical
// objective over the samples seen so far,
//
//	maximise  tr(U^T S_t U)  subject to  U^T U = I,  S_t = (1/t) sum_{s<=t} x_s x_s^T,
//
// which the k leading eigenvectors of S_t are. A run of SAA gives a whole curve
// over prefixes of the sample: a step only accumulates the second moment, and
// the eigendecomposition is computed when StateTo asks for it.
//
// The cost of a step is O(d^2), and SumKT2 is charged d for it, so that d*SumKT2
// is the n d^2 of the table of bounds. SumKT sums Rank, which has no
// part in that. The cost of StateTo after a step is
// O(d^3), or O(t^2 d) for the first 3d/4 samples, by the Gram matrix. Memory is
// O(d^2).
//
// Source: Cotter 2013, section 4.3.
type SAA struct {
	stream
	sum   *mat.SymDense // sum of x x^T
	trace float64       // its trace
	first []float64     // the first samples, limit x d at most
	limit int

	span    *basis // orthonormal basis of the samples' span, up to k vectors
	rank    int
	largest float64 // the largest norm of a sample

	top   *basis // the leading rank eigenvectors
	topAt int64  // the iteration for which top was computed
}

var _ Learner = (*SAA)(nil)

// NewSAA returns a sample average approximation over the samples of src. It
// returns an error if src is nil or K is not in 0 < K < d.
func NewSAA(cfg SAAConfig, src Source) (*SAA, error) {
	st, err := newStream("saa", cfg.K, src)
	if err != nil {
		return nil, err
	}
	return &SAA{
		stream: st,
		sum:    mat.NewSymDense(st.d, nil),
		limit:  st.d * 3 / 4,
		span:   newBasis(st.d, st.k),
		top:    newBasis(st.d, st.k),
	}, nil
}

// Step implements algorithms.Stepper.
func (s *SAA) Step() algorithms.Status {
	x, ok := s.next()
	if !ok {
		return s.status
	}
	normX2 := floats.Dot(x, x)
	if !finite.Is(s.trace + normX2) {
		return s.stop(algorithms.Diverged, "sample %d takes the second moment out of the finite range", s.cost.Iterations+1)
	}
	s.trace += normX2
	blas64.Syr(1, blas64.Vector{N: s.d, Data: x, Inc: 1}, s.sum.RawSymmetric())
	if s.cost.Iterations < int64(s.limit) {
		s.first = append(s.first, x...)
	} else {
		s.first = nil
	}
	s.extendSpan(x, math.Sqrt(normX2))
	return s.charge(s.rank, s.d)
}

// newDirection is the share of the largest norm of a sample that must lie
// outside the span of those before it for the rank to grow. Its square, which is
// what the second moment sees, is close to the unit roundoff.
const newDirection = 1e-7

// extendSpan updates the rank of the second moment, until it reaches k.
func (s *SAA) extendSpan(x []float64, normX float64) {
	if s.rank == s.k {
		return
	}
	s.largest = max(s.largest, normX)
	v := s.span.col(s.rank)
	copy(v, x)
	if !s.span.orthonormaliseAgainst(v, s.rank) {
		return
	}
	if floats.Dot(v, x) > newDirection*s.largest {
		s.rank++
	}
}

// Rank implements Learner. It is min(k, r), where r is the numerical rank of the
// second moment of the samples so far: 0 before the first, k from the first k
// independent ones on.
func (s *SAA) Rank() int { return s.rank }

// StateTo implements Learner: the leading Rank eigenvectors of the second
// moment, in decreasing order of their eigenvalues. The decomposition is
// computed once a step at most. If it fails, Status says so from then on, and
// dst receives a basis of the span of the first independent samples.
func (s *SAA) StateTo(dst *State) {
	if s.topAt != s.cost.Iterations {
		s.topAt = s.cost.Iterations
		if !s.decomposeGram() && !s.decompose() {
			s.stop(algorithms.Failed, "the eigendecomposition of the second moment of %d samples did not converge", s.cost.Iterations)
			s.top.copyFrom(s.span)
		}
	}
	s.top.stateTo(dst, s.rank)
}

// decompose finds the leading eigenvectors of the second moment directly.
func (s *SAA) decompose() bool {
	var eig mat.EigenSym
	if !eig.Factorize(s.sum, true) {
		return false
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	for j := range s.rank {
		mat.Col(s.top.col(j), s.d-1-j, &vectors)
	}
	return true
}

// decomposeGram finds them, while all samples are kept, as combinations X^T v of
// the samples, where v are the leading eigenvectors of the Gram matrix X X^T. It
// reports false if that cannot be done accurately.
func (s *SAA) decomposeGram() bool {
	n := len(s.first) / s.d
	if int64(n) != s.cost.Iterations || s.rank == 0 {
		return s.rank == 0
	}
	x := blas64.General{Rows: n, Cols: s.d, Data: s.first, Stride: s.d}
	gram := mat.NewSymDense(n, nil)
	blas64.Syrk(blas.NoTrans, 1, x, 0, gram.RawSymmetric())
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return false
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	v := make([]float64, n)
	for j := range s.rank {
		mat.Col(v, n-1-j, &vectors)
		blas64.Gemv(blas.Trans, 1, x, blas64.Vector{N: n, Data: v, Inc: 1},
			0, blas64.Vector{N: s.d, Data: s.top.col(j), Inc: 1})
	}
	// The rounding error of X^T v is relative to the largest singular value: of
	// a far smaller one too little is left.
	values := eig.Values(nil)
	if values[n-s.rank] < 1e-10*values[n-1] {
		return false
	}
	return s.top.orthonormalise() >= s.rank
}
