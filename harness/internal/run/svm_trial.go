package run

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// svmTrial is a run of an SVM algorithm: it measures the classifiers into a curve.
type svmTrial struct {
	svm.Learner
	schedule
	run       *svmRun
	objective *objective.SVM
	curve     *curve[*svmTrial]
	// solution is the classifier observed last, measured what was measured of it; whole: all of
	// that is on record.
	solution svm.Solution
	measured objective.SVMValues
	whole    bool
}

var _ trial = (*svmTrial)(nil)

// svmColumns are what is measured of a classifier.
var svmColumns = []column[*svmTrial]{
	{metric: record.MetricNorm, own: func(t *svmTrial) float64 { return t.measured.Norm }, partial: true},
	{metric: record.MetricSupport, own: func(t *svmTrial) float64 { return t.measured.Support }, partial: true},
	{metric: record.MetricObjective, own: func(t *svmTrial) float64 { return t.measured.Objective }, partial: true},
	{metric: "dual", own: func(t *svmTrial) float64 { return t.measured.Dual }, partial: true},
	{metric: "gap", own: func(t *svmTrial) float64 { return t.measured.Objective - t.measured.Dual }, partial: true},
	{metric: record.MetricSuboptimality, own: (*svmTrial).suboptimality, partial: true},
	{metric: "slack", own: func(t *svmTrial) float64 { return t.measured.Slack }, partial: true},
	{metric: record.MetricHinge, on: func(t *svmTrial, split int) float64 { return t.measured.Hinge[split] }, words: "hinge loss"},
	{metric: record.MetricError, on: func(t *svmTrial, split int) float64 { return t.measured.Error[split] }},
}

// suboptimality is never below zero but for the rounding of the kernel values.
func (t *svmTrial) suboptimality() float64 {
	approximate, ok := t.Learner.(interface{ Approximates() bool })
	if t.run.optimum == nil || !t.run.comparable() || ok && approximate.Approximates() {
		return math.NaN()
	}
	return math.Max(t.measured.Objective-t.run.optimum.Dual, 0)
}

func newSVMTrial(r *svmRun, l svm.Learner) *svmTrial {
	return &svmTrial{
		Learner: l, run: r, schedule: r.points(), objective: objective.NewSVM(&r.shared.layout, r.reg),
		curve: newCurve(r.costs(l), r.shared.layout.SplitNames(), svmColumns),
	}
}

// points returns the iterations to record at: all of them if the method has a number of its own.
func (r *svmRun) points() []int64 {
	if r.needs.Steps == 0 {
		return r.settings.recorded(r.it.Budget)
	}
	at := make([]int64, r.needs.Steps)
	for i := range at {
		at[i] = int64(i) + 1
	}
	return at
}

// costs names the counters that apply to the method: kernel evaluations where it makes some and
// they are known, inner products unless they are those of kernel evaluations that are not.
func (r *svmRun) costs(l svm.Learner) []string {
	return costsOf(record.TaskSVM, l, func(name string) bool {
		switch name {
		case record.CostKernelEvals, record.CostKernelEvalsMoved:
			return r.needs.CountsKernelEvals()
		case record.CostInnerProducts:
			return !r.needs.Kernel || r.needs.CountsKernelEvals()
		}
		return true
	})
}

// took implements trial. An external solver's time is its own, without that of handing it the data
// and of reading what it has written.
func (t *svmTrial) took(steps took) took {
	if l, ok := t.Learner.(interface{ Seconds() (wall, cpu float64) }); ok {
		wall, cpu := l.Seconds()
		return took{whole.Seconds(wall), whole.Seconds(cpu)}
	}
	return t.schedule.took(steps).withProgram(t.Learner)
}

// batchStepper implements batchStepping.
func (t *svmTrial) batchStepper() algorithms.BatchStepper { return batchStepperOf(t.Learner) }

// observe implements trial.
func (t *svmTrial) observe() (err error) {
	t.whole = false
	if err := refresh(t.Learner); err != nil {
		return err
	}
	t.SolutionTo(&t.solution)
	cost := t.Cost()
	if t.measured, err = t.objective.Measure(&t.solution); err != nil {
		return fmt.Errorf("%v at iteration %d: %w", err, cost.Iterations, errNotFinite)
	}
	err = t.curve.add(cost, t)
	t.whole = err == nil
	return err
}

// finish implements trial.
func (t *svmTrial) finish(status algorithms.Status, rec *record.Run, timing *record.Timing) algorithms.Status {
	rec.Curve = t.curve.whole()
	if t.run.rows != nil {
		timing.KernelEvalsComputed = t.run.rows.Computed()
	}
	endedByLimit(t.Learner, t.run.it, rec)
	if t.run.settings.plan.Spec.Record.Vectors && t.whole {
		t.pour(rec)
	}
	return status
}

// pour records the responses of the final classifier and its water level.
func (t *svmTrial) pour(rec *record.Run) {
	responses := t.objective.Responses(&t.solution)
	rec.Curve.Vectors = map[string][]float64{"responses_positive": responses.Positive, "responses_negative": responses.Negative}
	if math.IsNaN(t.run.reg.Nu) {
		return
	}
	water := t.objective.Water(&t.solution)
	rec.Facts["water_gamma"], rec.Facts["water_volume"] = water.Level, water.Volume
	if t.run.reg.Bias {
		rec.Facts["water_bias"] = water.Bias
	}
}
