package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/results/record"

	"gonum.org/v1/gonum/mat"
)

// pcaTask performs the runs of a PCA experiment.
type pcaTask struct {
	*evaluations
	settings  settings
	construct constructor
}

var _ task = (*pcaTask)(nil)

func newPCATask(p *plan.Plan, pending []*plan.Item, s settings, construct constructor) *pcaTask {
	return &pcaTask{evaluations: newEvaluations(s.seed, s.refs, p.Items, pending), settings: s, construct: construct}
}

// start implements task.
func (t *pcaTask) start(_ context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (trial, error) {
	ev, err := t.share(evaluationKey{it.Problem, it.Repeat}, &timing.SetupSeconds, func() (*evaluation, error) { return t.build(it) })
	if err != nil {
		return nil, err
	}
	stream := func(role string) *rand.Rand { return t.settings.stream(it, role) }
	learner, err := t.construct(it.Algorithm.ID, registry.PCAEnv{
		Source:  newPCASource(it, ev, stream(seed.RoleOrder)),
		Horizon: it.Budget,
		Init:    stream(seed.RoleInit),
		Output:  stream(seed.RoleOutput),
	}, it.Params)
	if err != nil {
		return nil, err
	}
	return newPCATrial(learner, ev, t.settings.recorded(it.Budget), t.settings.spectrum), nil
}

// newPCASource streams the training samples of an item.
func newPCASource(it *plan.Item, ev *evaluation, rng *rand.Rand) pca.Source {
	data := it.Problem.Data
	if data.Dist != nil {
		return newDistSource(data.Dist, rng)
	}
	return newRowSource(data.Table, ev.train, it.Problem.Entry.Sample == "uniform", rng)
}

// pcaTrial is a run of a PCA algorithm: it measures the iterates into a curve.
type pcaTrial struct {
	pca.Learner
	at       []int64
	k        int
	ev       *evaluation
	spectrum bool
	optimum  []float64
	state    pca.State
	basis    mat.Dense
	work     objective.Workspace
	curve    record.Curve
}

var _ trial = (*pcaTrial)(nil)

func newPCATrial(l pca.Learner, ev *evaluation, at []int64, spectrum bool) *pcaTrial {
	_, k := l.Dims()
	o := &pcaTrial{
		Learner: l, at: at, k: k, ev: ev, spectrum: spectrum,
		curve: record.Curve{
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

// points implements trial.
func (o *pcaTrial) points() []int64 { return o.at }

// seconds implements trial.
func (o *pcaTrial) seconds(clock time.Duration) float64 { return clock.Seconds() }

// finish implements trial.
func (o *pcaTrial) finish(status algorithms.Status, rec *record.Run, _ *record.Timing) algorithms.Status {
	rec.Curve = o.curve
	if c, ok := o.Learner.(pca.Checker); ok && status.State == algorithms.Running {
		// What went wrong in showing the last iterate.
		status = c.Status()
	}
	return status
}

// captured returns what the k-dimensional solution captures of a second moment.
// An iterate that has found m < k directions so far leaves the others open; for
// these it is what a random choice outside their span captures in expectation.
func (o *pcaTrial) captured(moment *objective.Moment) float64 {
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

// observe implements trial.
func (o *pcaTrial) observe() error {
	o.StateTo(&o.state)
	o.state.TopK(&o.basis, o.k)
	drift := pca.Orthonormality(o.state.U)
	values := make([]float64, len(o.ev.on))
	for i, m := range o.ev.on {
		values[i] = o.captured(m.moment)
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return fmt.Errorf("the objective on the %s split at iteration %d is %w", m.split, o.Cost().Iterations, errNotFinite)
		}
	}
	cost := o.Cost()
	c := &o.curve
	c.Cost["iterations"] = append(c.Cost["iterations"], cost.Iterations)
	c.Cost["sum_kt"] = append(c.Cost["sum_kt"], cost.SumKT)
	c.Cost["sum_kt2"] = append(c.Cost["sum_kt2"], cost.SumKT2)
	own := c.Metrics["state"]
	own["rank"] = append(own["rank"], float64(o.Rank()))
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
