package record

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestStoreLife(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir, Options{})
	if _, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); ok {
		t.Error("an empty store has a run")
	}
	diverged := testRun(2)
	diverged.Status, diverged.Reason = StatusDiverged, "Inf at iteration 7"
	appendRuns(t, s, testRun(1), failedRun(3, "panic: boom"))
	appendRuns(t, s, testRun(0), diverged)
	check := func(s *Store) {
		t.Helper()
		for i, want := range []bool{true, true, true, false} {
			r, ok := s.Lookup(testRun(i).Key, testRun(i).Extent)
			if ok != want {
				t.Errorf("run %d: found = %v", i, ok)
			}
			if ok && r.Key != testRun(i).Key {
				t.Errorf("run %d: found %s", i, r.Name())
			}
		}
		if _, ok := s.Lookup(testRun(0).Key, "200/log:3"); ok {
			t.Error("another extent is found")
		}
		if w := s.Warnings(); len(w) > 0 {
			t.Errorf("warnings %q", w)
		}
	}
	check(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}

	s = open(t, dir, Options{})
	check(s)
	if tm := s.records.get(testRun(1).ref()).timing.timing(); tm.Key != testRun(1).Key || tm.EvalSeconds != 0.25 {
		t.Errorf("timing %v", tm)
	}
	// Run 4 is planned but not done.
	if err := s.Compact(planOf(3, 4, 0, 1)); err != nil {
		t.Fatal(err)
	}
	check(s)
	if got, want := readFile(t, dir, RunsFile), lines(t, failedRun(3, "panic: boom"), testRun(0), testRun(1)); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	if got, want := readFile(t, dir, ArchiveFile), lines(t, diverged); got != want {
		t.Errorf("archive is\n%s\nwant\n%s", got, want)
	}
	if got := strings.Count(readFile(t, dir, TimingsFile), "\n"); got != 4 {
		t.Errorf("%d timings, want 4", got)
	}
	if got, want := files(t, dir), []string{ArchiveFile, PlanFile, RunsFile, TimingsFile}; !reflect.DeepEqual(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	s.Close()
	s = open(t, dir, Options{})
	check(s)
	if tm := s.records.get(diverged.ref()).timing.timing(); tm.EvalSeconds != 0.25 {
		t.Errorf("the timing of an archived run is %v", tm)
	}
}

func TestFailedRunsAreReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, failedRun(0, "first"), failedRun(0, "second"), testRun(0), failedRun(0, "third"))
	s.Close()
	s = open(t, dir, Options{})
	if r, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); !ok || !reflect.DeepEqual(r.Measured(), testRun(0).Curve) {
		t.Errorf("got %v, %v", r, ok)
	}
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("warnings %q", w)
	}
	appendRuns(t, s, failedRun(1, "first"), failedRun(1, "second"), failedRun(2, "not planned"))
	if err := s.Compact(planOf(0, 1)); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, dir, RunsFile), lines(t, testRun(0), failedRun(1, "second")); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	if slices.Contains(files(t, dir), ArchiveFile) {
		t.Error("a failed run was archived")
	}
	if runs := s.Runs(planOf(0, 1, 2)); len(runs) != 2 {
		t.Errorf("%d runs, want 2", len(runs))
	}
}

func TestNondeterminismIsAWarning(t *testing.T) {
	t.Parallel()
	other := testRun(0)
	other.Curve.Metrics["test"]["suboptimality"] = []float64{0.5, 0.25, 0.2}
	relabelled := testRun(0)
	relabelled.Dataset, relabelled.Series, relabelled.Group = "D", "S", ""

	dir := t.TempDir()
	writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, testRun(0), testTiming(0))+journalLine(t, relabelled, testTiming(0)))
	s := open(t, dir, Options{})
	if w := s.Warnings(); len(w) != 0 {
		t.Errorf("other labels are no alarm: %q", w)
	}
	s.Close()

	writeFile(t, dir, "journal-2-0.jsonl", journalLine(t, other, testTiming(0)))
	s = open(t, dir, Options{})
	wantWarning(t, s.Warnings(), testRun(0).Key, "not deterministic")
	if r, _ := s.Lookup(other.Key, other.Extent); !reflect.DeepEqual(r.Measured(), testRun(0).Curve) {
		t.Error("the first record does not win")
	}
	appendRuns(t, s, other)
	if n := len(s.Warnings()); n != 2 {
		t.Errorf("%d warnings after appending, want 2", n)
	}

	// RunsFile goes before ArchiveFile, and both before journals.
	dir = t.TempDir()
	writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, testRun(0), testTiming(0)))
	writeFile(t, dir, ArchiveFile, lines(t, testRun(0)))
	writeFile(t, dir, RunsFile, lines(t, other))
	s = open(t, dir, Options{})
	if r, _ := s.Lookup(other.Key, other.Extent); !reflect.DeepEqual(r.Measured(), other.Curve) {
		t.Error("RunsFile does not go first")
	}
}

func TestTornAndBrokenLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := journalLine(t, testRun(0), testTiming(0))
	for cut := range whole {
		writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, testRun(1), testTiming(1))+whole[:cut])
		s := open(t, dir, Options{})
		if w := s.Warnings(); len(w) != 0 {
			t.Fatalf("cut at %d: warnings %q", cut, w)
		}
		// What lacks the newline only is whole.
		if _, ok := s.Lookup(testRun(0).Key, testRun(0).Extent); ok != (cut == len(whole)-1) {
			t.Fatalf("cut at %d: found = %v", cut, ok)
		}
		if _, ok := s.Lookup(testRun(1).Key, testRun(1).Extent); !ok {
			t.Fatalf("cut at %d: the line before is lost", cut)
		}
		s.Close()
	}
	name := filepath.Join(dir, "journal-1-0.jsonl")
	writeFile(t, dir, "journal-1-0.jsonl", whole[:40]+"\n"+whole+"\x00\x00\x00")
	writeFile(t, dir, RunsFile, "garbage\n"+lines(t, testRun(2)))
	writeFile(t, dir, TimingsFile, string(Seal([]byte(`{"key":"","extent":""}`)))+"\n")
	s := open(t, dir, Options{})
	wantWarning(t, s.Warnings(), name+":1: damaged line", "its checksum is missing")
	wantWarning(t, s.Warnings(), filepath.Join(dir, RunsFile)+":1: damaged line")
	wantWarning(t, s.Warnings(), filepath.Join(dir, TimingsFile)+":1: damaged line")
	if n := len(s.Warnings()); n != 3 {
		t.Errorf("%d warnings, want 3: %q", n, s.Warnings())
	}
	if n := len(s.Runs(planOf(0, 1, 2))); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "file", "")
	_, err := Open(filepath.Join(dir, "file", "sub"), Options{})
	wantError(t, err, "cannot create folder", filepath.Join(dir, "file", "sub"), "another --out")
	_, err = Open(filepath.Join(dir, "file"), Options{})
	wantError(t, err, "cannot create folder", "another --out")
	if _, statErr := os.Stat("/proc/self/fdinfo"); statErr == nil {
		_, err = Open("/proc/self/fdinfo", Options{})
		wantError(t, err, "cannot write to folder /proc/self/fdinfo", "another --out")
	}
	_, err = Open(dir, Options{Shared: true, Fresh: true})
	wantError(t, err, "share it")

	for _, name := range []string{RunsFile, ArchiveFile, "journal-9-9.jsonl"} {
		dir := t.TempDir()
		content := `{"schema":3,"key":"a"}`
		if isJournal(name) {
			content = `{"run":` + content + "}"
		}
		content = string(Seal([]byte(content))) + "\n"
		writeFile(t, dir, name, content)
		for _, o := range []Options{{}, {Shared: true}, {Fresh: true}} {
			_, err := Open(dir, o)
			wantError(t, err, filepath.Join(dir, name)+":1:", "results written by schema 3; this build reads schema 2: use a newer build or another --out")
			var schema *SchemaError
			if !errors.As(err, &schema) || schema.Schema != 3 {
				t.Errorf("%s: %v is no SchemaError", name, err)
			}
		}
		if got := readFile(t, dir, name); got != content {
			t.Errorf("%s was changed to %q", name, got)
		}
		// The lock is free again.
		writeFile(t, dir, name, "")
		open(t, dir, Options{})
	}
}

func TestLockWithinProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	for _, o := range []Options{{}, {Shared: true}} {
		_, err := Open(dir, o)
		wantError(t, err, "folder "+dir+" is in use by process ", "another --out")
	}
	s.Close()
	a := open(t, dir, Options{Shared: true})
	b := open(t, dir, Options{Shared: true})
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a shared folder was opened alone")
	}
	appendRuns(t, a, testRun(0))
	appendRuns(t, b, testRun(1))
	wantError(t, a.Compact(planOf(0)), "cannot be compacted")
	a.Close()
	b.Close()
	s = open(t, dir, Options{})
	if n := len(s.Runs(planOf(0, 1))); n != 2 {
		t.Errorf("%d runs of two shards, want 2", n)
	}
}

func TestFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, testRun(0), testRun(1))
	if err := s.Compact(planOf(0)); err != nil {
		t.Fatal(err)
	}
	appendRuns(t, s, testRun(2))
	s.Close()
	writeFile(t, dir, "spec.yaml", "name: a\n")
	s = open(t, dir, Options{Fresh: true})
	if got := files(t, dir); !reflect.DeepEqual(got, []string{"spec.yaml"}) {
		t.Errorf("left are %v", got)
	}
	for i := range 3 {
		if _, ok := s.Lookup(testRun(i).Key, testRun(i).Extent); ok {
			t.Errorf("run %d is still there", i)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{})
	j, err := s.Writer()
	if err != nil {
		t.Fatal(err)
	}
	bad := testRun(0)
	bad.Params["k"] = 4
	wantError(t, j.Append(bad, Timing{}), "invalid record", "gaussian msg", `"k" is of type int`)
	wantError(t, j.Append(testRun(0), Timing{StepSeconds: -1}), "step_seconds is -1")
	wantError(t, j.Append(testRun(0), Timing{Key: "other", Extent: "x"}), "belongs to another run")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, s.dir); len(got) != 0 {
		t.Errorf("an empty journal is left: %v", got)
	}
	wantError(t, j.Append(testRun(0), Timing{}), "is closed")
	wantError(t, s.Compact(nil), "is closed")
	_, err = s.Writer()
	wantError(t, err, "is closed")
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	dir := t.TempDir()
	s := open(t, dir, Options{})
	j, err := s.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append(testRun(0), testTiming(0)); err != nil {
		t.Fatal(err)
	}
	first := j.file.Name()
	j.file.Close()
	j.file = full
	err = j.Append(testRun(1), testTiming(1))
	wantError(t, err, testRun(1).Name(), "no space left on device", "all earlier records are safe", "free space")
	if _, ok := s.Lookup(testRun(1).Key, testRun(1).Extent); ok {
		t.Error("a run that was not stored is found")
	}
	// There is space again: the journal goes on in a file of its own, for the
	// old one may end in half a line.
	if err := j.Append(testRun(1), testTiming(1)); err != nil {
		t.Fatal(err)
	}
	if j.file.Name() == first {
		t.Error("the file that failed is appended to")
	}
	s.Close()
	s = open(t, dir, Options{})
	if n := len(s.Runs(planOf(0, 1))); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

func TestJournalsOfOtherProcessesAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := open(t, dir, Options{Shared: true})
	b := open(t, dir, Options{Shared: true})
	// The same process id and worker, as on two machines.
	ja, errA := a.Writer()
	jb, errB := b.Writer()
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if ja.file.Name() == jb.file.Name() {
		t.Errorf("both write to %s", ja.file.Name())
	}
}

func TestConcurrentAppends(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 40
	dir := t.TempDir()
	s := open(t, dir, Options{})
	plan := make([]int, workers*each)
	var wg sync.WaitGroup
	errs := make(chan error, workers*each)
	for w := range workers {
		j, err := s.Writer()
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for i := range each {
				n := i*workers + w
				if err := j.Append(testRun(n), testTiming(n)); err != nil {
					errs <- err
				}
				s.Lookup(testRun(n/2).Key, testRun(n/2).Extent)
			}
		})
	}
	for i := range plan {
		plan[i] = len(plan) - 1 - i
	}
	// Readers and compaction get along with writers.
	wg.Go(func() {
		for range 5 {
			if _, err := ReadDir(dir); err != nil {
				errs <- err
			}
			if err := s.Compact(planOf(plan...)); err != nil {
				errs <- err
			}
		}
	})
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	s.Close()

	// One writer, no interruption: the same bytes.
	plain := t.TempDir()
	p := open(t, plain, Options{})
	var runs []Run
	for i := range plan {
		runs = append(runs, testRun(i))
	}
	appendRuns(t, p, runs...)
	s = open(t, dir, Options{})
	for _, s := range []*Store{s, p} {
		if w := s.Warnings(); len(w) > 0 {
			t.Errorf("warnings %q", w)
		}
		if err := s.Compact(planOf(plan...)); err != nil {
			t.Fatal(err)
		}
	}
	if readFile(t, dir, RunsFile) != readFile(t, plain, RunsFile) {
		t.Error("runs.jsonl depends on scheduling")
	}
	if got := strings.Count(readFile(t, dir, RunsFile), "\n"); got != workers*each {
		t.Errorf("%d runs, want %d", got, workers*each)
	}
}
