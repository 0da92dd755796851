package compare

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// nearTie is a side whose steps are level in what is selected by, and ten times apart on the
// split that is compared; the given one is ahead.
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

// A near tie that falls the other way is no difference by itself; the report states the choice.
func TestDifferenceOfChoice(t *testing.T) {
	base, cand := nearTie(8, 0.5), otherSeeds(nearTie(8, 1))
	r := compareSides(t, base, cand, usual)
	c := r.Cells[0]
	if c.Verdict != Inconclusive || c.Choice == nil {
		t.Fatalf("%s (%s), choice %v; want inconclusive", c.Verdict, c.Reason, c.Choice)
	}
	if want := (Choice{Baseline: "step.c=0.5", Candidate: "step.c=1"}); *c.Choice != want {
		t.Errorf("choice %+v, want %+v", *c.Choice, want)
	}
	const text = "chosen step.c=0.5 -> step.c=1: undecided at 1000, undecided in the area"
	if got := c.Choice.Text(c.Measures); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	if m := c.Measures[0]; !near(m.Ratio.Value, 10) && m.Ratio.Lo > 0.2 {
		t.Errorf("ratio %v, want 10 in an interval that has the other choice", *m.Ratio)
	}
}

// One repeat that diverged disqualifies a candidate; it moves with its repeat.
func TestDivergedRepeatsMove(t *testing.T) {
	base := gridOf(8, map[float64]float64{0.5: 1, 1: 2})
	cand := otherSeeds(base)
	cand.Runs = slices.Clone(cand.Runs)
	cand.Runs[0] = failed(cand.Runs[0], record.StatusDiverged, "NaN")
	c := compareSides(t, base, cand, usual).Cells[0]
	if c.Choice.Baseline != "step.c=0.5" || c.Choice.Candidate != "step.c=1" {
		t.Errorf("choice %+v", *c.Choice)
	}
	// Whichever side the repeat is on chooses the other step: about half of all
	// arrangements are as far apart as this one.
	if p := *c.Measures[0].P; c.Verdict != Inconclusive || p < 0.3 {
		t.Errorf("%s, p = %v", c.Verdict, p)
	}
	// With a diverged repeat at every candidate nothing can be selected.
	cand.Runs[8] = failed(cand.Runs[8], record.StatusDiverged, "NaN")
	c = compareSides(t, base, cand, usual).Cells[0]
	if c.Verdict != Incomparable {
		t.Errorf("%s, want incomparable", c.Verdict)
	}
	wantText(t, c.Reason, "nothing could be selected for the candidate")
}

// Repeats that lack a candidate, or a counterpart, neither choose nor change sides.
func TestOnlyWholePairedRepeatsChoose(t *testing.T) {
	base, cand := nearTie(8, 0.5), nearTie(8, 0.5)
	// Two more repeats of the candidate, by which it would choose otherwise.
	more := nearTie(10, 0.5)
	more.Runs = versioned(changed(more.Runs, func(_ int, r *record.Run) {
		if r.Repeat >= 8 && r.Params["step.c"] == 0.5 {
			r.Curve.Metrics["validation"]["suboptimality"][9] = 1000
		}
	}), 2)
	c := compareSides(t, base, more, usual).Cells[0]
	if c.Pairs != 8 || c.Choice.Candidate != "step.c=0.5" {
		t.Errorf("%d pairs, choice %+v", c.Pairs, *c.Choice)
	}
	// A repeat without one of the candidates.
	cand.Runs = slices.DeleteFunc(slices.Clone(cand.Runs), func(r record.Run) bool { return r.Repeat == 3 && r.Params["step.c"] == 1.0 })
	c = compareSides(t, base, cand, usual).Cells[0]
	if c.Pairs != 7 || len(c.Base) != 7 {
		t.Errorf("%d pairs, %d runs of the baseline", c.Pairs, len(c.Base))
	}
	wantNote(t, c.Details, "left out, because they lack candidates of the grid: 1 of 8 repeats of the candidate")
}

// A difference at every candidate is one of the procedure.
func TestDifferenceWithAChoice(t *testing.T) {
	base := gridOf(9, map[float64]float64{0.5: 1, 1: 2})
	slower := func(n int) Side { return gridOf(n, map[float64]float64{0.5: 3, 1: 6}) }
	for name, test := range map[string]struct {
		cand Side
		p    float64
	}{"paired": {slower(9), 2.0 / 512}, "fewer repeats, unpaired": {otherSeeds(slower(5)), 2.0 / 2002}} {
		c := compareSides(t, base, test.cand, usual).Cells[0]
		if p := *c.Measures[0].P; c.Verdict != Worse || c.Choice.Text(c.Measures) != "" || !near(p, test.p) {
			t.Errorf("%s: %s (%s), p = %v; want worse by the same choice, p = %v", name, c.Verdict, c.Reason, p, test.p)
		}
	}
}

// Procedures over other grids are compared by approximate intervals, which have their share
// of alpha.
func TestGridsThatDiffer(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 2, 1: 1, 2: 3})
	cand := gridOf(10, map[float64]float64{0.25: 3, 0.5: 2, 2: 3})
	plain := with(noisy("plain", 10, 1, 0.1, 5), record.Params{"step.c": 1.0})
	base.Runs, cand.Runs = append(base.Runs, plain...), append(cand.Runs, scaled(plain, 1.2)...)
	r := compareSides(t, base, cand, usual)
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
	// The two tests of the other cell have half of alpha.
	if m := r.Cells[1].Measures[0]; !near(*m.P, 2.0/1024) || !near(*m.Adjusted, 4*2.0/1024) {
		t.Errorf("p = %v, adjusted %v", *m.P, *m.Adjusted)
	}
	// Too few repeats decide nothing approximately.
	few := func(s Side) Side {
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r record.Run) bool { return r.Repeat > 3 })
		return s
	}
	if c := compareSides(t, few(base), few(cand), usual).Cells[0]; c.Verdict != Inconclusive {
		t.Errorf("4 pairs: %s", c.Verdict)
	}
	// The same grid with another selection is a different procedure.
	other := base
	other.Rule.Over = selection.OverCurve
	other.Runs = scaled(base.Runs, 1.2)
	if c := compareSides(t, base, other, usual).Cells[0]; !c.Choice.Approximate || c.Verdict != Worse {
		t.Errorf("selected over something else: %s, choice %+v", c.Verdict, *c.Choice)
	}
}

// The order of tied candidates does not depend on that of a map.
func TestGridOfOneSide(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 1})
	base.Rule = selection.Rule{}
	cand := gridOf(10, map[float64]float64{0.25: 1, 0.5: 1, 1: 1, 2: 1})
	first := compareSides(t, base, cand, usual).Cells[0].Choice
	for range 20 {
		if again := compareSides(t, base, cand, usual).Cells[0].Choice; !reflect.DeepEqual(again, first) {
			t.Fatalf("choice %+v, then %+v", first, again)
		}
	}
}

// Without randomness the runs that were chosen are compared exactly.
func TestChoiceWithoutRandomness(t *testing.T) {
	sure := func(s Side) Side {
		s.Deterministic = func(_, _ string) bool { return true }
		return s
	}
	r := compareSides(t, sure(gridOf(1, map[float64]float64{0.5: 1, 1: 2})), sure(gridOf(1, map[float64]float64{0.5: 3, 1: 1.5})), usual)
	c := r.Cells[0]
	if c.Verdict != Worse || c.Choice.Candidate != "step.c=1" || !near(c.Measures[0].Ratio.Value, 1.5) || c.Measures[0].P != nil || r.Tests != 0 {
		t.Errorf("%s (%s), choice %+v, %d tests", c.Verdict, c.Reason, *c.Choice, r.Tests)
	}
	// With randomness one repeat permutes nothing.
	c = compareSides(t, gridOf(1, map[float64]float64{0.5: 1, 1: 2}), gridOf(1, map[float64]float64{0.5: 3, 1: 1.5}), usual).Cells[0]
	if c.Verdict != Inconclusive {
		t.Errorf("one repeat: %s", c.Verdict)
	}
}

// The floor and the range of costs are those of all candidates, whatever is chosen.
func TestRangeIsThatOfAllCandidates(t *testing.T) {
	base := gridOf(8, map[float64]float64{0.5: 1, 1: 20})
	base.Runs = changed(base.Runs, func(_ int, r *record.Run) {
		if r.Params["step.c"] == 1.0 {
			r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][:8]
			r.Curve.Metrics["test"]["suboptimality"] = r.Curve.Metrics["test"]["suboptimality"][:8]
		}
	})
	cand := base
	cand.Runs = scaled(base.Runs, 1.2)
	if c := compareSides(t, base, cand, usual).Cells[0]; c.Choice.Baseline != "step.c=0.5" || c.Measures[0].At != 200 {
		t.Errorf("chosen %s, compared at %v; want 200, where the other ends", c.Choice.Baseline, c.Measures[0].At)
	}
}
