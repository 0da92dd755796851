package run

import (
	"context"
	"errors"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/objective"
	"stochopt/results/analysis"
	"stochopt/results/record"
)

// sparseTrial is a run of a method for sparse classifiers. It is recorded by the
// size of its classifiers (see supportSizes), and at its end. As what is recorded
// of a size shows only when the next step exceeds it, the trial keeps the settled
// classifier that it has had last, with what that has cost. The copy is not part
// of the method's time.
type sparseTrial struct {
	sparse.Learner
	// ctx is that of the execution: it ends measurements too.
	ctx       context.Context
	run       *sparseRun
	sizes     *supportSizes
	limit     limitedSteps
	objective *objective.Sparse
	// spent is what Step has taken, steps their number; ended: there is none
	// to come.
	spent took
	steps int64
	ended bool
	// kept is the settled classifier that the run has had last, nil if it is
	// recorded. wait holds those that are to be recorded, free is for use again.
	kept *snapshot
	wait []*snapshot
	free []*snapshot
	// watch, if set, is told of each settled classifier, and of each that is on
	// record, which is then not measured. What it is given is its own during the
	// call only.
	watch func(s *snapshot, recorded bool)

	curve *curve[sparsePoint]
	times []took
	// observed is the iteration observed last.
	observed int64
}

// snapshot is a classifier that a run has had.
type snapshot struct {
	expansion sparse.Expansion
	cost      algorithms.Cost
	took      took
	// value is the method's own figure of merit, NaN where it has none.
	value float64
}

func (s *snapshot) support() int64 { return int64(len(s.expansion.Coef)) }

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
	t.curve = newCurve(analysis.TaskCosts(record.TaskSparse), r.shared.layout.SplitNames(), sparseColumns)
	return t
}

// points implements trial: the end.
func (t *sparseTrial) points() []int64 { return []int64{t.run.it.Budget} }

// took implements trial.
func (t *sparseTrial) took(took) took { return t.spent }

// Step implements algorithms.Stepper.
func (t *sparseTrial) Step() (status algorithms.Status) {
	watch := startWatch()
	if !t.limit.step(func() { status = t.Learner.Step() }) {
		return algorithms.Status{State: algorithms.Failed, Reason: "out of time"}
	}
	t.spent = t.spent.plus(watch.took())
	t.steps++
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
		t.wait, t.kept = append(t.wait, t.kept), nil
	}
	if t.ended && !settled && t.kept != nil && t.kept.cost.Iterations < t.Cost().Iterations {
		t.wait, t.kept = append(t.wait, t.kept), nil
	}
	if !settled && !t.ended {
		return
	}
	s := t.kept
	switch {
	case s != nil:
	case len(t.free) > 0:
		s, t.free = t.free[len(t.free)-1], t.free[:len(t.free)-1]
	default:
		s = new(snapshot)
	}
	t.kept = s
	s.expansion.Reset()
	t.ExpansionTo(&s.expansion)
	s.cost, s.took, s.value = t.Cost(), t.spent, math.NaN()
	if l, ok := t.Learner.(sparse.Valued); ok {
		// One that is no number is not finite, and not unknown.
		if s.value = l.Value(); math.IsNaN(s.value) {
			s.value = math.Inf(1)
		}
	}
	if t.watch != nil && settled {
		t.watch(s, false)
	}
	if now || t.ended {
		t.wait, t.kept = append(t.wait, s), nil
	}
}

// due implements selective.
func (t *sparseTrial) due() bool { return len(t.wait) > 0 }

// observe implements trial.
func (t *sparseTrial) observe() error {
	for _, s := range t.wait {
		// A step that ends the run may have changed nothing.
		if s.cost.Iterations > t.observed {
			if err := t.record(s); err != nil {
				return err
			}
		}
		t.free = append(t.free, s)
	}
	t.wait = t.wait[:0]
	return nil
}

// record measures a classifier into the curve.
func (t *sparseTrial) record(s *snapshot) error {
	at := s.cost.Iterations
	if t.watch != nil {
		t.observed = at
		t.watch(s, true)
		return nil
	}
	v, err := t.objective.Measure(t.ctx, &s.expansion)
	var score *objective.ScoreError
	switch {
	case errors.As(err, &score):
		return fmt.Errorf("%v at iteration %d: %w", err, at, errNotFinite)
	case err != nil:
		return err
	}
	if err := t.curve.add(s.cost, sparsePoint{s, v}); err != nil {
		return err
	}
	if t.run.shared.layout.Test > 0 {
		t.curve.Mistakes = append(t.curve.Mistakes, record.IndexSet(v.Mistakes))
	}
	t.times = append(t.times, s.took)
	t.observed = at
	return nil
}

// finish implements trial.
func (t *sparseTrial) finish(status algorithms.Status, rec *record.Run, timing *record.Timing) algorithms.Status {
	t.limit.end()
	timing.Seconds, timing.CPUSeconds = nil, nil
	for _, at := range t.times {
		at.into(timing)
	}
	rec.Curve = t.curve.whole()
	r := t.run
	timing.KernelEvalsComputed = r.computed + r.rows.Computed() + r.seen.Computed()
	if r.others != nil {
		timing.KernelEvalsComputed += r.others.Computed()
	}
	if t.limit.over {
		rec.Limit = &record.Limit{Seconds: t.run.it.Limit.Seconds}
		rec.Status, rec.Reason = record.StatusOutOfTime, fmt.Sprintf("more than %g s of CPU time (limit)", t.run.it.Limit.Seconds)
	}
	return status
}
