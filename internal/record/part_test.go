package record

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// partsOf returns the paths of the parts of a folder, relative to it.
func partsOf(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, name := range filesOf(t, filepath.Join(dir, PartsFolder)) {
		if name != PartsPlanFile {
			names = append(names, filepath.Join(PartsFolder, name))
		}
	}
	return names
}

// Each process of a shard writes only its own file and needs no lock.
func TestPartsHaveSeparateFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0))
	before := readFile(t, dir, DatabaseFile)
	writer := open(t, dir, Options{})
	a, b := open(t, dir, Options{Part: "1of2"}), open(t, dir, Options{Part: "1of2"})
	must(t, a.SetPlan(planOf(0, 1, 2)))
	add(t, a, testRun(1))
	add(t, b, testRun(2), testRun(1))
	names := partsOf(t, dir)
	if len(names) != 2 {
		t.Fatalf("the parts are %q", names)
	}
	if _, ok := b.Lookup(testRun(0).Key, testRun(0).Extent); !ok {
		t.Error("a part does not see the runs of the database")
	}
	wantRuns(t, dir, testRun(0), testRun(1), testRun(2))
	closeStore(t, writer)
	closeStore(t, a)
	closeStore(t, b)
	if readFile(t, dir, DatabaseFile) != before {
		t.Error("a part wrote to the database")
	}
}

// An incomplete last line is ignored until it is complete.
func TestTornLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{Part: "1of1"}, testRuns(3)...)
	name := partsOf(t, dir)[0]
	text := readFile(t, dir, name)
	last := strings.LastIndex(text[:len(text)-1], "\n") + 1
	for _, at := range []int{last + 1, len(text) - 1} {
		writeFile(t, dir, name, text[:at])
		wantRuns(t, dir, testRuns(2)...)
		if s := open(t, dir, Options{}); len(s.Warnings()) > 0 {
			t.Errorf("warnings %q", s.Warnings())
		} else {
			closeStore(t, s)
		}
		wantRuns(t, dir, testRuns(2)...)
	}
	writeFile(t, dir, name, text)
	wantRuns(t, dir, testRuns(3)...)
	record(t, dir, Options{})
	must(t, os.Remove(filepath.Join(dir, name)))
	wantRuns(t, dir, testRuns(3)...)
}

// A damaged line is reported with file and line; all other lines are read.
func TestDamagedLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{Part: "1of1"}, testRuns(3)...)
	name := partsOf(t, dir)[0]
	lines := strings.SplitAfter(readFile(t, dir, name), "\n")
	for _, spoiled := range []string{
		strings.Replace(lines[1], `"repeat":0`, `"repeat":1`, 1), "no\xff UTF-8\n", string(Seal([]byte(`{"a":1}`))) + "\n",
		string(Seal([]byte(`{"timing":{}}`))) + "\n", lines[1][:50] + "\n",
	} {
		writeFile(t, dir, name, lines[0]+"\n"+spoiled+lines[2])
		e := readDir(t, dir)
		sameRuns(t, e.Runs, []Run{testRun(0), testRun(2)})
		if e.Damaged != 1 || len(e.Warnings) != 1 {
			t.Errorf("%q: %d damaged, warnings %q", spoiled, e.Damaged, e.Warnings)
		}
		wantNamed(t, e.Warnings, filepath.Join(dir, name)+":3: ")
	}
	s := open(t, dir, Options{})
	wantNamed(t, s.Warnings(), name+":3: ")
	add(t, s, testRun(1))
	closeStore(t, s)
	wantRuns(t, dir, testRun(0), testRun(2), testRun(1))
}

// Importing parts again changes nothing, and parts may grow between imports.
func TestImportIsIdempotent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir, Options{Part: "1of2"}), open(t, dir, Options{Part: "2of2"})
	want := testRuns(5)
	must(t, b.SetPlan(idsOf(want)))
	for i := range want {
		add(t, []*Store{a, b}[i%2], want[i])
		if i%2 == 0 { // in both parts
			add(t, a, want[i])
			add(t, b, want[i])
		}
		if i == 2 {
			must(t, a.AddOptimum(Optimum{"o", []byte("1")}))
		}
		wantRuns(t, dir, want[:i+1]...)
		record(t, dir, Options{})
		wantRuns(t, dir, want[:i+1]...)
		first, _ := snapshotOf(dir)
		record(t, dir, Options{})
		if again, _ := snapshotOf(dir); !reflect.DeepEqual(again, first) {
			t.Fatal("importing parts again changes the database")
		}
	}
	closeStore(t, a)
	closeStore(t, b)
	e := wantRuns(t, dir, want...)
	if damage, err := e.Check(); err != nil || damage != nil || string(e.Optima["o"]) != "1" {
		t.Errorf("damage %q, %v, optima %q", damage, err, e.Optima)
	}
}

// The shared plan of the parts is the plan of the folder before and after the import, even if all runs
// are recorded. A part without records has no file. SetPlan removes the plan of the parts.
func TestPlanOfParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0))
	for _, test := range []struct {
		plan, added []int
		parts       int
		want        []int
	}{{[]int{2, 0, 1}, nil, 0, []int{0}}, {[]int{2, 0, 1}, []int{2, 5}, 1, []int{2, 0}}, {[]int{5, 0}, nil, 1, []int{5, 0}}} {
		plan, runs := planOf(test.plan...), []Run{}
		for i := range plan {
			plan[i].Labels = Labels{Dataset: "d<1>", Group: "g", Series: "s\né"}
		}
		for _, i := range test.want {
			runs = append(runs, testRun(i).relabelled(plan[0].Labels))
		}
		s := open(t, dir, Options{Part: "1of2"})
		must(t, s.SetPlan(plan))
		for _, i := range test.added {
			add(t, s, testRun(i))
		}
		closeStore(t, s)
		if n := len(partsOf(t, dir)); n != test.parts {
			t.Errorf("%d files of parts, want %d", n, test.parts)
		}
		check := func(when string) {
			t.Helper()
			if e := wantRuns(t, dir, runs...); e.Planned != len(plan) {
				t.Errorf("%s: %d runs are planned, want %d", when, e.Planned, len(plan))
			}
		}
		check("in parts")
		s = open(t, dir, Options{})
		if got := s.Plan(); !reflect.DeepEqual(got, plan) {
			t.Errorf("the plan is %v", got)
		}
		check("imported")
		must(t, s.SetPlan(plan))
		closeStore(t, s)
		check("set")
		if slices.Contains(filesOf(t, filepath.Join(dir, PartsFolder)), PartsPlanFile) {
			t.Error("the plan of the parts was not removed")
		}
	}
}

// A plan with a damaged line is ignored and reported: an incomplete plan would hide records.
func TestDamagedPlanOfParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, Options{Part: "1of1"})
	must(t, s.SetPlan(planOf(1, 0)))
	add(t, s, testRuns(3)...)
	closeStore(t, s)
	name := filepath.Join(PartsFolder, PartsPlanFile)
	text := readFile(t, dir, name)
	first := strings.Index(text, "\n") + 1
	for _, test := range []struct{ content, place string }{
		{text[:first+30], ":2: "}, {text[:len(text)-2], ":2: "}, {strings.Replace(text, "100/", "101/", 1), ":1: "},
		{"garbage\n" + text, ":1: "}, {text + "\x00", ":3: "}, {text[:first] + string(Seal([]byte(`{"key":"a","extent":"b","seed":1}`))), ":2: "},
	} {
		writeFile(t, dir, name, test.content)
		e := readDir(t, dir)
		sameRuns(t, e.Runs, testRuns(3))
		if e.Planned != 0 || e.Damaged != 1 {
			t.Errorf("%q: %d planned, %d damaged", test.content, e.Planned, e.Damaged)
		}
		wantNamed(t, e.Warnings, filepath.Join(dir, name)+test.place)
	}
}
