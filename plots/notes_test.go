package plots

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"

	"gonum.org/v1/plot/vg"
)

func TestRemarksAreAboveAndNotesBelow(t *testing.T) {
	remarks := []string{"PARTIAL: 18 of 56 runs", "GHA on mnist: no run finished: not finite"}
	s := scenes()["zeros"]
	s.in.Notes = append(slices.Clone(remarks), remarks[0])
	tr := checkLayout(t, composed(t, s.fig, s.in))
	at := func(prefix string) (found []vg.Length) {
		for _, b := range tr.texts {
			if strings.HasPrefix(b.text, prefix) {
				found = append(found, b.Min.Y)
			}
		}
		return found
	}
	mark, titles := at("STAND-IN DATA"), at("stand-in data")
	for _, r := range remarks {
		if y := at(r); len(y) != 1 || y[0] >= mark[0] || len(titles) == 0 || y[0] <= slices.Max(titles) {
			t.Errorf("%q at %v, the stand-in mark at %v of %v", r, y, mark, tr.page.Max.Y)
		}
	}
	if y := at("Note: values below 10"); len(y) != 1 || y[0] > tr.page.Max.Y/4 {
		t.Errorf("the note on floors is at %v of %v", y, tr.page.Max.Y)
	}
}

// The titles of a row must be on one line whether or not values are clipped.
func TestTitlesOfARowAlign(t *testing.T) {
	runs := simulated(1)
	for i := range runs {
		if runs[i].Series == "saa" && runs[i].Group == "Gaussian" {
			s := runs[i].Curve.Metrics["population"]["suboptimality"]
			clear(s[len(s)/2:])
		}
	}
	tr := checkLayout(t, composed(t, figIterations, Input{Catalog: listed, Choice: selection.All(runs)}))
	rows := make(map[string][]vg.Length)
	for _, b := range tr.texts {
		if _, k, ok := strings.Cut(b.text, " · "); ok && strings.HasPrefix(k, "k = ") && len(k) == 5 {
			rows[k] = append(rows[k], b.Min.Y)
		}
	}
	if len(rows) != 3 {
		t.Fatalf("titles %v", rows)
	}
	for k, ys := range rows {
		if len(ys) != 2 || ys[0] != ys[1] {
			t.Errorf("%s: titles at %v", k, ys)
		}
	}
}

// tableOf returns a table of runs with columns.
func tableOf(runs []record.Run, columns ...string) *Grid {
	return Build(Table{ID: "t", Columns: columns}, Input{Catalog: listed, Choice: selection.All(runs)})
}

func TestMeanRankIsExactWhereCounted(t *testing.T) {
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
		{"bare", []record.Run{bare}, []float64{2.09}},
		{"never counted up", []record.Run{uncounted}, []float64{2.09}},
		{"repeats", []record.Run{counted, bare}, []float64{(3.17 + 2.09) / 2}},
		{"series", []record.Run{counted, other}, []float64{2.09, 3.17}},
	} {
		g := tableOf(tt.runs, "mean_rank")
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
	d, f := drawn(t, Figure{ID: "f", Panel: Panel{X: "sum_kt"}}, Input{Catalog: listed, Choice: selection.All([]record.Run{withSub(counted)})}, "svg")
	if len(d.Warnings) != 0 || !bytes.Contains(f["svg"], []byte("Sum of ranks")) {
		t.Errorf("suboptimality against sum_kt: warnings %q", d.Warnings)
	}
}

func withSub(r record.Run) record.Run {
	r.Curve.Metrics = map[string]map[string][]float64{"test": {"suboptimality": {1, 0.5, 0.2, 0.1}}}
	return r
}
