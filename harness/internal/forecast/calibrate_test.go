package forecast

import (
	"math"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

// recorded makes records of a plan up, with times of which those of the run and its setup are
// given.
func recorded(p *plan.Plan, took func(*plan.Item) record.Timing) Records {
	var of Records
	var timings []record.Timing
	for _, it := range p.Items {
		run := record.Run{Key: it.ID.Key, Extent: it.ID.Extent}
		run.Curve.Cost = map[string][]int64{record.CostIterations: {1, it.Budget / 2, it.Budget - 1, it.Budget}}
		of.Runs = append(of.Runs, run)
		t := took(it)
		t.Key, t.Extent = run.Key, run.Extent
		timings = append(timings, t)
	}
	of.Timings = record.NewTimings(timings...)
	return of
}

// A calibration finds what the times were made from.
func TestCalibrate(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	truth := map[string]float64{
		"pca.power.step": 0.02, "pca.power.basis": 0.003, "pca.draw": 0.001,
		"pca.incremental.step": 0.05, "pca.measure.point": 0.25, "pca.setup.share": 0.5,
	}
	made := &Table{Seconds: truth}
	first := make(map[string]bool)
	e := recorded(p, func(it *plan.Item) (t record.Timing) {
		steps, measuring := it.Algorithm.Work(it.Params, it.Size())
		if data := it.Problem.Entry.ID; !first[data] {
			first[data] = true
			t.SetupCPUSeconds = 0.5
		}
		t.RunCPUSeconds = made.of(steps, measuring)
		t.StepSeconds, t.EvalSeconds = 3*made.of(steps), 3*made.of(measuring) // a busy machine
		return t
	})
	got := Calibrate([]Sample{{p, e}})
	f, want := New(p.Items, got), New(p.Items, made)
	a, b := f.Left(p.Items, nil), want.Left(p.Items, nil)
	for i, it := range p.Items {
		if math.Abs(a[i]/b[i]-1) > 0.02 {
			t.Errorf("%s on %s: %v s, want %v", it.Series, it.Problem.Entry.ID, a[i], b[i])
		}
	}
	h := Check(p, e, got)
	if h.Runs != len(p.Items) || h.Clock || math.Abs(h.Predicted/h.Measured-1) > 0.02 || len(h.Parts) != 5 {
		t.Errorf("%+v", h)
	}
}

// The check predicts from the table alone, then from the table and the first runs.
func TestCheckLearnsFromTheFirstTenth(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	e := recorded(p, func(it *plan.Item) record.Timing {
		return record.Timing{RunCPUSeconds: map[string]float64{"power": 16, "incremental": 32}[it.Series], StepSeconds: 1}
	})
	h := Check(p, e, steps())
	sum := 0.0
	for _, part := range h.Parts {
		sum += part.Measured
	}
	if !near(h.Predicted, h.Measured/4) || !near(sum, h.Measured) {
		t.Errorf("predicted %v of %v s, and %v in parts", h.Predicted, h.Measured, sum)
	}
	if before, after := h.Predicted/h.Measured, h.RestPredicted/h.RestMeasured; after <= 1.5*before || after > 1 {
		t.Errorf("%v of the time is predicted at first, %v after a tenth of the runs", before, after)
	}
	if Within(h.Predicted, h.Measured) || !Within(2, 1) || !Within(1, 2) || Within(1, 2.1) || Within(2.1, 1) || !Within(0.001, 0.01) {
		t.Error("a factor of 4 is within one of 2, or one of 2 is not")
	}
}

// Times by the clock count what is shared in each run that needs it; it is taken once.
func TestCheckByTheClock(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	e := recorded(p, func(*plan.Item) record.Timing {
		return record.Timing{StepSeconds: 2, EvalSeconds: 1, SetupSeconds: 10}
	})
	h := Check(p, e, steps())
	if want := 3*float64(len(p.Items)) + 2*10; !h.Clock || !near(h.Measured, want) {
		t.Errorf("measured %v s, by the clock %t; want %v", h.Measured, h.Clock, want)
	}
}

func TestLawOf(t *testing.T) {
	var x, y []float64
	for _, n := range []float64{100, 1000, 5000} {
		x, y = append(x, math.Log(n)), append(y, math.Log(7*math.Pow(n, 0.5)))
	}
	if law := lawOf(x, y); law.Power != 0.5 || math.Abs(law.Scale-7) > 0.01 {
		t.Errorf("%+v", law)
	}
	if law := lawOf(x[:1], y[:1]); law.Power != 0 || !near(law.Scale, 70) {
		t.Errorf("of one size: %+v", law)
	}
}

// No unit takes less than no time, however the times are.
func TestSolveIsNotNegative(t *testing.T) {
	got := solve([]equation{
		{registry.Work{"a": 1}, 5},
		{registry.Work{"a": 1, "b": 1}, 3},
	})
	if _, ok := got["b"]; ok || !(got["a"] > 3 && got["a"] < 5) {
		t.Errorf("%v", got)
	}
}
