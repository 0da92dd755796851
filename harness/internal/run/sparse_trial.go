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

// sparseTrial is a run of a method for sparse classifiers. It is recorded by the size of its
// classifiers (see supportSizes), and at its end. As what is recorded of a size shows only when the
// next step exceeds it, the trial keeps the settled classifier that it has had last, with what that
// has cost. The copy is not part of the method's time.
type sparseTrial struct {
	sparse.Learner
	// ctx is that of the execution: it ends measurements too.
	ctx       context.Context
	run       *sparseRun
	sizes     *supportSizes
	limit     limitedSteps
	objective *objective.Sparse
	// steady is the learner if it is steady, else nil. keepsPrevious: its last classifier need not be
	// kept, for it can tell it.
	steady        sparse.Steady
	keepsPrevious bool
	// spent is what Step has taken, without what it has since the watch runs; steps is their
	// number; ended: there is none to come.
	spent   took
	watch   stopwatch
	running bool
	steps   int64
	ended   bool
	// kept is the settled classifier that the run has had last, nil if it is recorded. wait holds
	// those that are to be recorded, free is for use again.
	kept *snapshot
	wait []*snapshot
	free []*snapshot
	// batch is the number of classifiers that are measured together.
	batch int

	curve *curve[sparsePoint]
	// vectors are those of the classifier recorded last, nil unless they are asked for.
	vectors map[string][]float64
	times   []took
	// observed is the iteration observed last; failed: it could not be recorded.
	observed int64
	failed   bool
}

// snapshot is a classifier that a run has had.
type snapshot struct {
	expansion sparse.Expansion
	cost      algorithms.Cost
	took      took
	// value is the method's own figure of merit, NaN where it has none.
	value float64
	// pending: the expansion is still to be had of the learner.
	pending bool
	vectors int64
}

// support returns the number of expansion vectors.
func (s *snapshot) support() int64 { return s.vectors }

var (
	_ trial     = (*sparseTrial)(nil)
	_ selective = (*sparseTrial)(nil)
)

// sparsePoint is a classifier with what was measured of it.
type sparsePoint struct {
	*snapshot
	objective.SparseValues
}

// sparseColumns are what is measured of a classifier.
var sparseColumns = []column[sparsePoint]{
	{metric: record.MetricSupport, own: func(p sparsePoint) float64 { return float64(p.support()) }},
	{metric: record.MetricNorm, own: func(p sparsePoint) float64 { return p.Norm }},
	{metric: "bias", own: func(p sparsePoint) float64 { return p.expansion.Bias }},
	{metric: "value", own: func(p sparsePoint) float64 { return p.value }, partial: true},
	{metric: record.MetricHinge, on: func(p sparsePoint, split int) float64 { return p.Hinge[split] }, words: "hinge loss"},
	{metric: record.MetricError, on: func(p sparsePoint, split int) float64 { return p.Error[split] }},
	{metric: "slant", on: func(p sparsePoint, split int) float64 { return p.Slant[split] }},
}

// newSparseTrial returns a trial that wants its learner.
func newSparseTrial(ctx context.Context, r *sparseRun) *sparseTrial {
	rec := r.settings.plan.Spec.Record
	t := &sparseTrial{
		ctx: ctx, run: r, objective: r.measure(), sizes: newSupportSizes(r.shared.layout.Train, rec.Points, rec.Spacing),
	}
	// Rows of constructed vectors are kept from one classifier to the next, which are measured one
	// by one.
	if t.batch = objective.Together; r.inputs != nil {
		t.batch = 1
	}
	return t
}

// steadily takes the learner for what it is.
func (t *sparseTrial) steadily() {
	t.curve = newCurve(observe.TaskCosts(record.TaskSparse), t.run.shared.layout.SplitNames(), sparseColumns)
	if steady, ok := t.Learner.(sparse.Steady); ok {
		t.steady, t.keepsPrevious = steady, steady.KeepsPrevious()
	}
}

// points implements trial: the end.
func (t *sparseTrial) points() []int64 { return []int64{t.run.it.Budget} }

// took implements trial. The watch does not run outside the loop's steps.
func (t *sparseTrial) took(took) took { return t.spent }

// Step implements algorithms.Stepper. A steady learner's watch runs on from step to step: to read
// the clock takes longer than many a step.
func (t *sparseTrial) Step() (status algorithms.Status) {
	if !t.running {
		t.watch, t.running = startWatch(), true
	}
	if !t.limit.step(func() { status = t.Learner.Step() }) {
		t.pause()
		return algorithms.Status{State: algorithms.Failed, Reason: "out of time"}
	}
	t.steps++
	if t.steady == nil || status.Stop() {
		t.pause()
	}
	if status.State == algorithms.Failed && t.limit.spent >= t.limit.limit {
		t.limit.over = t.limit.limit > 0
	}
	switch {
	case !status.Stop():
		t.ended = t.steps >= t.run.it.Budget
		t.look()
	case status.State == algorithms.Exhausted || status.State == algorithms.Converged:
		t.ended = true
		t.look()
	}
	return status
}

// pause stops the watch.
func (t *sparseTrial) pause() {
	if t.running {
		t.spent, t.running = t.spent.plus(t.watch.took()), false
	}
}

// look decides what is to be recorded now that there is a new classifier.
func (t *sparseTrial) look() {
	var kept int64
	if t.kept != nil {
		kept = t.kept.support()
	}
	// What has no vectors is no sparse classifier; only at the end is it recorded.
	settled := t.Settled() && t.Support() > 0
	before, now := t.sizes.next(int64(t.Support()), settled, kept)
	if before {
		t.fetch(t.kept)
		t.wait, t.kept = append(t.wait, t.kept), nil
	}
	if !settled && t.kept != nil {
		t.fetch(t.kept)
	}
	if t.ended && !settled && t.kept != nil && t.kept.cost.Iterations < t.Cost().Iterations {
		t.wait, t.kept = append(t.wait, t.kept), nil
	}
	switch {
	case t.ended || now:
		t.keep()
		t.wait, t.kept = append(t.wait, t.kept), nil
	case settled && t.keepsPrevious:
		s := t.place()
		s.cost, s.vectors, s.pending = t.Cost(), int64(t.Support()), true
	case settled && t.steady != nil:
		if least, most := t.steady.Reach(); t.sizes.mayRecord(int64(t.Support()), int64(least), int64(most)) {
			t.keep()
		} else if t.kept != nil {
			t.free, t.kept = append(t.free, t.kept), nil
		}
	case settled:
		t.keep()
	}
}

// place makes kept a snapshot to write to.
func (t *sparseTrial) place() *snapshot {
	switch {
	case t.kept != nil:
	case len(t.free) > 0:
		t.kept, t.free = t.free[len(t.free)-1], t.free[:len(t.free)-1]
	default:
		t.kept = new(snapshot)
	}
	return t.kept
}

// keep writes the classifier to kept.
func (t *sparseTrial) keep() {
	t.pause()
	s := t.place()
	s.expansion.Reset()
	t.ExpansionTo(&s.expansion)
	t.complete(s)
	s.cost, s.value = t.Cost(), math.NaN()
	if l, ok := t.Learner.(sparse.Valued); ok {
		// One that is no number is not finite, and not unknown.
		if s.value = l.Value(); math.IsNaN(s.value) {
			s.value = math.Inf(1)
		}
	}
}

// fetch has the classifier before the last step written to its snapshot, if it is not yet. The step
// is in the time of what is fetched: it is not worth a look at the clock each time.
func (t *sparseTrial) fetch(s *snapshot) {
	if !s.pending {
		return
	}
	t.pause()
	s.expansion.Reset()
	t.steady.PreviousTo(&s.expansion)
	t.complete(s)
	s.value = math.NaN()
}

// complete fills in what a snapshot with an expansion has besides.
func (t *sparseTrial) complete(s *snapshot) {
	s.vectors, s.pending, s.took = int64(len(s.expansion.Coef)), false, t.took(took{})
}

// due implements selective. Classifiers wait until there are enough to measure together.
func (t *sparseTrial) due() bool { return len(t.wait) >= t.batch }

// waiting implements selective.
func (t *sparseTrial) waiting() bool { return len(t.wait) > 0 }

// observe implements trial.
func (t *sparseTrial) observe() error {
	t.pause()
	list := t.wait[:0]
	for _, s := range t.wait {
		// A step that ends the run may have changed nothing.
		if s.cost.Iterations > t.observed {
			t.observed = s.cost.Iterations
			list = append(list, s)
		} else {
			t.free = append(t.free, s)
		}
	}
	err := t.record(list)
	t.free, t.wait = append(t.free, list...), list[:0]
	t.failed = err != nil
	return err
}

// record measures classifiers into the curve.
func (t *sparseTrial) record(list []*snapshot) error {
	expansions := make([]*sparse.Expansion, len(list))
	for k, s := range list {
		expansions[k] = &s.expansion
	}
	done := 0
	err := t.objective.MeasureAll(t.ctx, expansions, func(k int, v objective.SparseValues) error {
		if err := t.curve.add(list[k].cost, sparsePoint{list[k], v}); err != nil {
			return err
		}
		if t.run.shared.layout.Test > 0 {
			t.curve.Mistakes = append(t.curve.Mistakes, record.IndexSet(v.Mistakes))
		}
		t.times = append(t.times, list[k].took)
		done = k + 1
		return nil
	})
	if done > 0 && t.run.settings.plan.Spec.Record.Vectors {
		t.vectors = t.run.vectors(&list[done-1].expansion)
	}
	var score *objective.ScoreError
	if errors.As(err, &score) {
		err = fmt.Errorf("%v at iteration %d: %w", err, list[done].cost.Iterations, errNotFinite)
	}
	return err
}

// finish implements trial.
func (t *sparseTrial) finish(status algorithms.Status, rec *record.Run, timing *record.Timing) algorithms.Status {
	t.limit.end()
	timing.Seconds, timing.CPUSeconds = nil, nil
	for _, at := range t.times {
		at.into(timing)
	}
	rec.Curve = t.curve.whole()
	rec.Curve.Vectors = t.vectors
	r := t.run
	timing.KernelEvalsComputed = r.rows.Computed() + r.seen.computed()
	if r.others != nil {
		timing.KernelEvalsComputed += r.others.computed()
	}
	if t.limit.over && !t.failed {
		rec.Limit = &record.Limit{Seconds: t.run.it.Limit.Seconds}
		rec.Status, rec.Reason = record.StatusOutOfTime, fmt.Sprintf("more than %g s of CPU time (limit)", t.run.it.Limit.Seconds)
	}
	return status
}
