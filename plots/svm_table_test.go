package plots

import (
	"slices"
	"strconv"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func build(t *testing.T, tab Table, in Input) *Grid {
	t.Helper()
	g := Build(tab, in)
	for i, row := range g.Rows {
		if len(row) != len(g.Columns) || len(g.StandIn) != len(g.Rows) {
			t.Fatalf("row %d has %d cells for %d columns", i, len(row), len(g.Columns))
		}
	}
	return g
}

// rowOf returns the cells of the first row with these texts, by column.
func rowOf(t *testing.T, g *Grid, texts ...string) map[string]Cell {
	t.Helper()
	for _, row := range g.Rows {
		have := make(map[string]bool)
		cells := make(map[string]Cell)
		for j, c := range row {
			have[c.Text] = true
			cells[g.Columns[j].ID] = c
		}
		if !slices.ContainsFunc(texts, func(s string) bool { return !have[s] }) {
			return cells
		}
	}
	t.Fatalf("no row with %q", texts)
	return nil
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A loss less than the gap of the optimum is what is left of zero.
func TestNuOfSeparableData(t *testing.T) {
	t.Parallel()
	r, _ := svmSynth{series: "sbp", dataset: "adult", start: 0.5, floor: 0.1, rate: 0.5, perStep: 10}.run()
	for _, c := range []struct {
		hinge, gap float64
		want       string
	}{{1e-12, 3e-8, "~0 (separable)"}, {1e-6, 3e-8, "0.0123"}, {0.01, 0.02, "0.0123"}} {
		r.Facts["reference_hinge"], r.Facts["reference_gap"] = c.hinge, c.gap
		if got := nuCell(&r, "nu"); got.Text != c.want || got.Value != "0.0123" {
			t.Errorf("loss %g, gap %g: %+v", c.hinge, c.gap, got)
		}
	}
	g := build(t, Table{ID: "t", Kind: KindDatasets, Columns: []string{"nu", "nu (thesis)"}, Theory: map[string]map[string]string{"adult": {"nu (thesis)": "1"}}}, Input{Catalog: listed, Choice: selection.All([]record.Run{r})})
	if a, b := g.Columns[1].Title, g.Columns[2].Title; a != "ν" || b != "ν (thesis)" {
		t.Errorf("titles %q, %q", a, b)
	}
	if got := listed.label("sigma2", 0.5); got != "σ² = 0.5" {
		t.Errorf("label %q", got)
	}
}
