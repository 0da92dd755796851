// Package objective measures iterates, for the records. The algorithms do not know what
// they are measured by: measuring counts neither as cost nor as time of an algorithm.
package objective

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/mat"
)

// differentDim is what a caller has done wrong.
const differentDim = "objective: subspace and second moment differ in dimension"

// Moment is the second-moment matrix E[x x^T] of a distribution or a split,
// d x d, held in full so that products with it are plain matrix products.
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

// Workspace holds the temporary storage of Captured. The zero value is ready
// for use; a Workspace must not be shared by goroutines.
type Workspace struct {
	columns, product []float64
}

// reserve makes room for so many numbers of each kind.
func (w *Workspace) reserve(columns, product int) {
	if len(w.columns) < columns {
		w.columns = make([]float64, columns)
	}
	if len(w.product) < product {
		w.product = make([]float64, product)
	}
}

// Captured returns tr(U^T E[x x^T] U), the second moment that the span of the
// orthonormal columns of u (d x m) captures; 0 for an empty or nil u. It costs
// 2 m d^2 operations.
func (m *Moment) Captured(u *mat.Dense, w *Workspace) float64 {
	if u == nil || u.IsEmpty() {
		return 0
	}
	d, cols := u.Dims()
	if d != m.Dim() {
		panic(differentDim)
	}
	w.reserve(d*cols, d*cols)
	columns, product := w.columns[:d*cols], w.product[:d*cols]
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

// multipliedRows is how many rows of a second moment are multiplied at a time, so that they
// stay in the second-level cache.
const multipliedRows = 32

// multiply sets product to the columns of E[x x^T] U, one after the other, given those of
// U. As the matrix is symmetric its rows are its columns, and they are added up in their
// order. (gonum's Gemm adds in the same order, but along the rows of U, which are short.)
func (m *Moment) multiply(product, columns []float64, cols int) {
	clear(product)
	full, d := m.full.RawMatrix(), m.Dim()
	for from := 0; from < d; from += multipliedRows {
		to := min(d, from+multipliedRows)
		for j := range cols {
			ordered.AddRows(product[j*d:(j+1)*d], 1, columns[j*d+from:j*d+to], full.Data[from*full.Stride:], full.Stride)
		}
	}
}

// Optimum is the certified reference that suboptimality is measured against:
// the sums of the k largest eigenvalues of a second-moment matrix, with the
// residuals that bound their error.
type Optimum struct {
	// Eigenvalues holds all d eigenvalues in decreasing order.
	Eigenvalues []float64
	// Residual is the Frobenius norm of A V - V diag(Eigenvalues).
	Residual float64
	// Orthonormality is the Frobenius norm of V^T V - I.
	Orthonormality float64
}

// certified bounds the error of an eigenvalue of a reference, relative to the
// largest eigenvalue.
const certified = 1e-9

// Optimum returns the exact eigendecomposition's optimum with its certificate.
// It returns an error if the decomposition fails or its certificate does not
// bound the eigenvalues to a relative 1e-9.
func (m *Moment) Optimum() (*Optimum, error) { return decompose(m.full, "second-moment") }

// squares implements SecondMoment.
func (m *Moment) squares() float64 {
	norm := mat.Norm(m.full, 2)
	return norm * norm
}

// solve implements SecondMoment.
func (m *Moment) solve(k int) (*solution, error) {
	o, err := m.Optimum()
	if err != nil {
		return nil, err
	}
	return &solution{method: "symmetric eigendecomposition", eigenvalues: o.Eigenvalues[:k:k], bound: o.ErrorBound(1)}, nil
}

// decompose returns the eigenvalues of a symmetric matrix that is held in full; kind
// says of errors which matrix it is.
func decompose(full *mat.Dense, kind string) (*Optimum, error) {
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
	o := &Optimum{Eigenvalues: values, Residual: mat.Norm(&left, 2), Orthonormality: mat.Norm(&gram, 2)}
	if bound, scale := o.ErrorBound(d), math.Abs(o.Eigenvalues[0]); !(bound <= certified*float64(d)*scale) && scale > 0 {
		return nil, fmt.Errorf("objective: the eigendecomposition is too inaccurate for a reference: its error bound is %g, the largest eigenvalue %g", bound, scale)
	}
	return o, nil
}

// sumLeading returns the optimum of the rank-k problem, the sum of the k largest
// eigenvalues.
func sumLeading(eigenvalues []float64, k int) float64 {
	var sum float64
	for _, v := range eigenvalues[:k] {
		sum += v
	}
	return sum
}

// ErrorBound bounds the error of the optimum of the rank-k problem. With R = A V - V D and E = V^T V - I,
// each exact eigenvalue lies within (|R| + |A||E|)/(1-|E|) of a computed one
// (Weyl's inequality for the orthonormalised V), and there are k of them.
func (o *Optimum) ErrorBound(k int) float64 {
	largest := math.Max(math.Abs(o.Eigenvalues[0]), math.Abs(o.Eigenvalues[len(o.Eigenvalues)-1]))
	return float64(k) * (o.Residual + largest*o.Orthonormality) / (1 - math.Min(o.Orthonormality, 0.5))
}

// MomentBytes returns how many bytes a second moment of d dimensions takes, and how
// many more while it is computed and its optimum solved: the symmetric matrix, its
// copy that is decomposed, the eigenvectors, and the two residuals.
func MomentBytes(d int) (held, making float64) {
	square := 8 * float64(d) * float64(d)
	return square, 6 * square
}
