package plots

import (
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestPanelsWithTheCostOfTheGrid(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for c := range 7 {
		r := synth{series: "msg", dataset: "d", rate: 1, last: 100}.run()
		r.Params = record.Params{"step.c": float64(c + 1)}
		runs = append(runs, r)
	}
	choice, err := selection.Choose(runs, selection.Rule{
		By: selection.ByOracle, Metric: "suboptimality", Over: selection.OverFinal, Tune: []string{"step.c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Choice: choice}
	fig := Figure{ID: "f", Panels: []Panel{{}, {Tuned: "grid"}}}
	c := composed(t, fig, in)
	for i, want := range []struct {
		label string
		end   float64
	}{{"Iterations", 100}, {"Iterations, summed over the grid", 700}} {
		p := c.Panels[i][0]
		var end float64
		for _, cv := range p.Curves {
			end = cv.X[len(cv.X)-1]
		}
		if string(p.X.Label) != want.label || end != want.end {
			t.Errorf("panel %d: %q up to %v, want %q up to %v", i, p.X.Label, end, want.label, want.end)
		}
	}
	const flag = "oracle selection: the parameters were chosen by the suboptimality shown"
	others := Figure{ID: "f", Panels: []Panel{{Y: "rank"}, {Split: "validation"}, {Series: []string{"oja"}}}}
	if d := composed(t, others, in); !slices.Contains(c.Notes, flag) || slices.Contains(d.Notes, flag) {
		t.Errorf("notes %q and %q", c.Notes, d.Notes)
	}
	single := in
	single.Choice, err = selection.Choose(runs[:1], choice.Rule)
	if d := composed(t, fig, single); err != nil || slices.Contains(d.Notes, flag) {
		t.Errorf("one candidate: %v, %q", err, d.Notes)
	}
	for columns, want := range map[string]bool{"final_suboptimality": true, "mean_rank": false} {
		if g := Build(Table{ID: "t", Columns: []string{columns}}, in); slices.Contains(g.Remarks, flag) != want {
			t.Errorf("%s: remarks %q", columns, g.Remarks)
		}
	}
	in.Choice = selection.All(runs)
	if c := composed(t, fig, in); len(c.Panels[1][0].Curves) != 0 {
		t.Error("a choice without a grid has curves with its cost")
	}
}

// gridRun returns a run of a candidate with suboptimality v on the validation split and test at the end on the test
// split, after 10 iterations of the given number of operations.
func gridRun(c float64, repeat int, v, test float64, operations int64) record.Run {
	r := singleCandidate("msg", v)
	r.Repeat, r.Params = repeat, record.Params{"step.c": c}
	r.Curve.Cost["sum_kt2"] = []int64{operations, 10 * operations}
	r.Curve.Metrics["test"]["suboptimality"] = []float64{1, test}
	return r
}

// singleCandidate returns a run of a series without a grid.
func singleCandidate(series string, v float64) record.Run {
	return record.Run{
		Task: "pca", Dataset: "d", Series: series, Algorithm: series, Status: record.StatusFinished, Reason: "budget",
		Params: record.Params{"step.c": 1.0},
		Curve: record.Curve{Cost: map[string][]int64{"iterations": {1, 10}}, Metrics: map[string]map[string][]float64{
			"validation": {"suboptimality": {v, v}}, "test": {"suboptimality": {0.5, 0.5}},
		}},
	}
}

func choiceOf(t *testing.T, runs ...record.Run) *selection.Choice {
	t.Helper()
	choice, err := selection.Choose(runs, selection.Rule{
		By: selection.ByValidation, Metric: "suboptimality", Over: selection.OverCurve, Tune: []string{"step.c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return choice
}

func TestGridCostIsASum(t *testing.T) {
	t.Parallel()
	diverged := gridRun(8, 0, 0, 0, 7)
	diverged.Status, diverged.Reason = record.StatusDiverged, "inf"
	diverged.Curve.Cost = map[string][]int64{"iterations": {1, 4}, "sum_kt2": {7, 28}}
	s := choiceOf(t,
		gridRun(1, 0, 0.3, 0.5, 2), gridRun(2, 0, 0.1, 0.4, 3), diverged,
		gridRun(1, 1, 0.3, 0.5, 20), gridRun(2, 1, 0.1, 0.4, 30), gridRun(8, 1, 0, 0, 70),
		gridRun(1, 2, 0.3, 0.5, 20), gridRun(2, 2, 0.1, 0.4, 30), // without the third candidate
		singleCandidate("incremental", 0.7),
	)
	got := withGridCost(s)
	want := []map[string][]int64{
		{"iterations": {1 + 1 + 1, 10 + 10 + 4}, "sum_kt2": {2 + 3 + 7, 20 + 30 + 28}},
		{"iterations": {3, 30}, "sum_kt2": {120, 1200}},
		{"iterations": {1, 10}}, // a single candidate
	}
	if len(got) != len(want) {
		t.Fatalf("%d runs, want %d", len(got), len(want))
	}
	for i, r := range got {
		if !reflect.DeepEqual(r.Curve.Cost, want[i]) {
			t.Errorf("%s costs %v, want %v", r.Name(), r.Curve.Cost, want[i])
		}
	}
	for _, r := range s.Runs() {
		if n := r.Curve.Cost["iterations"]; n[len(n)-1] != 10 {
			t.Errorf("withGridCost changed the record of %s: %v", r.Name(), n)
		}
	}
}
