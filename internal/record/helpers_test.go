package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testRun returns a small valid run that depends only on i.
func testRun(i int) Run {
	return Run{
		Schema: Schema, Key: Key(map[string]any{"run": i}), Extent: "100/log:3", Task: "pca",
		Dataset: "gaussian", Group: "k=4", DatasetHash: "abc", Series: "msg", Algorithm: "msg", Version: 1,
		Params: Params{"k": int64(4), "step.c": 0.5 * float64(i%4+1)},
		Repeat: i / 4, Seed: 20130719, Status: StatusFinished, Reason: "budget",
		Curve: Curve{
			Cost: map[string][]int64{"iterations": {1, 10, 100}, "sum_kt2": {16, int64(160 + i), int64(1600 + 2*i)}},
			Metrics: map[string]map[string][]float64{
				"test":  {"suboptimality": {0.5, 0.25, 0.1 / float64(i+1)}},
				"state": {"rank": {4, 4, 4}},
			},
		},
	}
}

func testRuns(n int) []Run {
	runs := make([]Run, n)
	for i := range runs {
		runs[i] = testRun(i)
	}
	return runs
}

// timingOf returns a timing that depends only on the run.
func timingOf(r Run) Timing {
	return Timing{
		Key: r.Key, Extent: r.Extent, StepSeconds: float64(r.Repeat) + 0.125, EvalSeconds: 0.1,
		Finished: "2013-07-19T00:00:00Z", Tool: "stochopt 1.2.3 <abc & def>",
	}
}

func limitedRun(i int, status, reason string) Run {
	r := testRun(i)
	r.Status, r.Reason = status, reason
	return r
}

// kernelRun returns a run with all fields of the task svm.
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

// sparseRun returns a valid run of the task svm-sparse with three points and ten test rows.
func sparseRun(i int) Run {
	r := testRun(i)
	r.Task = "svm-sparse"
	r.Rows = map[string]int64{"train": 100, "test": 10}
	r.Curve.Mistakes = []IndexSet{{0, 3, 9}, {3}, {}}
	r.Curve.Metrics = map[string]map[string][]float64{
		"test":  {"error": {0.3, 0.1, 0}},
		"state": {"support": {1, 2, 5}},
	}
	return r
}

// limited returns a run that exceeded a limit.
func limited(status string, l *Limit) Run {
	r := limitedRun(1, status, "the limit")
	r.Limit = l
	return r
}

func failedRun(i int, reason string) Run {
	r := limitedRun(i, StatusFailed, reason)
	r.Curve = Curve{}
	return r
}

func planOf(indices ...int) []ID {
	var plan []ID
	for _, i := range indices {
		plan = append(plan, ID{Key: testRun(i).Key, Extent: testRun(i).Extent})
	}
	return plan
}

func idsOf(runs []Run) []ID {
	var ids []ID
	for _, r := range runs {
		ids = append(ids, r.ID())
	}
	return ids
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// canonicalLines returns the text of runs.
func canonicalLines(t testing.TB, runs []Run) string {
	t.Helper()
	var b bytes.Buffer
	must(t, WriteRuns(&b, runs))
	return b.String()
}

func writeFile(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func readFile(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(data)
}

func filesOf(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func open(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t testing.TB, s *Store, runs ...Run) {
	t.Helper()
	for _, r := range runs {
		must(t, s.Add(r, timingOf(r)))
	}
}

func closeStore(t testing.TB, s io.Closer) {
	t.Helper()
	must(t, s.Close())
}

// record writes runs to a folder in one process.
func record(t testing.TB, dir string, o Options, runs ...Run) {
	t.Helper()
	s := open(t, dir, o)
	add(t, s, runs...)
	closeStore(t, s)
}

func readDir(t testing.TB, dir string) *Experiment {
	t.Helper()
	e, err := ReadDir(dir)
	must(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

// wantRuns checks that a folder has the given runs in order, and no warnings.
func wantRuns(t testing.TB, dir string, want ...Run) *Experiment {
	t.Helper()
	e := readDir(t, dir)
	if len(e.Warnings) > 0 || e.Damaged > 0 {
		t.Errorf("warnings %q, %d damaged", e.Warnings, e.Damaged)
	}
	sameRuns(t, e.Runs, want)
	return e
}

func sameRuns(t testing.TB, got, want []Run) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("read %d runs, want %d", len(got), len(want))
	}
	for i := range got {
		if is, wanted := mustEncode(t, got[i]), mustEncode(t, want[i]); !bytes.Equal(is, wanted) {
			t.Fatalf("run %d is\n%s\nwant\n%s", i, is, wanted)
		}
	}
}

// wantType checks that an error has type E and returns it.
func wantType[E error](t testing.TB, err error) (e E) {
	t.Helper()
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v, want a %T", err, e)
	}
	return e
}

// wantNamed checks that an error or warning contains what.
func wantNamed(t testing.TB, text any, what string) {
	t.Helper()
	if text == nil || !strings.Contains(fmt.Sprint(text), what) {
		t.Errorf("%v does not contain %s", text, what)
	}
}

// long skips a test that takes seconds under -short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}
