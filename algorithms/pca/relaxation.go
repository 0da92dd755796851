package pca

import (
	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// relaxation is what the algorithms that keep a factored matrix share: they add
// eta_t x_t x_t^T to it, and then project.
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

// iterate makes one step: the update of the next sample, and project unless it
// changes nothing.
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

// projection maps the m explicit eigenvalues and the bulk, which has the
// multiplicity given, to those of the closest feasible matrix of the trace given.
type projection func(dst, sigma []float64, multiplicity, trace int) float64

// project maps the matrix by the projection onto those of the trace given. The
// update lowers no eigenvalue and so the projection raises none: only the rounding
// of the trace can lift a bulk of 0. Where it does, the explicit eigenvalues are
// projected alone, onto their share of the trace.
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
