package pca

import (
	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// relaxation is the common part of the algorithms with a factored matrix: a step adds eta_t x_t x_t^T
// and then projects.
type relaxation struct {
	stream
	factor *eigenFactor
	rank   int

	sigma []float64
}

func newRelaxation(s stream, f *eigenFactor) relaxation {
	return relaxation{stream: s, factor: f, rank: f.rank()}
}

// Rank implements Learner.
func (r *relaxation) Rank() int { return r.rank }

// iterate takes one step: it adds the term of the next sample and, unless that is 0, calls project.
func (r *relaxation) iterate(project func()) algorithms.Status {
	x, step, ok := r.next()
	if !ok {
		return r.status
	}
	eta, x := scaled(step, x)
	size := eta * floats.Dot(x, x)
	if size == 0 {
		return r.done(r.rank)
	}
	if !finite.Is(size) || !r.factor.update(eta, x) {
		return r.diverged(step)
	}
	project()
	r.rank = r.factor.rank()
	return r.done(r.rank)
}

// projection maps a spectrum, whose last eigenvalue has the given multiplicity, to the spectrum of the
// closest feasible matrix with the given trace. It returns the shift.
type projection func(dst, sigma []float64, multiplicity, trace int) float64

// project projects the matrix onto the feasible matrices with the given trace. An update
// decreases no eigenvalue, so the projection increases none, except that rounding of the
// trace may increase a bulk of 0. In that case project keeps the bulk at 0, and projects
// the explicit eigenvalues onto their share of the trace.
func (r *relaxation) project(onto projection, trace, share int) {
	f, m := r.factor, len(r.factor.values)
	sigma := append(append(r.sigma[:0], f.values...), f.bulk)
	onto(sigma, sigma, r.d-m, trace)
	if f.bulk == 0 && sigma[m] > 0 {
		sigma[m] = 0
		if share > 0 {
			onto(sigma[:m], f.values, 1, share)
		}
	}
	copy(f.values, sigma)
	f.bulk = sigma[m]
	f.keep(m)
	r.sigma = sigma
}
