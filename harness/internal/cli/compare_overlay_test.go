package cli

import (
	"fmt"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/plots"
)

// A figure has the cells that changed, as many as there is room for.
func TestOverlays(t *testing.T) {
	t.Parallel()
	run := record.Run{
		Schema: record.Schema, Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished,
		Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": {1, 10}},
			Metrics: map[string]map[string][]float64{"test": {"suboptimality": {0.5, 0.25}}},
		},
	}
	r := &compare.Report{Cells: []compare.Cell{{Experiment: "same", Verdict: compare.Identical, Metric: "suboptimality", Base: []*record.Run{&run}}}}
	for i := range plots.MaxOverlayPairs + 1 {
		r.Cells = append(r.Cells, compare.Cell{
			Experiment: "many", Dataset: "d", Series: "msg", Params: fmt.Sprintf("k=%d;step.c=1", i), Verdict: compare.Equivalent,
			Metric: "suboptimality", Split: "test", Cost: "iterations", Base: []*record.Run{&run}, Cand: []*record.Run{&run},
		})
	}
	of := func(name string) side { return side{Side: compare.Side{Name: name}} }
	c := &comparison{Report: r, base: []side{of("same"), of("many")}}
	dir := t.TempDir()
	if err := c.overlays(dir); err != nil {
		t.Fatal(err)
	}
	if len(c.figures) != 1 || c.figures[0] != dir+"/many" || len(r.Warnings) != 1 {
		t.Errorf("figures %q, warnings %q", c.figures, r.Warnings)
	}
	if pair := c.overlaid(&r.Cells[37]); pair.Title != "d · MSG (k=36, step.c=1): equivalent" || len(pair.Panel.Log) != 2 || pair.Panel.X != "iterations" {
		t.Errorf("the panel is %+v", pair)
	}
}
