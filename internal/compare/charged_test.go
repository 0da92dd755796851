package compare

import (
	"testing"

	"stochopt/internal/record"
)

// charging returns the runs with a counter that has so many units an iteration.
func charging(runs []record.Run, units func(i int) float64) []record.Run {
	return changed(runs, func(i int, r *record.Run) {
		for _, n := range r.Curve.Cost["iterations"] {
			r.Curve.Cost["sum_kt2"] = append(r.Curve.Cost["sum_kt2"], int64(1000*float64(n)*units(i)))
		}
	})
}

// Costs at equal iterations are exact: a factor that all repeats have decides without a test, along
// whichever cost curves are compared. One that varies only keeps cells from passing.
func TestChargedCosts(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	times := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	varying := func(v float64) func(int) float64 { return func(i int) float64 { return v * (1 + 0.01*float64(i*i%7)) } }
	for _, c := range []struct {
		name     string
		of, with func(int) float64
		want     string
	}{
		{"the same", times(4), times(4), Equivalent},
		{"doubled", times(4), times(8), Worse},
		{"halved", times(4), times(2), Better},
		{"within the tolerance", times(4), times(4.04), Equivalent},
		{"varying, doubled", times(4), varying(8), Inconclusive},
		{"varying on both sides alike", varying(4), varying(4), Equivalent},
		{"varying on both sides, doubled", varying(4), varying(8), Worse},
	} {
		cell := oneCell(t, charging(base, c.of), charging(scaled(base, 1), c.with), usual)
		if cell.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s: %+v", c.name, cell.Verdict, cell.Reason, c.want, cell.Measures)
		}
		switch c.name {
		case "within the tolerance":
			wantNote(t, cell.Notes, "the cost changed: sum_kt2 at 1000 iterations is 1.01 times that of the baseline")
		case "varying, doubled":
			wantText(t, cell.Reason, costVaries)
		}
	}
	one := oneCell(t, charging(base[:1], times(4)), charging(scaled(base[:1], 1), times(8)), usual)
	if one.Verdict != Inconclusive {
		t.Errorf("one repeat: %s, want inconclusive", one.Verdict)
	}
}
