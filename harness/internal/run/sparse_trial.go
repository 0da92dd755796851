package run

import (
	"context"
	"errors"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/objective"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// sparseRecorder records the curve of a sparse method: one classifier per support size (see
// supportSizes), and the one at the end of the run. The classifier to record for a size is known only
// after the next step, so the recorder keeps a copy of the last final classifier (see
// sparse.Learner.Final) and its cost. Copying does not count towards the time of the method.
type sparseRecorder struct {
	// ctx is the context of the execution. It interrupts measurements too.
	ctx       context.Context
	run       *kernelRun
	trial     *trial
	learner   sparse.Learner
	sizes     *supportSizes
	objective *objective.Sparse
	curve     *curve[sparsePoint]
	// batch is the number of classifiers that are measured together.
	batch int
	// kept is the last final classifier, nil if it is recorded already or does not exist. queue holds
	// classifiers to measure, and free snapshots to reuse.
	kept        *snapshot
	queue, free []*snapshot
	// vectors belong to the classifier recorded last. They are nil without record.vectors.
	vectors map[string][]float64
	// observed is the last observed iteration.
	observed int64
}

// snapshot is a copy of a classifier of a run.
type snapshot struct {
	expansion sparse.Expansion
	cost      algorithms.Cost
	elapsed   elapsed
	// support is the number of expansion vectors. value is the method's own objective, NaN if it has
	// none.
	support int64
	value   float64
	// pending is true until the expansion is copied from the learner.
	pending bool
}

// sparsePoint is a classifier with its measurements.
type sparsePoint struct {
	*snapshot
	objective.SparseValues
}

// sparseColumns are the metrics of a classifier.
var sparseColumns = []column[sparsePoint]{
	{metric: record.MetricSupport, ofState: func(p sparsePoint) float64 { return float64(p.support) }},
	{metric: record.MetricNorm, ofState: func(p sparsePoint) float64 { return p.Norm }},
	{metric: "bias", ofState: func(p sparsePoint) float64 { return p.expansion.Bias }},
	{metric: "value", ofState: func(p sparsePoint) float64 { return p.value }, partial: true},
	{metric: record.MetricHinge, ofSplit: func(p sparsePoint, i int) float64 { return p.Hinge[i] }},
	{metric: record.MetricError, ofSplit: func(p sparsePoint, i int) float64 { return p.Error[i] }},
	{metric: "slant", ofSplit: func(p sparsePoint, i int) float64 { return p.Slant[i] }},
}

// newSparseTrial constructs the learner of a run.
func newSparseTrial(ctx context.Context, r *kernelRun) (*trial, error) {
	t := &trial{points: []int64{r.it.Budget}}
	l, err := r.with.sparse(r.it.Algorithm, r.env(t.bound(ctx, r.it.Limit.Seconds)), r.it.Params)
	if err != nil {
		return nil, err
	}
	t.learner = newLearner(l)
	spec, layout := r.settings.plan.Spec.Record, &r.shared.layout
	s := &sparseRecorder{
		ctx: ctx, run: r, trial: t, learner: l, objective: r.newObjective(), batch: objective.BatchSize,
		sizes: newSupportSizes(layout.Train, spec.Points, spec.Spacing),
		curve: newCurve(observe.TaskCosts(record.TaskSparse), layout.SplitNames(), sparseColumns),
	}
	if r.inputs != nil {
		// Measuring one classifier at a time reuses the kernel rows of constructed vectors.
		s.batch = 1
	}
	t.afterStep, t.observe, t.finish = s.afterStep, s.observe, s.finish
	return t, nil
}

// afterStep decides whether to record the classifier after n steps and the one before it. If the
// learner bounds its support, the clock keeps running, because reading it may take longer than a step.
func (s *sparseRecorder) afterStep(n int64, status algorithms.Status) (due bool) {
	t := s.trial
	if t.supportBounds == nil || status.Stop() {
		t.clock.stop()
	}
	ended := n >= s.run.it.Budget || status.State == algorithms.Exhausted || status.State == algorithms.Converged
	if status.Stop() && !ended {
		return false
	}
	var kept int64
	if s.kept != nil {
		kept = s.kept.support
	}
	support := int64(s.learner.Support())
	// A classifier without expansion vectors is recorded only at the end.
	final := s.learner.Final() && support > 0
	before, now := s.sizes.next(support, final, kept)
	if s.kept != nil && (before || !final) {
		s.fetchPrevious()
	}
	if before || ended && !final && s.kept != nil && s.kept.cost.Iterations < s.learner.Cost().Iterations {
		s.enqueue()
	}
	switch {
	case ended || now:
		s.keep()
		s.enqueue()
	case final && t.previousTo != nil:
		s.ensureKept()
		s.kept.cost, s.kept.support, s.kept.pending = s.learner.Cost(), support, true
	case final && t.supportBounds != nil && !s.sizes.mayRecord(support, t.supportBounds):
		if s.kept != nil {
			s.free, s.kept = append(s.free, s.kept), nil
		}
	case final:
		s.keep()
	}
	return len(s.queue) >= s.batch
}

// enqueue queues the kept classifier for measurement.
func (s *sparseRecorder) enqueue() { s.queue, s.kept = append(s.queue, s.kept), nil }

// ensureKept sets kept, if it is nil, to a snapshot that may be overwritten.
func (s *sparseRecorder) ensureKept() {
	last := len(s.free) - 1
	switch {
	case s.kept != nil:
	case last >= 0:
		s.kept, s.free = s.free[last], s.free[:last]
	default:
		s.kept = new(snapshot)
	}
}

// keep copies the current classifier to kept.
func (s *sparseRecorder) keep() {
	s.ensureKept()
	s.write(s.learner.ExpansionTo)
	s.kept.cost = s.learner.Cost()
	if s.trial.value != nil {
		// NaN would mark the value as unknown.
		if s.kept.value = s.trial.value(); math.IsNaN(s.kept.value) {
			s.kept.value = math.Inf(1)
		}
	}
}

// fetchPrevious copies the classifier before the last step to kept, unless it is there already. The
// recorded time includes the last step, because reading the clock at each step takes too long.
func (s *sparseRecorder) fetchPrevious() {
	if s.kept.pending {
		s.write(s.trial.previousTo)
	}
}

// write copies a classifier to kept.
func (s *sparseRecorder) write(expansionTo func(*sparse.Expansion)) {
	s.trial.clock.stop()
	k := s.kept
	k.expansion.Reset()
	expansionTo(&k.expansion)
	k.support, k.value, k.pending, k.elapsed = int64(len(k.expansion.Coef)), math.NaN(), false, s.trial.elapsed()
}

// observe measures the queued classifiers and adds them to the curve.
func (s *sparseRecorder) observe() error {
	list := s.queue[:0]
	for _, w := range s.queue {
		// The step that ends a run may leave the classifier unchanged.
		if w.cost.Iterations > s.observed {
			s.observed = w.cost.Iterations
			list = append(list, w)
		} else {
			s.free = append(s.free, w)
		}
	}
	expansions := make([]*sparse.Expansion, len(list))
	for k, w := range list {
		expansions[k] = &w.expansion
	}
	done := 0
	var invalid error // from the curve; it names the metric and the iteration
	err := s.objective.Measure(s.ctx, expansions, func(k int, v objective.SparseValues) error {
		if invalid = s.curve.add(list[k].cost, sparsePoint{list[k], v}); invalid != nil {
			return invalid
		}
		if s.run.shared.layout.Test > 0 {
			s.curve.Mistakes = append(s.curve.Mistakes, record.IndexSet(v.Mistakes))
		}
		list[k].elapsed.addTo(s.run.timing)
		done = k + 1
		return nil
	})
	if done > 0 && s.run.settings.plan.Spec.Record.Vectors {
		s.vectors = s.run.vectors(&list[done-1].expansion)
	}
	if invalid == nil && errors.As(err, new(objective.NotFiniteError)) {
		err = objective.NotFiniteError(fmt.Sprintf("%v at iteration %d", err, list[done].cost.Iterations))
	}
	s.free, s.queue = append(s.free, list...), list[:0]
	return err
}

// finish completes the record with the curve and the number of kernel evaluations computed.
func (s *sparseRecorder) finish(rec *record.Run) {
	rec.Curve = s.curve.complete()
	rec.Curve.Vectors = s.vectors
	r := s.run
	r.timing.KernelEvalsComputed = r.rows.Computed() + r.trainRows.computed()
	if r.evalRows != nil {
		r.timing.KernelEvalsComputed += r.evalRows.computed()
	}
}
