package record

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// kernelRun returns a run with all that records of the task svm have.
func kernelRun() Run {
	r := testRun(0)
	r.Task, r.Series, r.Algorithm = "svm", "sbp", "sbp"
	r.Rows = map[string]int64{"train": 1000, "train_of": 32561, "test": 16281}
	r.Facts = map[string]float64{"nu": 0.011, "C": 1, "lambda": 1e-3}
	r.Curve = Curve{
		Cost: map[string][]int64{
			"iterations": {1, 10, 100}, "kernel_evals": {1000, 10000, 100000},
			"kernel_evals_moved": {1000, 5000, 7000}, "inner_products": {1000, 10000, 100000},
		},
		Metrics: map[string]map[string][]float64{"test": {"error": {0.5, 0.25, 0.125}}, "state": {"support": {1, 9, 70}}},
		Vectors: map[string][]float64{"responses_positive": {-0.5, 1}, "responses_negative": nil},
	}
	return r
}

func skippedRun(i int, reason string) Run {
	r := failedRun(i, reason)
	r.Status = StatusSkipped
	return r
}

func TestKernelRunGolden(t *testing.T) {
	t.Parallel()
	got, err := Content(kernelRun())
	if err != nil {
		t.Fatal(err)
	}
	want := `"rows":{"test":16281,"train":1000,"train_of":32561},"facts":{"C":1,"lambda":0.001,"nu":0.011},"status":"finished","reason":"budget",` +
		`"curve":{"cost":{"inner_products":[1000,10000,100000],"iterations":[1,10,100],"kernel_evals":[1000,10000,100000],"kernel_evals_moved":[1000,5000,7000]},` +
		`"metrics":{"state":{"support":[1,9,70]},"test":{"error":[0.5,0.25,0.125]}},"vectors":{"responses_negative":[],"responses_positive":[-0.5,1]}}}`
	if !strings.HasSuffix(string(got), want) {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
	back, err := unsealRun(mustEncode(t, kernelRun()))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Content(back); err != nil || !bytes.Equal(got, again) {
		t.Errorf("bytes change over a round trip: %s, %v", again, err)
	}
}

func TestKernelRunRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		spoil  func(*Run)
		reason string
	}{
		{"negative rows", func(r *Run) { r.Rows["test"] = -1 }, "must not be negative"},
		{"larger than the whole", func(r *Run) { r.Rows["train"] = 40000 }, "more than the 32561"},
		{"a whole without its part", func(r *Run) { delete(r.Rows, "train") }, `"train_of" is there without "train"`},
		{"unnamed rows", func(r *Run) { r.Rows[""] = 1 }, "empty name"},
		{"infinite fact", func(r *Run) { r.Facts["nu"] = math.Inf(1) }, `fact "nu" is +Inf`},
		{"unnamed fact", func(r *Run) { r.Facts[""] = 1 }, "empty name"},
		{"fact of bad bytes", func(r *Run) { r.Facts["\xff"] = 1 }, "not valid UTF-8"},
		{"vector", func(r *Run) { r.Curve.Vectors["responses_positive"][1] = math.NaN() }, `vector "responses_positive" is NaN at element 1`},
		{"unnamed vector", func(r *Run) { r.Curve.Vectors[""] = nil }, "empty name"},
		{"skipped without a reason", func(r *Run) { r.Status, r.Reason = StatusSkipped, "" }, "without a reason"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := kernelRun()
			c.spoil(&r)
			wantError(t, r.Validate(), c.reason)
		})
	}
}

func TestTimingRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		timing Timing
		want   string
	}{
		{"backwards", Timing{Seconds: []float64{1, 2, 1.5}}, "1.5 at point 2 after 2"},
		{"negative", Timing{Seconds: []float64{-1}}, "-1 at point 0"},
		{"not a number", Timing{Seconds: []float64{math.NaN()}}, "NaN at point 0"},
		{"jobs", Timing{Jobs: -1}, "jobs"},
		{"endless setup", Timing{SetupSeconds: math.Inf(1)}, "setup_seconds"},
		{"negative count", Timing{KernelEvalsComputed: -1}, "kernel_evals_computed"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, c.timing.validate(), c.want) })
	}
}

// A skipped run is shown and tried anew, and gives way to one that is not.
func TestSkippedRunsAreTriedAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, skippedRun(0, "svm-train is not installed"), skippedRun(1, "no solver"), skippedRun(2, "not planned"), testRun(3), skippedRun(3, "gone since"))
	if _, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); ok {
		t.Error("a skipped run is served from the store")
	}
	if err := s.Compact(planOf(0, 1, 3)); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, dir, RunsFile), lines(t, skippedRun(0, "svm-train is not installed"), skippedRun(1, "no solver"), testRun(3)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	if slices.Contains(files(t, dir), ArchiveFile) {
		t.Error("a skipped run was archived")
	}
	appendRuns(t, s, testRun(0))
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := Summarise(e)
	if want := (Counts{Runs: 3, Finished: 2, Skipped: 1}); sum.Counts != want || len(sum.Problems) != 1 || sum.Problems[0].Status != StatusSkipped {
		t.Errorf("got %+v", sum)
	}
	if ids := e.Completed(); len(ids) != 2 {
		t.Errorf("%d runs need not be run again, want 2", len(ids))
	}
	if _, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); !ok {
		t.Error("the run is not found once it was completed")
	}
}

func TestTimingsAndSeconds(t *testing.T) {
	t.Parallel()
	a, b := testRun(0), testRun(1)
	ta, tb := testTiming(0), testTiming(1)
	ta.Key, ta.Extent, ta.Seconds = a.Key, a.Extent, []float64{0.5, 1, 8}
	ta.CPUSeconds = []float64{0.25, 0.5, 4}
	tb.Key, tb.Extent, tb.Seconds = b.Key, b.Extent, []float64{0.5, 1}
	ts := NewTimings(ta, tb)
	if s, ok := ts.Seconds(a); !ok || s[2] != 8 {
		t.Errorf("seconds %v, %v", s, ok)
	}
	if s, ok := ts.Seconds(b); ok {
		t.Errorf("%v is as good as the %d points of its run", s, b.Curve.Len())
	}
	if s, ok := ts.CPUSeconds(a); !ok || s[2] != 4 {
		t.Errorf("seconds of the processor %v, %v", s, ok)
	}
	if s, ok := ts.CPUSeconds(b); ok {
		t.Errorf("%v is on record of none", s)
	}
	if tm, ok := ts.Of(b); !ok || tm.StepSeconds != tb.StepSeconds {
		t.Errorf("timing %v, %v", tm, ok)
	}
	if _, ok := (Timings{}).Of(a); ok {
		t.Error("no timings have one")
	}
}

func TestCurvesOfKernelRuns(t *testing.T) {
	t.Parallel()
	r := kernelRun()
	var b strings.Builder
	if err := WriteCurves(&b, "e", []Run{r, testRun(1)}); err != nil {
		t.Fatal(err)
	}
	out := strings.Split(b.String(), "\n")
	if want := "experiment,dataset,group,stand_in,series,algorithm,params,repeat,split,inner_products,iterations,kernel_evals,kernel_evals_moved,sum_kt2,metric,value"; out[0] != want {
		t.Errorf("header %s, want %s", out[0], want)
	}
	if want := "e,gaussian,k=4,false,sbp,sbp,k=4;step.c=0.5,0,state,10000,10,10000,5000,,support,9"; out[2] != want {
		t.Errorf("row %s, want %s", out[2], want)
	}
	if want := "e,gaussian,k=4,false,msg,msg,k=4;step.c=1,0,state,,1,,,16,rank,4"; out[7] != want {
		t.Errorf("row %s, want %s", out[7], want)
	}
}
