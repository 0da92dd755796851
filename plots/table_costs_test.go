package plots

import (
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

func TestCostsAreThoseOnRecord(t *testing.T) {
	t.Parallel()
	in := svmInput(2)
	in.Choice = selection.All(filter(in.Choice.Runs(), func(r *record.Run) bool { return r.Dataset == "adult" && (r.Series == "sbp" || r.Series == "rff") }))
	lost, _ := svmSynth{series: "sbp", dataset: "adult", repeat: 9, start: 0.5, floor: 0.15, rate: 0.5, perStep: svmRows}.run()
	lost.Status = record.StatusFailed
	g := Costs(append(slices.Clone(in.Choice.Runs()), lost), in)
	at := func(row int, id string) Cell {
		i := slices.IndexFunc(g.Columns, func(c Column) bool { return c.ID == id })
		if i < 0 {
			t.Fatalf("no column %s in %v", id, g.Columns)
		}
		return g.Rows[row][i]
	}
	if len(g.Rows) != 2 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	for row, series := range []string{"sbp", "rff"} {
		own := filter(in.Choice.Runs(), func(r *record.Run) bool { return r.Series == series })
		var inner, seconds float64
		for i := range own {
			c := own[i].Curve.Cost["inner_products"]
			inner += float64(c[len(c)-1]) / float64(len(own))
			s, _ := own[i].Timing()
			seconds += s.StepSeconds
		}
		if at(row, "series").Value != series || at(row, "inner_products").Value != words.Exact(inner) || at(row, "runs_selected").Value != "2" {
			t.Errorf("row %d: %+v, want %s with %v inner products", row, g.Rows[row], series, inner)
		}
		if at(row, "total_seconds").Value != words.Exact(seconds) {
			t.Errorf("row %d: %s seconds, want %v", row, at(row, "total_seconds").Value, seconds)
		}
	}
	if got := at(0, "runs").Text; got != "2 + 1 failed" {
		t.Errorf("runs %q", got)
	}
	if at(1, "kernel_evals") != missing {
		t.Errorf("a method without a kernel has %v kernel evaluations", at(1, "kernel_evals"))
	}
	if slices.ContainsFunc(g.Columns, func(c Column) bool { return c.ID == "sum_kt2" }) {
		t.Error("there is a column of a counter that applies to no run")
	}
}
