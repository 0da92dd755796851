package observe

import (
	"fmt"
	"math"
	"testing"

	"stochopt/internal/record"
)

// lawRun returns a run of the problem with the given norm and errors.
func lawRun(norm float64, repeat int, errors ...float64) record.Run {
	r := record.Run{
		Series: "s", Dataset: fmt.Sprint(norm), Repeat: repeat, Status: record.StatusFinished,
		Facts: map[string]float64{factNorm: norm, factFloor: 0.01}, Rows: map[string]int64{"train": 8},
	}
	r.Curve.Cost = map[string][]int64{record.CostIterations: {}, record.CostKernelEvals: {}}
	r.Curve.Metrics = map[string]map[string][]float64{"test": {record.MetricError: errors}, record.SplitState: {record.MetricSupport: {}}}
	for i := range errors {
		step := int64(1) << i
		r.Curve.Cost[record.CostIterations] = append(r.Curve.Cost[record.CostIterations], step)
		r.Curve.Cost[record.CostKernelEvals] = append(r.Curve.Cost[record.CostKernelEvals], 10*step)
		r.Curve.Metrics[record.SplitState][record.MetricSupport] = append(r.Curve.Metrics[record.SplitState][record.MetricSupport], float64(i+1))
	}
	return r
}

// Observe finds the first point at a target, its cost, and the missing observations.
func TestReach(t *testing.T) {
	e := Exponent{Over: factNorm, Of: record.MetricSupport, Targets: []float64{0.1}}.WithDefaults()
	never := math.Inf(1)
	for _, test := range []struct {
		name string
		run  record.Run
		want reach
	}{
		{"later", lawRun(2, 0, 0.5, 0.2, 0.1, 0.3), reach{cost: 40, law: 3, early: false}},
		{"exactly", lawRun(2, 0, 0.5, 0.11), reach{cost: 20, law: 2, early: false}},
		{"at once", lawRun(2, 0, 0.05, 0.2, 0.1), reach{cost: 10, law: 1, early: true}},
		{"never", lawRun(2, 0, 0.5, 0.2, 0.12), reach{cost: never, law: never, early: false}},
		{"no metric", lawRun(2, 0), reach{cost: never, law: never, early: false}},
	} {
		if got := e.reach(test.run.Curve, 0.11); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	r := lawRun(2, 0, 0.5, 0.1)
	r.Curve.Metrics[record.SplitState] = nil
	if got, want := e.reach(r.Curve, 0.11), (reach{cost: never, law: never}); got != want {
		t.Errorf("without the quantity of the law: %+v, want %+v", got, want)
	}
	bySupport := Exponent{Over: factNorm, Cost: CostSupport, Targets: []float64{0.1}}.WithDefaults()
	if got, want := bySupport.reach(lawRun(2, 0, 0.05).Curve, 0.11), (reach{cost: 1, law: 1}); got != want {
		t.Errorf("by support: %+v, want %+v", got, want)
	}
}
