package pca

import "stochopt/algorithms"

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
