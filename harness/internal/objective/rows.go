package objective

import (
	"gonum.org/v1/gonum/mat"
)

// WideDim is the largest dimension for which a second moment is stored as a d x d matrix, of 128 MiB.
// Data with more features are wide: iterates are measured on at most WideRows rows instead.
const WideDim = 4096

// WideRows is the largest number of rows on which wide data are measured. The eigendecomposition of
// their Gram matrix takes some seconds.
const WideRows = 1024

// SecondMoment is the second moment E[x x^T] of a distribution or of a split. Iterates are measured by
// the part that they capture.
type SecondMoment interface {
	// Dim returns d.
	Dim() int
	// Trace returns tr E[x x^T] = E |x|^2.
	Trace() float64
	// Captured returns tr(U^T E[x x^T] U), the second moment captured by the span of the orthonormal
	// columns of u (d x m). It is 0 if u is nil or empty.
	Captured(u *mat.Dense) float64
	// Leading returns the k largest eigenvalues. It returns an error if the eigendecomposition fails or
	// its error bound exceeds 1e-9, relative to the largest eigenvalue.
	Leading(k int) (*Spectrum, error)
}

// Samples are the rows of a split. They must not be modified.
type Samples interface {
	// Dims returns the number n of rows, at least one, and the number d of features.
	Dims() (n, d int)
	// Entries returns the features, increasing, and the values of the entries of row i. If features is
	// nil, there is a value for each feature. Entries may store the values in buf, of length d.
	Entries(i int, buf []float64) (features []int32, values []float64)
}

// RowMoment is the second moment (1/n) X^T X of n rows, computed from the rows without forming a d x d
// matrix.
type RowMoment struct {
	rows  Samples
	trace float64
}

// NewRowMoment returns the second moment of rows. It retains rows.
func NewRowMoment(rows Samples) *RowMoment {
	m := &RowMoment{rows: rows}
	n, d := rows.Dims()
	buf := make([]float64, d)
	for i := range n {
		_, values := rows.Entries(i, buf)
		for _, v := range values {
			m.trace += v * v
		}
	}
	m.trace /= float64(n)
	return m
}

// Dim implements SecondMoment.
func (m *RowMoment) Dim() int {
	_, d := m.rows.Dims()
	return d
}

// Trace implements SecondMoment.
func (m *RowMoment) Trace() float64 { return m.trace }

// Leading implements SecondMoment. The nonzero eigenvalues of (1/n) X^T X are those of the n x n Gram
// matrix (1/n) X X^T.
func (m *RowMoment) Leading(k int) (*Spectrum, error) {
	s, err := decompose(gram(m.rows), k, "eigendecomposition of the Gram matrix", "Gram")
	if err != nil {
		return nil, err
	}
	for i, v := range s.Eigenvalues {
		s.Eigenvalues[i] = max(v, 0) // rounding may make it negative
	}
	return s, nil
}

// Captured implements SecondMoment by the mean of |U^T x|^2 over the rows. It takes 2 m operations per
// entry.
func (m *RowMoment) Captured(u *mat.Dense) float64 {
	if u == nil || u.IsEmpty() {
		return 0
	}
	d, cols := u.Dims()
	if d != m.Dim() {
		panic(differentDim)
	}
	raw, buf, product := u.RawMatrix(), make([]float64, d), make([]float64, cols)
	n, _ := m.rows.Dims()
	var sum float64
	for i := range n {
		clear(product)
		features, values := m.rows.Entries(i, buf)
		for j, v := range values {
			if features != nil {
				j = int(features[j])
			}
			for c, uj := range raw.Data[j*raw.Stride : j*raw.Stride+cols] {
				product[c] += v * uj
			}
		}
		for _, v := range product {
			sum += v * v
		}
	}
	return sum / float64(n)
}

// RowMomentBytes returns the memory for solving the optimum of n rows of d features, in bytes.
func RowMomentBytes(n, d int) float64 {
	rows := float64(n)
	return 8 * (7*rows*rows + float64(d))
}

// gram returns (1/n) X X^T.
func gram(rows Samples) *mat.Dense {
	n, d := rows.Dims()
	g := mat.NewDense(n, n, nil)
	x, buf := make([]float64, d), make([]float64, d)
	for i := range n {
		clear(x)
		features, values := rows.Entries(i, buf)
		if features == nil {
			copy(x, values)
		}
		for p, f := range features {
			x[f] = values[p]
		}
		for j := range i + 1 {
			var dot float64
			features, values := rows.Entries(j, buf)
			for p, v := range values {
				if features != nil {
					p = int(features[p])
				}
				dot += v * x[p]
			}
			g.Set(i, j, dot/float64(n))
			g.Set(j, i, dot/float64(n))
		}
	}
	return g
}
