package objective

import (
	"context"

	"stochopt/algorithms/sparse"
)

// vectorRows computes kernel rows of constructed vectors. It keeps rows for the next expansion, because
// a vector does not change while expansions contain it.
type vectorRows struct {
	vectors Vectors
	points  int
	// kept has at most capacity rows of the last expansion, by the address of the vector's first coordinate.
	kept     map[*float64][]float32
	capacity int
}

func newVectorRows(v Vectors, points int, bytes int64) *vectorRows {
	return &vectorRows{vectors: v, points: points, capacity: int(bytes / (4 * int64(points)))}
}

// add adds the terms of constructed vectors to the scores of all points and returns their contribution
// to |w|^2. The scores must contain the terms of the other vectors, without the bias. It stops when the
// context ends.
func (r *vectorRows) add(ctx context.Context, scores []float64, e *sparse.Expansion) (normSq float64) {
	before := r.kept
	r.kept = make(map[*float64][]float32)
	for k, z := range e.Vectors {
		if ctx.Err() != nil {
			return normSq
		}
		if z == nil {
			continue
		}
		row := before[&z[0]]
		if row == nil {
			row = make([]float32, r.points)
			r.vectors.EvalRowTo(row, z, 0, r.points)
		}
		if len(r.kept) < r.capacity {
			r.kept[&z[0]] = row
		}
		sparse.AddRow(scores, e.Coef[k], row)
		sum := 0.0 // the inner product of Phi(z) with the earlier terms and half its own term
		for l, i := range e.Index {
			switch {
			case i >= 0:
				sum += float64(e.Coef[l] * float64(row[i]))
			case l < k:
				sum += float64(e.Coef[l] * r.vectors.Eval(z, e.Vectors[l]))
			case l == k:
				sum += float64(e.Coef[k] / 2 * r.vectors.Eval(z, z))
			}
		}
		normSq += float64(2 * e.Coef[k] * sum)
	}
	return normSq
}
