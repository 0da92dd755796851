package run

import (
	"context"
	"fmt"
	"math"

	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/internal/record"
)

// svmRecorder records the curve of an SVM algorithm.
type svmRecorder struct {
	run       *kernelRun
	trial     *trial
	learner   svm.Learner
	objective *objective.SVM
	curve     *curve[*svmRecorder]
	// solution is the last observed classifier, and measured its measurements. recorded is true if they
	// were all finite and are in the curve.
	solution svm.Solution
	measured objective.SVMValues
	recorded bool
}

// svmColumns are the metrics of a classifier.
var svmColumns = []column[*svmRecorder]{
	{metric: record.MetricNorm, ofState: func(s *svmRecorder) float64 { return s.measured.Norm }, partial: true},
	{metric: record.MetricSupport, ofState: func(s *svmRecorder) float64 { return s.measured.Support }, partial: true},
	{metric: record.MetricObjective, ofState: func(s *svmRecorder) float64 { return s.measured.Objective }, partial: true},
	{metric: "dual", ofState: func(s *svmRecorder) float64 { return s.measured.Dual }, partial: true},
	{metric: "gap", ofState: (*svmRecorder).gap, partial: true},
	{metric: record.MetricSuboptimality, ofState: (*svmRecorder).suboptimality, partial: true},
	{metric: "slack", ofState: func(s *svmRecorder) float64 { return s.measured.Slack }, partial: true},
	{metric: record.MetricHinge, ofSplit: func(s *svmRecorder, i int) float64 { return s.measured.Hinge[i] }},
	{metric: record.MetricError, ofSplit: func(s *svmRecorder, i int) float64 { return s.measured.Error[i] }},
}

func (s *svmRecorder) gap() float64 { return s.measured.Objective - s.measured.Dual }

// newSVMTrial constructs the learner of a run.
func newSVMTrial(ctx context.Context, r *kernelRun) (*trial, error) {
	l, err := r.with.svm(r.it.Algorithm, r.env(ctx), r.it.Params)
	if err != nil {
		return nil, err
	}
	t := &trial{learner: newLearner(l), points: r.settings.recorded(r.it.Budget)}
	if r.needs.Steps > 0 {
		t.points = Points(r.needs.Steps, int(r.needs.Steps), "linear")
	}
	// A kernel method whose kernel evaluations are unknown has unknown inner products too.
	costs := t.costs(record.TaskSVM, func(name string) bool {
		switch name {
		case record.CostKernelEvals, record.CostKernelEvalsMoved:
			return r.needs.CountsKernelEvals()
		case record.CostInnerProducts:
			return !r.needs.Kernel || r.needs.CountsKernelEvals()
		}
		return true
	})
	s := &svmRecorder{
		run: r, trial: t, learner: l, objective: objective.NewSVM(&r.shared.layout, r.reg),
		curve: newCurve(costs, r.shared.layout.SplitNames(), svmColumns),
	}
	t.observe, t.finish = s.observe, s.finish
	return t, nil
}

// suboptimality returns the distance to the certified optimum. A negative value, due to the rounding of
// kernel values, is returned as 0. It is NaN for methods that solve an approximation of the problem,
// because the optimum does not bound their objective.
func (s *svmRecorder) suboptimality() float64 {
	r, approximates := s.run, s.trial.approximates
	if r.optimum == nil || r.it.Algorithm.Approximates(r.it.Params) || approximates != nil && approximates() {
		return math.NaN()
	}
	return math.Max(s.measured.Objective-r.optimum.Dual, 0)
}

// observe adds the current classifier to the curve.
func (s *svmRecorder) observe() (err error) {
	s.recorded = false
	s.learner.SolutionTo(&s.solution)
	cost := s.learner.Cost()
	if s.measured, err = s.objective.Measure(&s.solution); err != nil {
		return objective.NotFiniteError(fmt.Sprintf("%v at iteration %d", err, cost.Iterations))
	}
	if err := s.curve.add(cost, s); err != nil {
		return err
	}
	s.recorded = true
	s.trial.elapsed().addTo(s.run.timing)
	return nil
}

// finish completes the record. With record.vectors it adds the responses of the final classifier and
// its water level.
func (s *svmRecorder) finish(rec *record.Run) {
	r := s.run
	rec.Curve = s.curve.complete()
	if r.rows != nil {
		r.timing.KernelEvalsComputed = r.rows.Computed()
	}
	if !r.settings.plan.Spec.Record.Vectors || !s.recorded {
		return
	}
	responses := s.objective.Responses(&s.solution)
	rec.Curve.Vectors = map[string][]float64{
		"responses_positive": responses.Positive, "responses_negative": responses.Negative,
	}
	if math.IsNaN(r.reg.Nu) {
		return
	}
	water := s.objective.Water(&s.solution)
	rec.Facts["water_gamma"], rec.Facts["water_volume"] = water.Level, water.Volume
	if r.reg.Bias {
		rec.Facts["water_bias"] = water.Bias
	}
}
