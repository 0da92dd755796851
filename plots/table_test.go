package plots

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/results/record"
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

// column returns the cells below a heading.
func column(t *testing.T, g *Grid, id string) []Cell {
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
	runs := []record.Run{
		// Integral of the rank: 1·(0+4)/2 + 9·(4+2)/2 + 90·(2+2)/2 = 209.
		rankRun(0, []int64{0, 1, 10, 100}, []float64{0, 4, 2, 2}, []int64{0, 16, 80, 450}, []float64{1, 0.5, 0.2, 0.010}),
		rankRun(1, []int64{0, 1, 10, 100}, []float64{0, 7, 2, 2}, []int64{0, 49, 90, 461}, []float64{1, 0.5, 0.2, 0.020}),
		rankRun(2, []int64{0, 1, 10, 100}, []float64{9, 9, 9, 9}, []int64{0, 81, 810, 8100}, []float64{1, 1, 1, 1}),
	}
	runs[2].Status, runs[2].Reason = record.StatusDiverged, "not finite"
	timings := []record.Timing{
		{Key: "key0", Extent: "e", StepSeconds: 2, EvalSeconds: 100}, {Key: "key1", Extent: "e", StepSeconds: 4},
		{Key: "key0", Extent: "other", StepSeconds: 1000}, {Key: "unknown", Extent: "e", StepSeconds: 1000},
	}
	g, err := Build(Table{ID: "t", Columns: allMeasurements}, Input{Runs: runs, Timings: record.NewTimings(timings...)})
	if err != nil {
		t.Fatal(err)
	}
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
		c := column(t, g, tt.id)[0]
		v, err := strconv.ParseFloat(c.Value, 64)
		if err != nil || math.Abs(v-tt.value) > 1e-12 {
			t.Errorf("%s: value %q, want %g (%v)", tt.id, c.Value, tt.value, err)
		}
		if c.Text != tt.text {
			t.Errorf("%s: text %q, want %q", tt.id, c.Text, tt.text)
		}
	}
	if v, err := strconv.ParseFloat(column(t, g, "final_suboptimality")[0].Spread, 64); err != nil || math.Abs(v-se) > 1e-12 {
		t.Errorf("standard error %g, want %g", v, se)
	}
	if len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "1 of 3 runs of MSG diverged") {
		t.Errorf("warnings %q", g.Warnings)
	}
}

func TestMeasurementsMissing(t *testing.T) {
	r := record.Run{Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished}
	g, err := Build(Table{ID: "t", Columns: allMeasurements}, Input{Runs: []record.Run{r}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range allMeasurements[:5] {
		if c := column(t, g, id)[0]; c != missing {
			t.Errorf("%s: %+v", id, c)
		}
	}
	if c := column(t, g, "runs")[0]; c.Text != "1" {
		t.Errorf("runs: %+v", c)
	}
	one := rankRun(0, []int64{5}, []float64{3}, []int64{9}, []float64{0.25})
	g, err = Build(Table{ID: "t", Columns: allMeasurements}, Input{Runs: []record.Run{one}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"mean_rank": "3", "final_suboptimality": "0.250", "seconds_per_iteration": "-"} {
		if c := column(t, g, id)[0]; c.Text != want {
			t.Errorf("one point: %s is %q, want %q", id, c.Text, want)
		}
	}
}

// The mean rank must not depend on where the curve was recorded.
func TestMeanRankIsOverIterations(t *testing.T) {
	rank := func(t int64) float64 { return 3 + 20*float64(1000-t)/1000 } // linear: exact by the trapezoidal rule
	mean := func(ts []int64) float64 {
		var v []float64
		for _, at := range ts {
			v = append(v, rank(at))
		}
		r := rankRun(0, ts, v, nil, nil)
		m, ok := meanRank(&r)
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
	tab := Table{
		ID: "bounds", Title: "Bounds", Where: map[string]any{"k": []any{1, 4}},
		Theory: map[string]map[string]string{
			"msg": {"computation": "Σ k'² d"}, "saa": {"computation": "n d²"}, "coppersmith": {"computation": "n d^1.38"},
		},
		Columns: []string{"computation", "mean_rank", "runs"},
	}
	runs := simulated(2)
	g, err := Build(tab, Input{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
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
	for i, c := range column(t, g, "computation") {
		texts := map[string]string{"msg": "Σ k'² d", "saa": "n d²", "coppersmith": "n d^1.38"}
		if w := texts[g.Rows[i][0].Value]; c.Value != w {
			t.Errorf("row %d: theory %q, want %q", i, c.Value, w)
		}
	}
	slices.Reverse(runs) // within one data set the order of records does not matter
	again, err := Build(tab, Input{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Rows) != len(g.Rows) || again.Rows[0][0].Value != "saa" {
		t.Errorf("rows differ when records come in another order")
	}
}

func TestTableShowsVaryingParameters(t *testing.T) {
	runs := efficiency(2, false)
	g, err := Build(Table{ID: "t", Columns: []string{"start", "mean_rank"}}, Input{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, c := range column(t, g, "k") {
		ks = append(ks, c.Text)
	}
	if want := strings.Fields("1 1 2 2 4 4 8 8 16 16 32 32"); !slices.Equal(ks, want) {
		t.Errorf("k: %q", ks)
	}
}

func TestTableMarksStandIns(t *testing.T) {
	for _, made := range []bool{true, false} {
		g, err := Build(Table{ID: "t", Title: "T", Columns: []string{"runs"}}, Input{Runs: realData(1, made), Profile: "quick", Notes: []string{"A note"}})
		if err != nil {
			t.Fatal(err)
		}
		var text, md, csv bytes.Buffer
		for _, err := range []error{g.WriteText(&text), g.WriteMarkdown(&md), g.WriteCSV(&csv)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, s := range map[string]string{"text": text.String(), "markdown": md.String()} {
			for _, mark := range []string{"T [STAND-IN DATA]", "mnist (stand-in)", "STAND-IN DATA: mnist"} {
				if strings.Contains(s, mark) != made {
					t.Errorf("stand-in %v: %q in %s: %v", made, mark, name, !made)
				}
			}
			if !strings.Contains(s, "Profile: quick") || !strings.Contains(s, "A note") {
				t.Errorf("the notes are missing from %s", name)
			}
		}
		if n := strings.Count(csv.String(), ",true\n"); n != map[bool]int{true: 21, false: 0}[made] {
			t.Errorf("stand-in %v: %d rows are marked in CSV", made, n)
		}
	}
}

func TestTableFormats(t *testing.T) {
	tab := Table{ID: "t", Title: "A | B", Theory: map[string]map[string]string{"msg": {"rate": "a|b, \"c\""}}, Columns: append([]string{"rate"}, allMeasurements...)}
	g, err := Build(tab, Input{Runs: realData(3, false)})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tables")
	files, err := g.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := func(ext string) string {
		name := filepath.Join(dir, "t."+ext)
		if !slices.Contains(files, name) {
			t.Fatalf("%s is not among %q", name, files)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	records, err := csv.NewReader(strings.NewReader(read("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := "series,k,rate,mean_rank,max_rank,sum_kt2,seconds_per_iteration,final_suboptimality,final_suboptimality_se,runs,stand_in"; strings.Join(records[0], ",") != want {
		t.Errorf("CSV header %q", records[0])
	}
	if len(records) != 1+len(g.Rows) {
		t.Errorf("%d CSV lines for %d rows", len(records), len(g.Rows))
	}
	for _, rec := range records[1:] {
		if rec[6] != "" || (rec[0] == "msg") != (rec[2] == "a|b, \"c\"") {
			t.Errorf("CSV line %q", rec)
		}
	}
	var table []string
	for l := range strings.SplitSeq(read("md"), "\n") {
		if strings.HasPrefix(l, "|") {
			table = append(table, l)
		}
	}
	if len(table) != 2+len(g.Rows) {
		t.Fatalf("%d Markdown lines for %d rows", len(table), len(g.Rows))
	}
	for _, l := range table {
		if n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"); n != len(g.Columns)+1 {
			t.Errorf("%d columns in %q", n-1, l)
		}
	}
	if !strings.Contains(table[1], "---:|") || !strings.Contains(table[1], "|:---") {
		t.Errorf("alignment %q", table[1])
	}
	text := read("txt")
	widths := make(map[int]bool)
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(l, "│") {
			widths[len([]rune(l))] = true
		}
	}
	if len(widths) != 1 {
		t.Errorf("ragged table:\n%s", text)
	}
	for _, want := range []string{"Warmuth & Kuzmin", "Final suboptimality", "a|b"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the text", want)
		}
	}
}

func TestTableErrors(t *testing.T) {
	in := Input{Runs: realData(1, false)}
	for _, tt := range []struct {
		t    Table
		want string
	}{
		{Table{Columns: []string{"runs"}}, `table id ""`},
		{Table{ID: "t"}, "lists no columns: list some of best_error"},
		{Table{ID: "t", Columns: []string{"runs", "runs"}}, `columns.1: the column "runs" is listed twice`},
		{Table{ID: "t", Columns: []string{"mean_rnk"}}, `column "mean_rnk" is neither a measurement (best_error, final_error`},
	} {
		if _, err := Build(tt.t, in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q in it", err, tt.want)
		}
	}
	g, err := Build(Table{ID: "t", Theory: map[string]map[string]string{"msg": {"rate": "r"}}, Columns: []string{"rate", "k", "runs"}}, Input{})
	if err != nil || len(g.Rows) != 1 || len(g.Warnings) != 1 {
		t.Errorf("a table without records: %+v, %v", g, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Save(filepath.Join(file, "sub")); err == nil || !strings.Contains(err.Error(), "table t") {
		t.Errorf("saving into a file: %v", err)
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {7, 3, "7"}, {12345, 3, "12345"}, {1.23456, 3, "1.23"}, {0.0123456, 3, "0.0123"}, {123.456, 4, "123.5"},
		{1234.56, 3, "1235"}, {1.23456e-5, 3, "1.23e-05"}, {1234567, 4, "1.235e+06"}, {-2.5, 3, "-2.50"},
	} {
		if got := significant(tt.v, tt.digits); got != tt.want {
			t.Errorf("significant(%g, %d) = %s, want %s", tt.v, tt.digits, got, tt.want)
		}
	}
	for _, tt := range []struct {
		m, se float64
		want  string
	}{
		{0.01234, 0.00056, "0.01234 ± 0.00056"}, {12.3, 4.5, "12.3 ± 4.5"}, {1234, 56, "1234 ± 56"}, {1.234e-5, 5.6e-7, "(1.234 ± 0.056)e-05"},
		{1e-6, 2.5e-5, "(0.1 ± 2.5)e-05"}, {3, 0, "3 ± 0"}, {-0.5, 0.25, "-0.50 ± 0.25"}, {0, 1e-9, "(0.0 ± 1.0)e-09"},
	} {
		if got := plusMinus(tt.m, tt.se); got != tt.want {
			t.Errorf("plusMinus(%g, %g) = %s, want %s", tt.m, tt.se, got, tt.want)
		}
	}
}
