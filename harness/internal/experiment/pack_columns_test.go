package experiment

import (
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
)

// Columns are left out of all series, or of those that are not read for them.
func TestThin(t *testing.T) {
	run := func(series string, columns ...string) record.Run {
		r := record.Run{Series: series}
		r.Curve.Cost = map[string][]int64{record.CostIterations: {1, 2}}
		r.Curve.Metrics = map[string]map[string][]float64{"test": {}}
		for _, c := range columns {
			r.Curve.Metrics["test"][c] = []float64{1, 2}
		}
		return r
	}
	runs := []record.Run{run("a", "error", "hinge", "slant"), run("b", "error", "hinge", "slant"), run("c", "error")}
	left := record.Run{Series: "b", LeftOut: &record.LeftOut{}}
	runs = append(runs, left)
	// Read are the errors of all series and the slant of a.
	same := func(runs []record.Run) bool {
		for _, r := range runs {
			test := r.Curve.Metrics["test"]
			if r.LeftOut == nil && (test["error"] == nil || r.Series == "a" && test["slant"] == nil) {
				return false
			}
		}
		return true
	}
	p := new(packing)
	got := p.thin(runs, same)
	want := []record.Run{run("a", "error", "slant"), run("b", "error"), run("c", "error"), left}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := []string{"test/hinge"}; !slices.Equal(p.about.Dropped, want) {
		t.Errorf("dropped %q of all, want %q", p.about.Dropped, want)
	}
	if want := map[string][]string{"b": {"test/slant"}}; !reflect.DeepEqual(p.about.DroppedOf, want) {
		t.Errorf("dropped %q, want %q", p.about.DroppedOf, want)
	}
	if !reflect.DeepEqual(runs[0], run("a", "error", "hinge", "slant")) {
		t.Error("the runs that were given have changed")
	}
}
