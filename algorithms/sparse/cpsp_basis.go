package sparse

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/vec"
	"stochopt/internal/finite"
)

// extend adds a vector to the basis, a pre-image of what the span lacks of the
// newest plane. found is false if there is none, ok if a kernel value is not
// finite.
func (a *CPSP) extend(next *plane) (found, ok bool) {
	a.aim(next)
	i, ok := a.candidate()
	if i < 0 {
		return false, ok
	}
	clear(a.start)
	a.in.AddTo(a.start, 1, i)
	if !a.pre.climb(a.start) {
		return false, finite.Is(a.pre.best.g)
	}
	s := &a.pre.best
	if !vec.AllFinite(s.row) {
		return false, false
	}
	if !(s.g*s.g > negligible*negligible) || !a.gram.add(s.at, 1, 0) {
		return false, true
	}
	a.pre.vectors = append(a.pre.vectors, slices.Clone(s.z))
	row := slices.Clone(s.row)
	a.rows = append(a.rows, row)
	last := a.gram.l[len(a.rows)-1]
	k := len(last) - 1
	coordinate := func(p *plane, h float64) float64 {
		x := (h - dotOf(last[:k], p.p[1:])) / last[k]
		p.p = append(p.p, x)
		return x
	}
	a.h = a.h[:0]
	for t := range a.planes {
		p := &a.planes[t]
		a.h = append(a.h, coordinate(p, sumOver(p.active, row, a.p.Positive)/float64(a.n)))
	}
	a.qp.extend(a.h)
	coordinate(next, vec.Dot32(a.signed, row))
	if a.complete = len(a.rows) == a.cfg.Basis; a.complete {
		for t := range a.planes {
			a.planes[t].active = nil
		}
	}
	return true, true
}

// aim sets what a pre-image is looked for: what the span lacks of the newest plane,
// or of the solution of the dual program, sum_t alpha_t Psi_t, scaled to a mean of
// planes.
func (a *CPSP) aim(next *plane) {
	sum := 0.0
	for _, w := range a.qp.alpha {
		sum += w
	}
	a.pre.b = a.pre.b[:0]
	if a.cfg.Pursue == PursuePlane || sum == 0 {
		copy(a.target, a.signed)
		a.coords = a.gram.backTo(a.coords, next.p[1:])
		for _, x := range a.coords {
			a.pre.b = append(a.pre.b, -x)
		}
		return
	}
	clear(a.target)
	for t, w := range a.qp.alpha {
		if w > 0 {
			a.planes[t].addTo(a.target, w/sum/float64(a.n), a.p.Positive)
		}
	}
	for _, x := range a.beta {
		a.pre.b = append(a.pre.b, -x/sum)
	}
}

// candidate draws points that the target depends on and returns the one where what
// the span lacks of it is greatest in magnitude, -1 if there is none.
func (a *CPSP) candidate() (best int, ok bool) {
	violators := 0
	for _, c := range a.target {
		if c != 0 {
			violators++
		}
	}
	best = -1
	if violators == 0 {
		return best, true
	}
	most := 0.0
	for range a.cfg.Starts {
		r, i := a.rng.IntN(violators), 0
		for ; ; i++ {
			if a.target[i] != 0 {
				if r == 0 {
					break
				}
				r--
			}
		}
		row := a.p.Rows.Row(i)
		a.pre.evals += int64(a.n)
		if len(row) != a.n || !vec.AllFinite(row) {
			return -1, false
		}
		g := vec.Dot32(a.target, row)
		for b, x := range a.pre.b {
			g += float64(x * float64(a.rows[b][i]))
		}
		if m := math.Abs(g); m > most || best < 0 {
			best, most = i, m
		}
	}
	return best, true
}
