package run

import (
	"fmt"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/objective"
	"stochopt/results"
)

// sparseTrial is a run of a method for sparse classifiers. It is recorded by the
// size of its classifier: of the settled ones the first at each size, and the
// last that there is.
type sparseTrial struct {
	sparse.Learner
	run       *sparseRun
	sizes     *supportSizes
	limit     limitedSteps
	objective *objective.Sparse
	expansion sparse.Expansion

	cost     map[string][]int64
	splits   map[string]map[string][]float64
	mistakes []results.IndexSet
	// observed is the iteration observed last.
	observed int64
}

var (
	_ trial     = (*sparseTrial)(nil)
	_ selective = (*sparseTrial)(nil)
)

// newSparseTrial returns a trial that wants its learner.
func newSparseTrial(r *sparseRun) *sparseTrial {
	t := &sparseTrial{
		run: r, objective: r.measure(),
		sizes:  newSupportSizes(r.shared.layout.Train, r.settings.points, r.settings.spacing),
		cost:   map[string][]int64{"iterations": {}, "kernel_evals": {}, "inner_products": {}},
		splits: map[string]map[string][]float64{"state": {"support": {}, "norm": {}, "bias": {}}},
	}
	for _, s := range t.objective.Splits() {
		t.splits[s.Name] = map[string][]float64{"error": {}, "hinge": {}, "slant": {}}
	}
	return t
}

// points implements trial: the end.
func (t *sparseTrial) points() []int64 { return []int64{t.run.it.Budget} }

// seconds implements trial.
func (t *sparseTrial) seconds(clock time.Duration) float64 { return clock.Seconds() }

// Step implements algorithms.Stepper.
func (t *sparseTrial) Step() (status algorithms.Status) {
	if !t.limit.step(func() { status = t.Learner.Step() }) {
		return algorithms.Status{State: algorithms.Failed, Reason: "out of time"}
	}
	if status.State == algorithms.Failed && t.limit.spent >= t.limit.limit {
		t.limit.over = t.limit.limit > 0
	}
	return status
}

// due implements selective.
func (t *sparseTrial) due() bool {
	return t.sizes.due(int64(t.Support())) && t.Settled() && t.Cost().Iterations > t.observed
}

// observe implements trial.
func (t *sparseTrial) observe() error {
	t.expansion.Reset()
	t.ExpansionTo(&t.expansion)
	c := t.Cost()
	v, err := t.objective.Measure(&t.expansion)
	if err != nil {
		return fmt.Errorf("%v at iteration %d: %w", err, c.Iterations, errNotFinite)
	}
	state := map[string]float64{"support": float64(len(t.expansion.Coef)), "norm": v.Norm, "bias": t.expansion.Bias}
	if l, ok := t.Learner.(interface{ Value() float64 }); ok {
		state["value"] = l.Value()
	}
	for name, x := range state {
		if x-x != 0 {
			return fmt.Errorf("the %s at iteration %d is %w", name, c.Iterations, errNotFinite)
		}
	}
	for i, s := range t.objective.Splits() {
		if h := v.Hinge[i]; h-h != 0 {
			return fmt.Errorf("the hinge loss on the %s split at iteration %d is %w", s.Name, c.Iterations, errNotFinite)
		}
	}
	t.append(c, v, state)
	t.sizes.record(int64(len(t.expansion.Coef)))
	t.observed = c.Iterations
	return nil
}

// append adds a point to the curve.
func (t *sparseTrial) append(c algorithms.Cost, v objective.SparseValues, state map[string]float64) {
	for name, n := range map[string]int64{"iterations": c.Iterations, "kernel_evals": c.KernelEvals, "inner_products": c.InnerProducts} {
		t.cost[name] = append(t.cost[name], n)
	}
	for i, s := range t.objective.Splits() {
		col := t.splits[s.Name]
		col["error"] = append(col["error"], v.Error[i])
		col["hinge"] = append(col["hinge"], v.Hinge[i])
		col["slant"] = append(col["slant"], v.Slant[i])
	}
	for name, x := range state {
		t.splits["state"][name] = append(t.splits["state"][name], x)
	}
	if t.run.shared.layout.Test > 0 {
		t.mistakes = append(t.mistakes, results.IndexSet(v.Mistakes))
	}
}

// finish implements trial.
func (t *sparseTrial) finish(status algorithms.Status, rec *results.Run, timing *results.Timing) algorithms.Status {
	t.limit.end()
	rec.Curve = results.Curve{Cost: t.cost, Metrics: t.splits, Mistakes: t.mistakes}
	r := t.run
	timing.KernelEvalsComputed = r.computed + r.rows.Computed() + r.seen.Computed()
	if r.others != nil {
		timing.KernelEvalsComputed += r.others.Computed()
	}
	if t.limit.over {
		rec.Status, rec.Reason = results.StatusOutOfTime, fmt.Sprintf("more than %g s (limit)", t.run.it.Limit.Seconds)
	}
	return status
}
