package compare

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
)

func TestVerdicts(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	other := func(level, sd float64) []record.Run {
		return reseeded(versioned(noisyRuns("msg", 10, level, sd, 2), 2), 1)
	}
	crash := changed(base, func(_ int, r *record.Run) { *r = failed(*r, record.StatusFailed, "panic") })
	diverged := changed(base, func(_ int, r *record.Run) { r.Status = record.StatusDiverged })
	// Equal errors on few rows do not show equivalence.
	alike := changed(scaled(base, 1), func(_ int, r *record.Run) {
		r.Curve.Metrics["train"] = map[string][]float64{"error": make([]float64, len(testCosts))}
	})
	cost := changed(scaled(base[:1], 1), func(_ int, r *record.Run) { r.Curve.Cost["iterations"][9]++ })
	status := changed(scaled(base[:1], 1), func(_ int, r *record.Run) { r.Status = record.StatusOutOfTime })
	for _, c := range []struct {
		name       string
		base, cand []record.Run
		o          Options
		want       string
		reason     string
	}{
		{"equal", base, scaled(base, 1), defaults, Equivalent, sameCurves},
		{"4% more", base, scaled(base, 1.04), defaults, Equivalent, ""},
		{"equal to the tolerance", base, scaled(base, 1.05), defaults, Equivalent, ""},
		{"6% more", base, scaled(base, 1.06), defaults, Worse, ""},
		{"1% more, no tolerance", base, scaled(base, 1.01), Options{Alpha: 0.05}, Worse, ""},
		{"rounding, no tolerance", base, scaled(base, 1+1e-14), Options{Alpha: 0.05}, Equivalent, ""},
		{"6% less", base, scaled(base, 1/1.06), defaults, Better, ""},
		{"20% less may be a leak", base, scaled(base, 0.8), defaults, Better, largeGainReason},
		{"unpaired, twice", base, other(2, 0.2), defaults, Worse, ""},
		{"unpaired, half", base, other(0.5, 0.2), defaults, Better, largeGainReason},
		{"unpaired, the same", base, other(1, 0.2), defaults, Inconclusive, ""},
		{"unpaired, little noise", base, other(1, 0.001), Options{Alpha: 0.05, Tolerance: 0.5}, Equivalent, ""},
		{"unpaired, small alpha", base, other(1.4, 0.2), Options{Tolerance: 0.05, Alpha: 1e-4}, Inconclusive, ""},
		{"one pair", base[:1], scaled(base[:1], 100), defaults, Inconclusive, "only one repeat"},
		{"one and many", base[:1], reseeded(scaled(base, 100), 1), defaults, Inconclusive, "only one repeat"},
		{"5 pairs", base[:5], scaled(base[:5], 2), defaults, Inconclusive, "fewer than 6"},
		{"6 pairs", base[:6], scaled(base[:6], 2), defaults, Worse, ""},
		{"6 pairs, inconclusive", base[:6], versioned(noisyRuns("msg", 6, 1, 0.2, 2), 2), defaults, Inconclusive, "neither a difference"},
		{"5 pairs, partly equal", base[:5], alike[:5], defaults, Inconclusive, ""},
		{"6 pairs, partly equal", base[:6], alike[:6], defaults, Equivalent, ""},
		{"the same curve under another key", base[:1], scaled(base[:1], 1), defaults, Equivalent, sameCurves},
		{"another cost", base[:1], cost, defaults, Inconclusive, ""},
		{"another status", base[:1], status, defaults, Inconclusive, ""},
		{"all failed", base, crash, defaults, Worse, "all runs of the candidate failed: panic"},
		{"all of the baseline failed", crash, base, defaults, Incomparable, ""},
		{"none finished", diverged, versioned(diverged, 2), defaults, Incomparable, "no run finished on either side"},
	} {
		cell := compareCell(t, c.base, c.cand, c.o)
		if cell.Verdict != c.want || c.want == Better && cell.Reason != c.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, cell.Verdict, cell.Reason, c.want, c.reason)
		}
		wantText(t, cell.Reason, c.reason)
	}
}

func TestMeasures(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	c := compareCell(t, base, scaled(base, 1.3), Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{20, 100}, Targets: []float64{0.01}})
	if len(c.Measures) != 4 {
		t.Fatalf("%d measures, want 4", len(c.Measures))
	}
	for _, m := range c.Measures {
		if m.Kind == ToTarget {
			if m.Reached == nil || *m.Reached != [2]int{10, 10} || *m.Candidate < *m.Baseline {
				t.Errorf("to target: %+v", m)
			}
			continue
		}
		if !near(m.Ratio.Value, 1.3) || !near(*m.Candidate / *m.Baseline, 1.3) || m.Ratio.Lo > m.Ratio.Value || m.Ratio.Hi < m.Ratio.Value {
			t.Errorf("%s at %v: ratio %v of %v and %v, want 1.3", m.Kind, m.At, *m.Ratio, *m.Baseline, *m.Candidate)
		}
		if m.Verdict != Worse || *m.P != 2.0/1024 || *m.Adjusted < *m.P {
			t.Errorf("%s at %v: %s, p = %v, adjusted %v", m.Kind, m.At, m.Verdict, *m.P, *m.Adjusted)
		}
	}
	if c.Measures[0].At != 20 || c.Measures[1].At != 100 {
		t.Errorf("measures at %v and %v", c.Measures[0].At, c.Measures[1].At)
	}
}

// deterministicSide returns a side whose series smo is deterministic.
func deterministicSide(runs []record.Run) []Side {
	out := side(runs...)
	out[0].Deterministic = func(_, series string) bool { return series == "smo" }
	return out
}

// One deterministic run on each side has an exact ratio and no test.
func TestDeterministicCells(t *testing.T) {
	base := noisyRuns("smo", 1, 1, 0.2, 1)
	diverged := changed(scaled(base, 1), func(_ int, r *record.Run) { r.Status, r.Reason = record.StatusDiverged, "NaN" })
	for _, test := range []struct {
		name       string
		base, cand []record.Run
		o          Options
		want       string
	}{
		{"half more", base, scaled(base, 1.5), defaults, Worse},
		{"equal to the tolerance", base, scaled(base, 1.05), defaults, Equivalent},
		{"6% less", base, scaled(base, 1/1.06), defaults, Better},
		{"half more, a strict alpha", base, scaled(base, 1.5), Options{Tolerance: 0.05, Alpha: 1e-4}, Worse},
		{"the candidate diverged", base, diverged, defaults, Worse},
		{"the baseline diverged", diverged, base, defaults, Better},
		{"a target that the candidate misses", base, scaled(base, 1.04), Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{base[0].Curve.Metrics["test"]["suboptimality"][9]}}, Worse},
	} {
		r := mustCompare(t, deterministicSide(test.base), deterministicSide(test.cand), test.o)
		c := r.Cells[0]
		if c.Verdict != test.want || r.Tests != 0 {
			t.Errorf("%s: %s (%s), %d tests; want %s and none", test.name, c.Verdict, c.Reason, r.Tests, test.want)
		}
		wantNote(t, c.Notes, "the runs are deterministic: compared exactly")
		for _, m := range c.Measures {
			if m.P != nil || m.Adjusted != nil || m.Ratio != nil && m.Ratio.Lo != m.Ratio.Hi {
				t.Errorf("%s: measure %+v, want no test and no width", test.name, m)
			}
		}
	}
}

// Deterministic cells and cells with too few repeats are not in the family of tests.
func TestCellsOutsideTheFamily(t *testing.T) {
	base := slices.Concat(noisyRuns("smo", 1, 1, 0.2, 1), noisyRuns("msg", 4, 1, 0.2, 1), noisyRuns("power", 8, 1, 0.2, 1))
	r := mustCompare(t, deterministicSide(base), deterministicSide(scaled(base, 3)), defaults)
	alone := compareRuns(t, base[5:], scaled(base[5:], 3), defaults)
	for i, want := range []string{Worse, Inconclusive, Worse} {
		if c := r.Cells[i]; c.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", c.Series, c.Verdict, c.Reason, want)
		}
	}
	// Two undecided cells: 2/2^7 is below 0.05/2.
	wantText(t, r.Cells[1].Reason, "4 repeats", "fewer than 7")
	few, many := r.Cells[1].Measures[0].Adjusted, r.Cells[2].Measures[0].Adjusted
	if r.Tests != alone.Tests || few != nil || *many != *alone.Cells[0].Measures[0].Adjusted {
		t.Errorf("%d tests, want the %d of the series with repeats", r.Tests, alone.Tests)
	}
	// Both sides must be deterministic.
	if c := mustCompare(t, side(base[0]), deterministicSide(scaled(base[:1], 3)), defaults).Cells[0]; c.Verdict != Inconclusive {
		t.Errorf("one deterministic side: %s (%s), want inconclusive", c.Verdict, c.Reason)
	}
}

// Unfinished runs are worse than finished ones.
func TestUnfinishedRunsCountAsWorst(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	spoil := func(n int, status string) []record.Run {
		out := scaled(base, 1)
		for i := range n {
			out[i].Status, out[i].Reason = status, "because"
		}
		return out
	}
	for _, status := range []string{record.StatusDiverged, record.StatusOutOfTime, record.StatusOutOfMemory} {
		c := compareCell(t, base, spoil(9, status), Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.01}})
		if c.Verdict != Worse {
			t.Errorf("9 of 10 %s: %s (%s), want worse", status, c.Verdict, c.Reason)
		}
		wantNote(t, c.Notes, "9 of 10 runs of the candidate")
		for _, m := range c.Measures {
			if m.Ratio != nil || m.P == nil || *m.P != 2.0/512 {
				t.Errorf("%s: ratio %v, p %v; want no ratio and 2/2^9", m.Kind, m.Ratio, m.P)
			}
		}
	}
	if c := compareCell(t, spoil(9, record.StatusDiverged), scaled(scaled(base, 1), 1.0001), defaults); c.Verdict != Better {
		t.Errorf("9 of 10 of the baseline: %s (%s), want better", c.Verdict, c.Reason)
	}
	c := compareCell(t, base, spoil(1, record.StatusDiverged), defaults)
	if c.Verdict != Inconclusive || c.Measures[0].Verdict != Inconclusive {
		t.Errorf("1 of 10 diverged: %s, want inconclusive", c.Verdict)
	}
}

func TestUnreachedTargets(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.01, 1)
	// The last value is about 0.001; nine runs stop at 0.02.
	cand := changed(scaled(base, 1), func(i int, r *record.Run) {
		if i > 0 {
			for j := range r.Curve.Metrics["test"]["suboptimality"] {
				r.Curve.Metrics["test"]["suboptimality"][j] = max(0.02, r.Curve.Metrics["test"]["suboptimality"][j])
			}
		}
	})
	c := compareCell(t, base, cand, Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.015, 1e-7}})
	m := c.Measures[1]
	if m.Kind != ToTarget || *m.Reached != [2]int{10, 1} || m.Ratio != nil || m.Verdict != Worse || *m.P != 2.0/512 {
		t.Errorf("measure %+v, want worse by ranks", m)
	}
	// The expected costs are about 1/0.015 iterations, and 9 x 1000 more for one success.
	if math.Abs(*m.Baseline-1/0.015) > 1 || math.Abs(*m.Candidate-9000-1/0.015) > 1 {
		t.Errorf("expected costs %v and %v, want about 67 and 9067", *m.Baseline, *m.Candidate)
	}
	wantNote(t, m.Notes, "9 of 10 runs of the candidate do not reach the target")
	if m := c.Measures[2]; m.Verdict != Incomparable || m.P != nil || m.Notes[0] != "no run of either side reaches the target" {
		t.Errorf("measure %+v, want incomparable", m)
	}
}

// Curves that reach the optimum up to rounding errors are equivalent.
func TestRoundingMakesNoDifference(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	at := func(rounding float64) []record.Run {
		return changed(scaled(base, 1), func(i int, r *record.Run) {
			y := r.Curve.Metrics["test"]["suboptimality"]
			for j := 5; j < len(y); j++ {
				y[j] = rounding * float64(i+j-9)
			}
		})
	}
	for _, c := range []struct{ b, c float64 }{{1e-15, 3e-14}, {0, 1e-14}, {-1e-15, 1e-16}, {0, 1e-16}} {
		cell := compareCell(t, at(c.b), versioned(at(c.c), 3), Options{Alpha: 0.05})
		if cell.Verdict != Equivalent {
			t.Errorf("%v and %v: %s (%s), want equivalent", c.b, c.c, cell.Verdict, cell.Reason)
		}
		wantNote(t, cell.Details, "count as")
	}
	low := compareCell(t, base, at(-1e-3), defaults)
	if low.Verdict != Incomparable {
		t.Errorf("negative suboptimality: %s, want incomparable", low.Verdict)
	}
	wantText(t, low.Reason, "below 0 by more than a rounding error")
}

// The floor is relative to the first value or to the objective.
func TestFloors(t *testing.T) {
	sub := testRun("msg", 0, 3)
	objective := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["test"]["objective"] = make([]float64, 10)
		r.Curve.Metrics["test"]["objective"][9] = -20
	})[0]
	as := cell{Cell: Cell{Metric: "suboptimality", Split: "test", Cost: "iterations"}}
	for _, c := range []struct {
		run  record.Run
		want float64
	}{{sub, 3e-12}, {objective, 20e-12}} {
		if out := as.curveOf(&c.run, c.run.Curve); !near(out.Floor, c.want) {
			t.Errorf("floor %v, want %v", out.Floor, c.want)
		}
	}
}

func TestRangesOfCost(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	cut := func(runs []record.Run, from, to int, reason string) []record.Run {
		return changed(scaled(runs, 1), func(_ int, r *record.Run) {
			r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][from:to]
			y := r.Curve.Metrics["test"]
			y["suboptimality"] = y["suboptimality"][from:to]
			r.Reason = reason
		})
	}
	c := compareCell(t, base, cut(base, 0, 6, "exhausted"), defaults)
	if c.Measures[0].At != 50 {
		t.Errorf("compared at %v, want at the last common cost, 50", c.Measures[0].At)
	}
	wantNote(t, c.Details, "compared up to 50 iterations, where the shortest curve ends; the longest ends at 1000")
	c = compareCell(t, base, cut(base, 0, 6, "converged: nothing to do"), defaults)
	if c.Measures[0].At != 1000 || c.Verdict != Worse {
		t.Errorf("compared at %v, %s; a converged curve keeps its value", c.Measures[0].At, c.Verdict)
	}
	wantNote(t, c.Details, "10 runs converged")
	c = compareCell(t, cut(base, 0, 3, "budget"), versioned(cut(base, 5, 9, "budget"), 4), defaults)
	if c.Verdict != Incomparable || c.Reason != "the curves do not overlap: one begins at 50 iterations, another ends at 5" {
		t.Errorf("%s (%s), want no overlap", c.Verdict, c.Reason)
	}
	c = compareCell(t, base, scaled(base, 1.0001), Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{3000, 30}})
	if c.Measures[0].Verdict != Incomparable || c.Measures[1].Verdict != Equivalent || c.Verdict != Equivalent {
		t.Errorf("cell %+v", c)
	}
	wantNote(t, c.Measures[0].Notes, "3000 iterations is outside the range of all curves, 1 to 1000")
}

// A report contains no infinite number.
func TestReportsAreJSON(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	extreme := changed(scaled(base, 1), func(i int, r *record.Run) {
		for j := range r.Curve.Metrics["test"]["suboptimality"] {
			r.Curve.Metrics["test"]["suboptimality"][j] *= math.Exp2(float64(100 * (i - 5)))
		}
		if i == 9 {
			r.Status, r.Reason = record.StatusDiverged, "overflow"
		}
	})
	o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.1}}
	for _, cand := range [][]record.Run{extreme, extreme[:2], extreme[:9], extreme[9:]} {
		if _, err := json.Marshal(compareRuns(t, base, cand, o)); err != nil {
			t.Error(err)
		}
	}
}

// Seeds that draw different subsets give different problems, also for deterministic series.
func TestSubsetsBySeed(t *testing.T) {
	base := noisyRuns("smo", 1, 1, 0.2, 1)
	for seed, want := range map[uint64]string{base[0].Seed: Worse, 9: Incomparable} {
		cand := changed(scaled(base, 1.5), func(_ int, r *record.Run) { r.Seed = seed; *r = keyed(*r) })
		sides := [2][]Side{deterministicSide(base), deterministicSide(cand)}
		for _, s := range sides {
			s[0].DrawsRows = func(string) bool { return true }
		}
		r := mustCompare(t, sides[0], sides[1], defaults)
		c := r.Cells[0]
		if c.Verdict != want {
			t.Errorf("seed %d: %s (%s), want %s", seed, c.Verdict, c.Reason, want)
		}
	}
}
