package record

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// seeded is testRun(i) of an experiment with another seed.
func seeded(i int, seed uint64) Run {
	r := testRun(i)
	r.Seed = seed
	r.Key = Key(map[string]any{"run": i, "seed": seed})
	return r
}

func idsOf(runs ...Run) []ID {
	var ids []ID
	for _, r := range runs {
		ids = append(ids, r.ID())
	}
	return ids
}

func read(t *testing.T, dir string) *Experiment {
	t.Helper()
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantRead checks what ReadDir finds.
func wantRead(t *testing.T, dir string, planned int, want ...Run) *Experiment {
	t.Helper()
	e := read(t, dir)
	if len(e.Runs) != len(want) {
		t.Fatalf("read %d runs, want %d", len(e.Runs), len(want))
	}
	for i, r := range e.Runs {
		if string(mustEncode(t, r)) != string(mustEncode(t, want[i])) {
			t.Errorf("run %d is %s, seed %d, want %s, seed %d", i, r.Name(), r.Seed, want[i].Name(), want[i].Seed)
		}
	}
	if e.Planned != planned || len(e.Warnings) != 0 {
		t.Errorf("planned %d, want %d; warnings %q", e.Planned, planned, e.Warnings)
	}
	return e
}

// A whole experiment, then one shard of the same with another seed, in one
// folder: readers see the second only, and nothing of the first is lost.
func TestShardWithAnotherSeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var first, second []Run
	for i := range 4 {
		first, second = append(first, testRun(i)), append(second, seeded(i, 7))
	}
	s := open(t, dir, Options{})
	appendRuns(t, s, first...)
	if err := s.Compact(idsOf(first...)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	wantRead(t, dir, 4, first...)

	// Both shards are at work; shard 2 is done with one run of its two.
	a, b := open(t, dir, Options{Shared: true}), open(t, dir, Options{Shared: true})
	for _, s := range []*Store{a, b} {
		if err := s.SetPlan(idsOf(second...)); err != nil {
			t.Fatal(err)
		}
	}
	if e := read(t, dir); len(e.Runs) != 0 || e.Planned != 4 {
		t.Errorf("before the first run, read %d runs, %d planned", len(e.Runs), e.Planned)
	} else {
		wantWarning(t, e.Warnings, "no records yet")
	}
	appendRuns(t, a, second[2], second[0])
	appendRuns(t, b, second[3])
	a.Close()
	b.Close()
	e := wantRead(t, dir, 4, second[0], second[2], second[3])
	if sum := Summarise(e); sum.Runs != 3 || sum.Finished != 3 || sum.StepSeconds != 0.125 {
		t.Errorf("got %+v", sum)
	}
	var done []string
	for _, id := range e.Completed() {
		done = append(done, id.Key)
	}
	for _, r := range append(slices.Clone(first), second[0], second[2], second[3]) {
		if !slices.Contains(done, r.Key) {
			t.Errorf("%s, seed %d, is not among the completed", r.Name(), r.Seed)
		}
	}
	if len(done) != 7 {
		t.Errorf("%d completed, want 7", len(done))
	}

	// Back to the first seed: its records are there, the journals of the second
	// stay out of sight.
	a = open(t, dir, Options{Shared: true})
	if err := a.SetPlan(idsOf(first...)); err != nil {
		t.Fatal(err)
	}
	a.Close()
	wantRead(t, dir, 4, first...)

	// Assembled, the second is complete but for the run that nobody did.
	s = open(t, dir, Options{})
	if err := s.Compact(idsOf(second...)); err != nil {
		t.Fatal(err)
	}
	wantRead(t, dir, 4, second[0], second[2], second[3])
	if got, want := readFile(t, dir, RunsFile), lines(t, second[0], second[2], second[3]); got != want {
		t.Errorf("runs are\n%s\nwant\n%s", got, want)
	}
	if n := strings.Count(readFile(t, dir, ArchiveFile), "\n"); n != 4 {
		t.Errorf("%d runs archived, want 4", n)
	}
}

// The plan's records are found in each kind of file, with the plan's labels.
func TestReadDirFollowsPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := testRun(9)
	broken.Curve.Cost["sum_kt2"] = []int64{1, 2, 3}
	other := testRun(4)
	other.Curve.Cost["sum_kt2"] = []int64{1, 2, 3}
	writeFile(t, dir, RunsFile, lines(t, testRun(0), failedRun(1, "boom"), failedRun(2, "bang"), testRun(9)))
	writeFile(t, dir, ArchiveFile, lines(t, testRun(3), testRun(4)))
	writeFile(t, dir, "journal-1-0.jsonl", journalLine(t, testRun(5), testTiming(5))+journalLine(t, testRun(1), testTiming(1))+
		journalLine(t, testRun(6), testTiming(6))+journalLine(t, broken, testTiming(9))+journalLine(t, failedRun(7, "again"), testTiming(7))+journalLine(t, testRun(3), testTiming(3)))
	s := open(t, dir, Options{Shared: true})
	plan := planOf(5, 3, 8, 2, 1, 7, 0)
	plan[0].Labels = Labels{Dataset: "D", Series: "S"}
	plan = append(plan, ID{Key: testRun(5).Key, Extent: testRun(5).Extent}, plan[0])
	if err := s.SetPlan(plan); err != nil {
		t.Fatal(err)
	}
	s.Close()
	five := testRun(5)
	five.Dataset, five.Group, five.Series = "D", "", "S"
	before := snapshot(t, dir)
	// Run 8 is not done, and what is wrong with 9 is not of the plan; run 5 has
	// two names.
	e := wantRead(t, dir, 8, five, testRun(3), failedRun(2, "bang"), testRun(1), failedRun(7, "again"), testRun(0), testRun(5))
	for _, i := range []int{5, 3, 1} {
		if tm, ok := e.Timings().Of(testRun(i)); !ok || tm.StepSeconds != testTiming(i).StepSeconds || tm.Tool != testTiming(i).Tool {
			t.Errorf("run %d: timing %v, %v", i, tm, ok)
		}
	}
	if n := len(e.Completed()); n != 8 {
		t.Errorf("%d completed, want 8: five, under two names, and 3, 1, 0, 4, 6, 9", n)
	}
	if !reflect.DeepEqual(before, snapshot(t, dir)) {
		t.Error("reading changed the folder")
	}
	// Of a run of the plan it is said that it is not deterministic.
	writeFile(t, dir, "journal-2-0.jsonl", journalLine(t, other, testTiming(4)))
	s = open(t, dir, Options{Shared: true})
	if err := s.SetPlan(planOf(4)); err != nil {
		t.Fatal(err)
	}
	wantWarning(t, read(t, dir).Warnings, testRun(4).Key, "not deterministic")
}

func TestSetPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{Shared: true})
	plan := []ID{
		{Key: "a", Extent: "10/log:2", Labels: Labels{Dataset: "d<1>", Group: "g", Series: "s\né"}},
		{Key: "b", Extent: "20/log:2"},
		{Key: "a", Extent: "10/log:2", Labels: Labels{Series: "other"}},
	}
	if err := s.SetPlan(append(slices.Clone(plan), plan[1])); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, line := range []string{
		`{"key":"a","extent":"10/log:2","dataset":"d<1>","group":"g","series":"s\né"}`,
		`{"key":"b","extent":"20/log:2"}`,
		`{"key":"a","extent":"10/log:2","series":"other"}`,
	} {
		want += string(Seal([]byte(line))) + "\n"
	}
	if got := readFile(t, dir, PlanFile); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, err := readFolder(dir, readIndex(dir))
	if err != nil || !c.hasPlan || !reflect.DeepEqual(c.plan, plan) {
		t.Errorf("read back %v, %v", c.plan, err)
	}

	// What is there already is not written again, by Compact neither.
	path := filepath.Join(dir, PlanFile)
	past := time.Date(2013, 7, 19, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPlan(plan); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, dir, Options{})
	if err := s.Compact(plan); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("an equal plan was written again: %v, %v", info, err)
	}
	if got := files(t, dir); !reflect.DeepEqual(got, []string{PlanFile, RunsFile, TimingsFile}) {
		t.Errorf("files %v", got)
	}

	// An empty plan is a plan.
	if err := s.SetPlan(nil); err != nil {
		t.Fatal(err)
	}
	if c, err := readFolder(dir, readIndex(dir)); err != nil || !c.hasPlan || len(c.plan) != 0 {
		t.Errorf("read back %v, %v, %v", c.plan, c.hasPlan, err)
	}

	for _, test := range []struct {
		id   ID
		want string
	}{
		{ID{Extent: "e"}, "key is empty"},
		{ID{Key: "k"}, "extent is empty"},
		{ID{Key: "k", Extent: "e", Labels: Labels{Series: "\xff"}}, `series "\xff" is not valid UTF-8`},
	} {
		wantError(t, s.SetPlan([]ID{plan[0], test.id}), "entry 1 of the plan", test.want)
		wantError(t, s.Compact([]ID{test.id}), "entry 0 of the plan", test.want)
	}
	if got := readFile(t, dir, PlanFile); got != "" {
		t.Errorf("a bad plan was written: %q", got)
	}
	s.Close()
	wantError(t, s.SetPlan(plan), "is closed")
	open(t, dir, Options{Fresh: true})
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("fresh left %v", got)
	}
}

// Half a plan is none: its records are not taken for all.
func TestBrokenPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, RunsFile, lines(t, testRun(0), testRun(1)))
	sealed := func(object string) string { return string(Seal([]byte(object))) }
	good := sealed(`{"key":"` + testRun(0).Key + `","extent":"100/log:3"}`)
	for _, test := range []struct {
		name, content string
		line          string
		want          string
	}{
		{"torn", good + "\n" + good[:30], ":2:", "its checksum is missing"},
		{"torn at the end", good + "\n" + good[:len(good)-1], ":2:", "its checksum is missing"},
		{"damaged", strings.Replace(good, "100/", "101/", 1) + "\n", ":1:", "its checksum is"},
		{"garbage", "garbage\n" + good + "\n", ":1:", "its checksum is missing"},
		{"zeros", good + "\n\x00\x00\x00", ":2:", "its checksum is missing"},
		{"unknown field", sealed(`{"key":"a","extent":"b","seed":1}`) + "\n", ":1:", "unknown field"},
		{"no key", sealed(`{"extent":"b"}`) + "\n", ":1:", "key is empty"},
	} {
		writeFile(t, dir, PlanFile, test.content)
		e := read(t, dir)
		if len(e.Runs) != 2 || e.Planned != 0 || len(e.Warnings) != 1 {
			t.Errorf("%s: %d runs, %d planned, warnings %q", test.name, len(e.Runs), e.Planned, e.Warnings)
		}
		wantWarning(t, e.Warnings, filepath.Join(dir, PlanFile)+test.line, "the plan is ignored", test.want)
	}
	s := open(t, dir, Options{})
	wantWarning(t, s.Warnings(), "moved to damaged.jsonl", "the plan is written anew")
	if err := s.Compact(planOf(1)); err != nil {
		t.Fatal(err)
	}
	wantRead(t, dir, 1, testRun(1))
}
