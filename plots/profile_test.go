package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// traced returns a run with the suboptimality at some costs. The optimum is 2.
func traced(series, dataset string, repeat int, cost []int64, suboptimality []float64) record.Run {
	objective := make([]float64, len(suboptimality))
	for i, v := range suboptimality {
		objective[i] = 2 - v
	}
	return record.Run{
		Schema: record.Schema, Task: record.TaskPCA, Dataset: dataset, Series: series, Algorithm: series, Repeat: repeat,
		Params: record.Params{"k": int64(1)}, Key: fmt.Sprint(series, dataset, repeat), Status: record.StatusFinished,
		Curve: record.Curve{Cost: map[string][]int64{"iterations": cost}, Metrics: map[string]map[string][]float64{
			record.SplitTest: {"suboptimality": suboptimality, "objective": objective},
		}},
	}
}

// randomSearch returns two runs of COCO's random search on the sphere function in two dimensions, from
// TestPublishedRuntimeProfile of package stats.
func randomSearch() []record.Run {
	return []record.Run{
		traced("random", "f1", 0, []int64{1, 2, 15}, []float64{17.33, 3.686, 0.8757}),
		traced("random", "f1", 1, []int64{1, 2, 4, 14, 18}, []float64{74.27, 38.19, 18.02, 15.65, 2.037}),
	}
}

// sharesAt returns the values of a step curve just after some costs.
func sharesAt(cv ChartCurve, at ...float64) (y []float64) {
	for _, x := range at {
		share := 0.0
		for i := range cv.X {
			if cv.X[i] <= x {
				share = cv.Y[i]
			}
		}
		y = append(y, share)
	}
	return y
}

func profileChart(t *testing.T, p Panel, runs []record.Run) *Chart {
	t.Helper()
	p.X, p.Y = "iterations", "suboptimality"
	chart, err := Compose(Figure{ID: "f", Panel: p}, Input{Choice: selection.All(runs)})
	if err != nil {
		t.Fatal(err)
	}
	return chart
}

func TestRuntimeProfiles(t *testing.T) {
	t.Parallel()
	targets := []float64{math.Pow(10, 1.5), 10, math.Pow(10, 0.5), 1}
	late := traced("late", "f1", 0, []int64{1, 100}, []float64{50, 0.5})
	lost := traced("late", "f1", 1, []int64{1}, []float64{0.5})
	lost.Status = record.StatusDiverged
	elsewhere := traced("elsewhere", "f2", 0, []int64{1}, []float64{1})
	alone := profileChart(t, Panel{Draw: DrawRuntime, Targets: targets}, append(randomSearch(), late, lost)).Panels[0][0]
	if n := len(alone.Curves); n != 2 || !alone.X.Log || alone.X.Label != "Iterations" || !alone.Y.Percent {
		t.Fatalf("%d curves over %+v and %+v", n, alone.X, alone.Y)
	}
	for _, want := range []struct {
		series string
		shares []float64
	}{{"random", []float64{0.125, 0.25, 0.375, 0.625, 0.875, 0.875}}, {"late", []float64{0, 0, 0, 0, 0, 0.5}}} {
		i := slices.IndexFunc(alone.Curves, func(cv ChartCurve) bool { return cv.Key == want.series })
		if got := sharesAt(alone.Curves[i], 1, 2, 4, 15, 18, 100); !slices.Equal(got, want.shares) {
			t.Errorf("%s: %v, want %v", want.series, got, want.shares)
		}
		cv := alone.Curves[i]
		if end := cv.X[len(cv.X)-1]; cv.Lo == nil || cv.N != 2 || want.series == "random" && end != 18 {
			t.Errorf("%s: %d runs, band %v, to %v", want.series, cv.N, cv.Lo, end)
		}
	}
	chart := profileChart(t, Panel{Draw: DrawRuntime, Band: BandNone}, append(randomSearch(), elsewhere))
	const left = "left out, because runs on some of the 2 problems are missing: elsewhere, random"
	if p := chart.Panels[0][0]; p.Empty == "" || !slices.Contains(chart.Notes, left) {
		t.Errorf("%q, %q", p.Empty, chart.Notes)
	}
}

// Relative targets are shares of the optimum, which is 2 here.
func TestPerformanceProfiles(t *testing.T) {
	t.Parallel()
	run := func(series, dataset string, cost int64, end float64) record.Run {
		return traced(series, dataset, 0, []int64{0, cost}, []float64{2, end})
	}
	chart := profileChart(t, Panel{Draw: DrawPerformance}, []record.Run{
		run("fast", "a", 10, 1e-9), run("fast", "b", 60, 0.9), run("slow", "a", 40, 1e-9), run("slow", "b", 20, 1.1),
	})
	p := chart.Panels[0][0]
	if p.X.Label != "Iterations / least of any series" || len(p.Curves) != 2 {
		t.Fatalf("%d curves over %q", len(p.Curves), p.X.Label)
	}
	// Both series reach all 20 targets on a, but only the first, 1.26, on b.
	want := map[string][]float64{"fast": {20. / 40, 21. / 40, 21. / 40}, "slow": {1. / 40, 1. / 40, 21. / 40}}
	for _, cv := range p.Curves {
		if got := sharesAt(cv, 1, 3, 4); !slices.Equal(got, want[cv.Key]) {
			t.Errorf("%s: %v, want %v", cv.Key, got, want[cv.Key])
		}
	}
	const targets = "targets (suboptimality as a share of the optimum): 20, from 0.631 to 0.0001"
	if notes := strings.Join(chart.Notes, "; "); !strings.Contains(notes, targets) {
		t.Error(notes)
	}
}

func TestDefaultProfiles(t *testing.T) {
	t.Parallel()
	two := append(randomSearch(), traced("late", "f1", 0, []int64{1, 100}, []float64{50, 0.5}))
	for _, test := range []struct {
		name    string
		runs    []record.Run
		figures []Figure
		want    int
	}{
		{"two series", two, nil, 2},
		{"one series", randomSearch(), nil, 0},
		{"figure is a profile", two, []Figure{{Panels: []Panel{{}, {Draw: DrawRuntime}}}}, 0},
		{"another figure", two, []Figure{{Panel: Panel{Y: "rank"}}}, 2},
	} {
		if got := (Input{Choice: selection.All(test.runs)}).DefaultProfiles(test.figures); len(got) != test.want {
			t.Errorf("%s: %d profiles, want %d", test.name, len(got), test.want)
		}
	}
}
