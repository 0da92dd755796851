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
	Captured(u *mat.Dense, w *Workspace) float64
	// squares returns the sum of the squares of its entries.
	squares() float64
	// solve returns the k largest eigenvalues.
	solve(k int) (*solution, error)
}

// solution holds leading eigenvalues, in decreasing order. Each is within bound of the
// exact one.
type solution struct {
	method      string
	eigenvalues []float64
	bound       float64
}

// Samples are the rows of a split. They are read only.
type Samples interface {
	// Dims returns the numbers n of rows, at least one, and d of features.
	Dims() (n, d int)
	// Entries returns row i: the features of its entries, increasing, and their
	// values; of a row that is kept dense no features and all d values, which may be
	// put in buf.
	Entries(i int, buf []float64) (features []int32, values []float64)
}

// rowBuffer returns what Entries may put a row in, nil for sparse rows.
func rowBuffer(rows Samples) []float64 {
	if features, _ := rows.Entries(0, nil); features != nil {
		return nil
	}
	_, d := rows.Dims()
	return make([]float64, d)
}

// RowMoment is the second moment (1/n) X^T X of n rows, by the rows themselves: no
// d x d matrix is formed.
type RowMoment struct {
	rows  Samples
	trace float64
}

// NewRowMoment keeps rows.
func NewRowMoment(rows Samples) *RowMoment {
	m := &RowMoment{rows: rows}
	n, _ := rows.Dims()
	buf := rowBuffer(rows)
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

// squares implements SecondMoment: those of the Gram matrix have the same sum.
func (m *RowMoment) squares() float64 {
	norm := mat.Norm(gram(m.rows), 2)
	return norm * norm
}

// Captured implements SecondMoment: the mean of |U^T x|^2 over the rows. It costs
// 2 m operations an entry.
func (m *RowMoment) Captured(u *mat.Dense, w *Workspace) float64 {
	if u == nil || u.IsEmpty() {
		return 0
	}
	d, cols := u.Dims()
	if d != m.Dim() {
		panic(differentDim)
	}
	w.reserve(0, cols)
	raw, buf := u.RawMatrix(), rowBuffer(m.rows)
	product := w.product[:cols]
	n, _ := m.rows.Dims()
	var sum float64
	for i := range n {
		clear(product)
		features, values := m.rows.Entries(i, buf)
		for p, v := range values {
			j := p
			if features != nil {
				j = int(features[p])
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

// RowMomentBytes returns how many bytes the optimum of n rows of d features takes while
// it is solved.
func RowMomentBytes(n, d int) float64 {
	rows := float64(n)
	return 8 * (7*rows*rows + float64(d))
}

// dot returns the product of row i, which may be put in buf, with v.
func dot(rows Samples, i int, v, buf []float64) (sum float64) {
	features, values := rows.Entries(i, buf)
	if features == nil {
		for j, x := range values {
			sum += x * v[j]
		}
		return sum
	}
	for p, j := range features {
		sum += values[p] * v[j]
	}
	return sum
}

// addRow adds alpha times row i, which may be put in buf, to v.
func addRow(rows Samples, i int, alpha float64, v, buf []float64) {
	features, values := rows.Entries(i, buf)
	if features == nil {
		for j, x := range values {
			v[j] += alpha * x
		}
		return
	}
	for p, j := range features {
		v[j] += alpha * values[p]
	}
}
