package run

import (
	"context"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// pcaTask performs the runs of a PCA experiment.
type pcaTask struct {
	*evaluations
	settings settings
	*memory
	construct constructor
}

var _ task = (*pcaTask)(nil)

func newPCATask(p *plan.Plan, pending []*plan.Item, s settings, construct constructor) *pcaTask {
	return &pcaTask{
		evaluations: newEvaluations(s.plan.Spec.Seed, s.refs, p.Items, pending),
		settings:    s, memory: newMemory(pending, s), construct: construct,
	}
}

// release implements task.
func (t *pcaTask) release(it *plan.Item) {
	t.evaluations.release(it)
	t.memory.release(it)
}

// start implements task.
func (t *pcaTask) start(ctx context.Context, it *plan.Item, rec *record.Run, timing *record.Timing) (trial, error) {
	ev, err := t.evaluate(ctx, it, timing)
	if err != nil {
		return nil, err
	}
	learner, err := t.construct(it.Algorithm, registry.PCAEnv{
		Source:   newPCASource(it, ev, t.settings),
		Horizon:  it.Budget,
		Init:     t.settings.stream(it, seed.RoleInit),
		Output:   t.settings.stream(it, seed.RoleOutput),
		External: t.settings.externals.env(ctx, it),
	}, it.Params)
	if err != nil {
		return nil, err
	}
	trial := newPCATrial(it, learner, ev, t.settings)
	rec.External = externalOf(learner)
	return trial, nil
}

// evaluate acquires the memory for an item's run, and what it is measured by.
func (t *pcaTask) evaluate(ctx context.Context, it *plan.Item, timing *record.Timing) (*evaluation, error) {
	if err := t.memory.acquire(ctx, it); err != nil {
		return nil, err
	}
	return t.share(evaluationKeyOf(it), &timing.SetupSeconds, func() (*evaluation, error) { return t.build(it) })
}

// prepare implements task.
func (t *pcaTask) prepare(ctx context.Context, it *plan.Item) error {
	_, err := t.evaluate(ctx, it, new(record.Timing))
	return err
}

// newPCASource streams the training samples of an item.
func newPCASource(it *plan.Item, ev *evaluation, s settings) pca.Source {
	data, rng := it.Problem.Data, s.stream(it, seed.RoleOrder)
	if data.Dist != nil {
		return newDistSource(data.Dist, rng)
	}
	kind := "pass" // each once an epoch, in random order
	if it.Problem.Entry.Sample == "uniform" {
		kind = it.Problem.Entry.Sample
	}
	return newRowSource(data.Table, ev.train, newOrder(kind, len(ev.train), rng))
}

// pcaTrial is a run of a PCA algorithm: it measures the iterates into a curve.
type pcaTrial struct {
	pca.Learner
	schedule
	it       *plan.Item
	k        int
	ev       *evaluation
	spectrum bool
	curve    *curve[*pcaTrial]
	// optimum holds the best that can be captured on each split, captured what the latest iterate
	// does. drift is its distance from orthonormality.
	optimum, captured []float64
	drift             float64

	state pca.State
	basis *mat.Dense
	work  objective.Workspace
}

var _ trial = (*pcaTrial)(nil)

// pcaColumns are what is measured of an iterate.
var pcaColumns = []column[*pcaTrial]{
	{metric: record.MetricObjective, on: func(t *pcaTrial, split int) float64 { return t.captured[split] }},
	{metric: record.MetricSuboptimality, on: func(t *pcaTrial, split int) float64 { return t.optimum[split] - t.captured[split] }},
	{metric: record.MetricRank, own: func(t *pcaTrial) float64 { return float64(t.Rank()) }},
	{metric: "orthonormality", own: func(t *pcaTrial) float64 { return t.drift }},
}

func newPCATrial(it *plan.Item, l pca.Learner, ev *evaluation, s settings) *pcaTrial {
	_, k := l.Dims()
	t := &pcaTrial{
		Learner: l, schedule: s.recorded(it.Budget), it: it, k: k, ev: ev,
		spectrum: s.plan.Spec.Record.Spectrum, captured: make([]float64, len(ev.on)),
	}
	var splits []string
	for _, m := range ev.on {
		value, _ := m.reference.Value(k)
		t.optimum = append(t.optimum, value)
		splits = append(splits, m.split)
	}
	t.curve = newCurve(costsOf(record.TaskPCA, l, nil), splits, pcaColumns)
	return t
}

// took implements trial. Products of large matrices are spread over threads, so that one does not
// tell the processor's time.
func (t *pcaTrial) took(steps took) took { return took{wall: steps.wall} }

// finish implements trial.
func (t *pcaTrial) finish(status algorithms.Status, rec *record.Run, _ *record.Timing) algorithms.Status {
	rec.Curve = t.curve.whole()
	endedByLimit(t.Learner, t.it, rec)
	return status
}

// capture returns what the k-dimensional solution captures of a second moment. An iterate that has
// found m < k directions so far leaves the others open; for these it is what a random choice
// outside their span captures in expectation.
func (t *pcaTrial) capture(moment objective.SecondMoment) float64 {
	value := moment.Captured(t.basis, &t.work)
	var found int
	if !t.basis.IsEmpty() {
		_, found = t.basis.Dims()
	}
	if found == t.k {
		return value
	}
	return value + float64(t.k-found)/float64(moment.Dim()-found)*(moment.Trace()-value)
}

// batchStepper implements batchStepping.
func (t *pcaTrial) batchStepper() algorithms.BatchStepper { return batchStepperOf(t.Learner) }

// observe implements trial.
func (t *pcaTrial) observe() error {
	if err := refresh(t.Learner); err != nil {
		return err
	}
	t.StateTo(&t.state)
	t.basis = t.state.TopK(t.k)
	t.drift = pca.Orthonormality(t.state.U)
	for i, m := range t.ev.on {
		t.captured[i] = t.capture(m.moment)
	}
	if err := t.curve.add(t.Cost(), t); err != nil {
		return err
	}
	if t.spectrum {
		t.curve.Spectrum = append(t.curve.Spectrum, append([]float64{}, t.state.Sigma...))
	}
	return nil
}
