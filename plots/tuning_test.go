package plots

import (
	"strings"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestPanelsThatCountTheSearch(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for c := range 7 {
		r := synth{series: "msg", dataset: "d", rate: 1, last: 100}.run()
		r.Params = record.Params{"step.c": float64(c + 1)}
		runs = append(runs, r)
	}
	choice, err := selection.Choose(runs, selection.Rule{
		By: selection.ByOracle, Metric: "suboptimality", Over: selection.OverFinal, Tune: []string{"step.c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Choice: choice}
	fig := Figure{ID: "f", Panels: []Panel{{}, {Tuned: "grid"}, {Tuned: "random"}}}
	c := composed(t, fig, in)
	for i, want := range []struct {
		label string
		end   float64
	}{{"Iterations", 100}, {"Iterations, summed over the grid", 700}, {"Iterations, of random candidates", 700}} {
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
	in.Choice = selection.All(runs)
	if c := composed(t, fig, in); len(c.Panels[1][0].Curves) != 0 {
		t.Error("there are curves of a search that is not on record")
	}
}
