package run

import (
	"context"
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms/pca"
	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// pcaTask performs the runs of task pca. The runs of a problem and repeat share an evaluation.
type pcaTask struct {
	shares[evaluationKey, *evaluation]
	settings settings
	*memory
	construct constructor
	// maxK is the largest k among all runs on a problem.
	maxK map[*plan.Problem]int
}

var _ task = (*pcaTask)(nil)

func newPCATask(pending []*plan.Item, s settings, construct constructor) *pcaTask {
	t := &pcaTask{settings: s, memory: newMemory(pending, s), construct: construct, maxK: make(map[*plan.Problem]int)}
	for _, it := range s.plan.Items {
		// Include runs on record, so that the stored optima do not depend on which runs are pending.
		t.maxK[it.Problem] = max(t.maxK[it.Problem], it.Params.Int("k"))
	}
	for _, it := range pending {
		t.expect(evaluationKeyOf(it))
	}
	return t
}

// release implements task.
func (t *pcaTask) release(it *plan.Item) {
	t.unshare(evaluationKeyOf(it))
	t.memory.release(it)
}

// start implements task.
func (t *pcaTask) start(ctx context.Context, it *plan.Item, _ *record.Run, timing *record.Timing) (*trial, error) {
	ev, err := t.evaluate(ctx, it, timing)
	if err != nil {
		return nil, err
	}
	l, err := t.construct(it.Algorithm, registry.Env{
		Source:   newPCASource(it, ev, t.settings),
		Horizon:  it.Budget,
		Rand:     func(role string) *rand.Rand { return t.settings.stream(it, role) },
		External: t.settings.startProgram(ctx, it),
	}, it.Params)
	if err != nil {
		return nil, err
	}
	return newPCATrial(l, ev, timing, t.settings, it.Budget), nil
}

// evaluate acquires the memory for an item's run and its evaluation.
func (t *pcaTask) evaluate(ctx context.Context, it *plan.Item, timing *record.Timing) (*evaluation, error) {
	if err := t.memory.acquire(ctx, it); err != nil {
		return nil, err
	}
	ev, seconds, err := t.get(evaluationKeyOf(it), func() (*evaluation, error) { return t.build(it) })
	timing.SetupSeconds += seconds
	return ev, err
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
	kind := it.Problem.Entry.Sample
	if kind != "uniform" {
		kind = "pass"
	}
	return newRowSource(data.Table, ev.train, newOrder(kind, len(ev.train), rng))
}

// pcaRecorder records the curve of a PCA algorithm.
type pcaRecorder struct {
	learner pca.Learner
	k       int
	on      []measured
	curve   *curve[*pcaRecorder]
	// optimum is the largest second moment that a k-dimensional subspace captures on each split, and
	// captured the part that the latest iterate captures. drift is that iterate's distance from
	// orthonormality.
	optimum, captured []float64
	drift             float64

	state pca.State
	basis *mat.Dense
}

// pcaColumns are the metrics of an iterate.
var pcaColumns = []column[*pcaRecorder]{
	{metric: record.MetricObjective, ofSplit: func(p *pcaRecorder, i int) float64 { return p.captured[i] }},
	{metric: record.MetricSuboptimality, ofSplit: (*pcaRecorder).suboptimality},
	{metric: record.MetricRank, ofState: func(p *pcaRecorder) float64 { return float64(p.learner.Rank()) }},
	{metric: "orthonormality", ofState: func(p *pcaRecorder) float64 { return p.drift }},
}

func (p *pcaRecorder) suboptimality(split int) float64 { return p.optimum[split] - p.captured[split] }

// singleThreadDim is the number of rows up to which gonum multiplies square matrices in one thread.
const singleThreadDim = 64

func newPCATrial(l pca.Learner, ev *evaluation, timing *record.Timing, s settings, budget int64) *trial {
	d, k := l.Dims()
	p := &pcaRecorder{learner: l, k: k, on: ev.on, captured: make([]float64, len(ev.on))}
	var splits []string
	for _, m := range ev.on {
		value, _ := m.reference.Value(k)
		p.optimum = append(p.optimum, value)
		splits = append(splits, m.split)
	}
	t := &trial{learner: newLearner(l), points: s.recorded(budget), threads: d > singleThreadDim}
	p.curve = newCurve(t.costs(record.TaskPCA, nil), splits, pcaColumns)
	t.observe = func() error {
		err := p.observe(s.plan.Spec.Record.Spectrum)
		if err == nil {
			t.elapsed().addTo(timing)
		}
		return err
	}
	t.finish = func(rec *record.Run) { rec.Curve = p.curve.complete() }
	return t
}

// observe adds the current iterate to the curve, and its spectrum if asked for.
func (p *pcaRecorder) observe(spectrum bool) error {
	p.learner.StateTo(&p.state)
	p.basis = p.state.TopK(p.k)
	p.drift = pca.Orthonormality(p.state.U)
	for i, m := range p.on {
		p.captured[i] = p.capture(m.moment)
	}
	if err := p.curve.add(p.learner.Cost(), p); err != nil {
		return err
	}
	if spectrum {
		p.curve.Spectrum = append(p.curve.Spectrum, append([]float64{}, p.state.Sigma...))
	}
	return nil
}

// capture returns the part of a second moment that the k-dimensional solution captures. If the iterate
// has only m < k directions so far, capture adds the expectation for k-m random directions orthogonal
// to them.
func (p *pcaRecorder) capture(moment objective.SecondMoment) float64 {
	value := moment.Captured(p.basis)
	var found int
	if !p.basis.IsEmpty() {
		_, found = p.basis.Dims()
	}
	if found == p.k {
		return value
	}
	return value + float64(p.k-found)/float64(moment.Dim()-found)*(moment.Trace()-value)
}

// evaluation is shared by the runs of one problem and repeat: the training rows, and each measured
// split with its second moment and certified optimum.
type evaluation struct {
	train []int
	on    []measured
}

// measured is a split on which iterates are measured.
type measured struct {
	split     string
	moment    objective.SecondMoment
	reference *objective.Reference
}

// evaluationKey identifies an evaluation. The repeat is -1 if all repeats share the evaluation.
type evaluationKey struct {
	problem *plan.Problem
	repeat  int
}

func evaluationKeyOf(it *plan.Item) evaluationKey {
	if it.Problem.Split == "" {
		return evaluationKey{it.Problem, -1}
	}
	return evaluationKey{it.Problem, it.Repeat}
}

// build splits the data of an item and certifies the optimum on each measured split.
func (t *pcaTask) build(it *plan.Item) (*evaluation, error) {
	ev := new(evaluation)
	pr := it.Problem
	table := pr.Data.Table
	if pr.Split == "" {
		var moment objective.SecondMoment
		if pr.Data.Dist != nil {
			var sym mat.SymDense
			pr.Data.Dist.SecondMomentTo(&sym)
			moment = objective.NewMoment(&sym)
		} else {
			ev.train = allRows(table.N)
			moment = momentOf(table, ev.train)
		}
		return ev, t.add(ev, it, "population", moment)
	}
	rng := seed.Stream(t.settings.plan.Spec.Seed, pr.Data.Hash, pr.Split, it.Repeat, seed.RoleSplit)
	train, validation, test, err := datasets.Split(table.N, datasets.Fractions(*pr.Entry.Split), rng)
	if err != nil {
		return nil, err
	}
	ev.train = train
	if len(validation) > 0 {
		err = t.add(ev, it, "validation", momentOf(table, validation))
	}
	if len(test) > 0 && err == nil {
		err = t.add(ev, it, "test", momentOf(table, test))
	}
	return ev, err
}

// momentOf returns the second moment of rows of a table: as a matrix, or for wide data from the rows.
func momentOf(table *datasets.Table, rows []int) objective.SecondMoment {
	if table.D > objective.WideDim {
		return objective.NewRowMoment(tableRows{table, rows})
	}
	var sym mat.SymDense
	datasets.SecondMoment(&sym, table, rows)
	return objective.NewMoment(&sym)
}

// add adds a split to an evaluation. It reads the optimum from the store or solves it.
func (t *pcaTask) add(ev *evaluation, it *plan.Item, split string, moment objective.SecondMoment) error {
	pr := it.Problem
	problem := objective.Solved{
		Dataset: pr.Data.Name, DatasetHash: pr.Data.Hash, Split: split, Repeat: evaluationKeyOf(it).repeat,
		Protocol: seed.Protocol,
	}
	if problem.Repeat >= 0 {
		problem.Split += " of " + pr.Split
		problem.Seed = t.settings.plan.Spec.Seed
	}
	ref, err := t.settings.refs.Get(problem, t.maxK[pr], moment)
	if err != nil {
		return fmt.Errorf("the optimum on the %s split: %w", split, err)
	}
	ev.on = append(ev.on, measured{split: split, moment: moment, reference: ref})
	return nil
}
