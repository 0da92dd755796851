package report

import (
	"slices"
	"strings"
	"testing"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

func TestSelectionOnThePage(t *testing.T) {
	t.Parallel()
	dir := madeUp{name: "exp", runs: -1, change: func(i int, r *record.Run) {
		if i == 0 {
			r.Status, r.Reason = record.StatusFailed, "out of luck"
		}
	}}.make(t, t.TempDir())
	e := collect(t, options(), dir).Experiments[0]
	if !strings.Contains(e.SelectedBy, "step.c by the final suboptimality") || !strings.Contains(e.SelectedBy, "oracle") {
		t.Errorf("selected by %q", e.SelectedBy)
	}
	if len(e.Selection) != 2 {
		t.Fatalf("%d choices", len(e.Selection))
	}
	c := e.Selection[0]
	if c.Series != "msg" || c.Dataset != "g" || c.Tuned != "step.c" || !c.OK || c.Chosen.String() != "step.c=4" || c.Edge != "high" || len(c.Warnings) == 0 {
		t.Errorf("choice %+v", c)
	}
	// The scores, by hand: 0.1 (1 + (i/2+1) mod 3) for i/2 = 1 and 2.
	wants := []struct {
		value, score   float64
		out            string
		finished, runs int
	}{{1, 0, "repeat 0 failed: out of luck", 1, 2}, {2, 0.3, "", 2, 2}, {4, 0.1, "", 2, 2}}
	for i, w := range wants {
		n := c.Candidates[i]
		if n.Params["step.c"] != w.value || strings.Join(n.Problems, "; ") != w.out || n.Finished != w.finished || n.Runs != w.runs || n.Selected != (i == 2) {
			t.Errorf("candidate %+v, want %+v", n, w)
		}
		if n.Scored != (w.score > 0) || n.Scored && (n.Score < w.score-1e-12 || n.Score > w.score+1e-12 || n.SE != 0) {
			t.Errorf("candidate %d has the score %v, want %v", i, n.Score, w.score)
		}
	}
	if c := e.Selection[1]; c.Series != "incremental" || c.Tuned != "" || c.Edge != "" {
		t.Errorf("a choice without a grid: %+v", c)
	}
}

func TestSelectionOfTwoParameters(t *testing.T) {
	t.Parallel()
	two := analysis.Choice{OK: true, Candidates: []analysis.Candidate{
		{Params: record.Params{"a": int64(1), "b": 1.0}}, {Params: record.Params{"a": int64(2), "b": 2.0}},
	}}
	if got := soleNumber(two, []string{"a", "b"}); got != "" {
		t.Errorf("two numbers are tuned as %q", got)
	}
	if got := soleNumber(two, []string{"a"}); got != "a" {
		t.Errorf("one of them is %q", got)
	}
	words := analysis.Choice{Candidates: []analysis.Candidate{{Params: record.Params{"a": "x"}}, {Params: record.Params{"a": "y"}}}}
	if got := soleNumber(words, []string{"a"}); got != "" {
		t.Errorf("words are tuned as the number %q", got)
	}
}

func TestSelectionByHalvingsIsCompact(t *testing.T) {
	t.Parallel()
	vote := func(eta float64, n int) []analysis.Votes {
		return []analysis.Votes{{Params: record.Params{"eta": eta}, Count: n}, {Params: record.Params{"eta": 9.0}, Count: 20 - n}}
	}
	c := &analysis.HalvedCurve{
		Setting: analysis.Setting{Dataset: "d", Series: "s"}, Repeats: []int{0, 1}, Sizes: []int{5, 6, 7, 10}, Error: []float64{0.3, 0.2, 0.25, 0.1},
		Chosen: [][]analysis.Votes{vote(1, 16), vote(1, 12), vote(2, 20), vote(1, 11)},
		Edges:  []analysis.Edge{{Param: "eta", Value: 1.0}},
	}
	got := halved(c, analysis.HalvingOptions{Count: 10})
	want := []SizeChoice{
		{5, 6, "eta=1", 0.6, 0.2, 0.3}, {7, 7, "eta=2", 1, 0.25, 0.25}, {10, 10, "eta=1", 0.55, 0.1, 0.1},
	}
	if !slices.Equal(got.BySize, want) {
		t.Errorf("got %+v, want %+v", got.BySize, want)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "end of its grid") {
		t.Errorf("warnings %q", got.Warnings)
	}
}
