package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/results"

	"gonum.org/v1/gonum/mat"
)

// errNotFinite ends a run whose measurements left the finite range.
var errNotFinite = errors.New("not finite")

// runPCA performs one run. The error is that of the context; whatever else
// goes wrong is the record's status and reason.
func runPCA(ctx context.Context, it *plan.Item, s settings, ev *evaluation) (results.Run, results.Timing, error) {
	rec := newRecord(it, s)
	timing := results.Timing{Key: it.ID.Key, Extent: it.ID.Extent, Tool: s.tool}
	stream := func(role string) pcaStream {
		return pcaStream{root: s.seed, item: it, role: role}
	}
	learner, err := s.construct(it.Algorithm.ID, registry.PCAEnv{
		Source:  stream(seed.RoleOrder).source(ev),
		Horizon: it.Budget,
		Init:    stream(seed.RoleInit).rand(),
		Output:  stream(seed.RoleOutput).rand(),
	}, it.Params)
	if err != nil {
		rec.Status, rec.Reason = results.StatusFailed, err.Error()
		return rec, timing, nil
	}
	obs := newPCAObserver(learner, ev, s.spectrum)
	start := time.Now()
	status, clock, err := loop(ctx, learner, Points(it.Budget, s.points, s.spacing), obs.observe)
	timing.StepSeconds = clock.Seconds()
	timing.EvalSeconds = time.Since(start).Seconds() - timing.StepSeconds
	timing.Finished = time.Now().UTC().Format(time.RFC3339)
	rec.Curve = obs.curve
	switch {
	case errors.Is(err, errNotFinite):
		rec.Status, rec.Reason = results.StatusDiverged, err.Error()
	case err != nil:
		return rec, timing, err
	default:
		if c, ok := learner.(pca.Checker); ok && status.State == algorithms.Running {
			// What went wrong in showing the last iterate.
			status = c.Status()
		}
		rec.Status, rec.Reason = outcome(status, it.Budget)
	}
	return rec, timing, nil
}

// outcome translates the status that ended a loop into a record's.
func outcome(s algorithms.Status, budget int64) (status, reason string) {
	switch s.State {
	case algorithms.Running:
		return results.StatusFinished, fmt.Sprintf("budget of %d iterations", budget)
	case algorithms.Diverged:
		return results.StatusDiverged, cmp.Or(s.Reason, "the algorithm gives no reason")
	case algorithms.Failed:
		return results.StatusFailed, cmp.Or(s.Reason, "the algorithm gives no reason")
	}
	return results.StatusFinished, strings.TrimSuffix(s.State.String()+": "+s.Reason, ": ")
}

// pcaObserver measures the iterates of a learner into a curve.
type pcaObserver struct {
	learner  pca.Learner
	k        int
	ev       *evaluation
	spectrum bool
	optimum  []float64
	state    pca.State
	basis    mat.Dense
	work     objective.Workspace
	curve    results.Curve
}

func newPCAObserver(l pca.Learner, ev *evaluation, spectrum bool) *pcaObserver {
	_, k := l.Dims()
	o := &pcaObserver{
		learner: l, k: k, ev: ev, spectrum: spectrum,
		curve: results.Curve{
			Cost:    map[string][]int64{"iterations": {}, "sum_kt": {}, "sum_kt2": {}},
			Metrics: map[string]map[string][]float64{"state": {"rank": {}, "orthonormality": {}}},
		},
	}
	for _, m := range ev.on {
		value, _ := m.reference.Value(k)
		o.optimum = append(o.optimum, value)
		o.curve.Metrics[m.split] = map[string][]float64{"objective": {}, "suboptimality": {}}
	}
	return o
}

// captured returns what the k-dimensional solution captures of a second moment.
// An iterate that has found m < k directions so far leaves the others open; for
// these it is what a random choice outside their span captures in expectation.
func (o *pcaObserver) captured(moment *objective.Moment) float64 {
	value := moment.Captured(&o.basis, &o.work)
	var found int
	if !o.basis.IsEmpty() {
		_, found = o.basis.Dims()
	}
	if found == o.k {
		return value
	}
	return value + float64(o.k-found)/float64(moment.Dim()-found)*(moment.Trace()-value)
}

func (o *pcaObserver) observe() error {
	o.learner.StateTo(&o.state)
	o.state.TopK(&o.basis, o.k)
	drift := pca.Orthonormality(o.state.U)
	values := make([]float64, len(o.ev.on))
	for i, m := range o.ev.on {
		values[i] = o.captured(m.moment)
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return fmt.Errorf("the objective on the %s split at iteration %d is %w", m.split, o.learner.Cost().Iterations, errNotFinite)
		}
	}
	cost := o.learner.Cost()
	c := &o.curve
	c.Cost["iterations"] = append(c.Cost["iterations"], cost.Iterations)
	c.Cost["sum_kt"] = append(c.Cost["sum_kt"], cost.SumKT)
	c.Cost["sum_kt2"] = append(c.Cost["sum_kt2"], cost.SumKT2)
	own := c.Metrics["state"]
	own["rank"] = append(own["rank"], float64(o.learner.Rank()))
	own["orthonormality"] = append(own["orthonormality"], drift)
	for i, m := range o.ev.on {
		col := c.Metrics[m.split]
		col["objective"] = append(col["objective"], values[i])
		col["suboptimality"] = append(col["suboptimality"], o.optimum[i]-values[i])
	}
	if o.spectrum {
		c.Spectrum = append(c.Spectrum, append([]float64{}, o.state.Sigma...))
	}
	return nil
}
