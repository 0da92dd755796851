package compare

import (
	"maps"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// withParams returns runs with other parameters.
func withParams(runs []record.Run, params record.Params) []record.Run {
	return changed(runs, func(_ int, r *record.Run) {
		for name, v := range params {
			r.Params[name] = v
		}
		*r = keyed(*r)
	})
}

func TestMatching(t *testing.T) {
	run := func(c float64, extra ...string) record.Run {
		r := withParams([]record.Run{testRun("msg", 0, 1)}, record.Params{"step.c": c})[0]
		for _, name := range extra {
			r = withParams([]record.Run{r}, record.Params{name: true})[0]
		}
		return r
	}
	for _, c := range []struct {
		name       string
		base, cand []record.Run
		want       []string
	}{
		{"equal ones first", []record.Run{run(0.5), run(1)}, []record.Run{run(1), run(0.25)},
			[]string{"step.c=0.5 ~ step.c=0.25", "step.c=1 ~ step.c=1"}},
		{"ambiguous", []record.Run{run(0.5), run(1)}, []record.Run{run(2), run(4)},
			[]string{"step.c=0.5 ~ -", "step.c=1 ~ -", "- ~ step.c=2", "- ~ step.c=4"}},
		{"two and one", []record.Run{run(0.5), run(1)}, []record.Run{run(2)},
			[]string{"step.c=0.5 ~ -", "step.c=1 ~ -", "- ~ "}},
		{"fewest differences", []record.Run{run(0.5), run(0.5, "cap")}, []record.Run{run(2, "cap"), run(2)},
			[]string{" ~ ", "cap=true ~ cap=true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, m := range matchGroups(groups(sideNames[0], side(c.base...)[0], false), groups(sideNames[1], side(c.cand...)[0], false)) {
				text := func(g *group) string {
					if g == nil {
						return "-"
					}
					return g.params
				}
				got = append(got, text(m[0])+" ~ "+text(m[1]))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("matched %q, want %q", got, c.want)
			}
		})
	}
}

func TestCellsOfOneSide(t *testing.T) {
	msg, old, added := noisyRuns("msg", 3, 1, 0.1, 1), noisyRuns("old", 3, 1, 0.1, 1), noisyRuns("new", 3, 1, 0.1, 1)
	r := mustCompare(t,
		[]Side{{Name: "gone", Runs: msg}, {Name: "both", Runs: slices.Concat(msg, old)}},
		[]Side{{Name: "more", Runs: msg}, {Name: "both", Runs: slices.Concat(added, msg)}}, defaults)
	var got []string
	for _, c := range r.Cells {
		got = append(got, c.Experiment+" "+c.Series+" "+c.Verdict+" "+c.Reason)
	}
	want := []string{
		"gone msg incomparable only in the baseline",
		"both msg identical ", "both old incomparable only in the baseline", "both new incomparable only in the candidate",
		"more msg incomparable only in the candidate",
	}
	if !slices.Equal(got, want) || !slices.Equal(r.Warnings, []string{"both: new is only in the candidate", "more is only in the candidate"}) {
		t.Errorf("cells %q, warnings %q", got, r.Warnings)
	}
}

// byOracle selects the step by the last value.
var byOracle = selection.Rule{By: selection.ByOracle, Metric: "suboptimality", Over: selection.OverFinal, Tune: []string{"step.c"}}

// gridOf returns a side with a series at several steps with the given levels.
func gridOf(n int, levels map[float64]float64) Side {
	s := Side{Name: "exp", Rule: byOracle}
	for _, c := range slices.Sorted(maps.Keys(levels)) {
		s.Runs = append(s.Runs, withParams(noisyRuns("msg", n, levels[c], 0.1, 3), record.Params{"step.c": c})...)
	}
	return s
}

func compareSides(t *testing.T, base, cand Side, o Options) *Report {
	t.Helper()
	return mustCompare(t, []Side{base}, []Side{cand}, o)
}

// The selected runs of one cell are compared, whatever the tuned parameters.
func TestSelectedParameters(t *testing.T) {
	base := gridOf(8, map[float64]float64{0.5: 1, 1: 2})
	r := compareSides(t, base, gridOf(8, map[float64]float64{0.5: 5, 1: 2, 2: 4}), defaults)
	c := r.Cells[0]
	if len(r.Cells) != 1 || c.Verdict != Worse || len(c.Changed) != 0 || c.Choice.Candidate != "step.c=1" || c.Pairs != 8 {
		t.Errorf("cells %+v", r.Cells)
	}
	wantNote(t, c.Notes, "only the candidate has step.c=2")
	wantNote(t, c.Notes, "oracle selection: the parameters were chosen by the suboptimality shown")
	// The same selection from another grid.
	r = compareSides(t, base, gridOf(8, map[float64]float64{0.5: 1}), defaults)
	if c := r.Cells[0]; c.Verdict != Identical || len(c.Changed) != 0 {
		t.Errorf("cell %+v, want identical", c)
	}
	wantNote(t, r.Cells[0].Notes, "only the baseline has step.c=1")
	// Tuned on one side and fixed on the other.
	fixed := gridOf(8, map[float64]float64{1: 2})
	fixed.Rule = selection.Rule{}
	r = compareSides(t, base, fixed, defaults)
	if c := r.Cells[0]; len(r.Cells) != 1 || !slices.Equal(c.Changed, []string{"step.c: 0.5 -> 1"}) || c.Choice.Change() != "" {
		t.Errorf("cells %+v", r.Cells)
	}
	wantNote(t, r.Cells[0].Notes, "only the baseline has step.c=0.5")
	// Without a selection, each candidate is a cell.
	all := base
	all.Rule = selection.Rule{}
	r = compareSides(t, all, all, defaults)
	if len(r.Cells) != 2 || r.Count(Identical) != 2 {
		t.Errorf("cells\n%s", summary(r))
	}
}

func TestOtherProblemsAreIncomparable(t *testing.T) {
	base := noisyRuns("msg", 8, 1, 0.1, 1)
	for _, c := range []struct {
		change func(*record.Run)
		want   string
	}{
		{func(r *record.Run) { r.DatasetHash = "sha256:2" }, "different data or tasks: task pca, data sha256:1, unknown rows / task pca, data sha256:2, unknown rows"},
		{func(r *record.Run) { r.StandIn = true }, "different data or tasks: task pca, data sha256:1, unknown rows / task pca, data sha256:1, unknown rows, a stand-in"},
		{func(r *record.Run) { r.Task = "svm" }, "different data or tasks: task pca, data sha256:1, unknown rows / task svm, data sha256:1, unknown rows"},
		{func(r *record.Run) { r.Rows = map[string]int64{"train": 5} }, "different data or tasks: task pca, data sha256:1, unknown rows / task pca, data sha256:1, rows train 5"},
	} {
		cand := changed(base, func(_ int, r *record.Run) { c.change(r); r.Version = 2; *r = keyed(*r) })
		cell := compareCell(t, base, cand, defaults)
		if cell.Verdict != Incomparable || cell.Reason != c.want {
			t.Errorf("%s (%s), want incomparable (%s)", cell.Verdict, cell.Reason, c.want)
		}
	}
}

func TestChangesOfTheProgram(t *testing.T) {
	base := noisyRuns("msg", 8, 1, 0.1, 1)
	cand := changed(base, func(_ int, r *record.Run) {
		r.Algorithm, r.Version, r.Extent = "capped-msg", 3, "2000/log:10"
		r.Curve.Metrics["test"]["suboptimality"][0] *= 1.001
		*r = keyed(*r)
	})
	c := compareCell(t, base, cand, defaults)
	want := []string{"algorithm: msg -> capped-msg", "extent: 1000/log:10 -> 2000/log:10", "version: 1 -> 3"}
	if !slices.Equal(c.Changed, want) {
		t.Errorf("changed %q, want %q", c.Changed, want)
	}
	// An extent with additional records.
	cand = changed(base, func(_ int, r *record.Run) { r.Extent += "+spectrum" })
	if c := compareCell(t, base, cand, defaults); len(c.Changed) != 1 || len(c.Notes) != 0 || c.Verdict != Equivalent {
		t.Errorf("%s, changed %q, notes %q; want a change and no note", c.Verdict, c.Changed, c.Notes)
	}
}

func TestPairing(t *testing.T) {
	base := noisyRuns("msg", 8, 1, 0.1, 1)
	for _, c := range []struct {
		name  string
		cand  []record.Run
		pairs int
		note  string
	}{
		{"all", scaled(base, 1.001), 8, ""},
		{"fewer", scaled(base[:5], 1.001), 5, "3 of 8 repeats of the baseline and 0 of 5"},
		{"different seeds", changed(scaled(base, 1.001), func(_ int, r *record.Run) { r.Seed = 9; *r = keyed(*r) }), 0, "different seeds (7 / 9)"},
		{"other repeats", changed(scaled(base, 1.001), func(_ int, r *record.Run) { r.Repeat += 6; *r = keyed(*r) }), 0, "fewer than half of the runs have a counterpart"},
		{"skipped", append(scaled(base[:7], 1.001), failed(scaled(base[7:], 1.001)[0], record.StatusSkipped, "no svm-train")), 7, "1 run of the candidate omitted: skipped (no svm-train)"},
	} {
		cell := compareCell(t, base, c.cand, defaults)
		if cell.Pairs != c.pairs {
			t.Errorf("%s: %d pairs, want %d", c.name, cell.Pairs, c.pairs)
		}
		if c.note != "" {
			wantNote(t, slices.Concat(cell.Notes, cell.Details), c.note)
		}
		if len(cell.Measures) == 0 || cell.Measures[0].P == nil {
			t.Errorf("%s: no test: %+v", c.name, cell)
		}
	}
}
