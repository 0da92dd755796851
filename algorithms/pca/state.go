package pca

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const notConverged = "pca: an eigendecomposition did not converge: are the entries finite?"

// newState returns a state of m explicit eigenpairs of dimension d, all zero.
func newState(d, m int) State {
	s := State{Sigma: make([]float64, m)}
	if m > 0 {
		s.U = mat.NewDense(d, m, nil)
	}
	return s
}

// TopK returns an orthonormal basis, d x min(k, m), of the subspace that the
// iterate stands for: the directions of its min(k, m) largest explicit
// eigenvalues, which is the heuristic that Cotter 2013 recommends (section 5.2,
// "Un-relaxing a Solution").
//
// When m < k, nothing in the iterate prefers one completion to another: what the
// missing k - m directions capture of a second moment S is, over a uniformly random
// completion, (k-m)/(d-m) tr(S (I - U U^T)). When m is 0 the basis is empty.
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

// addTo adds alpha U diag(Sigma - Bulk) U^T, which is alpha M without its multiple
// of the identity, to dst.
func (s *State) addTo(dst *mat.SymDense, alpha float64) {
	for j, sigma := range s.Sigma {
		if w := alpha * (sigma - s.Bulk); w != 0 {
			dst.SymRankOne(dst, w, mat.NewVecDense(dst.SymmetricDim(), mat.Col(nil, j, s.U)))
		}
	}
}

// Clone returns a copy of s that shares no storage with it.
func (s *State) Clone() *State {
	c := State{Sigma: append([]float64{}, s.Sigma...), Bulk: s.Bulk}
	if s.U != nil {
		c.U = mat.DenseCopyOf(s.U)
	}
	return &c
}

// Orthonormality returns max |U^T U - I| over the entries, in O(d m^2)
// operations: 0 for a matrix with exactly orthonormal columns and for nil, NaN
// if an entry of the product is NaN.
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

// eigen returns the eigenvalues of a, whose entries are finite, in increasing
// order, and its eigenvectors, one a column.
func eigen(a *mat.SymDense) (values []float64, vectors *mat.Dense) {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic(notConverged)
	}
	vectors = new(mat.Dense)
	eig.VectorsTo(vectors)
	return eig.Values(nil), vectors
}
