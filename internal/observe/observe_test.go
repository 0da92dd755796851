package observe

import (
	"fmt"
	"math"
	"testing"

	"stochopt/internal/record"
)

// lawRun is a run of the problem with this norm, whose errors fall along the curve.
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

// Where a target is first reached, what had been paid, and what of it is not known.
func TestFirst(t *testing.T) {
	e := Exponent{Over: factNorm, Of: record.MetricSupport, Targets: []float64{0.1}}.WithDefaults()
	never := math.Inf(1)
	for _, test := range []struct {
		name string
		run  record.Run
		want first
	}{
		{"later", lawRun(2, 0, 0.5, 0.2, 0.1, 0.3), first{40, 3, false}},
		{"exactly", lawRun(2, 0, 0.5, 0.11), first{20, 2, false}},
		{"at once", lawRun(2, 0, 0.05, 0.2, 0.1), first{10, 1, true}},
		{"never", lawRun(2, 0, 0.5, 0.2, 0.12), first{never, never, false}},
		{"no metric", lawRun(2, 0), first{never, never, false}},
	} {
		settings := [][]record.Run{{test.run}}
		if got := e.first(settings, 0.1)[&settings[0][0]]; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	r := lawRun(2, 0, 0.5, 0.1)
	r.Curve.Metrics[record.SplitState] = nil
	settings := [][]record.Run{{r}}
	if got, want := e.first(settings, 0.1)[&settings[0][0]], (first{20, never, false}); got != want {
		t.Errorf("without what the law is of: %+v, want %+v", got, want)
	}
	bySupport := Exponent{Over: factNorm, Cost: CostSupport, Targets: []float64{0.1}}.WithDefaults()
	settings = [][]record.Run{{lawRun(2, 0, 0.5, 0.2, 0.1)}}
	if got, want := bySupport.first(settings, 0.1)[&settings[0][0]], (first{3, 3, false}); got != want {
		t.Errorf("by support: %+v, want %+v", got, want)
	}
}
