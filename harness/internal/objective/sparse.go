package objective

import (
	"context"
	"math"
	"slices"

	"stochopt/algorithms/sparse"
)

// Rows reads rows of a kernel matrix over a range of points. The last sparse.SharedRows rows are valid.
type Rows interface {
	Row(i int) []float32
}

// Vectors evaluates the kernel at vectors that are not points of the problem. A kernel.Inputs
// implements it.
type Vectors interface {
	// Eval returns K(z, z').
	Eval(z, other []float64) float64
	// EvalRowTo sets dst[j-from] to K(z, x_j) for from <= j < to.
	EvalRowTo(dst []float32, z []float64, from, to int)
}

// SparseValues holds the measurements of an expansion.
type SparseValues struct {
	Losses
	// Slant is the mean of min(1, max(0, 1/2 - y g)) on each split: the expected 0/1 loss of g + Z with
	// Z uniform on [-1/2, 1/2].
	Slant []float64
	// Norm is |w|.
	Norm float64
	// Mistakes lists the misclassified points of the test split, increasing. Its first point is 0.
	Mistakes []int32
}

// Sparse measures expansions on the points of one problem. It is not safe for concurrent use.
type Sparse struct {
	points *SVMPoints
	// train reads rows over the training points. others reads rows over the other points, or is nil.
	train, others Rows
	constructed   *vectorRows
	// scores has the scores of the expansions that sums evaluates together.
	scores [][]float64
	sums   sparse.SharedSums
	// wrong is scratch space for mistakes.
	wrong []int32
	// zeros replaces rows after the context has ended.
	zeros []float32
}

// NewSparse returns a Sparse. others is nil if all points are training points. vectors is nil unless
// expansions contain constructed vectors; at most bytes of their kernel rows are kept.
func NewSparse(points *SVMPoints, train, others Rows, vectors Vectors, bytes int64) *Sparse {
	m := &Sparse{points: points, train: train, others: others}
	if vectors != nil {
		m.constructed = newVectorRows(vectors, points.len(), bytes)
	}
	return m
}

// Classifier returns the values of an expansion and its scores g(x_j) on all points. If bias is not nil,
// Classifier sets the bias of e to its result for <w, Phi(x_i)> on the training points.
func (m *Sparse) Classifier(
	ctx context.Context, e *sparse.Expansion, bias func(products []float64) float64,
) (v SparseValues, scores []float64, err error) {
	norms, err := m.evaluate(ctx, []*sparse.Expansion{e})
	if err != nil {
		return v, nil, err
	}
	if bias != nil {
		e.Bias = bias(m.scores[0][:m.points.Train])
	}
	v, err = m.values(e, m.scores[0], norms[0])
	return v, slices.Clone(m.scores[0]), err
}

// BatchSize is the number of expansions that Measure evaluates in one pass.
const BatchSize = 8

// BatchBytes bounds the memory for measuring BatchSize expansions, in bytes: their terms, as lists and
// as a matrix, and their scores. n is the number of training points, points the number of all points.
func BatchBytes(n, points int) float64 {
	return BatchSize * (3*8*float64(n) + 8*float64(points))
}

// Measure measures a list of expansions and calls visit with the values of each, in order. It returns the
// first error: a NotFiniteError for a score that is not finite, the error of the context, or an error of
// visit. Expansions without constructed vectors are evaluated BatchSize at a time, so that common rows are
// read once. The values are the same to the bit.
func (m *Sparse) Measure(ctx context.Context, list []*sparse.Expansion, visit func(k int, v SparseValues) error) error {
	for at := 0; at < len(list); at += BatchSize {
		some := list[at:min(at+BatchSize, len(list))]
		norms, err := m.evaluate(ctx, some)
		if err != nil {
			return err
		}
		for k, e := range some {
			v, err := m.values(e, m.scores[k], norms[k])
			if err != nil && len(some) > 1 {
				// The number that is not finite may come from a row of another expansion.
				v, _, err = m.Classifier(ctx, e, nil)
			}
			if err == nil {
				err = visit(at+k, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluate computes the scores of at most BatchSize expansions, without their biases, and returns |w|^2
// of each. It returns the error of the context.
func (m *Sparse) evaluate(ctx context.Context, list []*sparse.Expansion) (norms []float64, err error) {
	n, all := m.points.Train, m.points.len()
	var train, others [BatchSize][]float64
	for k := range list {
		if k == len(m.scores) {
			m.scores = append(m.scores, make([]float64, all))
		}
		clear(m.scores[k])
		train[k], others[k] = m.scores[k][:n], m.scores[k][n:]
	}
	if len(list) > 1 && m.sums.Align(list) {
		m.sums.AddTo(train[:len(list)], m.rowsUntilDone(ctx, m.train, n))
		if m.others != nil {
			m.sums.AddTo(others[:len(list)], m.rowsUntilDone(ctx, m.others, all-n))
		}
	} else {
		for k, e := range list {
			sparse.AddRows(train[k], e.Index, e.Coef, m.rowsUntilDone(ctx, m.train, n))
			if m.others != nil {
				sparse.AddRows(others[k], e.Index, e.Coef, m.rowsUntilDone(ctx, m.others, all-n))
			}
		}
	}
	for k, e := range list {
		sum := normSq(e, m.scores[k])
		if m.constructed != nil {
			sum += m.constructed.add(ctx, m.scores[k], e)
		}
		norms = append(norms, sum)
	}
	return norms, ctx.Err()
}

// values returns the values of an expansion, given |w|^2 and its scores without the bias. It adds the
// bias to scores.
func (m *Sparse) values(e *sparse.Expansion, scores []float64, normSq float64) (v SparseValues, err error) {
	for j := range scores {
		scores[j] += e.Bias
	}
	v.Norm = math.Sqrt(math.Max(normSq, 0))
	if v.Losses, v.Slant, err = m.points.losses(scores); err != nil {
		return SparseValues{}, err
	}
	v.Mistakes = m.mistakes(scores)
	return v, nil
}

// normSq returns |w|^2 of the terms in training points, given the scores.
func normSq(e *sparse.Expansion, scores []float64) (sum float64) {
	for k, i := range e.Index {
		if i >= 0 {
			sum += float64(e.Coef[k] * scores[i])
		}
	}
	return sum
}

// rowsUntilDone returns a function that reads rows. After the context has ended, it returns rows of zeros with
// the given number of columns.
func (m *Sparse) rowsUntilDone(ctx context.Context, rows Rows, columns int) func(i int) []float32 {
	return func(i int) []float32 {
		if ctx.Err() == nil {
			return rows.Row(i)
		}
		if m.zeros == nil {
			m.zeros = make([]float32, m.points.len())
		}
		return m.zeros[:columns]
	}
}

// ConstantError returns the test error of the better of the two constant classifiers. ok is false if the
// test split is empty.
func (p *SVMPoints) ConstantError() (v float64, ok bool) {
	positive := 0
	for _, y := range p.Labels[p.Train+p.Validation:] {
		if y > 0 {
			positive++
		}
	}
	return float64(min(positive, p.Test-positive)) / float64(p.Test), p.Test > 0
}

// mistakes returns SparseValues.Mistakes for the scores of all points.
func (m *Sparse) mistakes(scores []float64) []int32 {
	from := m.points.Train + m.points.Validation
	if m.wrong == nil {
		m.wrong = make([]int32, m.points.Test+1)
	}
	labels, scores := m.points.Labels[from:], scores[from:]
	// Without a branch: each point is stored, and the next one overwrites it unless it is a mistake.
	at := 0
	for j, v := range scores {
		m.wrong[at] = int32(j)
		at += indicator(labels[j]*v <= 0)
	}
	return append([]int32{}, m.wrong[:at]...)
}
