package plots

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestZerosOnLogAxesAreNoted(t *testing.T) {
	t.Parallel()
	s := scenes()["zeros"]
	svg := must(t, s.svg)
	if !bytes.Contains(svg, []byte("including zero and negative values, are drawn on the dotted line")) {
		t.Error("no note on the face of the figure")
	}
	d, f := drawn(t, figReal, Input{Catalog: listed, Choice: selection.All(realData(1, false))}, "svg")
	if bytes.Contains(f["svg"], []byte("dotted line")) || len(d.Warnings) != 0 {
		t.Errorf("a note without reason, or warnings %q", d.Warnings)
	}
}

func TestRunsOfOneCurveAreNotMixed(t *testing.T) {
	t.Parallel()
	runs := realData(2, false) // k differs, and nothing separates it
	fig := Figure{ID: "f", Panel: Panel{Series: []string{"msg"}}}
	_, f := drawn(t, fig, Input{Catalog: listed, Choice: selection.All(runs)}, "svg")
	all := texts(t, f["svg"])
	for _, k := range []string{"MSG, k = 1", "MSG, k = 4", "MSG, k = 8"} {
		if count(all, k) != 1 {
			t.Errorf("%s is not in the legend %q", k, all)
		}
	}
}

func TestStrands(t *testing.T) {
	t.Parallel()
	c := record.Curve{
		Cost:     map[string][]int64{"iterations": {0, 1, 5, 9}},
		Spectrum: [][]float64{{1, 0.5}, {1}, {0.9, 0.4, 0.1}, {0.8, 0.3}},
	}
	var got [][2][]float64
	for _, cv := range strands(c, "iterations") {
		got = append(got, [2][]float64{cv.X, cv.Y})
	}
	want := [][2][]float64{
		{{0, 1, 5, 9}, {1, 1, 0.9, 0.8}}, {{0, 1, 5, 9}, {0.5, 0, 0.4, 0.3}}, {{5, 9}, {0.1, 0}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if s := strands(record.Curve{}, "iterations"); len(s) != 0 {
		t.Errorf("strands of nothing: %v", s)
	}
}

func TestSharedAxes(t *testing.T) {
	t.Parallel()
	in := Input{Catalog: listed, Choice: selection.All(simulated(1))}
	cells, err := layOut(figRuntime, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(cells...) {
		c.fill()
	}
	cells.setAxes()
	if a, b := cells[0][0].Y, cells[0][1].Y; a != b {
		t.Errorf("ranks of one row on axes %+v and %+v", a, b)
	}
	if a, b := cells[0][0].X, cells[1][0].X; a != b {
		t.Errorf("iterations of one column on axes %+v and %+v", a, b)
	}
	if cells[1][0].xKey() == cells[2][0].xKey() {
		t.Error("iterations share an axis with the estimated runtime")
	}
	if s := cells[1][0].Y; s.Log || s.Min > 0 || s.Max < 1 || s.Max > 1.1 {
		t.Errorf("eigenvalues on axis %+v", s)
	}
}
