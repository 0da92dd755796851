package objective

import (
	"gonum.org/v1/gonum/mat"
)

// WideDim is the largest dimension for which the second moment of a data set is
// kept as a d x d matrix, of 128 MiB. Data of more features are wide: iterates are
// measured on their rows, of which there may be at most WideRows.
const WideDim = 4096

// WideRows is the largest number of rows of wide data that iterates are measured on:
// their Gram matrix is decomposed, which takes some seconds.
const WideRows = 1024

// SecondMoment is the second moment E[x x^T] of a distribution or of a split, by
// which iterates are measured.
type SecondMoment interface {
	// Dim returns d.
	Dim() int
	// Trace returns tr E[x x^T] = E |x|^2.
	Trace() float64
	// Captured returns tr(U^T E[x x^T] U), what the span of the orthonormal columns
	// of u (d x m) captures; 0 for an empty or nil u.
	Captured(u *mat.Dense) float64
	// Leading returns the k largest eigenvalues. It returns an error if the eigendecomposition fails or
	// does not bound them to a relative 1e-9.
	Leading(k int) (*Spectrum, error)
}

// Samples are the rows of a split. They are read only.
type Samples interface {
	// Dims returns the numbers n of rows, at least one, and d of features.
	Dims() (n, d int)
	// Entries returns the features of the entries of row i, increasing, and their values, which may be
	// put in buf, of d numbers.
	Entries(i int, buf []float64) (features []int32, values []float64)
}

// RowMoment is the second moment (1/n) X^T X of n rows, by the rows themselves: no
// d x d matrix is formed.
type RowMoment struct {
	rows  Samples
	trace float64
}

// NewRowMoment returns the second moment of rows, which it keeps.
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

// Leading implements SecondMoment: the eigenvalues of (1/n) X^T X are those of the n x n matrix
// (1/n) X X^T, and zeros.
func (m *RowMoment) Leading(k int) (*Spectrum, error) {
	s, err := decompose(gram(m.rows), k, "eigendecomposition of the Gram matrix", "Gram")
	if err != nil {
		return nil, err
	}
	for i, v := range s.Eigenvalues {
		s.Eigenvalues[i] = max(v, 0) // as the exact one is
	}
	return s, nil
}

// Captured implements SecondMoment: the mean of |U^T x|^2 over the rows. It costs
// 2 m operations an entry.
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
		for p, v := range values {
			j := int(features[p])
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

// RowMomentBytes returns how many bytes the optimum of n rows of d features takes while
// it is solved.
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
		for p, j := range features {
			x[j] = values[p]
		}
		for j := range i + 1 {
			var dot float64
			features, values := rows.Entries(j, buf)
			for p, f := range features {
				dot += values[p] * x[f]
			}
			g.Set(i, j, dot/float64(n))
			g.Set(j, i, dot/float64(n))
		}
	}
	return g
}
