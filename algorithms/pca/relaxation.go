package pca

import (
	"math/rand/v2"

	"stochopt/algorithms"
)

// relaxation is what the algorithms that keep a factored matrix share: they add
// eta_t x_t x_t^T to it, and then project.
type relaxation struct {
	stream
	step   algorithms.Schedule
	factor *eigenFactor
	rank   int

	kappa []int
}

// newRelaxation joins the parts.
func newRelaxation(s stream, step algorithms.Schedule, f *eigenFactor) relaxation {
	return relaxation{stream: s, step: step, factor: f, rank: f.positive()}
}

// newStarted returns the relaxation of the named algorithm at its start, where def
// replaces the default and value maps the starting M to the matrix that is kept.
func newStarted(
	name string, k int, src Source, step algorithms.Schedule, start, def Start, rng *rand.Rand, value func(sigma float64) float64,
) (relaxation, error) {
	s, err := newStream(name, k, src)
	if err != nil {
		return relaxation{}, err
	}
	if err := checkStep(name, step); err != nil {
		return relaxation{}, err
	}
	if start, err = resolveStart(name, start, def, rng); err != nil {
		return relaxation{}, err
	}
	return newRelaxation(s, step, newStartFactor(s.d, s.k, start, rng, value)), nil
}

// Rank implements Learner.
func (r *relaxation) Rank() int { return r.rank }

// iterate makes one step: the update of the next sample, and project unless it
// changes nothing.
func (r *relaxation) iterate(project func()) algorithms.Status {
	x, eta, ok := r.nextStep(r.step)
	if !ok {
		return r.status
	}
	switch r.factor.update(eta, x) {
	case updateFailed:
		return r.diverged(eta)
	case updateDone:
		project()
		r.rank = r.factor.positive()
	}
	return r.done(r.rank)
}

// multiplicities returns 1 for each explicit eigenvalue and then that of the
// bulk.
func (r *relaxation) multiplicities() []int {
	m := r.factor.m
	for len(r.kappa) <= m {
		r.kappa = append(r.kappa, 1)
	}
	kappa := r.kappa[:m+1]
	for i := range kappa {
		kappa[i] = 1
	}
	kappa[m] = r.factor.multiplicity()
	return kappa
}
