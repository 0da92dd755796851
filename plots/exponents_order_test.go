package plots

import (
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// Of settings that cost the same the one with the least of what the law is of counts,
// in whatever order the runs come.
func TestExponentsDoNotDependOnTheOrderOfRuns(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for _, radius := range []float64{2, 3, 4, 6} {
		for _, lambda := range []float64{0.1, 1, 10} {
			r := powerLaw{series: "sgd", q: 2, p: 1}.run(radius, 200, lambda, 0, 1)
			if lambda != 1 {
				support := r.Curve.Metrics["state"]["support"]
				for i := range support {
					support[i] *= math.Pow(radius, lambda/10)
				}
			}
			runs = append(runs, r)
		}
	}
	table := boundsTable()
	fit := func(runs []record.Run) stats.Law {
		all, err := table.PowerLaws().Observe("s_norm", []string{"sgd"}, runs)
		if err != nil {
			t.Fatal(err)
		}
		law, err := stats.FitPowerLaw(len(all[0].Points[0].X), all[0].Points)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	want := fit(slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Params["lambda"] != 1.0 }))
	for range 3 {
		slices.Reverse(runs)
		runs = append(runs[5:], runs[:5]...)
		law := fit(runs)
		// Sums in another order round differently.
		if got, w := law.Exponents[0], want.Exponents[0]; math.Abs(got.Value-w.Value)+math.Abs(got.Lo-w.Lo)+math.Abs(got.Hi-w.Hi) > 1e-9 {
			t.Errorf("exponent %v, want %v", got, w)
		}
	}
}
