package cli

import (
	"fmt"
	"slices"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/plots"
)

// Cells that are too many for one figure make several.
func TestCompareOverlaySheets(t *testing.T) {
	run := record.Run{
		Schema: record.Schema, Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished,
		Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": {1, 10}},
			Metrics: map[string]map[string][]float64{"test": {"suboptimality": {0.5, 0.25}}},
		},
	}
	r := &compare.Report{Cells: []compare.Cell{{Experiment: "same", Verdict: compare.Identical, Base: []*record.Run{&run}, Cand: []*record.Run{&run}}}}
	for i := range plots.MaxOverlayPairs + 1 {
		r.Cells = append(r.Cells, compare.Cell{
			Experiment: "many", Dataset: "d", Series: "msg", Params: fmt.Sprintf("k=%d;step.c=1", i), Verdict: compare.Equivalent,
			Metric: "suboptimality", Split: "test", Cost: "iterations", Base: []*record.Run{&run}, Cand: []*record.Run{&run},
		})
	}
	sheets := (&comparison{Report: r}).sheets()
	if len(sheets) != 2 || sheets[0].ID != "many-1" || sheets[1].ID != "many-2" || len(sheets[0].Pairs) != plots.MaxOverlayPairs || len(sheets[1].Pairs) != 1 {
		t.Fatalf("figures are %+v", sheets)
	}
	if s := sheets[1]; s.Title != "many: baseline and candidate (2 of 2)" || s.Pairs[0].Title != "d · MSG (k=36, step.c=1): equivalent" {
		t.Errorf("the second figure is %q of %q", s.Title, s.Pairs[0].Title)
	}
}

func TestOverlayPanel(t *testing.T) {
	cell := &compare.Cell{Metric: "error", Split: "test", Cost: "kernel_evals"}
	for _, test := range []struct {
		own  plots.Panel
		cell compare.Cell
		x, y string
		log  []string
	}{
		{plots.Panel{X: "kernel_evals", Y: "error", Log: []string{"x", "y"}}, *cell, "kernel_evals", "error", []string{"x", "y"}},
		{plots.Panel{X: "kernel_evals", Y: "error"}, *cell, "kernel_evals", "error", nil},
		{plots.Panel{X: "iterations", Y: "rank"}, *cell, "kernel_evals", "error", []string{"x"}},
		{plots.Panel{}, compare.Cell{Metric: "suboptimality", Cost: "iterations"}, "iterations", "suboptimality", []string{"x", "y"}},
		{plots.Panel{Y: "error"}, compare.Cell{}, "iterations", "error", []string{"x"}},
	} {
		if p := overlayPanel(&test.cell, test.own); p.X != test.x || p.Y != test.y || !slices.Equal(p.Log, test.log) {
			t.Errorf("overlayPanel(%v, %v) = %v, want %s, %s, %v", test.cell, test.own, p, test.x, test.y, test.log)
		}
	}
}
