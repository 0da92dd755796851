package record

import (
	"reflect"
	"testing"
)

// The columns of a run are those of its curve.
func TestColumnsAreThoseOfTheCurve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0), kernelRun(1), sparseRun(2), failedRun(3, "boom"))
	runs := readDir(t, dir).Runs
	for i := range runs {
		r := &runs[i]
		c, is := r.Measured(), r
		for _, counter := range []string{CostIterations, "sum_kt2", "nothing", CostKernelEvalsMoved} {
			if is.Counts(counter) != c.Counts(counter) {
				t.Errorf("%s: counts %s: %v, want %v", r.Name(), counter, is.Counts(counter), c.Counts(counter))
			}
		}
		for _, split := range []string{"test", "state", "train"} {
			for _, metric := range []string{"suboptimality", "rank", "support", "error"} {
				if got, want := is.Records(split, metric), len(c.Metrics[split][metric]) > 0; got != want {
					t.Errorf("%s: records %s on %s: %v, want %v", r.Name(), metric, split, got, want)
				}
			}
		}
	}
	own := testRun(1)
	own.Curve.Cost = map[string][]int64{"iterations": {0, 5}, "inner_products": {0, 0}, CostKernelEvals: {0, 7}}
	want := map[string]bool{"iterations": true, "inner_products": false, CostKernelEvals: true}
	if got := own.Columns(); !reflect.DeepEqual(got.Costs, want) || !own.Counts(CostKernelEvalsMoved) {
		t.Errorf("costs %v, want %v", got.Costs, want)
	}
}
