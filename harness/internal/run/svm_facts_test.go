package run

import (
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/plantest"
)

// Runs on a distribution with a known classifier record its losses, and no other
// runs do.
func TestFactsOfTheReferenceClassifier(t *testing.T) {
	t.Parallel()
	data := clouds(t, 60, 30, 1)
	known := *data
	known.Hash, known.Reference = "sha256:known", &datasets.Reference{W: []float64{3, 4}, Norm: 5, HingeLoss: 0.25, ZeroOne: 0.125}
	p := plantest.Build(t, svmSweep, map[string]*datasets.Data{"a": &known, "b": data})
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	for _, c := range []struct {
		dataset string
		want    map[string]float64
	}{
		{"a", map[string]float64{"u_norm": 5, "l_star": 0.25, "u_error": 0.125}},
		{"b", nil},
	} {
		seen := 0
		for series, runs := range f.byAlgorithm(t, p, c.dataset) {
			for _, r := range runs {
				seen++
				for _, name := range []string{"u_norm", "l_star", "u_error"} {
					got, ok := r.Facts[name]
					if want, known := c.want[name]; got != want || ok != known {
						t.Errorf("%s %s: the fact %s is %v (%v), want %v (%v)", c.dataset, series, name, got, ok, want, known)
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("no runs on %s", c.dataset)
		}
	}
}
