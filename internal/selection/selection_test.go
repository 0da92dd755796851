package selection

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// The metric and the task determine the direction of the selection. Ties go to the smaller value in
// either direction.
func TestSelectInTheDirectionOfTheMetric(t *testing.T) {
	for _, test := range []struct{ task, metric, want string }{
		{record.TaskPCA, record.MetricObjective, "step.c=1"},
		{record.TaskPCA, record.MetricSuboptimality, "step.c=0.5"},
		{record.TaskSVM, record.MetricObjective, "step.c=0.5"},
		{record.TaskSVM, "dual", "step.c=1"},
	} {
		runs := []record.Run{
			candidate("msg", 0.5, 0, validation(-2)), candidate("msg", 1, 0, validation(3)),
			candidate("msg", 2, 0, validation(3)), candidate("msg", 4, 0, validation(1)),
		}
		for i := range runs {
			runs[i].Task = test.task
			metrics := runs[i].Curve.Metrics[record.SplitValidation]
			metrics[test.metric] = metrics["suboptimality"]
		}
		o := byValidation
		o.Metric = test.metric
		if c := choose(t, runs, o).Series[0]; c.Chosen.String() != test.want {
			t.Errorf("%s: by %s %s was chosen, want %s", test.task, test.metric, c.Chosen, test.want)
		}
	}
}

// Runs with different settings belong to different series. So do runs with a different seed or data,
// with a warning. Integers equal floats of the same value.
func TestSelectKeepsSeriesApart(t *testing.T) {
	for _, test := range []struct {
		name     string
		change   func(*record.Run)
		series   int
		warnings int
	}{
		{"none", func(*record.Run) {}, 1, 0},
		{"type", func(r *record.Run) { r.Params["step.c"] = int64(1) }, 1, 0},
		{"parameter", func(r *record.Run) { r.Params["k"] = int64(8) }, 2, 0},
		{"dataset", func(r *record.Run) { r.Dataset = "mnist" }, 2, 0},
		{"seed", func(r *record.Run) { r.Seed = 7 }, 2, 2},
		{"data", func(r *record.Run) { r.DatasetHash = "def" }, 2, 2},
	} {
		var runs []record.Run
		for i := range 4 {
			r := candidate("msg", 1, i%2, validation(float64(1+4*(i/2))))
			if i > 1 {
				test.change(&r)
			}
			runs = append(runs, r)
		}
		s := choose(t, runs, byValidation)
		if len(s.Series) != test.series || len(s.Warnings()) != test.warnings || len(s.Runs()) != 4 {
			t.Fatalf("%s: got %+v, warnings %q", test.name, s.Series, s.Warnings())
		}
		for i, c := range s.Series {
			want := map[int]float64{1: 3, 2: float64(1 + 4*i)}[test.series]
			of := runs[2*i]
			if c.Seed != of.Seed || c.DatasetHash != of.DatasetHash || c.Score != want || len(c.Candidates) != 1 {
				t.Errorf("%s: got %+v", test.name, c)
			}
		}
	}
}

func TestSelectTies(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 1, "step.c=0.5"},
		{1 + 0.5e-12, 1, "step.c=0.5"},
		{1 + 3e-12, 1, "step.c=2"},
		{-1 + 0.5e-12, -1, "step.c=0.5"},
		{0, 0, "step.c=0.5"},
		{1e-300, 0, "step.c=2"},
	} {
		s := choose(t, []record.Run{candidate("a", 2, 0, validation(c.high)), candidate("a", 0.5, 0, validation(c.low))}, byValidation)
		if got := s.Series[0].Chosen.String(); got != c.want {
			t.Errorf("scores %v and %v: chose %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestSelectReadsValidationOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var runs []record.Run
	for i := range 15 {
		runs = append(runs, candidate("a", float64(i/3), i%3, map[string]float64{
			"validation": rng.Float64(), "test": rng.Float64(), "train": rng.Float64(), "population": rng.Float64(),
		}))
	}
	for _, over := range []string{OverCurve, OverFinal} {
		o := byValidation
		o.Over = over
		want := choose(t, runs, o)
		for name, poison := range map[string][]float64{
			"nan": {math.NaN(), math.NaN()}, "short": {}, "winning": {math.Inf(-1), math.Inf(-1)},
		} {
			poisoned := slices.Clone(runs)
			for i := range poisoned {
				metrics := maps.Clone(poisoned[i].Curve.Metrics)
				for _, split := range []string{"test", "train", "population"} {
					if metrics[split] = map[string][]float64{"suboptimality": poison}; i%2 == 0 {
						delete(metrics, split)
					}
				}
				poisoned[i].Curve.Metrics = metrics
			}
			if got := choose(t, poisoned, o); written(t, got) != written(t, want) {
				t.Errorf("%s, %s: the choice depends on other splits", over, name)
			}
		}
	}
}

// The oracle rule reads the population if it is recorded, else the test split.
func TestSelectOracle(t *testing.T) {
	o := byValidation
	o.By = ByOracle
	scored := func(c float64, score map[string]float64) record.Run { return candidate("a", c, 0, score) }
	population := scored(1, map[string]float64{"population": 1, "test": 9})
	test := scored(2, map[string]float64{"test": 1, "validation": 9})
	for _, c := range []struct {
		runs          []record.Run
		split, chosen string
	}{
		{[]record.Run{population, scored(2, map[string]float64{"population": 2, "test": 1})}, "population", "step.c=1"},
		{[]record.Run{scored(1, map[string]float64{"test": 9, "validation": 1}), test}, "test", "step.c=2"},
	} {
		if got := choose(t, c.runs, o).Series[0]; got.Split != c.split || got.Chosen.String() != c.chosen {
			t.Errorf("got %+v, want %s on %s", got, c.chosen, c.split)
		}
	}
	if _, err := Choose([]record.Run{population, test}, o); err == nil {
		t.Error("runs on different splits are compared")
	}
}

// Criterion warns only about the metric of the rule on the split that the rule reads.
func TestCriterion(t *testing.T) {
	for _, tt := range []struct {
		by, over, metric, split string
		flagged                 bool
	}{
		{ByOracle, OverCurve, "error", "test", true}, {ByOracle, OverFinal, "error", "population", true},
		{ByOracle, OverCurve, "error", "train", false}, {ByOracle, OverCurve, "error", "validation", false},
		{ByOracle, OverCurve, "hinge", "test", false}, {ByValidation, OverCurve, "error", "validation", true},
		{ByValidation, OverCurve, "error", "test", false}, {ByValidation, OverAny, "error", "validation", true},
		{ByHalvings, OverLargest, "error", "validation", true}, {ByHalvings, OverLargest, "error", "test", false},
		{ByNone, "", "error", "test", false},
	} {
		got := (Rule{By: tt.by, Over: tt.over, Metric: "error"}).Criterion(tt.metric, tt.split)
		if (got != "") != tt.flagged {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// Errors contain the name of the run and the available data.
func TestSelectErrors(t *testing.T) {
	const lacks = `results: gaussian a[k=4;step.c=1] repeat 0 has no `
	oracle := byValidation
	oracle.By = ByOracle
	for _, c := range []struct {
		rule  Rule
		score map[string]map[string][]float64
		want  string
	}{
		{byValidation, map[string]map[string][]float64{"test": {"suboptimality": {1, 1}}},
			lacks + `split "validation" to select by; it has "test": give the dataset a validation part, or select in another way`},
		{byValidation, map[string]map[string][]float64{"validation": {"loss": {1, 1}}},
			lacks + `metric "suboptimality" on split "validation" to select by; it has "loss"`},
		{oracle, map[string]map[string][]float64{"train": {"suboptimality": {1, 1}}},
			lacks + `split "population" to select by; it has "train": give the dataset a test part, or select in another way`},
		{byValidation, map[string]map[string][]float64{"validation": {"suboptimality": {math.MaxFloat64, math.MaxFloat64}}},
			"results: a[k=4]: the score of step.c=1 is not finite: the recorded values are too large to average"},
	} {
		runs := []record.Run{candidate("a", 1, 0, nil), candidate("a", 1, 1, nil)}
		runs[0].Curve.Metrics, runs[1].Curve.Metrics = c.score, c.score
		if _, err := Choose(runs, c.rule); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A candidate with an unfinished repeat is not eligible, however good its other repeats are.
func TestSelectUnfinished(t *testing.T) {
	for _, status := range []string{
		record.StatusDiverged, record.StatusFailed, record.StatusSkipped, record.StatusOutOfTime, record.StatusOutOfMemory,
	} {
		bad := unfinished("a", 4, 1, status)
		runs := []record.Run{
			candidate("a", 0.5, 0, validation(3)), candidate("a", 0.5, 1, validation(3)),
			candidate("a", 1, 0, validation(2)), candidate("a", 4, 0, validation(0)), bad,
		}
		c := choose(t, runs, byValidation).Series[0]
		out := c.Candidates[2]
		if c.Chosen.String() != "step.c=1" || c.Edge != "" { // the largest finished candidate is not at the end of the grid
			t.Errorf("%s: chose %s, edge %v", status, c.Chosen, c.Edge)
		}
		if out.Scored || out.Score != 0 || out.Finished != 1 || out.Runs != 2 || len(out.Problems) != 1 || len(c.Warnings) != 2 {
			t.Errorf("%s: %+v, warnings %q", status, out, c.Warnings)
		}
		s := choose(t, []record.Run{bad}, byValidation)
		if c := s.Series[0]; c.OK || len(s.Runs()) != 0 || c.Chosen != nil || len(c.Warnings) != 2 {
			t.Errorf("%s alone: %+v", status, c)
		}
	}
}

// Comparing runs that reached the budget at different iterations gives a warning. The score is of the
// curve or of its end.
func TestSelectUnequalRuns(t *testing.T) {
	for _, test := range []struct {
		reason, over, want string
		warnings           int // including one about the edge of the grid
	}{
		{"budget", OverCurve, "step.c=1", 2},
		{"converged: at last", OverCurve, "step.c=1", 1},
		{"budget", OverFinal, "step.c=2", 2},
	} {
		early, late := candidate("a", 1, 0, nil), candidate("a", 2, 0, nil)
		early.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {0, 2}}
		late.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {9, 1}}
		late.Curve.Cost["iterations"], late.Reason = []int64{1, 5}, test.reason
		o := byValidation
		o.Over = test.over
		c := choose(t, []record.Run{early, late}, o).Series[0]
		if c.Chosen.String() != test.want || len(c.Warnings) != test.warnings {
			t.Errorf("%+v: chose %s, warnings %q", test, c.Chosen, c.Warnings)
		}
	}
}

func TestSelectEdges(t *testing.T) {
	grid := func(scores ...float64) []record.Run {
		var runs []record.Run
		for i, v := range scores {
			runs = append(runs, candidate("a", math.Ldexp(1, i), 0, validation(v)))
		}
		return runs
	}
	for _, c := range []struct {
		runs []record.Run
		want string
	}{
		{grid(1), ""}, {grid(1, 2), "low"}, {grid(2, 1, 3), ""}, {grid(3, 2, 1), "high"},
	} {
		choice := choose(t, c.runs, byValidation).Series[0]
		if choice.Edge != c.want || (len(choice.Warnings) > 0) != (c.want != "") {
			t.Errorf("%d values: edge %q, want %q; %q", len(c.runs), choice.Edge, c.want, choice.Warnings)
		}
	}

	// Two tuned parameters, one of them not numeric.
	var runs []record.Run
	for i, start := range []string{"a", "b"} {
		for j := range 3 {
			r := candidate("a", float64(j), 0, validation(math.Abs(float64(j-1))+float64(i)))
			r.Params["cap"], r.Params["start"] = int64(5+i), start
			runs = append(runs, r)
		}
	}
	o := byValidation
	o.Tune = []string{"step.c", "cap", "start"}
	choice := choose(t, runs, o).Series[0]
	if choice.Chosen.String() != "cap=5;start=a;step.c=1" || choice.Edge != "low" || len(choice.Warnings) != 1 {
		t.Errorf("got %+v", choice)
	}
}

// The score of a curve equals the mean over all iterations.
func TestMeanOverSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		n := 1 + rng.IntN(8)
		c := observe.Curve{}
		at := float64(rng.IntN(3))
		for range n {
			c.X, c.Y = append(c.X, at), append(c.Y, rng.NormFloat64())
			at += 1 + float64(rng.IntN(20))
		}
		sum, count := 0.0, 0.0
		for it := max(1, c.X[0]); it <= c.X[n-1]; it++ {
			i := slices.IndexFunc(c.X, func(x float64) bool { return x >= it })
			w := 1.0
			if i > 0 {
				w = (it - c.X[i-1]) / (c.X[i] - c.X[i-1])
				sum += (1 - w) * c.Y[i-1]
			}
			sum += w * c.Y[i]
			count++
		}
		if c.X[n-1] == 0 {
			sum, count = c.Y[0], 1
		}
		if got := c.MeanOverSteps(); !near(got, sum/count) {
			t.Fatalf("%v: got %v, want %v", c, got, sum/count)
		}
	}
}

func TestSelectionCSV(t *testing.T) {
	bad := unfinished("a", 4, 0, record.StatusDiverged)
	bad.StandIn = true
	runs := []record.Run{candidate("b", 2, 0, validation(2)), candidate("b", 1, 0, validation(3)), bad, candidate("a", 1, 0, validation(1)), candidate("a", 1, 1, validation(2))}
	want := `dataset,group,stand_in,series,algorithm,params,candidate,by,split,metric,over,score,standard_error,finished,diverged,failed,skipped,selected,edge,problems,warnings
gaussian,k=4,false,b,msg,k=4,step.c=1,validation,validation,suboptimality,mean-over-curve,3,,1,0,0,0,false,,,
gaussian,k=4,false,b,msg,k=4,step.c=2,validation,validation,suboptimality,mean-over-curve,2,,1,0,0,0,true,high,,step.c = 2 is at the high end of its grid: widen it
gaussian,k=4,true,a,msg,k=4,step.c=1,validation,validation,suboptimality,mean-over-curve,1.5,0.5,2,0,0,0,true,low,,"candidate step.c=4 cannot be selected: repeat 0 diverged: Inf, ""soon""; step.c = 1 is at the low end of its grid: widen it"
gaussian,k=4,true,a,msg,k=4,step.c=4,validation,validation,suboptimality,mean-over-curve,,,0,1,0,0,false,,"repeat 0 diverged: Inf, ""soon""",
gaussian,k=4,false,c,msg,k=4,step.c=1,validation,validation,suboptimality,mean-over-curve,,,0,0,1,0,false,,"repeat 0 failed: Inf, ""soon""","candidate step.c=1 cannot be selected: repeat 0 failed: Inf, ""soon""; candidate step.c=2 cannot be selected: repeat 0 failed: Inf, ""soon""; no candidate could be scored: add smaller steps to the grid, or look at the failures"
gaussian,k=4,false,c,msg,k=4,step.c=2,validation,validation,suboptimality,mean-over-curve,,,0,0,1,0,false,,"repeat 0 failed: Inf, ""soon""",
`
	s := choose(t, append(runs, unfinished("c", 1, 0, record.StatusFailed), unfinished("c", 2, 0, record.StatusFailed)), byValidation)
	if got := written(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := s.WriteCSV(fullWriter{}); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
	var kept []string
	for _, r := range s.Runs() {
		kept = append(kept, r.Key)
	}
	if want := []string{"b 2 0", "a 1 0", "a 1 1"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	if all := choose(t, runs, Rule{By: ByNone}); len(all.Runs()) != len(runs) || len(all.Series) != 0 {
		t.Errorf("without a rule: %+v", all)
	}
}

// Warnings name only the parameters that distinguish a series from others.
func TestShortNamesInWarnings(t *testing.T) {
	s := &Choice{Series: []Series{
		{Dataset: "a", Name: "x", Params: record.Params{"k": int64(1), "start": "uniform", "form": "efficient"}, Warnings: []string{"w"}},
		{Dataset: "a", Name: "x", Params: record.Params{"k": int64(1), "start": "random", "form": "efficient"}, Warnings: []string{"w"}},
		{Dataset: "a", Name: "y", Params: record.Params{"k": int64(1), "start": "none"}, Warnings: []string{"w"}},
	}}
	want := []string{"a x[k=1;start=uniform]: w", "a x[k=1;start=random]: w", "a y[k=1]: w"}
	if got := s.Warnings(); !slices.Equal(got, want) {
		t.Errorf("Warnings() = %q, want %q", got, want)
	}
}
