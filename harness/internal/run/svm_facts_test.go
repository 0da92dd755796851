package run

import (
	"maps"
	"slices"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/plantest"
)

// Only runs on a distribution with a reference classifier record its losses.
func TestFactsOfTheReferenceClassifier(t *testing.T) {
	t.Parallel()
	data := clouds(t, 60, 30, 1)
	known := *data
	known.Hash, known.Reference = "sha256:known", &datasets.Reference{W: []float64{3, 4}, Norm: 5, HingeLoss: 0.25, ZeroOne: 0.125}
	p := plantest.Build(t, svmSweep, map[string]*datasets.Data{"a": &known, "b": data})
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	seen := 0
	for _, r := range f.runs(t, p) {
		want := map[string]float64{}
		if r.Dataset == "a" {
			want = map[string]float64{"u_norm": 5, "l_star": 0.25, "u_error": 0.125}
			seen++
		}
		got := maps.Clone(r.Facts)
		maps.DeleteFunc(got, func(name string, _ float64) bool {
			return !slices.Contains([]string{"u_norm", "l_star", "u_error"}, name)
		})
		if !maps.Equal(got, want) {
			t.Errorf("%s: the facts are %v, want %v", r.Name(), got, want)
		}
	}
	if seen == 0 {
		t.Error("no runs on the dataset with a reference classifier")
	}
}
