package plots

import (
	"math"
	"strconv"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// The support at which a target is reached grows with 1/epsilon^2 and R^2 by
// construction: error = R / sqrt(support), on a curve and on single classifiers.
func TestExponentsOfTheSupport(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for _, radius := range []float64{1, 2, 4, 8} {
		var support, errors []float64
		for s := 1.0; s < 3e5; s *= 1.05 {
			support, errors = append(support, s), append(errors, radius/math.Sqrt(s))
		}
		r := record.Run{
			Schema: record.Schema, Key: "curve" + words.Exact(radius), Extent: "e", Task: "svm-sparse", Dataset: "d", Series: "sparsify", Algorithm: "sparsify", Version: 1,
			Params: record.Params{"eta": 1.0}, Status: record.StatusFinished,
			Rows: map[string]int64{"train": 1000}, Facts: map[string]float64{"reference_norm": radius},
		}
		r.Curve.Cost = map[string][]int64{"iterations": make([]int64, len(support)), "kernel_evals": make([]int64, len(support))}
		for i := range support {
			r.Curve.Cost["iterations"][i] = int64(i + 1)
			r.Curve.Cost["kernel_evals"][i] = int64(1000 * (i + 1))
		}
		r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": errors}, "state": {"support": support}}
		runs = append(runs, r)
		for i, s := range support {
			one := r
			one.Key, one.Series, one.Algorithm, one.Params = "one"+words.Exact(radius)+words.Exact(s), "cpsp", "cpsp", record.Params{"basis": s}
			one.Curve = record.Curve{
				Cost:    map[string][]int64{"iterations": {1}, "kernel_evals": {1}},
				Metrics: map[string]map[string][]float64{"test": {"error": errors[i : i+1]}, "state": {"support": support[i : i+1]}},
			}
			runs = append(runs, one)
		}
	}
	table := Table{
		ID: "tab-bounds", Kind: KindExponents, Columns: []string{"in_epsilon", "in_r", "observations"},
		Exponents: []observe.Exponent{
			{ID: "in_epsilon", Over: observe.OverEpsilon, With: []string{"reference_norm"}, Cost: observe.CostSupport, Targets: []float64{0.4, 0.2, 0.1, 0.05}},
			{ID: "in_r", Over: "reference_norm", With: []string{observe.OverEpsilon}, Cost: observe.CostSupport, Targets: []float64{0.4, 0.2, 0.1, 0.05}},
		},
	}
	g := Build(table, Input{Catalog: listed, Choice: selection.All(runs)})
	if len(g.Rows) != 2 || g.Columns[2].Title != "Measured exponent of R in support vectors" {
		t.Fatalf("%+v", g)
	}
	for _, row := range g.Rows {
		for _, c := range row[1:3] {
			if v, err := strconv.ParseFloat(c.Value, 64); err != nil || v < 1.95 || v > 2.05 {
				t.Errorf("%s: exponent %+v, want 2", row[0].Text, c)
			}
		}
		if row[3].Value != "16" {
			t.Errorf("%s: %+v", row[0].Text, row[3])
		}
	}
}
