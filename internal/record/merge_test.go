package record

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// A run that exceeded its limit serves until the limit is raised. One that finished or diverged serves
// under any limit.
func TestSatisfies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		r    Run
		l    Limit
		want bool
	}{
		{testRun(0), Limit{}, true},
		{limitedRun(0, StatusDiverged, "NaN"), Limit{1e-9, 1}, true},
		{failedRun(0, "boom"), Limit{1e-9, 1}, false},
		{limitedRun(0, StatusSkipped, "no program"), Limit{}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 600}, true},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 601}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{}, false},
		{limited(StatusOutOfTime, &Limit{Seconds: 600}), Limit{Seconds: 600, Memory: 5}, true},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Memory: 100}, true},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Memory: 101}, false},
		{limited(StatusOutOfMemory, &Limit{Memory: 100}), Limit{Seconds: 7, Memory: 99}, true},
		{limited(StatusOutOfTime, nil), Limit{Seconds: 1}, false},
		{limited(StatusOutOfMemory, nil), Limit{Memory: 1}, false},
	} {
		must(t, test.r.Validate())
		if got := test.r.Satisfies(test.l); got != test.want {
			t.Errorf("%s %+v satisfies %+v: %t", test.r.Status, test.r.Limit, test.l, got)
		}
	}
}

// Of two records of a run, the one that finished or diverged is kept, else the one with the larger limit.
// The order does not matter, nor which processes or parts made them.
func TestPrecedence(t *testing.T) {
	long(t)
	t.Parallel()
	short, long := limited(StatusOutOfTime, &Limit{Seconds: 10}), limited(StatusOutOfTime, &Limit{Seconds: 600})
	short.Curve = Curve{Cost: map[string][]int64{"iterations": {1}, "sum_kt2": {16}}}
	small := limited(StatusOutOfMemory, &Limit{Memory: 7})
	failed, skipped, ended := failedRun(1, "boom"), limitedRun(1, StatusSkipped, "no program"), testRun(1)
	ways := map[string]func(dir string, runs []Run){
		"one process": func(dir string, runs []Run) { record(t, dir, Options{}, runs...) },
		"one part":    func(dir string, runs []Run) { record(t, dir, Options{Part: "1of2"}, runs...) },
		"a part after the database": func(dir string, runs []Run) {
			record(t, dir, Options{}, runs[0])
			record(t, dir, Options{Part: "1of2"}, runs[1:]...)
		},
		"parts imported one by one": func(dir string, runs []Run) {
			for _, r := range runs {
				record(t, dir, Options{Part: "1of2"}, r)
				record(t, dir, Options{})
			}
		},
	}
	for i, test := range []struct {
		runs []Run
		want Run
	}{
		{[]Run{short, ended}, ended},
		{[]Run{short, long}, long},
		{[]Run{long, short}, long},
		{[]Run{failed, short}, short},
		{[]Run{failed, skipped}, skipped},
		{[]Run{skipped, failed}, failed},
		{[]Run{short, failed, small, long, ended}, ended},
		// If the limits are not comparable, the later record is kept.
		{[]Run{small, long}, long},
	} {
		for way, write := range ways {
			dir := t.TempDir()
			write(dir, test.runs)
			for _, when := range []string{"written", "imported"} {
				e := wantRuns(t, dir, test.want)
				if damage, err := e.Check(); err != nil || damage != nil {
					t.Errorf("%s, %d, %s: damage %q, %v", way, i, when, damage, err)
				}
				s := open(t, dir, Options{})
				got, ok := s.Lookup(ended.Key, ended.Extent)
				if ok != test.want.Completed() || ok && differ(got, test.want) || len(s.Warnings()) > 0 {
					t.Errorf("%s, %d, %s: the store has %s %+v, %v, warnings %q", way, i, when, got.Status, got.Limit, ok, s.Warnings())
				}
				closeStore(t, s)
			}
		}
	}
}

// Different finished records of a run are reported, and the first is kept. Labels and times may differ.
func TestNondeterminism(t *testing.T) {
	t.Parallel()
	other := testRun(1)
	other.Curve.Cost["sum_kt2"][2]++
	relabelled := testRun(2)
	relabelled.Dataset, relabelled.Group, relabelled.Series = "D", "", "S"
	for _, parts := range [][2]string{{"", ""}, {"1of2", "2of2"}, {"", "1of2"}} {
		dir := t.TempDir()
		record(t, dir, Options{Part: parts[0]}, testRun(0), testRun(1), testRun(2))
		s := open(t, dir, Options{Part: parts[1]})
		must(t, s.Add(relabelled, Timing{StepSeconds: 99}))
		if len(s.Warnings()) > 0 {
			t.Errorf("warnings %q", s.Warnings())
		}
		add(t, s, other)
		if len(s.Warnings()) != 1 {
			t.Errorf("warnings %q", s.Warnings())
		}
		closeStore(t, s)
		sameRuns(t, readDir(t, dir).Runs, testRuns(3))
	}
	// A part that was opened before the database had the record.
	dir := t.TempDir()
	a, b := open(t, dir, Options{Part: "1of2"}), open(t, dir, Options{Part: "2of2"})
	add(t, a, testRun(0), testRun(1), testRun(2))
	closeStore(t, a)
	record(t, dir, Options{})
	add(t, b, relabelled, other)
	closeStore(t, b)
	e := readDir(t, dir)
	sameRuns(t, e.Runs, testRuns(3))
	s := open(t, dir, Options{})
	if len(e.Warnings) != 1 || !slices.Equal(s.Warnings(), e.Warnings) {
		t.Errorf("warnings of reader %q and of writer %q", e.Warnings, s.Warnings())
	}
	wantNamed(t, e.Warnings, testRun(1).Key)
	closeStore(t, s)
	wantRuns(t, dir, testRuns(3)...)
}

// Readers see the records of the plan, in its order and with its labels. Other records are kept.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "1of1"} {
		dir := t.TempDir()
		record(t, dir, Options{}, testRun(9), failedRun(1, "boom"), failedRun(8, "bang"), testRun(0))
		plan := planOf(5, 3, 7, 2, 1, 0)
		plan[0].Labels = Labels{Dataset: "D", Series: "S"}
		again := ID{Key: testRun(5).Key, Extent: testRun(5).Extent}
		s := open(t, dir, Options{Part: part})
		must(t, s.SetPlan(append(slices.Clone(plan), again, plan[0])))
		if part == "" {
			if got := s.Plan(); !reflect.DeepEqual(got, append(slices.Clone(plan), again)) {
				t.Errorf("the plan is %v", got)
			}
		}
		add(t, s, testRun(3), testRun(5), testRun(1), failedRun(2, "again"), testRun(4))
		closeStore(t, s)
		five := testRun(5)
		five.Dataset, five.Group, five.Series = "D", "", "S"
		for _, imported := range []bool{false, true} {
			e := wantRuns(t, dir, five, testRun(3), failedRun(2, "again"), testRun(1), testRun(0), testRun(5))
			if e.Planned != 7 {
				t.Errorf("%d runs are planned, want 7", e.Planned)
			}
			missing := 0
			for id, recorded := range e.Plan() {
				if !recorded && id.Key != testRun(7).Key {
					t.Errorf("%v is not on record", id)
				}
				missing += map[bool]int{false: 1}[recorded]
			}
			var outside []string
			for _, r := range e.Completed() {
				if r.Key == testRun(4).Key || r.Key == testRun(9).Key {
					outside = append(outside, r.Key)
				}
			}
			if missing != 1 || len(outside) != 2 || len(e.Completed()) != 6 {
				t.Errorf("imported %v: %d runs are missing, %d completed are outside the plan, %d completed", imported, missing, len(outside), len(e.Completed()))
			}
			record(t, dir, Options{})
		}
	}
}

// An optimum or meta text replaces an earlier one of the same name.
func TestOptimaAndMeta(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, part := range []string{"", "1of1"} {
		s := open(t, dir, Options{Part: part})
		for _, o := range []Optimum{{"a", []byte(`{"f":1.0}`)}, {"b", []byte(`[2]`)}, {"a", []byte(`{"f":"` + part + `"}`)}} {
			must(t, s.AddOptimum(o))
		}
		want := map[string][]byte{"a": []byte(`{"f":"` + part + `"}`), "b": []byte(`[2]`)}
		if got := s.Optima(); !reflect.DeepEqual(got, want) {
			t.Errorf("the optima are %q", got)
		}
		add(t, s, testRun(0))
		closeStore(t, s)
		for range 2 {
			if got := wantRuns(t, dir, testRun(0)).Optima; !reflect.DeepEqual(got, want) {
				t.Errorf("the optima are %q", got)
			}
			record(t, dir, Options{})
		}
	}
	s := open(t, dir, Options{})
	for _, value := range []string{"one", "two\x00\xff"} {
		must(t, s.SetMeta("spec", value))
	}
	closeStore(t, s)
	if got := readDir(t, dir).Meta["spec"]; got != "two\x00\xff" {
		t.Errorf("the spec is %q", got)
	}
	if e := readDir(t, t.TempDir()); len(e.Runs) != 0 || e.Planned != 0 || len(e.Warnings) != 1 {
		t.Errorf("an empty folder has %d runs, warnings %q", len(e.Runs), e.Warnings)
	}
	if _, err := ReadDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder the error is %v", err)
	}
}
