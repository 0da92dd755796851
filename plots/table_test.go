package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

var allMeasurements = []string{"mean_rank", "max_rank", "sum_kt2", "seconds_per_iteration", "final_suboptimality", "runs"}

// rankRun is a run with a given history.
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

// cellsOf returns the cells below a heading.
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
	runs[0] = runs[0].Timed(record.Timing{StepSeconds: 2, EvalSeconds: 100})
	runs[1] = runs[1].Timed(record.Timing{StepSeconds: 4})
	g := Build(Table{ID: "t", Columns: allMeasurements}, Input{Catalog: listed, Choice: selection.All(runs)})
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

func TestMeasurementsMissing(t *testing.T) {
	t.Parallel()
	r := record.Run{Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished}
	g := Build(Table{ID: "t", Columns: allMeasurements}, Input{Catalog: listed, Choice: selection.All([]record.Run{r})})
	for _, id := range allMeasurements[:5] {
		if c := cellsOf(t, g, id)[0]; c != missing {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if c := cellsOf(t, g, "runs")[0]; c.Text != "1" {
		t.Errorf("runs: %+v", c)
	}
	one := rankRun(0, []int64{5}, []float64{3}, []int64{9}, []float64{0.25})
	g = Build(Table{ID: "t", Columns: allMeasurements}, Input{Catalog: listed, Choice: selection.All([]record.Run{one})})
	for id, want := range map[string]string{"mean_rank": "3", "final_suboptimality": "0.250", "seconds_per_iteration": "-"} {
		if c := cellsOf(t, g, id)[0]; c.Text != want {
			t.Errorf("one point: %s is %q, want %q", id, c.Text, want)
		}
	}
}

// The mean rank must not depend on where the curve was recorded.
func TestMeanRankIsOverIterations(t *testing.T) {
	t.Parallel()
	rank := func(t int64) float64 { return 3 + 20*float64(1000-t)/1000 } // linear: exact by the trapezoidal rule
	mean := func(ts []int64) float64 {
		var v []float64
		for _, at := range ts {
			v = append(v, rank(at))
		}
		r := rankRun(0, ts, v, nil, nil)
		m, ok := observe.MeanRank(&r)
		if !ok {
			t.Fatal("no mean rank")
		}
		return m
	}
	var all []int64
	for i := range int64(1001) {
		all = append(all, i)
	}
	for _, ts := range [][]int64{all, {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000}, {0, 1000}, {0, 990, 991, 992, 1000}} {
		if m := mean(ts); math.Abs(m-13) > 1e-9 {
			t.Errorf("%d points: mean rank %g, want 13", len(ts), m)
		}
	}
}

func TestTableRows(t *testing.T) {
	t.Parallel()
	tab := Table{
		ID: "bounds", Title: "Bounds", Where: map[string]any{"k": []any{1, 4}},
		Theory: map[string]map[string]string{
			"msg": {"computation": "Σ k'² d"}, "saa": {"computation": "n d²"}, "coppersmith": {"computation": "n d^1.38"},
		},
		Columns: []string{"computation", "mean_rank", "runs"},
	}
	runs := simulated(2)
	g := Build(tab, Input{Catalog: listed, Choice: selection.All(runs)})
	var ids []string
	for _, c := range g.Columns {
		ids = append(ids, c.ID)
	}
	if want := []string{"series", "dataset", "k", "computation", "mean_rank", "runs"}; !slices.Equal(ids, want) {
		t.Errorf("columns %q, want %q", ids, want)
	}
	var got []string
	for _, row := range g.Rows {
		got = append(got, row[0].Value+" "+row[1].Value+" "+row[2].Value)
	}
	var want []string
	for _, d := range []string{"Gaussian", "Orthogonal"} {
		for _, k := range []int{1, 4} {
			for _, s := range []string{"saa", "power", "incremental", "warmuth-kuzmin", "msg", "capped-msg", "grouse"} {
				want = append(want, fmt.Sprintf("%s %s-k%d %d", s, d, k, k))
			}
		}
	}
	want = append(want, "coppersmith  ")
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, c := range cellsOf(t, g, "computation") {
		texts := map[string]string{"msg": "Σ k'² d", "saa": "n d²", "coppersmith": "n d^1.38"}
		if w := texts[g.Rows[i][0].Value]; c.Value != w {
			t.Errorf("row %d: theory %q, want %q", i, c.Value, w)
		}
	}
	slices.Reverse(runs) // within one data set the order of records does not matter
	again := Build(tab, Input{Catalog: listed, Choice: selection.All(runs)})
	if len(again.Rows) != len(g.Rows) || again.Rows[0][0].Value != "saa" {
		t.Errorf("rows differ when records come in another order")
	}
}

func TestTableShowsVaryingParameters(t *testing.T) {
	t.Parallel()
	runs := efficiency(2, false)
	g := Build(Table{ID: "t", Columns: []string{"start", "mean_rank"}}, Input{Catalog: listed, Choice: selection.All(runs)})
	var ids []string
	for _, c := range g.Columns {
		ids = append(ids, c.ID)
	}
	if want := []string{"series", "k", "start", "mean_rank"}; !slices.Equal(ids, want) {
		t.Errorf("columns %q, want %q", ids, want)
	}
	if len(g.Rows) != 12 {
		t.Errorf("%d rows, want 12", len(g.Rows))
	}
	var ks []string
	for _, c := range cellsOf(t, g, "k") {
		ks = append(ks, c.Text)
	}
	if want := strings.Fields("1 1 2 2 4 4 8 8 16 16 32 32"); !slices.Equal(ks, want) {
		t.Errorf("k: %q", ks)
	}
}

func TestTableMarksStandIns(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{true, false} {
		g := Build(Table{ID: "t", Title: "T", Columns: []string{"runs"}}, Input{Catalog: listed, Choice: selection.All(realData(1, made)), Profile: "quick", Notes: []string{"A note"}})
		marks := map[string]bool{
			"title":   g.Title == "T [STAND-IN DATA]",
			"cells":   slices.ContainsFunc(g.Rows, func(row []Cell) bool { return row[1].Text == "mnist (stand-in)" }),
			"remarks": len(g.Remarks) == 2,
		}
		for what, marked := range marks {
			if marked != made {
				t.Errorf("stand-in %v: marked in the %s: %v", made, what, marked)
			}
		}
		if !slices.Contains(g.Remarks, "A note") {
			t.Errorf("notes %q, remarks %q", g.Notes, g.Remarks)
		}
		if len(g.Rows) != 21 || slices.Contains(g.StandIn, !made) {
			t.Errorf("stand-in %v: rows are marked %v", made, g.StandIn)
		}
	}
}

func TestTheoryIsShownAsGiven(t *testing.T) {
	t.Parallel()
	tab := Table{ID: "t", Title: "A | B", Theory: map[string]map[string]string{"msg": {"rate": "a|b, \"c\""}}, Columns: append([]string{"rate"}, allMeasurements...)}
	g := Build(tab, Input{Catalog: listed, Choice: selection.All(realData(3, false))})
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

func TestTableWithoutRecords(t *testing.T) {
	t.Parallel()
	g := Build(Table{ID: "t", Theory: map[string]map[string]string{"msg": {"rate": "r"}}, Columns: []string{"rate", "k", "runs"}}, Input{Catalog: listed})
	if len(g.Rows) != 1 {
		t.Errorf("a table without records: %+v", g)
	}
}
