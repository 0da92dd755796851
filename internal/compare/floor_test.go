package compare

import (
	"math"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
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
		o             Options
		metric, split string
		run           record.Run
		want          float64
	}{
		{"first value", Options{}, "suboptimality", "test", sub, 3e-12},
		{"objective", Options{}, "suboptimality", "test", objective, 20e-12},
		{"half an example", Options{}, "error", "test", errors, 0.002},
		{"certificate", Options{}, "suboptimality", "state", certified, 0.5 - 0.499},
		{"asked for", Options{Floor: 0.25}, "error", "test", errors, 0.25},
	} {
		out := cell{pool: stats.PlainPool(1, 0, false), floor: c.o.Floor}
		out.Metric, out.Split, out.Cost = c.metric, c.split, "iterations"
		out.read = func(int) (observe.Curve, error) { return out.readCurve(&c.run) }
		if _, _, err := out.look(); err != nil || !near(out.floor, c.want) {
			t.Errorf("%s: floor %v, %v, want %v", c.name, out.floor, err, c.want)
		}
	}
}
