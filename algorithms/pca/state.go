package pca

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const notConverged = "pca: an eigendecomposition did not converge; check that all entries are finite"

// newState returns a state of m explicit eigenpairs of dimension d, all zero.
func newState(d, m int) State {
	s := State{Sigma: make([]float64, m)}
	if m > 0 {
		s.U = mat.NewDense(d, m, nil)
	}
	return s
}

// TopK returns a d x min(k, m) orthonormal basis of the span of the directions with the min(k, m)
// largest explicit eigenvalues. This is the heuristic that Cotter 2013 recommends (section 5.2,
// "Un-relaxing a Solution").
//
// If m < k, the iterate does not determine the k - m missing directions. In expectation, a uniformly
// random completion captures (k-m)/(d-m) tr(S (I - U U^T)) of a second moment S. If m is 0 the basis is
// empty.
func (s *State) TopK(k int) *mat.Dense {
	k = min(k, len(s.Sigma))
	if k <= 0 {
		return new(mat.Dense)
	}
	d, _ := s.U.Dims()
	return mat.DenseCopyOf(s.U.Slice(0, d, 0, k))
}

// Dense returns M, for samples of dimension d, in O(m d^2) operations.
func (s *State) Dense(d int) *mat.SymDense {
	m := mat.NewSymDense(d, nil)
	s.addTo(m, 1)
	for i := range d {
		m.SetSym(i, i, m.At(i, i)+s.Bulk)
	}
	return m
}

// addTo adds alpha U diag(Sigma - Bulk) U^T = alpha (M - Bulk I) to dst.
func (s *State) addTo(dst *mat.SymDense, alpha float64) {
	for j, sigma := range s.Sigma {
		if w := alpha * (sigma - s.Bulk); w != 0 {
			dst.SymRankOne(dst, w, mat.NewVecDense(dst.SymmetricDim(), mat.Col(nil, j, s.U)))
		}
	}
}

// Clone returns a deep copy of s.
func (s *State) Clone() *State {
	c := State{Sigma: append([]float64{}, s.Sigma...), Bulk: s.Bulk}
	if s.U != nil {
		c.U = mat.DenseCopyOf(s.U)
	}
	return &c
}

// Orthonormality returns max |U^T U - I| over the entries, in O(d m^2) operations. It returns 0 for nil,
// and NaN if an entry of the product is NaN.
func Orthonormality(u *mat.Dense) float64 {
	if u == nil || u.IsEmpty() {
		return 0
	}
	_, m := u.Dims()
	gram := mat.NewSymDense(m, nil)
	blas64.Syrk(blas.Trans, 1, u.RawMatrix(), 0, gram.RawSymmetric())
	var drift float64
	for i := range m {
		gram.SetSym(i, i, gram.At(i, i)-1)
		for j := i; j < m; j++ {
			drift = max(drift, math.Abs(gram.At(i, j)))
		}
	}
	return drift
}

// eigen returns the eigenvalues of a in increasing order, and its eigenvectors as columns. The entries
// of a must be finite.
func eigen(a *mat.SymDense) (values []float64, vectors *mat.Dense) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic(notConverged)
	}
	vectors = new(mat.Dense)
	eig.VectorsTo(vectors)
	return eig.Values(nil), vectors
}

// Start names the first iterate of a relaxed algorithm.
type Start string

const (
	// StartDefault is the default of the algorithm.
	StartDefault Start = ""
	// StartRandomLowRank is an M with the eigenvalue k/(k+1) in k+1 random orthonormal directions, and 0
	// in the others. In the scale of Warmuth & Kuzmin, W has d-k-1 eigenvalues 1/(d-k) and k+1
	// eigenvalues 1/((k+1)(d-k)) (Cotter 2013, figure fig:pca-warmuth:efficiency, right). For k+1 = d it
	// is StartUniform.
	StartRandomLowRank Start = "random-low-rank"
	// StartUniform is M = (k/d) I, which is W = (1/d) I.
	StartUniform Start = "uniform"
	// StartRandomSubspace is the projection onto a random subspace of dimension k. Warmuth & Kuzmin's
	// algorithm cannot use it, because ln W does not exist.
	StartRandomSubspace Start = "random-subspace"
	// StartZero is M = 0. MSG and capped MSG then use the constraint tr M <= k.
	StartZero Start = "zero"
)

// newRelaxationAt returns a relaxation at its start. The factored matrix has the eigenvalues of the
// starting M mapped by value. newRelaxationAt returns an error if the start is unknown, or if rng is nil
// but needed.
func newRelaxationAt(
	name string, s stream, start Start, rng *rand.Rand, value func(sigma float64) float64,
) (relaxation, error) {
	switch start {
	case StartUniform, StartZero:
	case StartRandomLowRank, StartRandomSubspace:
		if rng == nil {
			return relaxation{}, fmt.Errorf("pca: %s: the random generator is nil; pass one, or start at %q", name, StartUniform)
		}
	default:
		return relaxation{}, fmt.Errorf("pca: %s: unknown start %q; use %q, %q, %q or %q",
			name, start, StartRandomLowRank, StartUniform, StartRandomSubspace, StartZero)
	}
	k := float64(s.k)
	f := newEigenFactor(newBasis(s.d, 0), 0, value(k/float64(s.d)))
	switch {
	case start == StartZero:
		f.bulk = value(0)
	case start == StartRandomSubspace:
		f = newEigenFactor(newRandomBasis(s.d, s.k, rng), value(1), value(0))
	case start == StartRandomLowRank && s.k+1 < s.d:
		f = newEigenFactor(newRandomBasis(s.d, s.k+1, rng), value(k/(k+1)), value(0))
	}
	return newRelaxation(s, f), nil
}
