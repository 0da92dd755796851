package plots

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// steep returns runs whose error falls from one half to near 0 at one step each.
func steep(plunge ...int64) []record.Run {
	var runs []record.Run
	for i, p := range plunge {
		r, _ := svmSynth{series: []string{"sbp", "smo", "sdca"}[i], dataset: "mnist-8", start: 0.5, floor: 0.01, plunge: p, perStep: 10}.run()
		runs = append(runs, r)
	}
	return runs
}

func TestXAxisBeginsWhereCurvesEnter(t *testing.T) {
	t.Parallel()
	fig := Figure{ID: "f", Panel: Panel{X: "kernel_evals", Y: "error", Log: []string{"x"}}}
	panelOf := func(fig Figure, runs []record.Run) *ChartPanel {
		return composed(t, fig, inputOf(runs...)).Panels[0][0]
	}
	runs := steep(1000, 4000)
	// The axis begins just before the fall at 1000 steps of 10 evaluations.
	if f := panelOf(fig, runs); f.X.Min > 1e4 || f.X.Min < 0.5e4 {
		t.Errorf("the axis begins at %g", f.X.Min)
	}
	checkLayout(t, composed(t, fig, inputOf(runs...)))

	for name, change := range map[string]func(f *Figure){
		"linear":      func(f *Figure) { f.Log = nil },
		"other value": func(f *Figure) { f.Y = "norm" },
		"log y":       func(f *Figure) { f.Log = []string{"x", "y"} },
	} {
		g := fig
		change(&g)
		if f := panelOf(g, runs); f.X.Min > 12 {
			t.Errorf("%s: the axis begins at %g", name, f.X.Min)
		}
	}
	if f := panelOf(fig, steep(1)); f.X.Min > 12 {
		t.Errorf("the axis of a curve that is always in view begins at %g", f.X.Min)
	}
}

func TestCurvesAndBandsEnter(t *testing.T) {
	t.Parallel()
	y := ChartAxis{Min: 0, Max: 0.1}
	cv := ChartCurve{X: []float64{0, 1, 10, 100, 1000}, Y: []float64{0.5, 0.5, 0.5, 0.5, 0.05}}
	if at := cv.entersAt(y); at != 3 {
		t.Errorf("the mean enters at %d", at)
	}
	cv.Lo, cv.Hi = []float64{0.5, 0.5, 0.5, 0.08, 0.04}, []float64{0.5, 0.5, 0.5, 0.9, 0.06}
	if at := cv.entersAt(y); at != 2 {
		t.Errorf("the band enters at %d", at)
	}
	cv = ChartCurve{X: []float64{0, 1, 10}, Y: []float64{0.5, 0.5, 0.5}}
	if at := cv.entersAt(y); at != 3 {
		t.Errorf("a curve that is never in view enters at %d", at)
	}
}

func TestStaysFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		y    []float64
		want int
	}{
		{[]float64{5, 5, 1, 1}, 0},          // enters once
		{[]float64{1, 2, 1}, 0},             // always within
		{[]float64{5, 1, 5, 1, 5, 2, 1}, 4}, // enters three times
		{[]float64{1, 5, 1, 5}, 3},          // ends outside
	} {
		cv := ChartCurve{Y: c.y}
		if got := cv.StaysFrom(ChartAxis{Min: 0, Max: 3}); got != c.want {
			t.Errorf("%v: %d, want %d", c.y, got, c.want)
		}
	}
}

func TestCurvesInView(t *testing.T) {
	t.Parallel()
	x, y := ChartAxis{Min: 0, Max: 3}, ChartAxis{Min: 0.2, Max: 0.3}
	for _, c := range []struct {
		name string
		x, y []float64
		want bool
	}{
		{"a point", []float64{1}, []float64{0.25}, true},
		{"above", []float64{1, 2}, []float64{0.5, 0.4}, false},
		{"to the right", []float64{4, 5}, []float64{0.25, 0.25}, false},
		{"passes through between two points", []float64{1, 2}, []float64{0.5, 0.1}, true},
	} {
		if got := (ChartCurve{X: c.x, Y: c.y}).inView(x, y); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A cost that does not apply to a method is zero or absent in its records, and shown as missing.
func TestCostsThatDoNotApplyAreMissing(t *testing.T) {
	t.Parallel()
	zero, _ := libsvmRun("mnist-8", 1, 0.01)
	absent, _ := libsvmRun("mnist-8", 1, 0.01)
	delete(absent.Curve.Cost, "kernel_evals")
	for _, run := range []record.Run{zero, absent} {
		in := inputOf(append(steep(100), run)...)
		ch := composed(t, Figure{ID: "f", Panel: Panel{X: "kernel_evals", Y: "error"}}, in)
		if len(ch.Warnings) != 1 || len(ch.Keys) != 1 {
			t.Errorf("warnings %q, keys %+v", ch.Warnings, ch.Keys)
		}
		g := build(t, Table{ID: "t", Columns: []string{"kernel_evals"}}, in)
		if c := rowOf(t, g, "LIBSVM")["kernel_evals"]; c != missing {
			t.Errorf("cell %+v", c)
		}
	}
}

// A curve ends in a mark if its method converged before the end of the axis. Running out of features is different.
func TestOnlyConvergedRunsEndInAMark(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]bool{"converged: all is well": true, "exhausted: all 512 pairs of features are in use": false} {
		runs := steep(100, 100)
		short := &runs[1].Curve
		short.Cost["kernel_evals"] = slices.Clone(short.Cost["kernel_evals"])
		short.Cost["kernel_evals"][short.Len()-1]--
		for i := range runs {
			runs[i].Reason = reason
		}
		ch := composed(t, Figure{ID: "f", Panel: Panel{X: "kernel_evals", Y: "error"}}, inputOf(runs...))
		for _, cv := range ch.Panels[0][0].Curves {
			if ends := cv.Key == "SMO"; cv.Converged != (want && ends) {
				t.Errorf("%s: %s is marked: %v", reason, cv.Key, cv.Converged)
			}
		}
	}
}

func TestLegendOfSeparatePointsHasNoLine(t *testing.T) {
	t.Parallel()
	run, timing := libsvmRun("mnist-8", 1, 0.01)
	other, otherTiming := svmSynth{series: "sbp", dataset: "mnist-8", start: 0.5, floor: 0.01, rate: 0.5, perStep: 10}.run()
	chart := composed(t, figSeconds, inputOf(run.WithTiming(timing), other.WithTiming(otherTiming)))
	for _, e := range chart.Keys {
		if single := e.Label == "LIBSVM"; e.PointsOnly != single || e.Glyphs != single {
			t.Errorf("%+v", e)
		}
	}
}

// renamed renames series and datasets.
func renamed(runs []record.Run, name func(string) string) []record.Run {
	for i := range runs {
		runs[i].Series, runs[i].Dataset = name(runs[i].Series), name(runs[i].Dataset)
	}
	return runs
}

func TestLongNamesStayOnThePage(t *testing.T) {
	t.Parallel()
	for name, long := range map[string]func(string) string{
		"words":  func(s string) string { return s + strings.Repeat(" with a step size of its own", 12) },
		"a word": func(s string) string { return s + strings.Repeat("-very-long", 40) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, fig := range []Figure{
				{ID: "legend", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 1}}},
				{ID: "colour", Panel: Panel{Y: "rank", Where: map[string]any{"k": 4}}},
				{ID: "facet", Panel: Panel{Where: map[string]any{"k": 4}}, Facet: Facet{Rows: "series", Cols: "dataset"}},
				{ID: "none", Panel: Panel{Series: []string{long("x")}}},
			} {
				all := ""
				for _, b := range checkLayout(t, composed(t, fig, inputOf(renamed(realData(1, true), long)...))) {
					all += b.text
				}
				squeezed := strings.ReplaceAll(all, " ", "")
				name := "mnist"
				if fig.ID == "none" {
					name = "x"
				}
				if want := strings.ReplaceAll(long(name), " ", ""); !strings.Contains(squeezed, want) {
					t.Errorf("%s: the name is cut short", fig.ID)
				}
			}
		})
	}
}

func TestEigenvalueCurves(t *testing.T) {
	t.Parallel()
	c := record.Curve{
		Cost:     map[string][]int64{"iterations": {0, 1, 5, 9}},
		Spectrum: [][]float64{{1, 0.5}, {1}, {0.9, 0.4, 0.1}, {0.8, 0.3}},
	}
	var got [][2][]float64
	for _, cv := range eigenvalueCurves(c, "iterations") {
		got = append(got, [2][]float64{cv.X, cv.Y})
	}
	want := [][2][]float64{
		{{0, 1, 5, 9}, {1, 1, 0.9, 0.8}}, {{0, 1, 5, 9}, {0.5, 0, 0.4, 0.3}}, {{5, 9}, {0.1, 0}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if s := eigenvalueCurves(record.Curve{}, "iterations"); len(s) != 0 {
		t.Errorf("curves of an empty spectrum: %v", s)
	}
}
