package sparse

import (
	"slices"

	"stochopt/algorithms/internal/vec"
	"stochopt/internal/finite"
)

// refitRidge is added to the diagonal of the kernel matrix of the vectors, of
// which some may be the same.
const refitRidge = 1e-4

// refit keeps the projection of w on the span of the vectors that are left.
type refit struct {
	on      bool         // the classifier is that of the projection
	w       [2][]float64 // coefficients of w, by class
	rows    [2][]float32 // scratch
	nodes   []int        // the vectors, in the order of the factor
	gram    gramFactor
	shown   []int     // the vectors of the current classifier
	beta    []float64 // and their coefficients
	support int       // beta that are not 0

	relearned
}

// refitted brings the coefficients up to date after the last node has replaced u
// and v. It reports whether the kernel is finite.
func (a *CSVM) refitted(u, v int) bool {
	r := &a.refit
	if !r.on {
		a.beginRefit()
		for w := range a.nodes {
			if !a.nodes[w].gone && !a.admit(w) {
				return false
			}
		}
	} else {
		for _, w := range [...]int{u, v} {
			k := slices.Index(r.nodes, w)
			r.nodes = slices.Delete(r.nodes, k, k+1)
			r.gram.remove(k)
			if a.cfg.Relearn {
				r.full = slices.Delete(r.full, k, k+1)
			}
		}
		if !a.admit(len(a.nodes) - 1) {
			return false
		}
	}
	r.on = true
	r.shown = append(r.shown[:0], r.nodes...)
	r.beta = r.gram.solveTo(r.beta)
	r.support = nonzeros(r.beta)
	if a.cfg.Relearn {
		a.bias = r.threshold(r.beta, a.ref)
	}
	return true
}

// admit adds node w to the factor. It reports whether the kernel is finite; not if
// the context has ended.
func (a *CSVM) admit(w int) bool {
	if a.ctx.Err() != nil {
		return false
	}
	r := &a.refit
	z := a.vectorOf(w, a.x)
	h := 0.0
	for c := range r.rows {
		a.class[c].points.rowTo(r.rows[c], z)
		h += vec.Dot32(r.w[c], r.rows[c])
		a.evals += int64(len(r.rows[c]))
	}
	at := make([]float64, len(r.nodes))
	for j, o := range r.nodes {
		at[j] = a.in.Eval(z, a.vectorOf(o, a.y))
	}
	a.evals += int64(len(at))
	if a.cfg.Relearn {
		row := make([]float32, a.n)
		a.in.RowTo(row, z)
		a.evals += int64(a.n)
		if !vec.AllFinite(row) {
			return false
		}
		r.full = append(r.full, row)
	}
	r.nodes = append(r.nodes, w)
	return finite.Is(h) && r.gram.add(at, 1+refitRidge, h)
}

// beginRefit takes over the coefficients of w, and makes room.
func (a *CSVM) beginRefit() {
	r := &a.refit
	for _, c := range a.nodes {
		if c.index >= 0 {
			r.w[c.class] = append(r.w[c.class], c.coef)
		}
	}
	for c := range r.rows {
		r.rows[c] = make([]float32, a.class[c].points.size)
	}
	if a.cfg.Relearn {
		r.scores = make([]float64, a.n)
	}
}
