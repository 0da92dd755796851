package selection

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// The direction is the metric's, which may depend on the task. Ties go to the smaller
// value either way.
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

func TestSelect(t *testing.T) {
	runs := []record.Run{
		candidate("msg", 4, 0, validation(3)), candidate("msg", 4, 1, validation(5)),
		candidate("msg", 1, 0, validation(1)), candidate("gr", 8, 0, validation(2)),
		candidate("msg", 1, 1, validation(2)), candidate("msg", 0.5, 0, validation(2)),
		candidate("msg", 0.5, 1, validation(2)), candidate("gr", 2, 0, validation(1)),
	}
	s := choose(t, runs, byValidation)
	if len(s.Series) != 2 {
		t.Fatalf("%d cells, want 2", len(s.Series))
	}
	c := s.Series[0]
	if c.Name != "msg" || c.Dataset != "gaussian" || c.Split != "validation" || !c.OK || c.Params.String() != "k=4" || c.Chosen.String() != "step.c=1" {
		t.Errorf("got %+v", c)
	}
	// Scores 2, 1.5, 4; the standard error of {1, 2} is sqrt(1/2 / 2) = 0.5.
	if c.Score != 1.5 || c.SE != 0.5 || c.Edge != "" || len(c.Warnings) != 0 {
		t.Errorf("score %v, error %v, edge %v, warnings %q", c.Score, c.SE, c.Edge, c.Warnings)
	}
	var labels []string
	for _, cand := range c.Candidates {
		labels = append(labels, fmt.Sprint(cand.Params, " ", cand.Score, " ", cand.Selected, " ", cand.Finished))
	}
	if want := []string{"step.c=0.5 2 false 2", "step.c=1 1.5 true 2", "step.c=4 4 false 2"}; !reflect.DeepEqual(labels, want) {
		t.Errorf("candidates %q, want %q", labels, want)
	}
	if g := s.Series[1]; g.Name != "gr" || g.Chosen.String() != "step.c=2" || g.Edge != "low" || g.SE != 0 {
		t.Errorf("got %+v", g)
	}
	var kept []string
	for _, r := range s.Runs() {
		kept = append(kept, r.Key)
	}
	if want := []string{"msg 1 0", "msg 1 1", "gr 2 0"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

func TestSelectCellsAndMixedNumbers(t *testing.T) {
	a, b := candidate("msg", 1, 0, validation(1)), candidate("msg", 1, 1, validation(3))
	b.Params["step.c"] = int64(1)
	other := candidate("msg", 1, 0, validation(7))
	other.Params["k"] = int64(8)
	far := candidate("msg", 1, 0, validation(9))
	far.Dataset = "mnist"
	s := choose(t, []record.Run{a, b, other, far}, byValidation)
	if len(s.Series) != 3 || len(s.Series[0].Candidates) != 1 || s.Series[0].Score != 2 {
		t.Errorf("got %+v", s.Series)
	}
	if len(s.Warnings()) != 0 || len(s.Runs()) != 4 {
		t.Errorf("warnings %q, %d runs", s.Warnings(), len(s.Runs()))
	}
}

// Runs of another seed or of other data are of another experiment, which a warning says.
func TestSelectKeepsExperimentsApart(t *testing.T) {
	for name, change := range map[string]func(*record.Run){
		"":     func(*record.Run) {},
		"seed": func(r *record.Run) { r.Seed = 7 }, "data": func(r *record.Run) { r.DatasetHash = "def" },
	} {
		var runs []record.Run
		for i := range 4 {
			r := candidate("msg", 1, i%2, validation(float64(1+4*(i/2))))
			if i > 1 {
				change(&r)
			}
			runs = append(runs, r)
		}
		s := choose(t, runs, byValidation)
		if name == "" {
			if len(s.Series) != 1 || s.Series[0].Score != 3 || len(s.Warnings()) != 0 {
				t.Errorf("got %+v", s.Series)
			}
			continue
		}
		if len(s.Series) != 2 || s.Series[0].Score != 1 || s.Series[1].Score != 5 {
			t.Fatalf("%s: got %+v", name, s.Series)
		}
		for i, c := range s.Series {
			of := runs[2*i]
			if c.Seed != of.Seed || c.DatasetHash != of.DatasetHash || c.Candidates[0].Finished != 2 || len(c.Warnings) != 1 {
				t.Errorf("%s: got %+v", name, c)
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
	for i := range 5 {
		for repeat := range 3 {
			runs = append(runs, candidate("a", float64(i), repeat, map[string]float64{
				"validation": rng.Float64(), "test": rng.Float64(), "train": rng.Float64(), "population": rng.Float64(),
			}))
		}
	}
	for _, over := range []string{OverCurve, OverFinal} {
		o := byValidation
		o.Over = over
		want := choose(t, runs, o)
		for name, poison := range map[string]map[string][]float64{
			"nan":     {"suboptimality": {math.NaN(), math.NaN()}},
			"short":   {"suboptimality": {}},
			"winning": {"suboptimality": {math.Inf(-1), math.Inf(-1)}},
			"absent":  nil,
		} {
			poisoned := make([]record.Run, len(runs))
			for i, r := range runs {
				r.Curve.Metrics = map[string]map[string][]float64{"validation": r.Curve.Metrics["validation"]}
				if i%2 == 0 {
					for _, split := range []string{"test", "train", "population"} {
						r.Curve.Metrics[split] = poison
					}
				}
				poisoned[i] = r
			}
			got := choose(t, poisoned, o)
			if !reflect.DeepEqual(withoutRuns(got), withoutRuns(want)) {
				t.Errorf("%s, %s: the choice depends on other splits", over, name)
			}
		}
	}
}

// withoutRuns returns the series of a choice without their records.
func withoutRuns(s *Choice) []Series {
	for _, c := range s.Series {
		for k := range c.Candidates {
			c.Candidates[k].Records = nil
		}
	}
	return s.Series
}

func TestSelectOracle(t *testing.T) {
	o := byValidation
	o.By = ByOracle
	both := func(c, population, test float64) record.Run {
		return candidate("a", c, 0, map[string]float64{"population": population, "test": test})
	}
	s := choose(t, []record.Run{both(1, 1, 9), both(2, 2, 1)}, o)
	if c := s.Series[0]; c.Split != "population" || c.Chosen.String() != "step.c=1" {
		t.Errorf("got %+v", c)
	}
	test := func(c, v float64) record.Run {
		return candidate("a", c, 0, map[string]float64{"test": v, "validation": -v})
	}
	s = choose(t, []record.Run{test(1, 9), test(2, 1)}, o)
	if c := s.Series[0]; c.Split != "test" || c.Chosen.String() != "step.c=2" {
		t.Errorf("got %+v", c)
	}
	if _, err := Choose([]record.Run{both(1, 1, 1), test(2, 1)}, o); err == nil {
		t.Error("runs on different splits are compared")
	}
}

// A metric is flagged as chosen by where it is that of the rule, on the split that the rule reads, and nowhere else.
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

// The messages name the run, and what it has.
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

func TestSelectNone(t *testing.T) {
	runs := []record.Run{candidate("a", 1, 0, nil), lost("a", 1, 1, record.StatusFailed)}
	s := choose(t, runs, Rule{By: ByNone})
	if !reflect.DeepEqual(s.Runs(), runs) || len(s.Series) != 0 {
		t.Errorf("got %+v", s)
	}
}

// A candidate with a repeat that did not finish is out of the race, however good its other repeats are.
func TestSelectCasualties(t *testing.T) {
	for _, status := range []string{
		record.StatusDiverged, record.StatusFailed, record.StatusSkipped, record.StatusOutOfTime, record.StatusOutOfMemory,
	} {
		bad := lost("a", 4, 1, status)
		runs := []record.Run{
			candidate("a", 0.5, 0, validation(3)), candidate("a", 0.5, 1, validation(3)),
			candidate("a", 1, 0, validation(2)), candidate("a", 4, 0, validation(0)), bad,
		}
		c := choose(t, runs, byValidation).Series[0]
		out := c.Candidates[2]
		if c.Chosen.String() != "step.c=1" || c.Edge != "" { // the largest that finished is not at the end of the grid
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

// Runs that the budget cut short at different iterations are not compared without a warning.
func TestSelectUnequalRuns(t *testing.T) {
	for reason, warnings := range map[string]int{"budget": 2, "converged: at last": 1} {
		early := candidate("a", 2, 0, validation(1))
		early.Curve.Cost["iterations"], early.Reason = []int64{1, 5}, reason
		c := choose(t, []record.Run{candidate("a", 1, 0, validation(1)), early}, byValidation).Series[0]
		if len(c.Warnings) != warnings { // one is that the choice is at the edge
			t.Errorf("%s: warnings %q", reason, c.Warnings)
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
		{grid(1), ""}, {grid(1, 2), "low"}, {grid(2, 1), "high"}, {grid(2, 1, 3), ""}, {grid(1, 2, 3), "low"}, {grid(3, 2, 1), "high"},
	} {
		choice := choose(t, c.runs, byValidation).Series[0]
		if choice.Edge != c.want || (len(choice.Warnings) > 0) != (c.want != "") {
			t.Errorf("%d values: edge %q, want %q; %q", len(c.runs), choice.Edge, c.want, choice.Warnings)
		}
	}

	// Two tuned parameters, and one that is not a number.
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

// The score of a curve agrees with the mean over all iterations, one by one.
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

func TestSelectOverDiffers(t *testing.T) {
	early, late := candidate("a", 1, 0, nil), candidate("a", 2, 0, nil)
	early.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {0, 2}}
	late.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {9, 1}}
	for over, want := range map[string]string{OverCurve: "step.c=1", OverFinal: "step.c=2"} {
		o := byValidation
		o.Over = over
		if got := choose(t, []record.Run{early, late}, o).Series[0].Chosen.String(); got != want {
			t.Errorf("%s: chose %s, want %s", over, got, want)
		}
	}
}

func TestSelectionCSV(t *testing.T) {
	bad := lost("a", 4, 0, record.StatusDiverged)
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
	s := choose(t, append(runs, lost("c", 1, 0, record.StatusFailed), lost("c", 2, 0, record.StatusFailed)), byValidation)
	if got := written(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := s.WriteCSV(fullWriter{}); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}

// Warnings name what tells a cell from the others, not every default.
func TestWarningsNameCellsShortly(t *testing.T) {
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
