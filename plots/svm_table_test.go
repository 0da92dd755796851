package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
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

func TestSVMMeasurements(t *testing.T) {
	t.Parallel()
	in := svmInput(3)
	g := build(t, Table{ID: "t", Columns: []string{"final_error", "best_error", "support", "norm", "seconds", "kernel_evals", "runs"}}, in)
	row := rowOf(t, g, "SBP", "adult")
	var finals, bests, seconds []float64
	for _, r := range in.Choice.Runs() {
		if r.Series != "sbp" || r.Dataset != "adult" {
			continue
		}
		e := r.Curve.Metrics["test"]["error"]
		finals, bests = append(finals, e[len(e)-1]), append(bests, slices.Min(e))
		tm, _ := r.Timing()
		seconds = append(seconds, tm.StepSeconds)
	}
	for _, c := range []struct {
		id     string
		values []float64
	}{{"final_error", finals}, {"best_error", bests}, {"seconds", seconds}, {"kernel_evals", []float64{1e7, 1e7, 1e7}}, {"norm", []float64{100, 100, 100}}} {
		m, sd := stats.Deviation(c.values)
		if got := row[c.id]; math.Abs(parsed(t, got.Value)-m) > 1e-12*m || math.Abs(parsed(t, got.Spread)-sd) > 1e-9*m {
			t.Errorf("%s is %+v, want %v ± %v", c.id, got, m, sd)
		}
	}
	m, sd := stats.Deviation(finals)
	if want := fmt.Sprintf("%.2f ± %.2f %%", 100*m, 100*sd); row["final_error"].Text != want {
		t.Errorf("error %q, want %q", row["final_error"].Text, want)
	}
	if i := slices.IndexFunc(g.Columns, func(c Column) bool { return c.ID == "final_error" }); g.Columns[i].Spread != "sd" {
		t.Errorf("columns %+v", g.Columns)
	}
	if !slices.Contains(g.Remarks, "SUBSAMPLE of adult: 1000 of 32561 training rows") {
		t.Errorf("remarks %q", g.Remarks)
	}
	if len(observe.Each([]record.Run{{Status: record.StatusFinished}}, stepSeconds)) != 0 {
		t.Error("there are seconds without timings")
	}
}

func TestTableOfDatasets(t *testing.T) {
	t.Parallel()
	in := svmInput(2)
	for i := range in.Choice.Runs() {
		r := &in.Choice.Runs()[i]
		if r.Dataset == "mnist-8" {
			r.Params = record.Params{"C": 1000.0, "bias": true, "kernel": "gaussian", "sigma2": 25.0}
			r.Facts = map[string]float64{"C": 1000, "lambda": 1e-6, "nu": 6.42e-11}
			r.StandIn = true
		}
		if r.Series == "rff" { // knows its lambda only
			delete(r.Facts, "nu")
		}
	}
	tab := Table{ID: "tab-datasets", Kind: KindDatasets,
		Columns: []string{"train_rows", "test_rows", "sigma2", "nu", "thesis"},
		Theory:  map[string]map[string]string{"adult": {"thesis": "1.10e-2"}, "forest": {"thesis": "7.62e-10"}},
	}
	g := build(t, tab, in)
	if len(g.Rows) != 3 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	row := rowOf(t, g, "adult")
	for id, want := range map[string]string{"train_rows": "1000 of 32561", "test_rows": "500", "sigma2": "10", "nu": "0.0123", "thesis": "1.10e-2"} {
		if row[id].Text != want {
			t.Errorf("%s is %q, want %q", id, row[id].Text, want)
		}
	}
	row = rowOf(t, g, "mnist-8 (stand-in)")
	for id, want := range map[string]string{"nu": "6.42e-11", "thesis": "-"} {
		if row[id].Text != want {
			t.Errorf("%s is %q, want %q", id, row[id].Text, want)
		}
	}
	if row = rowOf(t, g, "forest"); row["nu"].Text != "-" || row["thesis"].Text != "7.62e-10" {
		t.Errorf("row %v", row)
	}
	// Two problems on one data set are two rows.
	in.Choice.Runs()[0].Params = record.Params{"C": 1.0, "kernel": "gaussian", "sigma2": 100.0, "bias": true}
	if g = build(t, tab, in); len(g.Rows) != 4 || len(g.Columns) != 6 {
		t.Errorf("%d rows, columns %v: sigma2 tells them apart", len(g.Rows), g.Columns)
	}
	// What tells them apart is shown though it was not asked for.
	in.Choice.Runs()[0].Params = record.Params{"C": 1.0, "kernel": "gaussian", "sigma2": 10.0, "bias": true}
	g = build(t, tab, in)
	if a, b := g.Rows[0][0].Text, g.Rows[1][0].Text; len(g.Rows) != 4 || a != "adult, bias = false" || b != "adult, bias = true" {
		t.Errorf("%d rows, the first are %s and %s", len(g.Rows), a, b)
	}
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
