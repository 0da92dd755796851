package observe

import (
	"errors"
	"fmt"
	"math"
	"reflect"
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

// Curves that are left out give the observations that they gave, and none at other targets.
func TestObserveWithoutCurves(t *testing.T) {
	var runs []record.Run
	for _, norm := range []float64{2, 3, 4, 5} {
		for repeat := range 3 {
			runs = append(runs, lawRun(norm, repeat, 0.5, 0.2*norm, 0.05*norm, 0.03*norm, 0.02, 0.01))
		}
	}
	e := Exponent{Over: factNorm, With: []string{OverEpsilon}, Targets: []float64{0.1, 0.05}}.WithDefaults()
	want := e.Observe(runs)
	if want.Points() != 8 {
		t.Fatalf("%d observations: %s", want.Points(), want)
	}
	var left []record.Run
	for _, r := range runs {
		numbers := map[string]float64{}
		for _, target := range e.Targets {
			settings := [][]record.Run{{r}}
			f := e.first(settings, target)[&settings[0][0]]
			numbers[fmt.Sprintf("kernel_evals at test/error <= %v", 0.01+target)] = f.cost
		}
		numbers["test/error at first"] = 0.5
		r.LeftOut = &record.LeftOut{Points: r.Points(), Columns: r.Columns(), Numbers: numbers}
		r.Curve = record.Curve{}
		left = append(left, r)
	}
	if got := e.Observe(left); !reflect.DeepEqual(got, want) {
		t.Errorf("observations %+v, want %+v", got, want)
	}
	e.Targets = []float64{0.07}
	observe := func() (err error) {
		defer record.CatchLeftOut(&err)
		e.Observe(left)
		return nil
	}
	if err := observe(); !errors.Is(err, record.ErrLeftOut) {
		t.Errorf("another target: %v", err)
	}
}
