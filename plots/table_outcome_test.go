package plots

import (
	"maps"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestOutcomesHaveWhatApplies(t *testing.T) {
	t.Parallel()
	g := Outcomes(tunedInput(), []string{"tuned", "absent"})
	var ids []string
	for _, c := range g.Columns {
		ids = append(ids, c.ID)
	}
	for id, want := range map[string]bool{"series": true, "tuned": true, "absent": false, "final_error": true, "kernel_evals": true, "sum_kt2": false} {
		if slices.Contains(ids, id) != want {
			t.Errorf("columns %q: %s is there: %v", ids, id, !want)
		}
	}
	if at := slices.Index(ids, "tuned"); len(g.Rows) != 2 || at < 0 || g.Rows[0][at].Text != "0.5" || g.Rows[1][at] != missing {
		t.Errorf("rows %+v", g.Rows)
	}
}

// tunedInput has runs of two series, of which sbp has a tuned parameter.
func tunedInput() Input {
	in := svmInput(2)
	in.Choice = selection.All(filter(in.Choice.Runs(), func(r *record.Run) bool { return r.Dataset == "adult" && (r.Series == "sbp" || r.Series == "smo") }))
	for i := range in.Choice.Runs() {
		if r := &in.Choice.Runs()[i]; r.Series == "sbp" {
			r.Params = maps.Clone(r.Params)
			r.Params["tuned"] = 0.5
		}
	}
	return in
}
