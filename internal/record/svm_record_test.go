package record

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// kernelRun returns a run with all that records of the task svm have.
func kernelRun(i int) Run {
	r := testRun(i)
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

func TestKernelRunGolden(t *testing.T) {
	t.Parallel()
	got, err := content(kernelRun(0))
	if err != nil {
		t.Fatal(err)
	}
	want := `"rows":{"test":16281,"train":1000,"train_of":32561},"facts":{"C":1,"lambda":0.001,"nu":0.011},"status":"finished","reason":"budget",` +
		`"curve":{"cost":{"inner_products":[1000,10000,100000],"iterations":[1,10,100],"kernel_evals":[1000,10000,100000],"kernel_evals_moved":[1000,5000,7000]},` +
		`"metrics":{"state":{"support":[1,9,70]},"test":{"error":[0.5,0.25,0.125]}},"vectors":{"responses_negative":[],"responses_positive":[-0.5,1]}}}`
	if !strings.HasSuffix(string(got), want) {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
	back, err := unsealRun(mustEncode(t, kernelRun(0)))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := content(back); err != nil || !bytes.Equal(got, again) {
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
		{"infinite fact", func(r *Run) { r.Facts["nu"] = math.Inf(1) }, `fact "nu" is +Inf`},
		{"unnamed fact", func(r *Run) { r.Facts[""] = 1 }, "must have a name"},
		{"vector", func(r *Run) { r.Curve.Vectors["responses_positive"][1] = math.NaN() }, `vector "responses_positive" is NaN at point 1`},
		{"skipped without a reason", func(r *Run) { r.Status, r.Reason = StatusSkipped, "" }, "without a reason"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := kernelRun(0)
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
		{"backwards", Timing{Seconds: []float64{1, 2, 1.5}}, "decrease"},
		{"negative", Timing{Seconds: []float64{-1}}, "decrease"},
		{"not a number", Timing{Seconds: []float64{math.NaN()}}, "NaN at point 0"},
		{"endless setup", Timing{SetupSeconds: math.Inf(1)}, "a time of the run is +Inf s"},
	} {
		t.Run(c.name, func(t *testing.T) { wantError(t, c.timing.validate(), c.want) })
	}
}

// Times at the recorded points are on record only if there is one for each point.
func TestSecondsAreThoseOfThePoints(t *testing.T) {
	t.Parallel()
	whole, short := timingOf(testRun(0)), timingOf(testRun(1))
	whole.Seconds, whole.CPUSeconds = []float64{0.5, 1, 8}, []float64{0.25, 0.5, 4}
	short.Seconds = []float64{0.5, 1}
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if err := errors.Join(s.Add(testRun(0), whole), s.Add(testRun(1), short), s.Close()); err != nil {
		t.Fatal(err)
	}
	stored := readDir(t, dir).Runs
	for name, runs := range map[string][]Run{"memory": {testRun(0).Timed(whole), testRun(1).Timed(short)}, "database": stored} {
		a, b := &runs[0], &runs[1]
		if s, ok := a.Seconds(); !ok || s[2] != 8 {
			t.Errorf("%s: seconds %v, %v", name, s, ok)
		}
		if s, ok := a.CPUSeconds(); !ok || s[2] != 4 {
			t.Errorf("%s: seconds of the processor %v, %v", name, s, ok)
		}
		if s, ok := b.Seconds(); ok {
			t.Errorf("%s: %v are the seconds of %d points", name, s, b.Points())
		}
		if s, ok := b.CPUSeconds(); ok {
			t.Errorf("%s: %v are seconds of the processor that nobody recorded", name, s)
		}
		if step, eval, ok := a.Spent(); !ok || step != whole.StepSeconds || eval != whole.EvalSeconds {
			t.Errorf("%s: spent %v, %v, %v", name, step, eval, ok)
		}
		if got, ok := b.Timing(); !ok || !reflect.DeepEqual(got, short) {
			t.Errorf("%s: timing %+v, %v", name, got, ok)
		}
	}
	none := testRun(2)
	if _, ok := none.Timing(); ok {
		t.Error("a run without a timing has one")
	}
	if _, _, ok := none.Spent(); ok {
		t.Error("a run without a timing has spent time")
	}
}
