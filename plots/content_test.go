package plots

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/results/record"
)

func TestZerosOnLogAxesAreNoted(t *testing.T) {
	s := scenes()["zeros"]
	d, f := drawn(t, s.fig, s.in, "svg")
	if !bytes.Contains(f["svg"], []byte("zero and negative ones too, are drawn on the dotted line")) {
		t.Error("no note on the face of the figure")
	}
	if !slices.Contains(d.Warnings, "figure zeros: k = 4: values below 0.0001 are drawn at the floor of the logarithmic axis") {
		t.Errorf("warnings %q", d.Warnings)
	}
	d, f = drawn(t, figReal, Input{Runs: realData(1, false)}, "svg")
	if bytes.Contains(f["svg"], []byte("dotted line")) || len(d.Warnings) != 0 {
		t.Errorf("a note without reason, or warnings %q", d.Warnings)
	}
}

func TestEmptyPanelsSayWhy(t *testing.T) {
	failed := realData(1, false)
	for i := range failed {
		failed[i].Status, failed[i].Reason = record.StatusFailed, "eigensolver gave up"
	}
	diverged := realData(2, false)
	for i := range diverged {
		if diverged[i].Repeat == 1 && diverged[i].Series == "msg" {
			diverged[i].Status, diverged[i].Reason = record.StatusDiverged, "not finite"
		}
	}
	one := map[string]any{"k": 1}
	for _, tt := range []struct {
		name    string
		panel   Panel
		runs    []record.Run
		face    string
		warning string
	}{
		{"no runs", Panel{}, nil, "no data: no runs", "no data: no runs"},
		{"no match", Panel{Where: map[string]any{"k": 3}}, realData(1, false), "no data: no runs of k = 3", "no runs of k = 3"},
		{"no metric", Panel{Y: "objective", Where: one}, realData(1, false), `no data: no record of "objective" against "iterations"`, `7 of 7 runs have no record of "objective"`},
		{"no counter", Panel{X: "kernel_evals", Where: one}, realData(1, false), `against "kernel_evals"`, `against "kernel_evals"`},
		{"no split", Panel{Split: "validation", Where: one}, realData(1, false), "on the validation split", "on the validation split"},
		{"no spectrum", Panel{Y: "spectrum", Where: one}, realData(1, false), "no record of the spectrum", "no record of the spectrum"},
		{"all failed", Panel{Where: one}, failed, "no data: all 7 runs failed or diverged", "7 of 7 runs failed and are left out"},
		{"one diverged", Panel{Where: one}, diverged, "1 of 14 runs diverged and are left out (MSG: not finite)", "1 of 14 runs diverged"},
		{"missing series", Panel{Where: one, Series: []string{"msg", "msg2"}}, realData(1, false), "MSG", `no runs of series "msg2"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Runs: tt.runs}
			checkLayout(t, Figure{ID: "f", Panel: tt.panel}, in)
			d, f := drawn(t, Figure{ID: "f", Panel: tt.panel}, in, "svg")
			if face := strings.Join(texts(t, f["svg"]), " "); !strings.Contains(face, tt.face) {
				t.Errorf("%q is not on its face:\n%s", tt.face, face)
			}
			if !strings.Contains(strings.Join(d.Warnings, "\n"), tt.warning) {
				t.Errorf("%q is not among the warnings %q", tt.warning, d.Warnings)
			}
		})
	}
}

func TestRunsOfOneCurveAreNotMixed(t *testing.T) {
	runs := realData(2, false) // k differs, and nothing separates it
	fig := Figure{ID: "f", Panel: Panel{Series: []string{"msg"}}}
	d, f := drawn(t, fig, Input{Runs: append(runs, runs[0], runs[2])}, "svg")
	all := texts(t, f["svg"])
	for _, k := range []string{"MSG, k = 1", "MSG, k = 4", "MSG, k = 8"} {
		if count(all, k) != 1 {
			t.Errorf("%s is not in the legend %q", k, all)
		}
	}
	for _, w := range []string{"runs of MSG differ in k too", "1 records repeat others"} {
		if !strings.Contains(strings.Join(d.Warnings, "\n"), w) {
			t.Errorf("no warning %q among %q", w, d.Warnings)
		}
	}
}

func TestLongCurvesAreThinnedInShape(t *testing.T) {
	const n = 50000
	var l polyline
	for i := range n {
		l.x = append(l.x, float64(i))
		l.y = append(l.y, math.Sin(float64(i)*0.7)+float64(i%997)/997)
	}
	l.y[31234], l.y[40001] = 50, -50
	sx, sy := newScale(l.x, false), newScale(l.y, false)
	pts, clipped := placeLine(l, sx, sy)
	if clipped || len(pts) > 4*(thinBins+1) || len(pts) < thinBins {
		t.Errorf("%d points, clipped %v", len(pts), clipped)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, p := range pts {
		lo, hi = min(lo, p.y), max(hi, p.y)
		if i > 0 && p.x <= pts[i-1].x {
			t.Fatalf("points out of order at %d", i)
		}
		if l.y[int(p.x)] != p.y {
			t.Fatalf("point %d was made up", i)
		}
	}
	if lo != -50 || hi != 50 || pts[0].x != 0 || pts[len(pts)-1].x != n-1 {
		t.Errorf("range %g to %g, from %g to %g", lo, hi, pts[0].x, pts[len(pts)-1].x)
	}
	below, above, _ := placeBand(l.x, l.y, l.y, sx, sy)
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range below {
		lo, hi = min(lo, below[i].y), max(hi, above[i].y)
		if below[i].y > above[i].y || below[i].x != above[i].x {
			t.Fatalf("the band is upside down at %d", i)
		}
	}
	if lo != -50 || hi != 50 || len(below) > thinBins+1 {
		t.Errorf("band of %d points from %g to %g", len(below), lo, hi)
	}
	short, _ := placeLine(polyline{l.x[:thinAbove], l.y[:thinAbove]}, sx, sy)
	if len(short) != thinAbove {
		t.Errorf("a line of %d points was thinned to %d", thinAbove, len(short))
	}
}

func TestStrands(t *testing.T) {
	c := record.Curve{
		Cost:     map[string][]int64{"iterations": {0, 1, 5, 9}},
		Spectrum: [][]float64{{1, 0.5}, {1}, {0.9, 0.4, 0.1}, {0.8, 0.3}},
	}
	got := fmt.Sprint(strands(c, "iterations"))
	want := fmt.Sprint([]polyline{
		{[]float64{0, 1, 5, 9}, []float64{1, 1, 0.9, 0.8}},
		{[]float64{0}, []float64{0.5}},
		{[]float64{5, 9}, []float64{0.4, 0.3}},
		{[]float64{5}, []float64{0.1}},
	})
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if s := strands(record.Curve{}, "iterations"); len(s) != 0 {
		t.Errorf("strands of nothing: %v", s)
	}
}

func TestSharedAxes(t *testing.T) {
	in := simulated(1)
	cells, err := layOut(figRuntime, in)
	if err != nil {
		t.Fatal(err)
	}
	contents := make([][]content, len(cells))
	for i := range cells {
		for j := range cells[i] {
			contents[i] = append(contents[i], curvesOf(&cells[i][j], varSeries))
		}
	}
	xs, ys := scales(cells, contents)
	if a, b := ys[cells[0][0].yKey()], ys[cells[0][1].yKey()]; a != b {
		t.Errorf("ranks of one row on axes %+v and %+v", a, b)
	}
	if a, b := xs[cells[0][0].xKey()], xs[cells[1][0].xKey()]; a != b {
		t.Errorf("iterations of one column on axes %+v and %+v", a, b)
	}
	if cells[1][0].xKey() == cells[2][0].xKey() {
		t.Error("iterations share an axis with the estimated runtime")
	}
	if s := ys[cells[1][0].yKey()]; s.log || s.min > 0 || s.max < 1 || s.max > 1.1 {
		t.Errorf("eigenvalues on axis %+v", s)
	}
}
