package experiment

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

func TestSummarise(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	diverged := labelled(testRun(2), "grouse")
	diverged.Status, diverged.Reason, diverged.StandIn = record.StatusDiverged, "Inf at iteration 7", true
	runs := []record.Run{failedRun(7, "panic: boom"), testRun(0), testRun(1), labelled(testRun(5), "grouse"), diverged}
	var plan []record.ID
	for i, r := range runs {
		runs[i] = r.WithTiming(record.Timing{StepSeconds: []float64{3, 0, 1, 0, 2}[i] / 8, EvalSeconds: 0.25, Finished: "2013-07-19T00:00:00Z"})
		plan = append(plan, r.ID())
	}
	addRuns(t, dir, plan, runs...)
	e, err := record.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := Summarise(e)
	counts := []record.Counts{sum.Counts}
	for _, g := range sum.Series {
		counts = append(counts, g.Counts)
	}
	if want := []record.Counts{
		{Runs: 5, Finished: 3, Diverged: 1, Failed: 1}, {Runs: 3, Finished: 2, Failed: 1}, {Runs: 2, Finished: 1, Diverged: 1},
	}; !slices.Equal(counts, want) || sum.Series[0].Series != "msg" || sum.Series[1].Series != "grouse" {
		t.Fatalf("got %+v", sum)
	}
	if want := []Problem{
		{"gaussian msg[k=4;step.c=2] repeat 1", "gaussian", "msg", "k=4;step.c=2", 1, record.StatusFailed, "panic: boom", testRun(7).Key},
		{"gaussian grouse[k=4;step.c=1.5] repeat 0", "gaussian", "grouse", "k=4;step.c=1.5", 0, record.StatusDiverged, "Inf at iteration 7", testRun(2).Key},
	}; !reflect.DeepEqual(sum.Problems, want) {
		t.Errorf("problems %+v, want %+v", sum.Problems, want)
	}
	// The msg runs took 0/8, 1/8 and 3/8 s, and the others 0/8 and 2/8 s.
	if sum.EvalSeconds != 5*0.25 || sum.StepSeconds != 0.75 || sum.Series[0].StepSeconds != 0.5 {
		t.Errorf("seconds %v, %v, %v", sum.StepSeconds, sum.EvalSeconds, sum.Series[0].StepSeconds)
	}
	if sum.Missing != 0 || sum.Series[0].FinishedSeconds != 0.125+2*0.25 || sum.MissingSeconds() != 0 {
		t.Errorf("%d runs are missing, %v s finished, %v s missing", sum.Missing, sum.Series[0].FinishedSeconds, sum.MissingSeconds())
	}
	data, err := json.Marshal(Summarise(&record.Experiment{Name: "empty"}))
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
}

// All series of the plan are listed, in its order, with the number of missing runs.
func TestSummariseMissingRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := []record.ID{
		labelled(testRun(3), "msg").ID(), labelled(testRun(5), "oja").ID(), labelled(testRun(6), "oja").ID(),
	}
	addRuns(t, dir, plan)
	lacks := func(series string, runs int) observe.Missing {
		return observe.Missing{Dataset: "gaussian", Series: series, Runs: runs}
	}
	for _, test := range []struct {
		runs    []record.Run
		missing []observe.Missing
		series  []string
	}{
		{nil, []observe.Missing{lacks("msg", 1), lacks("oja", 2)}, []string{"gaussian msg/ 0+1", "gaussian oja/ 0+2"}},
		{[]record.Run{labelled(testRun(6), "oja"), labelled(testRun(3), "msg")},
			[]observe.Missing{lacks("oja", 1)}, []string{"gaussian msg/msg 1+0", "gaussian oja/msg 1+1"}},
	} {
		addRuns(t, dir, nil, test.runs...)
		e, err := record.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		sum := Summarise(e)
		var got []string
		for _, g := range sum.Series {
			got = append(got, fmt.Sprintf("%s %s/%s %d+%d", g.Dataset, g.Series, g.Algorithm, g.Runs, g.Missing))
		}
		missing := missingRuns(e)
		if sum.Missing != 3-len(test.runs) || !slices.Equal(got, test.series) || !slices.Equal(missing, test.missing) {
			t.Errorf("%d missing, %+v, series %q, want %+v, %q", sum.Missing, missing, got, test.missing, test.series)
		}
	}
}

// The estimate for a missing run is the mean over the finished runs of its series on its dataset. Without such runs it
// is the mean over all finished runs.
func TestMissingSeconds(t *testing.T) {
	t.Parallel()
	series := func(name string, finished, missing int, seconds float64) SeriesSummary {
		return SeriesSummary{Dataset: "d", Series: name, Counts: record.Counts{Runs: finished + 1, Finished: finished, Failed: 1},
			Missing: missing, FinishedSeconds: seconds}
	}
	known := []SeriesSummary{series("a", 2, 3, 10), series("b", 6, 0, 6)}
	for _, c := range []struct {
		series []SeriesSummary
		want   float64
	}{
		{nil, 0},
		{[]SeriesSummary{series("a", 0, 3, 0)}, 0},
		{known, 3 * 5},
		{append(known, series("c", 0, 4, 0)), 3*5 + 4*2},
	} {
		s := Summary{Series: c.series}
		if got := s.MissingSeconds(); got != c.want {
			t.Errorf("%+v: %v s, want %v", c.series, got, c.want)
		}
	}
}
