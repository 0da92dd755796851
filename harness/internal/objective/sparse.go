package objective

import (
	"context"
	"errors"
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

// Sparse measures expansions on the points of one problem. It must not be shared
// by goroutines.
type Sparse struct {
	points *SVMPoints
	// train has the rows over the training points, others those over the other
	// points; it is nil if there are none.
	train, others Rows
	constructed   *vectorRows
	scores        []float64
	// sums adds up several expansions, whose scores are in several.
	sums    sparse.Sums
	several [][]float64
	// wrong is for mistakes to write to.
	wrong []int32
	// none stands for the rows that are not computed any more once a context has
	// ended.
	none []float32
}

// NewSparse returns what measures expansions in training points, and with
// vectors, which may be nil, in constructed vectors too: of these it keeps at most
// so many bytes of kernel rows.
func NewSparse(points *SVMPoints, train, others Rows, vectors Vectors, bytes int64) *Sparse {
	n := points.Train + points.Validation + points.Test
	m := &Sparse{points: points, train: train, others: others, scores: make([]float64, n)}
	if vectors != nil {
		m.constructed = newVectorRows(vectors, n, bytes)
	}
	return m
}

// Scores returns g(x_j) of all points for the expansion measured last.
func (m *Sparse) Scores() []float64 { return m.scores }

// Measure returns the values of an expansion: a kernel row for each vector. It
// returns a *ScoreError if a score is not finite, the error of the context if that
// ends meanwhile, or an error if there are constructed vectors where none were to
// be.
func (m *Sparse) Measure(ctx context.Context, e *sparse.Expansion) (SparseValues, error) {
	return m.MeasureAt(ctx, e, nil)
}

// MeasureAt is Measure of an expansion whose bias is to be chosen: unless it is nil,
// bias is given <w, Phi(x_i)> of the training points, and its result becomes the
// bias of e.
func (m *Sparse) MeasureAt(ctx context.Context, e *sparse.Expansion, bias func(products []float64) float64) (SparseValues, error) {
	if m.constructed == nil && slices.Contains(e.Index, -1) {
		return SparseValues{}, errors.New("the expansion has vectors that are not training points, but the method did not declare that it needs the input space")
	}
	normSq := m.evaluate(ctx, e)
	if err := ctx.Err(); err != nil {
		return SparseValues{}, err
	}
	if bias != nil {
		e.Bias = bias(m.scores[:m.points.Train])
	}
	return m.values(e, m.scores, normSq)
}

// Together is the number of expansions that MeasureAll measures in one pass.
const Together = 8

// TogetherBytes bounds what Together expansions on n training points of so many points
// take while they are measured: their terms, in lists and as a matrix, and their scores.
func TogetherBytes(n, points int) float64 {
	return Together * (3*8*float64(n) + 8*float64(points))
}

// MeasureAll measures expansions one after the other and gives each its values, which
// are those of Measure to the last bit. It ends with the first error, which is that of
// Measure or of give. Expansions in training points alone are measured Together at a
// time, for which the rows that they have in common are read once.
func (m *Sparse) MeasureAll(ctx context.Context, list []*sparse.Expansion, give func(k int, v SparseValues) error) error {
	for at := 0; at < len(list); at += Together {
		some := list[at:min(at+Together, len(list))]
		norms := m.evaluateAll(ctx, some)
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, e := range some {
			v, err := m.valuesOf(ctx, e, k, norms)
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

// valuesOf returns the values of expansion k of those that evaluateAll has evaluated.
func (m *Sparse) valuesOf(ctx context.Context, e *sparse.Expansion, k int, norms []float64) (SparseValues, error) {
	if norms != nil {
		v, err := m.values(e, m.several[k], norms[k])
		if err == nil {
			return v, nil
		}
		// What is not finite may be in the row of another expansion.
	}
	return m.Measure(ctx, e)
}

// evaluateAll computes the scores of expansions, less their biases, into several, and
// returns |w|^2 of each, or nil if it is better to evaluate them one by one.
func (m *Sparse) evaluateAll(ctx context.Context, list []*sparse.Expansion) (norms []float64) {
	if len(list) < 2 || !m.sums.Align(list) {
		return nil
	}
	for len(m.several) < len(list) {
		m.several = append(m.several, make([]float64, len(m.scores)))
	}
	n := m.points.Train
	var train, others [Together][]float64
	for k := range list {
		clear(m.several[k])
		train[k], others[k] = m.several[k][:n], m.several[k][n:]
	}
	m.sums.AddTo(train[:len(list)], m.until(ctx, m.train, n))
	if m.others != nil {
		m.sums.AddTo(others[:len(list)], m.until(ctx, m.others, len(m.scores)-n))
	}
	for k, e := range list {
		norms = append(norms, normSq(e, m.several[k]))
	}
	return norms
}

// values returns the values of an expansion, given its scores less the bias, to which it
// adds that, and |w|^2.
func (m *Sparse) values(e *sparse.Expansion, scores []float64, normSq float64) (SparseValues, error) {
	for j := range scores {
		scores[j] += e.Bias
	}
	v := SparseValues{Norm: math.Sqrt(math.Max(normSq, 0))}
	var err error
	if v.Losses, v.Slant, err = m.points.losses(scores); err != nil {
		return SparseValues{}, err
	}
	v.Mistakes = m.mistakes(scores)
	return v, nil
}

// evaluate computes the scores of an expansion, less its bias, and returns |w|^2,
// both of no use if the context has ended.
func (m *Sparse) evaluate(ctx context.Context, e *sparse.Expansion) float64 {
	n := m.points.Train
	clear(m.scores)
	sparse.AddRows(m.scores[:n], e.Index, e.Coef, m.until(ctx, m.train, n))
	if m.others != nil {
		sparse.AddRows(m.scores[n:], e.Index, e.Coef, m.until(ctx, m.others, len(m.scores)-n))
	}
	sum := normSq(e, m.scores)
	if m.constructed != nil {
		sum += m.constructed.add(ctx, m.scores, e)
	}
	return sum
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

// until returns rows of so many columns, all 0 once the context has ended.
func (m *Sparse) until(ctx context.Context, rows Rows, columns int) func(i int) []float32 {
	return func(i int) []float32 {
		if ctx.Err() == nil {
			return rows.Row(i)
		}
		if m.none == nil {
			m.none = make([]float32, len(m.scores))
		}
		return m.none[:columns]
	}
}

// ConstantError returns the error on the test split of the better of the classifiers
// that always say the same, 0 if all its points are of one class. ok is false if
// there are none.
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
