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
// split that is compared; the one given comes out ahead.
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

// A near tie that falls the other way is no difference by itself; what was chosen is said.
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
	// Taken as given it is worse, by far.
	given := compareSides(t, Side{Name: "exp", Runs: valuesOf(c.Base)}, Side{Name: "exp", Runs: valuesOf(c.Cand)}, usual)
	if given.Cells[0].Verdict != Worse {
		t.Errorf("as given: %s, want worse", given.Cells[0].Verdict)
	}
}

// A difference at every candidate is one of the procedure.
func TestDifferenceWithAChoice(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 1, 1: 2})
	slower := gridOf(10, map[float64]float64{0.5: 2, 1: 4})
	for name, cand := range map[string]Side{"paired": slower, "unpaired": otherSeeds(slower)} {
		c := compareSides(t, base, cand, usual).Cells[0]
		if c.Verdict != Worse || c.Choice.Text(c.Measures) != "" {
			t.Errorf("%s: %s (%s), %q; want worse by the same choice", name, c.Verdict, c.Reason, c.Choice.Text(c.Measures))
		}
	}
}

// Where there is one candidate nothing changes by its being selected.
func TestOneCandidateIsNoChoice(t *testing.T) {
	tuned := func(level float64) Side { return gridOf(9, map[float64]float64{0.5: level}) }
	plain := func(s Side) Side { s.Rule = selection.Rule{}; return s }
	a := compareSides(t, tuned(1), tuned(1.1), usual)
	b := compareSides(t, plain(tuned(1)), plain(tuned(1.1)), usual)
	if verdicts(a) != verdicts(b) || a.Cells[0].Choice != nil {
		t.Errorf("%s\nwant\n%s", verdicts(a), verdicts(b))
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
	worseIn := func(i int) func(int, *record.Run) {
		return func(_ int, r *record.Run) {
			if r.Repeat >= i && r.Params["step.c"] == 0.5 {
				r.Curve.Metrics["validation"]["suboptimality"][9] = 1000
			}
		}
	}
	// Two more repeats of the candidate, by which it would choose otherwise.
	more := nearTie(10, 0.5)
	more.Runs = changed(more.Runs, worseIn(8))
	more.Runs = changed(more.Runs, func(_ int, r *record.Run) { r.Version = 2; *r = keyed(*r) })
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

func TestUnequalNumbersOfRepeats(t *testing.T) {
	base, cand := gridOf(9, map[float64]float64{0.5: 1, 1: 2}), otherSeeds(gridOf(5, map[float64]float64{0.5: 3, 1: 6}))
	c := compareSides(t, base, cand, usual).Cells[0]
	if len(c.Base) != 9 || len(c.Cand) != 5 || c.Verdict != Worse {
		t.Errorf("%d and %d runs: %s (%s)", len(c.Base), len(c.Cand), c.Verdict, c.Reason)
	}
	if p := *c.Measures[0].P; !near(p, 2.0/2002) {
		t.Errorf("p = %v, want twice that of the one of 2002 ways", p)
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
	// The same grid, selected by something else, is another procedure.
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

// A metric of which more is better chooses the largest.
func TestChoiceByAMetricToMaximise(t *testing.T) {
	s := gridOf(6, map[float64]float64{0.5: 1, 1: 2})
	s.Rule.Metric = "objective"
	s.Runs = changed(s.Runs, func(_ int, r *record.Run) {
		y := slices.Repeat([]float64{r.Params["step.c"].(float64)}, len(testCosts))
		r.Curve.Metrics["test"]["objective"] = y
	})
	cand := s
	cand.Runs = scaled(s.Runs, 1.2)
	if c := compareSides(t, s, cand, usual).Cells[0]; c.Choice.Baseline != "step.c=1" {
		t.Errorf("chosen %s, want the step with the larger objective", c.Choice.Baseline)
	}
}

// A run that one machine stops is not the same as one that another finishes.
func TestStoppedRunsAreNotIdentical(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	stopped := changed(base, func(_ int, r *record.Run) {
		r.Status, r.Reason, r.Limit = record.StatusOutOfTime, "1 s", &record.Limit{Seconds: 1}
		r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][:4]
		r.Curve.Metrics["test"]["suboptimality"] = r.Curve.Metrics["test"]["suboptimality"][:4]
	})
	if c := oneCell(t, base, stopped, usual); c.Verdict != Worse {
		t.Errorf("%s (%s), want worse", c.Verdict, c.Reason)
	}
	if c := oneCell(t, stopped, stopped, usual); c.Verdict != Identical {
		t.Errorf("both stopped: %s (%s)", c.Verdict, c.Reason)
	}
}
