package compare

import (
	"math"
	"testing"

	"stochopt/internal/record"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

// The floor is that of the values that all curves begin with, or of the objective.
func TestFloors(t *testing.T) {
	sub := testRun("msg", 0, 3)
	objective := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["test"]["objective"] = make([]float64, 10)
		r.Curve.Metrics["test"]["objective"][9] = -20
	})[0]
	as := cell{Cell: Cell{Metric: "suboptimality", Split: "test", Cost: "iterations"}}
	for _, c := range []struct {
		run  record.Run
		want float64
	}{{sub, 3e-12}, {objective, 20e-12}} {
		if out := as.curveOf(&c.run, c.run.Curve); !near(out.Floor, c.want) {
			t.Errorf("floor %v, want %v", out.Floor, c.want)
		}
	}
}
