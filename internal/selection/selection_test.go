package selection

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// candidate returns a run whose suboptimality is constant on each split.
func candidate(series string, c float64, repeat int, score map[string]float64) record.Run {
	r := testRun(0)
	r.Series, r.Repeat = series, repeat
	r.Key = fmt.Sprint(series, c, repeat)
	r.Params = record.Params{"k": int64(4), "step.c": c}
	r.Curve = record.Curve{Cost: map[string][]int64{"iterations": {1, 10}}, Metrics: map[string]map[string][]float64{}}
	for split, v := range score {
		r.Curve.Metrics[split] = map[string][]float64{"suboptimality": {v, v}}
	}
	return r
}

func validation(v float64) map[string]float64 {
	return map[string]float64{"validation": v, "test": 0.5}
}

var byValidation = Rule{By: ByValidation, Metric: "suboptimality", Over: OverCurve, Tune: []string{"step.c"}}

func mustSelect(t *testing.T, runs []record.Run, o Rule) *Choice {
	t.Helper()
	s, err := Choose(runs, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

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
		if c := mustSelect(t, runs, o).Series[0]; c.Chosen.String() != test.want {
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
	s := mustSelect(t, runs, byValidation)
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
	wantWarning(t, s.Warnings(), "gaussian gr[k=4]: step.c = 2 is at the low end of its grid")
	var kept []string
	for _, r := range s.Runs() {
		kept = append(kept, r.Key)
	}
	if want := []string{"msg10", "msg11", "gr20"}; !reflect.DeepEqual(squash(kept), want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

func squash(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = strings.ReplaceAll(k, " ", "")
	}
	return out
}

func TestSelectCellsAndMixedNumbers(t *testing.T) {
	a, b := candidate("msg", 1, 0, validation(1)), candidate("msg", 1, 1, validation(3))
	b.Params["step.c"] = int64(1)
	other := candidate("msg", 1, 0, validation(7))
	other.Params["k"] = int64(8)
	far := candidate("msg", 1, 0, validation(9))
	far.Dataset = "mnist"
	s := mustSelect(t, []record.Run{a, b, other, far}, byValidation)
	if len(s.Series) != 3 || len(s.Series[0].Candidates) != 1 || s.Series[0].Score != 2 {
		t.Errorf("got %+v", s.Series)
	}
	if len(s.Warnings()) != 0 || len(s.Runs()) != 4 {
		t.Errorf("warnings %q, %d runs", s.Warnings(), len(s.Runs()))
	}
}

// Runs of another seed or of other data are of another experiment.
func TestSelectKeepsExperimentsApart(t *testing.T) {
	score := map[string]float64{"a": 1, "b": 5}
	mixed := func(change func(*record.Run)) []record.Run {
		var runs []record.Run
		for _, which := range []string{"a", "b"} {
			for repeat := range 2 {
				r := candidate("msg", 1, repeat, validation(score[which]))
				if which == "b" {
					r.Key += "b"
					change(&r)
				}
				runs = append(runs, r)
			}
		}
		return runs
	}
	for _, test := range []struct {
		name   string
		change func(*record.Run)
		want   []string
	}{
		{"seed", func(r *record.Run) { r.Seed = 7 }, []string{"the seed or the data"}},
		{"data", func(r *record.Run) { r.DatasetHash = "def" }, []string{"the seed or the data"}},
		{"both", func(r *record.Run) { r.Seed, r.DatasetHash = 7, "def" }, []string{"the seed or the data"}},
		{"none", func(*record.Run) {}, nil},
	} {
		runs := mixed(test.change)
		s := mustSelect(t, runs, byValidation)
		if test.want == nil {
			if len(s.Series) != 1 || s.Series[0].Score != 3 || len(s.Warnings()) != 0 {
				t.Errorf("%s: got %+v", test.name, s.Series)
			}
			continue
		}
		if len(s.Series) != 2 || s.Series[0].Score != 1 || s.Series[1].Score != 5 || s.Series[0].Candidates[0].Finished != 2 {
			t.Fatalf("%s: got %+v", test.name, s.Series)
		}
		if a, b := s.Series[0], s.Series[1]; a.Seed != runs[0].Seed || b.Seed != runs[2].Seed || a.DatasetHash != runs[0].DatasetHash || b.DatasetHash != runs[2].DatasetHash {
			t.Errorf("%s: got %+v", test.name, s.Series)
		}
		for _, c := range s.Series {
			wantWarning(t, c.Warnings, append(test.want, "differ only in")...)
			if len(c.Warnings) != 1 {
				t.Errorf("%s: warnings %q", test.name, c.Warnings)
			}
		}
	}
}

// A cell without a choice has its warnings in the first row.
func TestSelectionCSVWithoutChoice(t *testing.T) {
	var runs []record.Run
	for _, c := range []float64{1, 2} {
		r := candidate("a", c, 0, nil)
		r.Status, r.Reason = record.StatusDiverged, "Inf"
		runs = append(runs, r)
	}
	var buf bytes.Buffer
	if err := mustSelect(t, runs, byValidation).WriteCSV(&buf); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&buf).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	last := len(rows[0]) - 1
	if rows[0][last] != "warnings" || !strings.Contains(rows[1][last], "no candidate could be scored") || rows[2][last] != "" {
		t.Errorf("got %q", rows)
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
		s := mustSelect(t, []record.Run{candidate("a", 2, 0, validation(c.high)), candidate("a", 0.5, 0, validation(c.low))}, byValidation)
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
		want := mustSelect(t, runs, o)
		for name, poison := range map[string]func() map[string][]float64{
			"nan": func() map[string][]float64 { return map[string][]float64{"suboptimality": {math.NaN(), math.NaN()}} },
			"inf": func() map[string][]float64 {
				return map[string][]float64{"suboptimality": {math.Inf(-1), math.Inf(-1)}}
			},
			"short":   func() map[string][]float64 { return map[string][]float64{"suboptimality": {}} },
			"winning": func() map[string][]float64 { return map[string][]float64{"suboptimality": {-1e9, -1e9}} },
			"absent":  func() map[string][]float64 { return nil },
		} {
			poisoned := make([]record.Run, len(runs))
			for i, r := range runs {
				r.Curve.Metrics = map[string]map[string][]float64{"validation": r.Curve.Metrics["validation"]}
				if i%2 == 0 {
					for _, split := range []string{"test", "train", "population"} {
						r.Curve.Metrics[split] = poison()
					}
				}
				poisoned[i] = r
			}
			got := mustSelect(t, poisoned, o)
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
	s := mustSelect(t, []record.Run{both(1, 1, 9), both(2, 2, 1)}, o)
	if c := s.Series[0]; c.Split != "population" || c.Chosen.String() != "step.c=1" {
		t.Errorf("got %+v", c)
	}
	test := func(c, v float64) record.Run {
		return candidate("a", c, 0, map[string]float64{"test": v, "validation": -v})
	}
	s = mustSelect(t, []record.Run{test(1, 9), test(2, 1)}, o)
	if c := s.Series[0]; c.Split != "test" || c.Chosen.String() != "step.c=2" {
		t.Errorf("got %+v", c)
	}
	_, err := Choose([]record.Run{both(1, 1, 1), test(2, 1)}, o)
	wantError(t, err, `no split "population"`)
	_, err = Choose([]record.Run{candidate("a", 1, 0, map[string]float64{"train": 1})}, o)
	wantError(t, err, `no split "population"`, `it has "train"`, "give the dataset a test part")
}

// What is shown is flagged where it is the metric on the split that the rule reads, and nowhere else.
func TestCriterion(t *testing.T) {
	const oracle, validation = "oracle selection: the parameters were chosen by the error shown", "the parameters were chosen by the validation error shown"
	for _, tt := range []struct {
		by, over, metric, split, want string
	}{
		{ByOracle, OverCurve, "error", "test", oracle},
		{ByOracle, OverFinal, "error", "population", oracle},
		{ByOracle, OverCurve, "error", "train", ""},
		{ByOracle, OverCurve, "error", "validation", ""},
		{ByOracle, OverCurve, "hinge", "test", ""},
		{ByValidation, OverCurve, "error", "validation", validation},
		{ByValidation, OverCurve, "error", "test", ""},
		{ByValidation, OverAny, "error", "validation", validation},
		{ByHalvings, OverLargest, "error", "validation", validation},
		{ByHalvings, OverLargest, "error", "test", ""},
		{ByNone, "", "error", "test", ""},
	} {
		if got := (Rule{By: tt.by, Over: tt.over, Metric: "error"}).Criterion(tt.metric, tt.split); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	run := candidate("a", 1, 0, map[string]float64{"test": 1})
	_, err := Choose([]record.Run{run}, byValidation)
	wantError(t, err, run.Name(), `no split "validation"`, `it has "test"`, "give the dataset a validation part")
	run.Curve.Metrics["validation"] = map[string][]float64{"loss": {1, 1}}
	_, err = Choose([]record.Run{run}, byValidation)
	wantError(t, err, `no metric "suboptimality" on split "validation"`, `it has "loss"`)
	_, err = Choose([]record.Run{candidate("a", 1, 0, validation(math.MaxFloat64)), candidate("a", 1, 1, validation(math.MaxFloat64))}, byValidation)
	wantError(t, err, "not finite")
}

func TestSelectNone(t *testing.T) {
	runs := []record.Run{candidate("a", 1, 0, nil), failedRun(1, "boom")}
	s := mustSelect(t, runs, Rule{By: ByNone})
	if !reflect.DeepEqual(s.Runs(), runs) || len(s.Series) != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestSelectCasualties(t *testing.T) {
	bad := candidate("a", 4, 1, validation(0))
	bad.Status, bad.Reason = record.StatusDiverged, "Inf at iteration 9"
	worse := candidate("a", 2, 0, nil)
	worse.Status, worse.Reason = record.StatusFailed, "panic: boom"
	runs := []record.Run{
		candidate("a", 0.5, 0, validation(3)), candidate("a", 0.5, 1, validation(3)),
		candidate("a", 1, 0, validation(2)),
		worse, candidate("a", 2, 1, validation(0)),
		candidate("a", 4, 0, validation(0)), bad,
	}
	c := mustSelect(t, runs, byValidation).Series[0]
	// 1 is the largest step that survives, and yet inside the grid.
	if c.Chosen.String() != "step.c=1" || c.Edge != "" {
		t.Errorf("chose %s, edge %v", c.Chosen, c.Edge)
	}
	wantWarning(t, c.Warnings, "candidate step.c=4 cannot be selected: repeat 1 diverged: Inf at iteration 9")
	wantWarning(t, c.Warnings, "candidate step.c=2 cannot be selected: repeat 0 failed: panic: boom")
	wantWarning(t, c.Warnings, "candidate step.c=1 has 1 finished repeats, others have 2")
	if len(c.Warnings) != 3 || c.Candidates[3].Scored || c.Candidates[3].Score != 0 || c.Candidates[3].Diverged != 1 {
		t.Errorf("got %+v", c)
	}

	s := mustSelect(t, []record.Run{worse, bad}, byValidation)
	if c := s.Series[0]; c.OK || len(s.Runs()) != 0 || c.Chosen != nil {
		t.Errorf("got %+v", c)
	}
	wantWarning(t, s.Warnings(), "no candidate could be scored")

	early := candidate("a", 2, 0, validation(1))
	early.Curve.Cost["iterations"] = []int64{1, 5}
	c = mustSelect(t, []record.Run{candidate("a", 1, 0, validation(1)), early}, byValidation).Series[0]
	wantWarning(t, c.Warnings, "ended at different iterations")
	early.Reason = "converged: at last"
	c = mustSelect(t, []record.Run{candidate("a", 1, 0, validation(1)), early}, byValidation).Series[0]
	if slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "different iterations") }) {
		t.Errorf("a run that converged is said to be short: %q", c.Warnings)
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
		choice := mustSelect(t, c.runs, byValidation).Series[0]
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
	choice := mustSelect(t, runs, o).Series[0]
	if choice.Chosen.String() != "cap=5;start=a;step.c=1" || choice.Edge != "low" || len(choice.Warnings) != 1 {
		t.Errorf("got %+v", choice)
	}
	wantWarning(t, choice.Warnings, "cap = 5 is at the low end of its grid")
}

func TestMeanOverSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		// The plain way: all iterations one by one.
		n := 1 + rng.IntN(8)
		c := observe.Curve{}
		at := float64(rng.IntN(3))
		for range n {
			c.X = append(c.X, at)
			c.Y = append(c.Y, rng.NormFloat64())
			at += 1 + float64(rng.IntN(20))
		}
		var sum, count float64
		last := c.X[n-1]
		for it := max(1, c.X[0]); it <= last; it++ {
			for i := range c.X {
				if c.X[i] == it {
					sum += c.Y[i]
					break
				}
				if c.X[i] > it {
					w := (it - c.X[i-1]) / (c.X[i] - c.X[i-1])
					sum += (1-w)*c.Y[i-1] + w*c.Y[i]
					break
				}
			}
			count++
		}
		if last == 0 {
			sum, count = c.Y[0], 1
		}
		if got := c.MeanOverSteps(); !near(got, sum/count) {
			t.Fatalf("%v: got %v, want %v", c, got, sum/count)
		}
	}
	// Logarithmic recording does not weigh the beginning more.
	c := observe.Curve{X: []float64{1, 10, 100, 1000}, Y: []float64{1, 0, 0, 0}}
	if got, want := c.MeanOverSteps(), 5.0/1000; !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSelectOverDiffers(t *testing.T) {
	early, late := candidate("a", 1, 0, nil), candidate("a", 2, 0, nil)
	early.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {0, 2}}
	late.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": {9, 1}}
	for over, want := range map[string]string{OverCurve: "step.c=1", OverFinal: "step.c=2"} {
		o := byValidation
		o.Over = over
		if got := mustSelect(t, []record.Run{early, late}, o).Series[0].Chosen.String(); got != want {
			t.Errorf("%s: chose %s, want %s", over, got, want)
		}
	}
}

func TestSelectionCSV(t *testing.T) {
	bad := candidate("a", 4, 0, nil)
	bad.Status, bad.Reason, bad.StandIn = record.StatusDiverged, "Inf, \"soon\"", true
	runs := []record.Run{candidate("b", 2, 0, validation(2)), candidate("b", 1, 0, validation(3)), bad, candidate("a", 1, 0, validation(1)), candidate("a", 1, 1, validation(2))}
	var buf bytes.Buffer
	if err := mustSelect(t, runs, byValidation).WriteCSV(&buf); err != nil {
		t.Fatal(err)
	}
	want := `dataset,group,stand_in,series,algorithm,params,candidate,by,split,metric,over,score,standard_error,finished,diverged,failed,skipped,selected,edge,problems,warnings
gaussian,k=4,false,b,msg,k=4,step.c=1,validation,validation,suboptimality,mean-over-curve,3,,1,0,0,0,false,,,
gaussian,k=4,false,b,msg,k=4,step.c=2,validation,validation,suboptimality,mean-over-curve,2,,1,0,0,0,true,high,,step.c = 2 is at the high end of its grid: widen it
gaussian,k=4,true,a,msg,k=4,step.c=1,validation,validation,suboptimality,mean-over-curve,1.5,0.5,2,0,0,0,true,low,,"candidate step.c=4 cannot be selected: repeat 0 diverged: Inf, ""soon""; step.c = 1 is at the low end of its grid: widen it"
gaussian,k=4,true,a,msg,k=4,step.c=4,validation,validation,suboptimality,mean-over-curve,,,0,1,0,0,false,,"repeat 0 diverged: Inf, ""soon""",
`
	if buf.String() != want {
		t.Errorf("got\n%s\nwant\n%s", buf.String(), want)
	}
	if _, err := csv.NewReader(&buf).ReadAll(); err != nil {
		t.Error(err)
	}
	wantError(t, mustSelect(t, runs, byValidation).WriteCSV(fullWriter{}), "cannot write the selection", "full")
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
