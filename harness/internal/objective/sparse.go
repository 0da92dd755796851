package objective

import (
	"context"
	"math"
	"slices"

	"stochopt/algorithms/sparse"
)

// Rows are rows of a kernel matrix over a range of points. The sparse.SumsRows returned
// last are valid.
type Rows interface {
	Row(i int) []float32
}

// Vectors evaluates the kernel of vectors that are no points of the problem, as
// kernel.Inputs does.
type Vectors interface {
	// Eval returns K(z, z').
	Eval(z, other []float64) float64
	// EvalRowTo sets dst[j-from] to K(z, x_j) for from <= j < to.
	EvalRowTo(dst []float32, z []float64, from, to int)
}

// SparseValues holds the measurements of an expansion.
type SparseValues struct {
	Losses
	// Slant is the mean of min(1, max(0, 1/2 - y g)) on each of Splits: the expected
	// 0/1 loss of the rule g + Z with Z uniform on [-1/2, 1/2].
	Slant []float64
	// Norm is |w|.
	Norm float64
	// Mistakes lists the points of the test split, counted from its first, that
	// the classifier errs on, increasing.
	Mistakes []int32
}

// Sparse measures expansions on the points of one problem. It must not be shared by goroutines.
type Sparse struct {
	points *SVMPoints
	// train has the rows over the training points, others those over the other points, if any.
	train, others Rows
	constructed   *vectorRows
	// scores holds those of the expansions that are evaluated together by sums.
	scores [][]float64
	sums   sparse.Sums
	// wrong is scratch for mistakes.
	wrong []int32
	// none stands for rows once a context has ended.
	none []float32
}

// NewSparse returns a Sparse for expansions in training points, and in constructed vectors unless
// vectors is nil: at most bytes of their kernel rows are kept. others is nil without other points.
func NewSparse(points *SVMPoints, train, others Rows, vectors Vectors, bytes int64) *Sparse {
	m := &Sparse{points: points, train: train, others: others}
	if vectors != nil {
		m.constructed = newVectorRows(vectors, points.len(), bytes)
	}
	return m
}

// Classifier returns the values of an expansion and its scores g(x_j) of all points. Unless bias is
// nil, it is given <w, Phi(x_i)> of the training points, and its result becomes the bias of e.
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

// Together is the number of expansions that Measure evaluates in one pass.
const Together = 8

// TogetherBytes bounds the memory for measuring Together expansions on n training points among all
// points: their terms, in lists and as a matrix, and their scores.
func TogetherBytes(n, points int) float64 {
	return Together * (3*8*float64(n) + 8*float64(points))
}

// Measure measures expansions one after the other and gives each its values. It ends with the first
// error, which is a NotFiniteError if a score is not finite, that of the context, or that of give.
// Expansions in training points alone are evaluated Together at a time, for which the rows that they
// have in common are read once; that does not change a bit.
func (m *Sparse) Measure(ctx context.Context, list []*sparse.Expansion, give func(k int, v SparseValues) error) error {
	for at := 0; at < len(list); at += Together {
		some := list[at:min(at+Together, len(list))]
		norms, err := m.evaluate(ctx, some)
		if err != nil {
			return err
		}
		for k, e := range some {
			v, err := m.values(e, m.scores[k], norms[k])
			if err != nil && len(some) > 1 {
				// The number that is not finite may be in a row of another expansion.
				v, _, err = m.Classifier(ctx, e, nil)
			}
			if err == nil {
				err = give(at+k, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluate computes the scores of at most Together expansions, less their biases, and returns |w|^2
// of each. Its error is that of the context.
func (m *Sparse) evaluate(ctx context.Context, list []*sparse.Expansion) (norms []float64, err error) {
	n, all := m.points.Train, m.points.len()
	var train, others [Together][]float64
	for k := range list {
		if k == len(m.scores) {
			m.scores = append(m.scores, make([]float64, all))
		}
		clear(m.scores[k])
		train[k], others[k] = m.scores[k][:n], m.scores[k][n:]
	}
	if len(list) > 1 && m.sums.Align(list) {
		m.sums.AddTo(train[:len(list)], m.until(ctx, m.train, n))
		if m.others != nil {
			m.sums.AddTo(others[:len(list)], m.until(ctx, m.others, all-n))
		}
	} else {
		for k, e := range list {
			sparse.AddRows(train[k], e.Index, e.Coef, m.until(ctx, m.train, n))
			if m.others != nil {
				sparse.AddRows(others[k], e.Index, e.Coef, m.until(ctx, m.others, all-n))
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

// values returns the values of an expansion, given |w|^2 and its scores less the bias, to which it
// adds the bias.
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

// normSq returns |w|^2 of the terms in training points, given their scores.
func normSq(e *sparse.Expansion, scores []float64) (sum float64) {
	for k, i := range e.Index {
		if i >= 0 {
			sum += float64(e.Coef[k] * scores[i])
		}
	}
	return sum
}

// until returns the rows, of a number of columns, and rows of zeros once the context has ended.
func (m *Sparse) until(ctx context.Context, rows Rows, columns int) func(i int) []float32 {
	return func(i int) []float32 {
		if ctx.Err() == nil {
			return rows.Row(i)
		}
		if m.none == nil {
			m.none = make([]float32, m.points.len())
		}
		return m.none[:columns]
	}
}

// ConstantError returns the error on the test split of the better of the classifiers
// that always say the same, 0 if all its points are of one class. ok is false if the
// split is empty.
func (p *SVMPoints) ConstantError() (v float64, ok bool) {
	positive := 0
	for _, y := range p.Labels[p.Train+p.Validation:] {
		if y > 0 {
			positive++
		}
	}
	return float64(min(positive, p.Test-positive)) / float64(p.Test), p.Test > 0
}

// mistakes lists the test points that scores err on.
func (m *Sparse) mistakes(scores []float64) []int32 {
	from := m.points.Train + m.points.Validation
	if m.wrong == nil {
		m.wrong = make([]int32, m.points.Test+1)
	}
	labels, scores := m.points.Labels[from:], scores[from:]
	// Without a branch, as in sums: each point is written, and stays if it is a
	// mistake.
	at := 0
	for j, v := range scores {
		m.wrong[at] = int32(j)
		at += one(labels[j]*v <= 0)
	}
	return append([]int32{}, m.wrong[:at]...)
}
