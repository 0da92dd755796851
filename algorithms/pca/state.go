package pca

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	badStateShape = "pca: State has a U that does not match its Sigma"
	badDenseShape = "pca: destination does not match the dimension of the State"
	badTopK       = "pca: TopK needs k > 0"
)

// TopK writes to dst an orthonormal basis, d x min(k, m), of the subspace that
// the iterate stands for: the directions of its min(k, m) largest explicit
// eigenvalues. It is the heuristic that Cotter 2013 recommends for un-relaxing a
// solution (section 5.2, "Un-relaxing a Solution"): the k largest eigenvalues
// of M are set to 1, and the others to 0.
//
// When m < k, all directions outside U have the eigenvalue Bulk, so that nothing
// in the iterate prefers one completion to another: the basis has m columns
// only, and what the missing k - m directions capture of a second moment S is,
// over a uniformly random completion, (k-m)/(d-m) tr(S (I - U U^T)). When m is 0
// dst is left empty.
//
// dst is resized, and its storage reused where it suffices. TopK panics if k is
// not positive.
func (s *State) TopK(dst *mat.Dense, k int) {
	if k <= 0 {
		panic(badTopK)
	}
	d, m := s.shape()
	k = min(k, m)
	if k == 0 {
		dst.Reset()
		return
	}
	reshape(dst, d, k)
	dst.Copy(s.U.Slice(0, d, 0, k))
}

// DenseTo writes M = U diag(Sigma) U^T + Bulk (I - U U^T) to dst, in O(m d^2)
// operations. An empty dst is resized, unless U is nil: then the State does not
// know d, and dst must be d x d already. DenseTo panics if dst has the wrong
// size.
func (s *State) DenseTo(dst *mat.SymDense) {
	d, m := s.shape()
	if dst.IsEmpty() {
		if m == 0 {
			panic(badDenseShape)
		}
		dst.ReuseAsSym(d)
	}
	n := dst.SymmetricDim()
	if m > 0 && n != d {
		panic(badDenseShape)
	}
	dst.Zero()
	addDense(dst, s, 1, make([]float64, n))
	for i := range n {
		dst.SetSym(i, i, dst.At(i, i)+s.Bulk)
	}
}

// addDense adds alpha U diag(Sigma - Bulk) U^T, which is alpha M without its
// multiple of the identity, to dst. work has length d.
func addDense(dst *mat.SymDense, s *State, alpha float64, work []float64) {
	raw := dst.RawSymmetric()
	for j, sigma := range s.Sigma {
		w := alpha * (sigma - s.Bulk)
		if w == 0 {
			continue
		}
		mat.Col(work, j, s.U)
		blas64.Syr(w, blas64.Vector{N: len(work), Data: work, Inc: 1}, raw)
	}
}

// Trace returns the trace of M, for samples of dimension d.
func (s *State) Trace(d int) float64 {
	sum := float64(d-len(s.Sigma)) * s.Bulk
	for _, sigma := range s.Sigma {
		sum += sigma
	}
	return sum
}

// CopyFrom makes s a copy of src that shares no storage with it. It reuses the
// storage of s where that suffices.
func (s *State) CopyFrom(src *State) {
	d, m := src.shape()
	s.setShape(d, m)
	if m > 0 {
		s.U.Copy(src.U)
	}
	copy(s.Sigma, src.Sigma)
	s.Bulk = src.Bulk
}

// Clone returns a copy of s that shares no storage with it.
func (s *State) Clone() *State {
	c := new(State)
	c.CopyFrom(s)
	return c
}

// shape returns the size of U, d = 0 where U is nil.
func (s *State) shape() (d, m int) {
	if s.U != nil {
		d, m = s.U.Dims()
	}
	if m != len(s.Sigma) {
		panic(badStateShape)
	}
	return d, m
}

// setShape makes room for m explicit eigenpairs of dimension d, whatever s held
// before, and sets Bulk to 0. The values of U and Sigma are unspecified.
func (s *State) setShape(d, m int) {
	s.Bulk = 0
	if cap(s.Sigma) < m {
		s.Sigma = make([]float64, m)
	}
	s.Sigma = s.Sigma[:m]
	if m == 0 {
		s.U = nil
		return
	}
	if s.U == nil {
		s.U = new(mat.Dense)
	}
	reshape(s.U, d, m)
}

// reshape makes dst an r x c matrix of unspecified values. The storage of a
// view into a larger matrix is not reused: growing it would overwrite its
// parent.
func reshape(dst *mat.Dense, r, c int) {
	if dst.IsEmpty() {
		dst.ReuseAs(r, c)
		return
	}
	if dr, dc := dst.Dims(); dr == r && dc == c {
		return
	}
	if raw := dst.RawMatrix(); raw.Stride != raw.Cols {
		*dst = mat.Dense{}
	}
	dst.Reset()
	dst.ReuseAs(r, c)
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
		for j := i; j < m; j++ {
			g := gram.At(i, j)
			if i == j {
				g--
			}
			if math.IsNaN(g) {
				return g
			}
			drift = max(drift, math.Abs(g))
		}
	}
	return drift
}
