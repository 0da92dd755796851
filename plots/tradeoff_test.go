package plots

import (
	"maps"
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func tradeoffScenes() map[string]scene {
	all := sparseInput(5)
	all.Profile = "quick"
	two := sparseInput(2, sparseMethods[:5]...)
	few := figTradeoff
	few.ID, few.Facet.Wrap, few.Band = "tradeoff-halvings", 0, BandHalvings
	rows := figTradeoff
	rows.ID, rows.Facet = "tradeoff-rows", Facet{Rows: "dataset"}
	rows.Log = []string{"x", "y"}
	return map[string]scene{"all": newScene(figTradeoff, all), "halvings": newScene(few, two), "rows": newScene(rows, two)}
}

// filled returns a copy of a panel with its curves.
func filled(c *pane) *pane {
	own := *c
	own.ChartPanel = &ChartPanel{Title: c.Title}
	own.fill()
	return &own
}

// tradeoffPane returns the filled panel of a figure of trade-offs.
func tradeoffPane(t *testing.T, in Input, band string) *pane {
	t.Helper()
	f := Figure{ID: "f", Panel: Panel{Draw: DrawTradeoff, Band: band}}
	panes, err := layOut(f, in)
	if err != nil {
		t.Fatal(err)
	}
	return filled(panes[0][0])
}

func TestTradeoffsShowTheSelection(t *testing.T) {
	t.Parallel()
	in := sparseInput(1, sparseMethods[3], sparseMethods[4]) // with three repeats and with one
	for _, band := range []string{"", BandMinMax, BandNone, BandRuns, BandHalvings} {
		ct := tradeoffPane(t, in, band)
		means := slices.DeleteFunc(slices.Clone(ct.Curves), func(cv ChartCurve) bool { return cv.Thin })
		if len(means) != 2 || len(ct.warnings) > 0 {
			t.Fatalf("%d curves, %v", len(means), ct.warnings)
		}
		if l := ct.Lines; len(l) != 2 || *l[0].X != 8000 || *l[1].Y != 0.148 {
			t.Errorf("lines %v", l)
		}
		slices.Reverse(means)
		for i, cv := range means {
			h := in.Choice.Series[i]
			if cv.series.id != h.Name || !slices.Equal(cv.Y, h.Error) || cv.X[0] != float64(h.Least) || cv.N != len(h.Repeats) {
				t.Errorf("curve %+v of %s", cv, h.Name)
			}
			banded := band == BandHalvings || len(h.Repeats) > 1 && (band == "" || band == BandMinMax)
			thin := slices.ContainsFunc(ct.Curves, func(o ChartCurve) bool { return o.Thin && o.series == cv.series })
			if (cv.Lo != nil) != banded || thin != (band == BandRuns && len(h.Repeats) > 1) {
				t.Errorf("band %q: %s has %d edges", band, h.Name, len(cv.Lo))
			}
			for j := range cv.Lo {
				if cv.Lo[j] > cv.Y[j] || cv.Hi[j] < cv.Y[j] {
					t.Errorf("the mean is outside its band")
				}
				each := []float64{h.ByRepeat[0][j], h.ByRepeat[len(h.ByRepeat)-1][j]}
				if band == BandMinMax && (cv.Lo[j] > slices.Min(each) || cv.Hi[j] < slices.Max(each)) {
					t.Errorf("the band does not contain the repeats")
				}
				if band == BandHalvings && math.Abs(cv.Hi[j]-cv.Y[j]-h.SD[j]) > 1e-12 {
					t.Errorf("the band is not the standard deviation over halvings")
				}
			}
		}
	}
}

// Runs that differ in a parameter that is not tuned have separate curves.
func TestTradeoffsOfSeveralProblems(t *testing.T) {
	t.Parallel()
	in := sparseInput(1, sparseMethods[1])
	for _, r := range slices.Clone(in.Choice.Runs()) {
		r.Params = maps.Clone(r.Params)
		r.Params["C"] = 10.0
		r.Key += "10"
		in.Choice = selection.All(append(in.Choice.Runs(), r))
	}
	in.Choice = chooseBySize(in.Choice.Runs(), 3, "eta")
	ct := tradeoffPane(t, in, "")
	if len(ct.Curves) != 2 || ct.Curves[1].setting != "C = 1" || ct.Curves[0].setting != "C = 10" {
		t.Errorf("%d curves", len(ct.Curves))
	}
}

func TestReferencesAreMeansOverRepeats(t *testing.T) {
	run := func(repeat int, bias bool, error, support float64) record.Run {
		return record.Run{
			Dataset: "d", Series: "s", Repeat: repeat, Params: record.Params{"bias": bias, "eta": float64(repeat)},
			Facts: map[string]float64{factReferenceError: error, factReferenceSupport: support},
		}
	}
	runs := []record.Run{run(0, true, 0.25, 10), run(1, true, 0.75, 21), run(0, true, 0.25, 10), run(0, false, 0.5, 30), {Dataset: "d"}}
	want := []reference{{0.5, 15.5, "bias = true"}, {0.5, 30, "bias = false"}}
	if got := listed.referencesOf(runs); !slices.Equal(got, want) {
		t.Errorf("references %+v, want %+v", got, want)
	}
}
