package record

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What the index says that a curve has on record is what the curve says.
func TestColumnsAreThoseOfTheCurve(t *testing.T) {
	dir := indexedFolder(t, 4)
	for _, read := range []func(string) (*Experiment, error){ReadDir, ReadDir, ReadWithoutIndex} {
		e, err := read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Runs {
			r := &e.Runs[i]
			c, is := r.Measured(), r.Columns()
			if want := columnsOf(c); is != want {
				t.Errorf("%s: %+v, want %+v", r.Name(), is, want)
			}
			for _, counter := range []string{CostIterations, "sum_kt2", "nothing", CostKernelEvalsMoved} {
				if is.Counts(counter) != c.Counts(counter) {
					t.Errorf("%s: counts %s: %v, want %v", r.Name(), counter, is.Counts(counter), c.Counts(counter))
				}
			}
			for _, split := range []string{"test", "state", "train"} {
				for _, metric := range []string{"suboptimality", "rank", "support"} {
					if got, want := is.Records(split, metric), len(c.Metrics[split][metric]) > 0; got != want {
						t.Errorf("%s: records %s on %s: %v, want %v", r.Name(), metric, split, got, want)
					}
				}
			}
		}
	}
	own := testRun(1)
	own.Curve.Cost = map[string][]int64{"iterations": {0, 5}, "inner_products": {0, 0}, CostKernelEvals: {0, 7}}
	want := map[string]bool{"iterations": true, "inner_products": false, CostKernelEvals: true}
	if got := own.Columns(); !reflect.DeepEqual(got.Costs, want) || !got.Counts(CostKernelEvalsMoved) {
		t.Errorf("costs %v, want %v", got.Costs, want)
	}
}

func TestSameLine(t *testing.T) {
	dir := indexedFolder(t, 3)
	other := t.TempDir()
	for _, name := range []string{RunsFile, PlanFile, TimingsFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, other, name, string(data))
	}
	a, errA := ReadDir(dir)
	b, errB := ReadDir(other)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for i := range a.Runs {
		for j := range b.Runs {
			if got := SameLine(&a.Runs[i], &b.Runs[j]); got != (i == j) {
				t.Errorf("runs %d and %d on the same line: %v", i, j, got)
			}
		}
	}
	own := testRun(0)
	if SameLine(&own, &own) {
		t.Error("a run in memory is on a line")
	}
}

func TestFinder(t *testing.T) {
	var runs []Run
	for i := range 500 {
		r := testRun(i % 400)
		if i >= 450 {
			r.Extent = "other"
		}
		runs = append(runs, r)
	}
	f := NewFinder(0, func(i int) (string, string) { return runs[i].Key, runs[i].Extent })
	for i := range runs {
		want := i
		if 400 <= i && i < 450 {
			want = i - 400 // it is there already
		}
		if got := f.Add(i); got != want {
			t.Errorf("place %d added as %d, want %d", i, got, want)
		}
	}
	for i, r := range runs {
		want := i
		if 400 <= i && i < 450 {
			want = i - 400
		}
		if got := f.Find(r.Key, r.Extent); got != want {
			t.Errorf("run %d found at %d, want %d", i, got, want)
		}
	}
	if got := f.Find(runs[0].Key, "none"); got != -1 {
		t.Errorf("found at %d what is not there", got)
	}
}
