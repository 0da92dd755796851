package run

import (
	"fmt"
	"math"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/results/record"
)

// svmTrial is a run of an SVM algorithm: it measures the classifiers into
// columns.
type svmTrial struct {
	svm.Learner
	run       *svmRun
	at        []int64
	objective *objective.SVM
	// solution is the classifier observed last, whole if it could be measured.
	solution svm.Solution
	whole    bool

	cost map[string][]int64
	// splits holds the losses by split, state the properties of the
	// classifier, NaN where they are not known.
	splits map[string]map[string][]float64
	state  map[string][]float64
}

var _ trial = (*svmTrial)(nil)

// stateMetrics are the columns of svmTrial.state.
var stateMetrics = []string{"norm", "support", "objective", "dual", "gap", "suboptimality", "slack"}

func newSVMTrial(r *svmRun, l svm.Learner) *svmTrial {
	t := &svmTrial{
		Learner: l, run: r, at: r.points(),
		objective: objective.NewSVM(&r.shared.layout, r.reg),
		cost:      make(map[string][]int64),
		splits:    map[string]map[string][]float64{"state": {}},
		state:     make(map[string][]float64),
	}
	for name := range r.counted(algorithms.Cost{}) {
		t.cost[name] = []int64{}
	}
	for _, s := range t.objective.Splits() {
		t.splits[s.Name] = map[string][]float64{"error": {}, "hinge": {}}
	}
	return t
}

// points returns the iterations to record at: all of them if the method has a
// number of its own.
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

// counted returns the counters that apply to the method, by the names of their
// columns: kernel evaluations where it makes some and they are known, inner
// products unless they are those of kernel evaluations that are not.
func (r *svmRun) counted(c algorithms.Cost) map[string]int64 {
	counters := map[string]int64{"iterations": c.Iterations}
	if r.needs.CountsKernelEvals() {
		counters["kernel_evals"], counters["kernel_evals_moved"] = c.KernelEvals, c.KernelEvalsMoved
	}
	if r.needs.CountsKernelEvals() || !r.needs.Kernel {
		counters["inner_products"] = c.InnerProducts
	}
	return counters
}

// points implements trial.
func (t *svmTrial) points() []int64 { return t.at }

// seconds implements trial. An external solver's time is its own, without that of
// handing it the data and of reading what it has written.
func (t *svmTrial) seconds(clock time.Duration) float64 {
	if l, ok := t.Learner.(interface{ Seconds() float64 }); ok {
		return l.Seconds()
	}
	return clock.Seconds()
}

// observe implements trial.
func (t *svmTrial) observe() error {
	t.whole = false
	t.SolutionTo(&t.solution)
	cost := t.Cost()
	v, err := t.objective.Measure(&t.solution)
	if err != nil {
		return fmt.Errorf("%v at iteration %d: %w", err, cost.Iterations, errNotFinite)
	}
	suboptimality := math.NaN()
	if ref := t.run.reference; ref != nil && t.run.comparable() {
		// Never below zero but for the rounding of the kernel values.
		suboptimality = math.Max(v.Objective-ref.Dual, 0)
	}
	row := map[string]float64{
		"norm": v.Norm, "support": v.Support, "objective": v.Objective, "dual": v.Dual, "gap": v.Objective - v.Dual,
		"suboptimality": suboptimality, "slack": v.Slack,
	}
	for _, name := range stateMetrics {
		if math.IsInf(row[name], 0) {
			return fmt.Errorf("the %s at iteration %d is %w", name, cost.Iterations, errNotFinite)
		}
	}
	for i, s := range t.objective.Splits() {
		if math.IsInf(v.Hinge[i], 0) {
			return fmt.Errorf("the hinge loss on the %s split at iteration %d is %w", s.Name, cost.Iterations, errNotFinite)
		}
	}
	for name, n := range t.run.counted(cost) {
		t.cost[name] = append(t.cost[name], n)
	}
	for i, s := range t.objective.Splits() {
		col := t.splits[s.Name]
		col["error"] = append(col["error"], v.Error[i])
		col["hinge"] = append(col["hinge"], v.Hinge[i])
	}
	for name, x := range row {
		t.state[name] = append(t.state[name], x)
	}
	t.whole = true
	return nil
}

// finish implements trial.
func (t *svmTrial) finish(status algorithms.Status, rec *record.Run, timing *record.Timing) algorithms.Status {
	rec.Curve = record.Curve{Cost: t.cost, Metrics: t.splits}
	// What is known at some points only, such as the dual objective of a method
	// that is not always feasible, is left out.
	for name, col := range t.state {
		if !hasNaN(col) {
			t.splits["state"][name] = col
		}
	}
	timing.KernelEvalsComputed = t.run.computed
	if t.run.rows != nil {
		timing.KernelEvalsComputed += t.run.rows.Computed()
	}
	if t.run.settings.vectors && t.whole {
		t.pour(rec)
	}
	return status
}

// pour records the responses of the final classifier and its water level.
func (t *svmTrial) pour(rec *record.Run) {
	basins := t.objective.Basins(&t.solution)
	rec.Curve.Vectors = map[string][]float64{"responses_positive": basins.Positive, "responses_negative": basins.Negative}
	if math.IsNaN(t.run.reg.Nu) {
		return
	}
	water := t.objective.Water(&t.solution)
	rec.Facts["water_gamma"], rec.Facts["water_volume"] = water.Level, water.Volume
	if t.run.reg.Bias {
		rec.Facts["water_bias"] = water.Bias
	}
}

func hasNaN(column []float64) bool {
	for _, v := range column {
		if math.IsNaN(v) {
			return true
		}
	}
	return false
}
