package compare

import (
	"testing"

	"stochopt/internal/record"
)

// counting returns runs with a counter of the given units per iteration.
func counting(runs []record.Run, units func(i int) float64) []record.Run {
	return changed(runs, func(i int, r *record.Run) {
		for _, n := range r.Curve.Cost["iterations"] {
			r.Curve.Cost["sum_kt2"] = append(r.Curve.Cost["sum_kt2"], int64(1000*float64(n)*units(i)))
		}
	})
}

// A constant ratio of a counter decides without a test. A varying ratio only prevents a pass, unless the ranges of
// the sides are separate.
func TestChargedCosts(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	times := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	varying := func(v, by float64) func(int) float64 { return func(i int) float64 { return v * (1 + by*float64(i)) } }
	same := scaled(base, 1)
	converged := changed(same, func(i int, r *record.Run) {
		if i == 3 {
			r.Reason = "converged: nothing to do"
			for name, column := range r.Curve.Cost {
				r.Curve.Cost[name] = column[:5]
			}
			r.Curve.Metrics["test"]["suboptimality"] = r.Curve.Metrics["test"]["suboptimality"][:5]
		}
	})
	other := changed(noisyRuns("msg", 10, 1, 0.2, 2), func(_ int, r *record.Run) { r.Version = 2; *r = keyed(*r) })
	for _, c := range []struct {
		name     string
		cand     []record.Run
		of, with func(int) float64
		want     string
		reason   string
	}{
		{"the same", same, times(4), times(4), Equivalent, ""},
		{"doubled", same, times(4), times(8), Worse, ""},
		{"halved", same, times(4), times(2), Better, ""},
		{"halved, inconclusive curves", other, times(4), times(2), Inconclusive, "neither a difference"},
		{"within the tolerance", same, times(4), times(4.04), Equivalent, ""},
		{"varying, doubled", same, times(4), varying(8, 0.01), Worse, ""},
		{"varying, more on average", same, times(4), varying(4, 0.03), Inconclusive, costChanged},
		{"varying equally on both sides", same, varying(4, 0.01), varying(4, 0.01), Equivalent, ""},
	} {
		cell := compareCell(t, counting(base, c.of), counting(c.cand, c.with), defaults)
		if cell.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s: %+v", c.name, cell.Verdict, cell.Reason, c.want, cell.Measures)
		}
		wantText(t, cell.Reason, c.reason)
		if c.name == "within the tolerance" {
			wantNote(t, cell.Notes, "the cost changed: sum_kt2 at 1000 iterations by +1 %")
		}
	}
	if c := compareCell(t, counting(converged, times(4)), counting(scaled(converged, 1), times(8)), defaults); c.Verdict != Worse || c.Measures[len(c.Measures)-1].At != 1000 {
		t.Errorf("one run converged: %s (%s), charges %+v", c.Verdict, c.Reason, c.Measures[len(c.Measures)-1])
	}
	uncounted := compareCell(t, counting(base, times(4)), same, defaults)
	if uncounted.Verdict != Inconclusive || uncounted.Reason != costChanged {
		t.Errorf("counted on one side: %s (%s)", uncounted.Verdict, uncounted.Reason)
	}
	one := compareCell(t, counting(base[:1], times(4)), counting(scaled(base[:1], 1), times(8)), defaults)
	if one.Verdict != Inconclusive {
		t.Errorf("one repeat: %s, want inconclusive", one.Verdict)
	}
}

// A counter does not decide if the sides select different candidates.
func TestChargesOfDifferentCandidates(t *testing.T) {
	base := gridOf(10, map[float64]float64{0.5: 1, 1: 1.001})
	cand := gridOf(10, map[float64]float64{0.5: 1.001, 1: 1})
	for side, s := range []*Side{&base, &cand} {
		s.Runs = changed(s.Runs, func(i int, r *record.Run) {
			units := map[any]float64{0.5: 1, 1.0: 2}[r.Params["step.c"]]
			for _, n := range r.Curve.Cost["iterations"] {
				r.Curve.Cost["sum_kt2"] = append(r.Curve.Cost["sum_kt2"], int64(1000*float64(n)*units)+int64(i))
			}
			r.Version += side
			*r = keyed(*r)
		})
	}
	c := compareSides(t, base, cand, defaults).Cells[0]
	if c.Choice == nil || c.Choice.Baseline == c.Choice.Candidate || c.Verdict == Worse {
		t.Errorf("%s (%s), choice %+v", c.Verdict, c.Reason, c.Choice)
	}
}
