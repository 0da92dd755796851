package sparse

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// factor is the Cholesky factor of a positive definite matrix, H = U'U with U
// upper triangular, that follows the matrix: through another row and column and
// through changes of rank one.
//
// A gramFactor follows another kind of changes, of a matrix that loses rows and whose
// changes of rank one only add to it. They sum in different orders, which is what the
// bits of their methods depend on.
type factor struct {
	m      int
	most   int // order that there will be at most, 0 if that is not known
	stride int
	u      []float64 // rows of U, stride apart; what is left of the diagonal is unused
	x      []float64 // scratch
}

// row returns row k of U from the diagonal on.
func (f *factor) row(k int) []float64 { return f.u[k*f.stride+k : k*f.stride+f.m] }

// reserve makes room for an m x m matrix and keeps the factor.
func (f *factor) reserve(m int) {
	if m <= f.stride {
		return
	}
	stride := max(m, min(2*f.stride, f.stride+512), 16)
	if f.most >= m {
		stride = min(stride, f.most)
	}
	u := make([]float64, stride*stride)
	for k := range f.m {
		copy(u[k*stride+k:], f.row(k))
	}
	f.stride, f.u, f.x = stride, u, make([]float64, stride)
}

// compute factors the symmetric matrix whose lower triangle is h: row j has
// length j+1. It costs O(m^3) and reports whether the matrix is positive
// definite.
func (f *factor) compute(h [][]float64) bool {
	f.reserve(len(h))
	f.m = len(h)
	for j, row := range h {
		for k, v := range row {
			f.u[k*f.stride+j] = v
		}
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f.m, Stride: f.stride, Data: f.u})
	return ok
}

// border appends a row and a column, given with the diagonal element last, in
// O(m^2). If the matrix is not positive definite then it reports false and
// leaves the factor alone.
func (f *factor) border(h []float64) bool {
	f.reserve(f.m + 1)
	m := f.m
	z := f.x[:m+1]
	copy(z, h)
	for k := range m {
		row := f.row(k)
		z[k] /= row[0]
		for j, v := range row[1:] {
			z[k+1+j] -= float64(z[k] * v)
		}
	}
	rest := h[m]
	for _, v := range z[:m] {
		rest -= float64(v * v)
	}
	if !(rest > 0) {
		return false
	}
	for k, v := range z[:m] {
		f.u[k*f.stride+m] = v
	}
	f.u[m*f.stride+m] = math.Sqrt(rest)
	f.m++
	return true
}

// addOuter replaces H by H + w x x', in O(m^2), and destroys x. It reports
// whether that is positive definite; if not, the factor is spoilt.
func (f *factor) addOuter(w float64, x []float64) bool {
	sign := 1.0
	if w < 0 {
		sign = -1
	}
	scale := math.Sqrt(math.Abs(w))
	for k := range x {
		x[k] *= scale
	}
	for k := range f.m {
		row := f.row(k)
		square := float64(row[0]*row[0]) + float64(sign*x[k]*x[k])
		if !(square > 0) {
			return false
		}
		d := math.Sqrt(square)
		inverse, s := row[0]/d, x[k]/row[0]
		c := d / row[0]
		row[0] = d
		signed := sign * s
		rest := x[k+1 : f.m]
		row = row[1:][:len(rest)]
		for j, v := range rest {
			row[j] = (row[j] + float64(signed*v)) * inverse
			rest[j] = float64(c*v) - float64(s*row[j])
		}
	}
	return true
}

// solve replaces x by the solution of H z = x, in O(m^2).
func (f *factor) solve(x []float64) {
	u := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.m, Stride: f.stride, Data: f.u}
	v := blas64.Vector{N: f.m, Inc: 1, Data: x}
	blas64.Trsv(blas.Trans, u, v)
	blas64.Trsv(blas.NoTrans, u, v)
}
