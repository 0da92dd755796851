package objective

import (
	"context"
	"errors"
	"math"
	"slices"

	"stochopt/algorithms/loss"
	"stochopt/algorithms/sparse"
)

// Rows are rows of a kernel matrix over a range of points. The two returned last
// are valid.
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
	for j := range m.scores {
		m.scores[j] += e.Bias
	}
	losses, err := m.points.losses(m.scores)
	if err != nil {
		return SparseValues{}, err
	}
	v := SparseValues{Losses: losses, Norm: math.Sqrt(math.Max(normSq, 0)), Mistakes: m.points.mistakes(m.scores)}
	for _, split := range m.points.Splits() {
		v.Slant = append(v.Slant, m.points.slant(m.scores, split))
	}
	return v, nil
}

// evaluate computes the scores of an expansion, less its bias, and returns |w|^2,
// both of no use if the context has ended.
func (m *Sparse) evaluate(ctx context.Context, e *sparse.Expansion) (normSq float64) {
	n := m.points.Train
	clear(m.scores)
	sparse.AddRows(m.scores[:n], e.Index, e.Coef, m.until(ctx, m.train, n))
	if m.others != nil {
		sparse.AddRows(m.scores[n:], e.Index, e.Coef, m.until(ctx, m.others, len(m.scores)-n))
	}
	for k, i := range e.Index {
		if i >= 0 {
			normSq += float64(e.Coef[k] * m.scores[i])
		}
	}
	if m.constructed != nil {
		normSq += m.constructed.add(ctx, m.scores, e)
	}
	return normSq
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

// slant returns the mean slant loss on a split.
func (p *SVMPoints) slant(scores []float64, s Split) float64 {
	sum := 0.0
	for j := s.From; j < s.To; j++ {
		sum += loss.Slant{}.Value(p.Labels[j] * scores[j])
	}
	return sum / float64(s.To-s.From)
}

// mistakes lists the test points that scores err on.
func (p *SVMPoints) mistakes(scores []float64) []int32 {
	from := p.Train + p.Validation
	list := []int32{}
	for j := range p.Test {
		if p.Labels[from+j]*scores[from+j] <= 0 {
			list = append(list, int32(j))
		}
	}
	return list
}
