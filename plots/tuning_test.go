package plots

import (
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestPanelsThatCountTheSearch(t *testing.T) {
	t.Parallel()
	own := synth{series: "msg", dataset: "d", rate: 1, last: 100}.run()
	dear := own
	dear.Curve.Cost = map[string][]int64{"iterations": slices.Clone(own.Curve.Cost["iterations"])}
	for i := range dear.Curve.Cost["iterations"] {
		dear.Curve.Cost["iterations"][i] *= 7
	}
	in := Input{Runs: []record.Run{own}, Tuned: func(tuning string) []record.Run {
		if tuning != "grid" {
			return nil
		}
		return []record.Run{dear}
	}}
	fig := Figure{ID: "f", Panels: []Panel{{}, {Tuned: "grid"}, {Tuned: "random"}}}
	c := composed(t, fig, in)
	for i, want := range []struct {
		label string
		end   float64
	}{{"Iterations", 100}, {"Iterations, summed over the grid", 700}, {"Iterations, of random candidates", 0}} {
		p := c.Panels[i][0]
		var end float64
		for _, cv := range p.Curves {
			end = cv.X[len(cv.X)-1]
		}
		if string(p.X.Label) != want.label || end != want.end {
			t.Errorf("panel %d: %q up to %v, want %q up to %v", i, p.X.Label, end, want.label, want.end)
		}
	}
	if !strings.Contains(c.Caption, "Note: cost summed over the grid: what all candidates of a repeat had cost") {
		t.Errorf("the caption does not say what is counted: %s", c.Caption)
	}
	in.Tuned = nil // as of records without a selection
	if c := composed(t, fig, in); len(c.Panels[1][0].Curves) != 0 {
		t.Error("there are curves of a search that is not on record")
	}
}
