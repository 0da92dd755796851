package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stochopt/plots"
	"stochopt/results/compare"
	"stochopt/results/record"
)

// Cells that are too many for one figure make several.
func TestCompareOverlaySheets(t *testing.T) {
	if testing.Short() {
		t.Skip("draws 40 panels")
	}
	run := record.Run{
		Schema: record.Schema, Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished,
		Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": {1, 10}},
			Metrics: map[string]map[string][]float64{"test": {"suboptimality": {0.5, 0.25}}},
		},
	}
	r := &compare.Report{Cells: []compare.Cell{{Experiment: "same", Verdict: compare.Identical, Base: []record.Run{run}, Cand: []record.Run{run}}}}
	for i := range plots.MaxOverlayPairs + 1 {
		r.Cells = append(r.Cells, compare.Cell{
			Experiment: "many", Dataset: "d", Series: "msg", Params: fmt.Sprintf("k=%d;step.c=1", i), Verdict: compare.Equivalent,
			Metric: "suboptimality", Split: "test", Cost: "iterations", Base: []record.Run{run}, Cand: []record.Run{run},
		})
	}
	dir := filepath.Join(t.TempDir(), "figures")
	c := &comparison{Report: r, compareOptions: compareOptions{overlay: dir}}
	if err := c.overlays(&matched{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "many-1"), filepath.Join(dir, "many-2")}; !slices.Equal(c.figures, want) {
		t.Errorf("figures are %q, want %q", c.figures, want)
	}
	for _, name := range []string{"many-1.svg", "many-2.png", "many-2.pdf"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	wantText(t, "second figure", read(t, dir, "many-2.svg"), "many: baseline and candidate (2 of 2)", "d · MSG (k=36, step.c=1): equivalent")
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
