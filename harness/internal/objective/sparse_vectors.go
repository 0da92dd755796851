package objective

import (
	"context"

	"stochopt/algorithms/sparse"
)

// vectorRows finds kernel rows of constructed vectors. A vector does not change
// while it is in expansions, so that its row is kept for the next that has it.
type vectorRows struct {
	vectors Vectors
	points  int
	kept    map[*float64]*vectorRow
	unused  [][]float32
	// room is the number of rows that may be kept from one expansion to the next.
	room int
	// round counts the expansions.
	round int
	// single holds a row that finds no place.
	single []float32
}

type vectorRow struct {
	row  []float32
	used int // the last round
}

func newVectorRows(v Vectors, points int, bytes int64) *vectorRows {
	return &vectorRows{vectors: v, points: points, room: int(bytes / (4 * int64(points))), kept: make(map[*float64]*vectorRow)}
}

// add adds the terms of constructed vectors to the scores of all points, which
// must be those of the other terms without a bias, and returns what they add to
// |w|^2. Once the context has ended it adds no more of them.
func (r *vectorRows) add(ctx context.Context, scores []float64, e *sparse.Expansion) (normSq float64) {
	r.round++
	for k, z := range e.Vectors {
		if ctx.Err() != nil {
			return normSq
		}
		if z == nil {
			continue
		}
		row := r.row(z)
		sparse.AddRow(scores, e.Coef[k], row)
		sum := 0.0 // the inner product of Phi(z) with the terms before, and half its own
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
	for first, v := range r.kept {
		if v.used != r.round {
			r.unused = append(r.unused, v.row)
			delete(r.kept, first)
		}
	}
	return normSq
}

// row returns the row of z over all points. It is valid until the next call.
func (r *vectorRows) row(z []float64) []float32 {
	if v := r.kept[&z[0]]; v != nil {
		v.used = r.round
		return v.row
	}
	var row []float32
	switch last := len(r.unused) - 1; {
	case last >= 0:
		row, r.unused = r.unused[last], r.unused[:last]
	case len(r.kept) < r.room:
		row = make([]float32, r.points)
	default:
		if r.single == nil {
			r.single = make([]float32, r.points)
		}
		r.vectors.EvalRowTo(r.single, z, 0, r.points)
		return r.single
	}
	r.vectors.EvalRowTo(row, z, 0, r.points)
	r.kept[&z[0]] = &vectorRow{row: row, used: r.round}
	return row
}
