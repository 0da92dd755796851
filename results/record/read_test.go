package record

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func series(runs []Run) []string {
	var out []string
	for _, r := range runs {
		out = append(out, r.Series+" "+r.Status+" "+r.Reason)
	}
	return out
}

func labelled(r Run, name string) Run {
	r.Series = name
	return r
}

func TestReadDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my-experiment")
	s := open(t, dir, Options{})
	appendRuns(t, s, testRun(3), failedRun(0, "no memory"), testRun(1), testRun(9))
	if err := s.Compact(planOf(3, 0, 1)); err != nil {
		t.Fatal(err)
	}
	// A folder from before there were plans.
	if err := os.Remove(filepath.Join(dir, PlanFile)); err != nil {
		t.Fatal(err)
	}
	// While the store is open: a repaired run, a run known already, new runs in
	// any order, an old failure, half a line.
	appendRuns(t, s, testRun(0), testRun(1))
	appendRuns(t, s, testRun(8), failedRun(6, "first"))
	appendRuns(t, s, testRun(4), failedRun(6, "second"))
	writeFile(t, dir, "journal-0-0.jsonl", "{\"run\":{\"schema\":1")
	before := snapshot(t, dir)
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range e.Runs {
		for i := range 10 {
			if r.Key == testRun(i).Key {
				got = append(got, string(rune('0'+i))+" "+r.Status+" "+r.Reason)
			}
		}
	}
	// 3, 0 and 1 in plan order, then 4, 8, 6 by step.c and repeat.
	want := []string{"3 finished budget", "0 finished budget", "1 finished budget", "4 finished budget", "8 finished budget", "6 failed second"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.Name != "my-experiment" || e.Dir != dir || len(e.Warnings) != 0 {
		t.Errorf("name %q, dir %q, warnings %q", e.Name, e.Dir, e.Warnings)
	}
	for _, r := range e.Runs {
		tm, ok := e.Timings().Of(r)
		if !ok || tm.Key != r.Key || tm.EvalSeconds != 0.25 {
			t.Errorf("%s: timing %v, %v", r.Name(), tm, ok)
		}
	}
	// Run 0 was repaired as the first of its journal.
	if tm, _ := e.Timings().Of(testRun(0)); tm.StepSeconds != testTiming(0).StepSeconds {
		t.Errorf("the repaired run has the timing of the failure, %v", tm)
	}
	if after := snapshot(t, dir); !reflect.DeepEqual(before, after) {
		t.Error("reading changed the folder")
	}
}

func TestReadDirDropsOvercomeFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, RunsFile, lines(t, labelled(failedRun(0, "boom"), "old"), testRun(1)))
	writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, labelled(testRun(0), "new"), testTiming(0)))
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := series(e.Runs), []string{"msg finished budget", "new finished budget"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadDirWarnsAndFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantWarning(t, e.Warnings, dir, "no records yet")

	other := testRun(0)
	other.Curve.Cost["sum_kt2"] = []int64{1, 2, 3}
	writeFile(t, dir, RunsFile, lines(t, testRun(0))+"{}\n")
	writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, other, testTiming(0)))
	if e, err = ReadDir(dir); err != nil {
		t.Fatal(err)
	}
	wantWarning(t, e.Warnings, filepath.Join(dir, RunsFile)+":2: damaged line")
	wantWarning(t, e.Warnings, "not deterministic")
	if len(e.Runs) != 1 || differ(e.Runs[0], testRun(0)) {
		t.Errorf("read %d runs", len(e.Runs))
	}

	writeFile(t, dir, "journal-1-0.jsonl", string(Seal([]byte(`{"run":{"schema":3}}`))))
	_, err = ReadDir(dir)
	var schema *SchemaError
	if !errors.As(err, &schema) {
		t.Errorf("got %v", err)
	}
	_, err = ReadDir(filepath.Join(dir, "absent"))
	wantError(t, err, "cannot read folder", "absent")
}
