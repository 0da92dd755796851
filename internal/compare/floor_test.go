package compare

import (
	"math"
	"testing"

	"stochopt/internal/record"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

func TestFloors(t *testing.T) {
	sub := testRun("msg", 0, 3)
	errors := testRun("svm", 0, 1)
	errors.Rows = map[string]int64{"test": 250}
	errors.Curve.Metrics["test"] = map[string][]float64{"error": errors.Curve.Metrics["test"]["suboptimality"]}
	certified := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["state"] = r.Curve.Metrics["test"]
		r.Facts = map[string]float64{"reference_primal": 0.5, "reference_dual": 0.499}
	})[0]
	objective := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["test"]["objective"] = make([]float64, 10)
		r.Curve.Metrics["test"]["objective"][9] = -20
	})[0]
	for _, c := range []struct {
		name          string
		metric, split string
		run           record.Run
		want          float64
	}{
		{"first value", "suboptimality", "test", sub, 3e-12},
		{"objective", "suboptimality", "test", objective, 20e-12},
		{"half an example", "error", "test", errors, 0.002},
		{"certificate", "suboptimality", "state", certified, 0.5 - 0.499},
	} {
		as := cell{Cell: Cell{Metric: c.metric, Split: c.split, Cost: "iterations"}}
		if out := as.curveOf(&c.run, c.run.Curve); !near(out.Floor, c.want) {
			t.Errorf("%s: floor %v, want %v", c.name, out.Floor, c.want)
		}
	}
}
