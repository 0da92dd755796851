package compare

import (
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
)

// timed returns runs with CPU seconds of each iteration that vary by 2 %.
func timed(runs []record.Run, each float64, seed uint64) []record.Run {
	rng := rand.New(rand.NewPCG(seed, 12))
	return changed(runs, func(_ int, r *record.Run) {
		var seconds []float64
		unit := each * (1 + 0.02*rng.Float64())
		for _, n := range r.Curve.Cost["iterations"] {
			seconds = append(seconds, unit*float64(n))
		}
		*r = r.WithTiming(record.Timing{StepSeconds: seconds[len(seconds)-1], CPUSeconds: seconds})
	})
}

// CPU seconds are compared only with Options.Time, also in identical cells. They never make a cell inconclusive.
func TestTimes(t *testing.T) {
	runs := noisyRuns("msg", 10, 1, 0.2, 1)
	base, same := timed(runs, 1e-6, 1), timed(runs, 1e-6, 2)
	few := noisyRuns("msg", 3, 1, 0.2, 1)
	longer := changed(timed(runs, 1e-6, 3), func(_ int, r *record.Run) { r.Extent = "500/log:9"; shorten(r, 9) })
	for _, c := range []struct {
		name       string
		base, cand []record.Run
		want       string // the verdict of the cell
		time       string // that of its CPU seconds
		outcome    string
	}{
		{"the same", base, same, Identical, Equivalent, "PASS"},
		{"slower", base, timed(runs, 1.2e-6, 2), Worse, Worse, "REGRESSION: 1 cell worse"},
		{"faster", base, timed(runs, 0.8e-6, 2), Better, Better, "PASS"},
		{"slower under another key", base, timed(scaled(runs, 1), 1.2e-6, 2), Worse, Worse, "REGRESSION: 1 cell worse"},
		{"faster, but with worse curves", base, timed(scaled(runs, 2), 0.5e-6, 2), Worse, Better, "REGRESSION: 1 cell worse"},
		{"slower, with better curves", base, timed(scaled(runs, 0.5), 2e-6, 2), Worse, Worse, "REGRESSION: 1 cell worse"},
		{"few", timed(few, 1e-6, 1), timed(few, 2e-6, 2), Identical, Inconclusive, "PASS; CPU seconds of 1 cell undecided"},
		{"no times", runs, same, Identical, Incomparable, "PASS; CPU seconds of 1 cell undecided"},
		{"compared at equal iterations", longer, same, Equivalent, Equivalent, "PASS"},
	} {
		o := defaults
		if cell := compareCell(t, c.base, c.cand, o); hasTime(cell) {
			t.Errorf("%s: times are compared without Options.Time: %+v", c.name, cell.Measures)
		}
		o.Time = true
		r := compareRuns(t, c.base, c.cand, o)
		cell := r.Cells[0]
		_, outcome := r.Outcome(true)
		if cell.Verdict != c.want || outcome != c.outcome || !hasTime(cell) {
			t.Errorf("%s: %s, %q, want %s, %q: %+v", c.name, cell.Verdict, outcome, c.want, c.outcome, cell.Measures)
			continue
		}
		if m := cell.Measures[len(cell.Measures)-1]; m.Verdict != c.time {
			t.Errorf("%s: CPU seconds are %s, want %s: %+v", c.name, m.Verdict, c.time, m)
		}
		if c.time == Incomparable {
			wantNote(t, r.Warnings, "the CPU seconds of 1 cell are not compared: the baseline has no CPU times")
		}
	}
}

func hasTime(c Cell) bool {
	n := len(c.Measures)
	return n > 0 && c.Measures[n-1].Kind == CPUSeconds
}

// shorten removes all but the first points of a run.
func shorten(r *record.Run, points int) {
	time, _ := r.Timing()
	time.CPUSeconds = time.CPUSeconds[:points]
	for name, column := range r.Curve.Cost {
		r.Curve.Cost[name] = column[:points]
	}
	column := r.Curve.Metrics["test"]["suboptimality"]
	r.Curve.Metrics["test"]["suboptimality"] = column[:points]
	*r = r.WithTiming(time)
}
