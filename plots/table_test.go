package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

var allMeasurements = []string{"mean_rank", "max_rank", "sum_kt2", "seconds_per_iteration", "final_suboptimality", "runs"}

// rankRun returns a run with the given columns.
func rankRun(repeat int, iterations []int64, rank []float64, kt2 []int64, sub []float64) record.Run {
	return record.Run{
		Key: fmt.Sprint("key", repeat), Extent: "e", Dataset: "d", Series: "msg", Algorithm: "msg", Repeat: repeat,
		Status: record.StatusFinished, Params: record.Params{"k": int64(2)},
		Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": iterations, "sum_kt2": kt2},
			Metrics: map[string]map[string][]float64{"state": {"rank": rank}, "test": {"suboptimality": sub}, "population": {"suboptimality": {9, 9, 9, 9}}},
		},
	}
}

// cellsOf returns the cells of a column.
func cellsOf(t *testing.T, g *Grid, id string) []Cell {
	t.Helper()
	i := slices.IndexFunc(g.Columns, func(c Column) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no column %s among %+v", id, g.Columns)
	}
	var cells []Cell
	for _, row := range g.Rows {
		cells = append(cells, row[i])
	}
	return cells
}

func TestMeasurements(t *testing.T) {
	t.Parallel()
	runs := []record.Run{
		// Integral of the rank: 1·(0+4)/2 + 9·(4+2)/2 + 90·(2+2)/2 = 209.
		rankRun(0, []int64{0, 1, 10, 100}, []float64{0, 4, 2, 2}, []int64{0, 16, 80, 450}, []float64{1, 0.5, 0.2, 0.010}),
		rankRun(1, []int64{0, 1, 10, 100}, []float64{0, 7, 2, 2}, []int64{0, 49, 90, 461}, []float64{1, 0.5, 0.2, 0.020}),
		rankRun(2, []int64{0, 1, 10, 100}, []float64{9, 9, 9, 9}, []int64{0, 81, 810, 8100}, []float64{1, 1, 1, 1}),
	}
	runs[2].Status, runs[2].Reason = record.StatusDiverged, "not finite"
	runs[0] = runs[0].WithTiming(record.Timing{StepSeconds: 2, EvalSeconds: 100})
	runs[1] = runs[1].WithTiming(record.Timing{StepSeconds: 4})
	g := Build(Table{ID: "t", Columns: allMeasurements}, inputOf(runs...))
	if len(g.Rows) != 1 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	wantMean := (209.0/100 + (209.0+0.5*3+4.5*3)/100) / 2
	se := math.Sqrt(2*0.005*0.005) / math.Sqrt2
	for _, tt := range []struct {
		id, text string
		value    float64
	}{
		{"mean_rank", "2.17", wantMean},
		{"max_rank", "7", 7},
		{"sum_kt2", "455.5", 455.5},
		{"seconds_per_iteration", "0.0300", 0.03},
		{"final_suboptimality", "0.0150 ± 0.0050", 0.015},
		{"runs", "2 + 1 diverged", 2},
	} {
		c := cellsOf(t, g, tt.id)[0]
		v, err := strconv.ParseFloat(c.Value, 64)
		if err != nil || math.Abs(v-tt.value) > 1e-12 {
			t.Errorf("%s: value %q, want %g (%v)", tt.id, c.Value, tt.value, err)
		}
		if c.Text != tt.text {
			t.Errorf("%s: text %q, want %q", tt.id, c.Text, tt.text)
		}
	}
	if v, err := strconv.ParseFloat(cellsOf(t, g, "final_suboptimality")[0].Spread, 64); err != nil || math.Abs(v-se) > 1e-12 {
		t.Errorf("standard error %g, want %g", v, se)
	}
	if len(g.Remarks) != 1 {
		t.Errorf("remarks %q", g.Remarks)
	}
}

func TestTheoryIsShownAsGiven(t *testing.T) {
	t.Parallel()
	tab := Table{ID: "t", Title: "A | B", Columns: append([]string{"rate"}, allMeasurements...)}
	tab.Theory = map[string]map[string]string{"msg": {"rate": "a|b, \"c\""}}
	g := Build(tab, inputOf(realData(3, false)...))
	var ids []string
	for _, c := range g.Columns {
		ids = append(ids, c.ID)
	}
	if want := append([]string{"series", "k", "rate"}, allMeasurements...); !slices.Equal(ids, want) {
		t.Errorf("columns %q, want %q", ids, want)
	}
	for i, c := range cellsOf(t, g, "rate") {
		if (g.Rows[i][0].Value == "msg") != (c.Text == "a|b, \"c\"") || cellsOf(t, g, "seconds_per_iteration")[i] != missing {
			t.Errorf("row %+v", g.Rows[i])
		}
	}
}

func TestOutcomesHaveRecordedColumns(t *testing.T) {
	t.Parallel()
	runs := filter(svmInput(2).Choice.Runs(), func(r *record.Run) bool {
		return r.Dataset == "adult" && (r.Series == "sbp" || r.Series == "smo")
	})
	for i := range runs {
		if runs[i].Series == "sbp" {
			runs[i].Params = record.Params{"C": 1.0, "tuned": 0.5}
		}
	}
	g := Outcomes(inputOf(runs...), []string{"tuned", "absent"})
	var ids []string
	for _, c := range g.Columns {
		ids = append(ids, c.ID)
	}
	for id, want := range map[string]bool{"series": true, "absent": false, "final_error": true, "kernel_evals": true, "sum_kt2": false} {
		if slices.Contains(ids, id) != want {
			t.Errorf("columns %q: %s is present: %v", ids, id, !want)
		}
	}
	if cells := cellsOf(t, g, "tuned"); len(cells) != 2 || cells[0].Text != "0.5" || cells[1] != missing {
		t.Errorf("rows %+v", g.Rows)
	}
}

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

// A loss below the gap of the optimum is zero up to rounding.
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
	theory := map[string]map[string]string{"adult": {"nu (thesis)": "1"}}
	g := build(t, Table{ID: "t", Kind: KindDatasets, Columns: []string{"nu", "nu (thesis)"}, Theory: theory}, inputOf(r))
	if a, b := g.Columns[1].Title, g.Columns[2].Title; a != "ν" || b != "ν (thesis)" {
		t.Errorf("titles %q, %q", a, b)
	}
}

// The counter sum_kt makes the mean rank exact.
func TestMeanRank(t *testing.T) {
	ts, ranks := []int64{0, 1, 10, 100}, []float64{0, 4, 2, 2}
	counted, bare := rankRun(0, ts, ranks, nil, nil), rankRun(1, ts, ranks, nil, nil)
	counted.Curve.Cost["sum_kt"] = []int64{0, 4, 40, 317}
	uncounted := rankRun(2, ts, ranks, nil, nil)
	uncounted.Curve.Cost["sum_kt"] = []int64{0, 0, 0, 0}
	other := bare
	other.Series, other.Algorithm = "warmuth-kuzmin", "warmuth-kuzmin"
	for _, tt := range []struct {
		name string
		runs []record.Run
		want []float64
	}{
		{"counted", []record.Run{counted}, []float64{3.17}},
		{"not counted", []record.Run{bare}, []float64{2.09}},
		{"counter is zero", []record.Run{uncounted}, []float64{2.09}},
		{"series", []record.Run{counted, other}, []float64{2.09, 3.17}},
	} {
		g := Build(Table{ID: "t", Columns: []string{"mean_rank"}}, inputOf(tt.runs...))
		for i, c := range cellsOf(t, g, "mean_rank") {
			if len(g.Rows) != len(tt.want) {
				t.Fatalf("%s: %d rows", tt.name, len(g.Rows))
			}
			if v, err := strconv.ParseFloat(c.Value, 64); err != nil || math.Abs(v-tt.want[i]) > 1e-12 {
				t.Errorf("%s: row %d is %s, want %g", tt.name, i, c.Value, tt.want[i])
			}
		}
	}
	// The counter alone suffices.
	delete(counted.Curve.Metrics, "state")
	if v, ok := observe.MeanRank(&counted); !ok || v != 3.17 {
		t.Errorf("without recorded ranks: %g, %v", v, ok)
	}
}
