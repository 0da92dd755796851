package compare

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// nearTie returns a side with two steps that almost tie in the selection, which the given step wins. They differ by
// a factor of ten on the compared split.
func nearTie(n int, ahead float64) Side {
	s := gridOf(n, map[float64]float64{0.5: 1, 1: 1})
	s.Rule.By = selection.ByValidation
	s.Runs = changed(s.Runs, func(_ int, r *record.Run) {
		step := r.Params["step.c"].(float64)
		y := make([]float64, len(testCosts))
		for j := range y {
			y[j] = 1 + 0.1*math.Sin(7*float64(r.Repeat)+40*step)
			if step == ahead {
				y[j] *= 0.995
			}
		}
		r.Curve.Metrics["validation"] = map[string][]float64{"suboptimality": y}
		for j := range y {
			if step == 1 {
				r.Curve.Metrics["test"]["suboptimality"][j] *= 10
			}
		}
		*r = keyed(*r)
	})
	return s
}

// Another selection in a near tie is not a significant difference.
func TestChangedSelection(t *testing.T) {
	base, cand := nearTie(8, 0.5), reseededSide(nearTie(8, 1))
	r := compareSides(t, base, cand, defaults)
	c := r.Cells[0]
	if c.Verdict != Inconclusive || c.Choice == nil {
		t.Fatalf("%s (%s), choice %v; want inconclusive", c.Verdict, c.Reason, c.Choice)
	}
	if want := (Choice{Baseline: "step.c=0.5", Candidate: "step.c=1"}); *c.Choice != want {
		t.Errorf("choice %+v, want %+v", *c.Choice, want)
	}
	if got, want := c.Choice.Change(), "chosen step.c=0.5 -> step.c=1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if m := c.Measures[0]; !near(m.Ratio.Value, 10) && m.Ratio.Lo > 0.2 {
		t.Errorf("ratio %v, want 10 in an interval that contains the other selection", *m.Ratio)
	}
}

// A diverged run makes its candidate ineligible, and is exchanged with its repeat.
func TestDivergedRepeatsMove(t *testing.T) {
	base := gridOf(8, map[float64]float64{0.5: 1, 1: 2})
	cand := reseededSide(base)
	cand.Runs = slices.Clone(cand.Runs)
	cand.Runs[0] = failed(cand.Runs[0], record.StatusDiverged, "NaN")
	c := compareSides(t, base, cand, defaults).Cells[0]
	if c.Choice.Baseline != "step.c=0.5" || c.Choice.Candidate != "step.c=1" {
		t.Errorf("choice %+v", *c.Choice)
	}
	// The side of this repeat selects the other step: about half of all arrangements are as extreme.
	if p := *c.Measures[0].P; c.Verdict != Inconclusive || p < 0.3 {
		t.Errorf("%s, p = %v", c.Verdict, p)
	}
	// With a diverged run of each candidate, none is eligible.
	cand.Runs[8] = failed(cand.Runs[8], record.StatusDiverged, "NaN")
	c = compareSides(t, base, cand, defaults).Cells[0]
	if c.Verdict != Incomparable {
		t.Errorf("%s, want incomparable", c.Verdict)
	}
	wantText(t, c.Reason, "no parameters could be selected for the candidate")
}

// Repeats that lack a candidate or a counterpart are omitted.
func TestIncompleteRepeatsAreOmitted(t *testing.T) {
	base, cand := nearTie(8, 0.5), nearTie(8, 0.5)
	// Two more repeats of the candidate, which would change its selection.
	more := nearTie(10, 0.5)
	more.Runs = versioned(changed(more.Runs, func(_ int, r *record.Run) {
		if r.Repeat >= 8 && r.Params["step.c"] == 0.5 {
			r.Curve.Metrics["validation"]["suboptimality"][9] = 1000
		}
	}), 2)
	c := compareSides(t, base, more, defaults).Cells[0]
	if c.Pairs != 8 || c.Choice.Candidate != "step.c=0.5" {
		t.Errorf("%d pairs, choice %+v", c.Pairs, *c.Choice)
	}
	// A repeat that lacks a candidate.
	cand.Runs = slices.DeleteFunc(slices.Clone(cand.Runs), func(r record.Run) bool { return r.Repeat == 3 && r.Params["step.c"] == 1.0 })
	c = compareSides(t, base, cand, defaults).Cells[0]
	if c.Pairs != 7 || len(c.Base) != 7 {
		t.Errorf("%d pairs, %d runs of the baseline", c.Pairs, len(c.Base))
	}
	wantNote(t, c.Details, "1 of 8 repeats of the candidate omitted: candidates of the grid are missing")
}

// A difference of all candidates is significant.
func TestDifferenceWithSelection(t *testing.T) {
	base := gridOf(9, map[float64]float64{0.5: 1, 1: 2})
	slower := func(n int) Side { return gridOf(n, map[float64]float64{0.5: 3, 1: 6}) }
	for name, test := range map[string]struct {
		cand Side
		p    float64
	}{"paired": {slower(9), 2.0 / 512}, "fewer repeats, unpaired": {reseededSide(slower(5)), 2.0 / 2002}} {
		c := compareSides(t, base, test.cand, defaults).Cells[0]
		if p := *c.Measures[0].P; c.Verdict != Worse || c.Choice.Change() != "" || !near(p, test.p) {
			t.Errorf("%s: %s (%s), p = %v; want worse with the same selection, p = %v", name, c.Verdict, c.Reason, p, test.p)
		}
	}
}

// Selections from different grids are compared by approximate intervals, which have a share of alpha.
func TestDifferentGrids(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 2, 1: 1, 2: 3})
	cand := gridOf(10, map[float64]float64{0.25: 3, 0.5: 2, 2: 3})
	plain := withParams(noisyRuns("plain", 10, 1, 0.1, 5), record.Params{"step.c": 1.0})
	base.Runs, cand.Runs = append(base.Runs, plain...), append(cand.Runs, scaled(plain, 1.2)...)
	r := compareSides(t, base, cand, defaults)
	c := r.Cells[0]
	if c.Verdict != Worse || !c.Choice.Approximate || r.Tests != 4 {
		t.Errorf("%s (%s), choice %+v, %d tests", c.Verdict, c.Reason, *c.Choice, r.Tests)
	}
	wantNote(t, c.Notes, "approximate confidence intervals at 98.75% decide")
	for _, m := range c.Measures {
		if m.P != nil || m.Adjusted != nil || m.Ratio == nil || !near(m.Ratio.Value, 2) {
			t.Errorf("measure %+v", m)
		}
	}
	// The two tests of the other cell share half of alpha.
	if m := r.Cells[1].Measures[0]; !near(*m.P, 2.0/1024) || !near(*m.Adjusted, 4*2.0/1024) {
		t.Errorf("p = %v, adjusted %v", *m.P, *m.Adjusted)
	}
	// Few repeats have wide intervals.
	few := func(s Side) Side {
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r record.Run) bool { return r.Repeat > 3 })
		return s
	}
	if c := compareSides(t, few(base), few(cand), defaults).Cells[0]; c.Verdict != Inconclusive {
		t.Errorf("4 pairs: %s", c.Verdict)
	}
	// So are selections by different rules.
	other := base
	other.Rule.Over = selection.OverCurve
	other.Runs = scaled(base.Runs, 1.2)
	if c := compareSides(t, base, other, defaults).Cells[0]; !c.Choice.Approximate || c.Verdict != Worse {
		t.Errorf("another rule: %s, choice %+v", c.Verdict, *c.Choice)
	}
}

// The order of tied candidates does not depend on the order of a map.
func TestGridOfOneSide(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 1})
	base.Rule = selection.Rule{}
	cand := gridOf(10, map[float64]float64{0.25: 1, 0.5: 1, 1: 1, 2: 1})
	first := compareSides(t, base, cand, defaults).Cells[0].Choice
	for range 20 {
		if again := compareSides(t, base, cand, defaults).Cells[0].Choice; !reflect.DeepEqual(again, first) {
			t.Fatalf("choice %+v, then %+v", first, again)
		}
	}
}

// Deterministic runs of selected candidates are compared exactly.
func TestDeterministicSelection(t *testing.T) {
	deterministic := func(s Side) Side {
		s.Deterministic = func(_, _ string) bool { return true }
		return s
	}
	r := compareSides(t, deterministic(gridOf(1, map[float64]float64{0.5: 1, 1: 2})), deterministic(gridOf(1, map[float64]float64{0.5: 3, 1: 1.5})), defaults)
	c := r.Cells[0]
	if c.Verdict != Worse || c.Choice.Candidate != "step.c=1" || !near(c.Measures[0].Ratio.Value, 1.5) || c.Measures[0].P != nil || r.Tests != 0 {
		t.Errorf("%s (%s), choice %+v, %d tests", c.Verdict, c.Reason, *c.Choice, r.Tests)
	}
	// One random repeat is inconclusive.
	c = compareSides(t, gridOf(1, map[float64]float64{0.5: 1, 1: 2}), gridOf(1, map[float64]float64{0.5: 3, 1: 1.5}), defaults).Cells[0]
	if c.Verdict != Inconclusive {
		t.Errorf("one repeat: %s", c.Verdict)
	}
}

// The range of costs does not depend on the selection.
func TestRangeOfAllCandidates(t *testing.T) {
	base := gridOf(8, map[float64]float64{0.5: 1, 1: 20})
	base.Runs = changed(base.Runs, func(_ int, r *record.Run) {
		if r.Params["step.c"] == 1.0 {
			r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][:8]
			r.Curve.Metrics["test"]["suboptimality"] = r.Curve.Metrics["test"]["suboptimality"][:8]
		}
	})
	cand := base
	cand.Runs = scaled(base.Runs, 1.2)
	if c := compareSides(t, base, cand, defaults).Cells[0]; c.Choice.Baseline != "step.c=0.5" || c.Measures[0].At != 200 {
		t.Errorf("selected %s, compared at %v; want 200, the end of the other candidate", c.Choice.Baseline, c.Measures[0].At)
	}
}
