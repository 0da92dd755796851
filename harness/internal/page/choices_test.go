package page

import (
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestSelectionOnThePage(t *testing.T) {
	t.Parallel()
	dir := testFolder{name: "exp", runs: -1, change: func(i int, r *record.Run) {
		if i == 0 {
			r.Status, r.Reason = record.StatusFailed, "overflow"
		}
	}}.create(t, t.TempDir())
	e := collect(t, options(), dir).Experiments[0]
	if e.SelectedBy == "" {
		t.Errorf("selected by %q", e.SelectedBy)
	}
	if len(e.Selection) != 2 {
		t.Fatalf("%d choices", len(e.Selection))
	}
	c := e.Selection[0]
	if c.Label != "MSG" || c.Dataset != "g" || c.Chosen != "step.c=4" || c.Score != "0.100" || c.Candidates != 3 {
		t.Errorf("choice %+v", c)
	}
	if len(c.Remarks) != 2 {
		t.Errorf("remarks %q, want one on the failed repeat 0 and one on the end of the grid", c.Remarks)
	}
	if c := e.Selection[1]; c.Label != "Incremental" || c.Candidates != 1 || len(c.Remarks) != 0 {
		t.Errorf("a choice without a grid: %+v", c)
	}
}

func TestSelectionByHalvingsIsCompact(t *testing.T) {
	t.Parallel()
	vote := func(eta float64, n int) []selection.Votes {
		return []selection.Votes{{Params: record.Params{"eta": eta}, Count: n}, {Params: record.Params{"eta": 9.0}, Count: 20 - n}}
	}
	c := &selection.Series{
		Dataset: "d", Name: "s", Warnings: []string{"eta = 1 is at the low end of its grid"},
		Tradeoff: selection.Tradeoff{
			Repeats: []int{0, 1}, Sizes: []int{5, 6, 7, 10}, Error: []float64{0.3, 0.2, 0.25, 0.1},
			Votes: [][]selection.Votes{vote(1, 16), vote(1, 12), vote(2, 20), vote(1, 11)},
		},
	}
	got := newSelectionRow(c, "S", true)
	want := []sizeRange{{5, 6, "eta=1", 0.6}, {7, 7, "eta=2", 1}, {10, 10, "eta=1", 0.55}}
	if !slices.Equal(got.Sizes, want) {
		t.Errorf("got %+v, want %+v", got.Sizes, want)
	}
	if len(got.Remarks) != 1 {
		t.Errorf("remarks %q", got.Remarks)
	}
}
