// Package objective measures iterates and certifies optima. Measuring counts neither towards the cost
// nor towards the time of an algorithm.
package objective

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/mat"
)

// differentDim is the panic for a subspace of the wrong dimension.
const differentDim = "objective: subspace and second moment differ in dimension"

// Moment is the second-moment matrix E[x x^T], d x d, of a distribution or a split. It is stored in full,
// so that products with it are ordinary matrix products.
type Moment struct {
	full *mat.Dense
}

// NewMoment copies sym.
func NewMoment(sym *mat.SymDense) *Moment {
	return &Moment{full: mat.DenseCopyOf(sym)}
}

// Dim returns d.
func (m *Moment) Dim() int {
	d, _ := m.full.Dims()
	return d
}

// Trace returns tr E[x x^T] = E |x|^2.
func (m *Moment) Trace() float64 { return mat.Trace(m.full) }

// Captured implements SecondMoment. It takes 2 m d^2 operations.
func (m *Moment) Captured(u *mat.Dense) float64 {
	if u == nil || u.IsEmpty() {
		return 0
	}
	d, cols := u.Dims()
	if d != m.Dim() {
		panic(differentDim)
	}
	columns, product := make([]float64, d*cols), make([]float64, d*cols)
	raw := u.RawMatrix()
	for i := range d {
		for j, v := range raw.Data[i*raw.Stride : i*raw.Stride+cols] {
			columns[j*d+i] = v
		}
	}
	m.multiply(product, columns, cols)
	var sum float64
	for i := range d {
		for j := range cols {
			sum += columns[j*d+i] * product[j*d+i]
		}
	}
	return sum
}

// multipliedRows is the number of rows of a second moment in a block, chosen to fit in the L2 cache.
const multipliedRows = 32

// multiply adds E[x x^T] U to product. U and product are stored by columns. The rows of the symmetric
// matrix serve as its columns and are added in order. gonum's Gemm adds in the same order, but along
// the short rows of U, which is slower.
func (m *Moment) multiply(product, columns []float64, cols int) {
	full, d := m.full.RawMatrix(), m.Dim()
	for from := 0; from < d; from += multipliedRows {
		to := min(d, from+multipliedRows)
		for j := range cols {
			ordered.AddRows(product[j*d:(j+1)*d], 1, columns[j*d+from:j*d+to], full.Data[from*full.Stride:], full.Stride)
		}
	}
}

// Spectrum holds the leading eigenvalues of a second-moment matrix. The residuals of the eigenvectors
// certify them.
type Spectrum struct {
	// Method names the solver.
	Method string `json:"method"`
	// Eigenvalues are in decreasing order.
	Eigenvalues []float64 `json:"eigenvalues"`
	// ErrorBound bounds the absolute error of each eigenvalue.
	ErrorBound float64 `json:"error_bound"`
}

// Value returns the optimum of the rank-k problem: the sum of the k largest eigenvalues. ok is false if
// fewer than k are known.
func (s *Spectrum) Value(k int) (sum float64, ok bool) {
	if k > len(s.Eigenvalues) {
		return 0, false
	}
	for _, v := range s.Eigenvalues[:k] {
		sum += v
	}
	return sum, true
}

// maxErrorBound is the largest error bound of a reference, relative to the largest eigenvalue.
const maxErrorBound = 1e-9

// Leading implements SecondMoment.
func (m *Moment) Leading(k int) (*Spectrum, error) {
	return decompose(m.full, k, "symmetric eigendecomposition", "second-moment")
}

// decompose returns the k largest eigenvalues of a symmetric matrix A stored in full, with zeros beyond
// its dimension. With R = A V - V D and E = V^T V - I, each exact eigenvalue lies within
// (|R| + |A||E|)/(1-|E|) of the computed one (Weyl's inequality for the orthonormalised V). Errors name
// the matrix by kind.
func decompose(full *mat.Dense, k int, method, kind string) (*Spectrum, error) {
	d, _ := full.Dims()
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			v := full.At(i, j)
			if !finite.Is(v) {
				return nil, fmt.Errorf("objective: entry (%d, %d) of the %s matrix is %v: scale the data down", i+1, j+1, kind, v)
			}
			sym.SetSym(i, j, v)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return nil, fmt.Errorf("objective: the eigendecomposition of the %d x %d %s matrix did not converge", d, d, kind)
	}
	values := eig.Values(nil)
	var vectors, left, gram mat.Dense
	eig.VectorsTo(&vectors)
	left.Mul(full, &vectors)
	gram.Mul(vectors.T(), &vectors)
	for j, v := range values {
		for i := range d {
			left.Set(i, j, left.At(i, j)-v*vectors.At(i, j))
		}
		gram.Set(j, j, gram.At(j, j)-1)
	}
	slices.Reverse(values)
	largest := math.Max(math.Abs(values[0]), math.Abs(values[d-1]))
	residual, drift := mat.Norm(&left, 2), mat.Norm(&gram, 2)
	bound := (residual + largest*drift) / (1 - math.Min(drift, 0.5))
	if scale := math.Abs(values[0]); !(bound <= maxErrorBound*scale) && scale > 0 {
		return nil, fmt.Errorf("objective: the eigendecomposition is too inaccurate for a reference: "+
			"the error bound is %g and the largest eigenvalue %g", bound, scale)
	}
	leading := make([]float64, k)
	copy(leading, values)
	return &Spectrum{Method: method, Eigenvalues: leading, ErrorBound: bound}, nil
}

// MomentBytes returns the memory of a second moment in d dimensions, in bytes, and the additional memory
// while it is computed and decomposed: the symmetric matrix, the copy that is decomposed, the
// eigenvectors and the two residuals.
func MomentBytes(d int) (held, making float64) {
	square := 8 * float64(d) * float64(d)
	return square, 6 * square
}
