package plots

import (
	"reflect"
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestEmptyPanelsSayWhy(t *testing.T) {
	t.Parallel()
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
		{"no metric", Panel{Y: "objective", Where: one}, realData(1, false), `no data: no record of "objective" against "iterations"`, `SAA: no record of "objective"`},
		{"no counter", Panel{X: "kernel_evals", Where: one}, realData(1, false), `against "kernel_evals"`, `against "kernel_evals"`},
		{"no split", Panel{Split: "validation", Where: one}, realData(1, false), "on the validation split", "on the validation split"},
		{"no spectrum", Panel{Y: "spectrum", Where: one}, realData(1, false), "no record of the spectrum", "no record of the spectrum"},
		{"all failed", Panel{Where: one}, failed, "no data: none of the 7 runs finished", "MSG: 1 of 1 runs failed"},
		{"one diverged", Panel{Where: one}, diverged, "MSG: 1 of 2 runs diverged on mnist (not finite)", "1 of 2 runs diverged"},
		{"missing series", Panel{Where: one, Series: []string{"msg", "msg2"}}, realData(1, false), "MSG", `no runs of series "msg2"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Catalog: listed, Choice: selection.All(tt.runs)}
			checkLayout(t, composed(t, Figure{ID: "f", Panel: tt.panel}, in))
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
