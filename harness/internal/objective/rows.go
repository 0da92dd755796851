package objective

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// WideDim is the largest dimension for which the second moment of a data set is
// kept as a d x d matrix, of 128 MiB. Beyond it data are wide: they are measured by
// their rows. What is measured depends on the data alone, and not on how much memory
// there is.
const WideDim = 4096

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
	// squares returns the sum of the squares of its entries, if it can be had.
	squares() (sum float64, known bool)
	// solve returns the k largest eigenvalues. rng draws what a solver draws.
	solve(k int, rng *rand.Rand) (*solution, error)
}

// solution holds leading eigenvalues, in decreasing order, with their certificate:
// but for the probability of failure each is within bound of the exact one.
type solution struct {
	method         string
	eigenvalues    []float64
	bound, failure float64
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

// squares implements SecondMoment: those of the Gram matrix, if there are few rows.
func (m *RowMoment) squares() (sum float64, known bool) {
	if n, _ := m.rows.Dims(); n > gramRows {
		return 0, false
	}
	norm := mat.Norm(gram(m.rows), 2)
	return norm * norm, true
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

// solve implements SecondMoment: by the Gram matrix of few rows, else by the Lanczos
// iteration.
func (m *RowMoment) solve(k int, rng *rand.Rand) (*solution, error) {
	if v := m.trace; v-v != 0 {
		return nil, fmt.Errorf("objective: the mean squared norm of the rows is %v: scale the data down", v)
	}
	if m.trace == 0 {
		return &solution{method: "no row has an entry", eigenvalues: make([]float64, k)}, nil
	}
	if n, _ := m.rows.Dims(); n <= gramRows {
		return solveGram(m.rows, k)
	}
	return solveLanczos(newOperator(m.rows), k, rng)
}

// RowMomentBytes returns how many bytes the optimum of n rows of d features, up to rank
// k, takes while it is solved.
func RowMomentBytes(n, d, k int) float64 {
	rows, features := float64(n), float64(d)
	if n <= gramRows {
		return 8 * (7*rows*rows + features)
	}
	m, most := min(n, d), min(k, n, d)
	// A search with what it combines, what it found before and now, and the products.
	vectors := float64(subspace(m, most)) + 2*float64(most) + 4
	return 8 * (float64(m)*vectors + max(rows, features))
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

// operator is the symmetric matrix (1/n) X^T X, or (1/n) X X^T if there are fewer
// rows than features, whose eigenvalues are the same but for zeros.
type operator struct {
	rows Samples
	n, d int
	// between is X v or X^T v, buf may hold a row.
	between, buf []float64
}

func newOperator(rows Samples) *operator {
	n, d := rows.Dims()
	return &operator{rows: rows, n: n, d: d, between: make([]float64, max(n, d)), buf: rowBuffer(rows)}
}

// size returns the order of the matrix.
func (o *operator) size() int { return min(o.n, o.d) }

// multiply sets dst to the product with v.
func (o *operator) multiply(dst, v []float64) {
	clear(dst)
	if o.n < o.d {
		clear(o.between)
		for i, vi := range v {
			addRow(o.rows, i, vi, o.between, o.buf)
		}
		for i := range dst {
			dst[i] = dot(o.rows, i, o.between, o.buf) / float64(o.n)
		}
		return
	}
	for i := range o.n {
		addRow(o.rows, i, dot(o.rows, i, v, o.buf)/float64(o.n), dst, o.buf)
	}
}
