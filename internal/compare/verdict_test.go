package compare

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
)

func TestVerdicts(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	other := func(level, sd float64) []record.Run {
		return relabelled(versioned(noisy("msg", 10, level, sd, 2), 2), 1)
	}
	crash := changed(base, func(_ int, r *record.Run) { *r = failed(*r, record.StatusFailed, "panic") })
	diverged := changed(base, func(_ int, r *record.Run) { r.Status = record.StatusDiverged })
	// Two errors that happen to be the same on few rows do not show equivalence.
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
		{"equal", base, scaled(base, 1), usual, Equivalent, sameCurves},
		{"4% more", base, scaled(base, 1.04), usual, Equivalent, ""},
		{"the tolerance exactly", base, scaled(base, 1.05), usual, Equivalent, ""},
		{"6% more", base, scaled(base, 1.06), usual, Worse, ""},
		{"1% more, no tolerance", base, scaled(base, 1.01), Options{Alpha: 0.05}, Worse, ""},
		{"rounding, no tolerance", base, scaled(base, 1+1e-14), Options{Alpha: 0.05}, Equivalent, ""},
		{"6% less", base, scaled(base, 1/1.06), usual, Better, ""},
		{"20% less may be a leak", base, scaled(base, 0.8), usual, Better, checkLeak},
		{"unpaired, twice", base, other(2, 0.2), usual, Worse, ""},
		{"unpaired, half", base, other(0.5, 0.2), usual, Better, checkLeak},
		{"unpaired, the same", base, other(1, 0.2), usual, Inconclusive, ""},
		{"unpaired, hardly any noise", base, other(1, 0.001), Options{Alpha: 0.05, Tolerance: 0.5}, Equivalent, ""},
		{"unpaired, small alpha", base, other(1.4, 0.2), Options{Tolerance: 0.05, Alpha: 1e-4}, Inconclusive, ""},
		{"one pair", base[:1], scaled(base[:1], 100), usual, Inconclusive, "only one repeat"},
		{"one and many", base[:1], relabelled(scaled(base, 100), 1), usual, Inconclusive, "only one repeat"},
		{"5 pairs", base[:5], scaled(base[:5], 2), usual, Inconclusive, "fewer than 6"},
		{"6 pairs", base[:6], scaled(base[:6], 2), usual, Worse, ""},
		{"6 pairs, undecided", base[:6], versioned(noisy("msg", 6, 1, 0.2, 2), 2), usual, Inconclusive, "neither a difference"},
		{"5 pairs, alike in part", base[:5], alike[:5], usual, Inconclusive, ""},
		{"6 pairs, alike in part", base[:6], alike[:6], usual, Equivalent, ""},
		{"the same curve under another key", base[:1], scaled(base[:1], 1), usual, Equivalent, sameCurves},
		{"another cost", base[:1], cost, usual, Inconclusive, ""},
		{"another status", base[:1], status, usual, Inconclusive, ""},
		{"all failed", base, crash, usual, Worse, "all runs of the candidate failed: panic"},
		{"all of the baseline failed", crash, base, usual, Incomparable, ""},
		{"none finished", diverged, versioned(diverged, 2), usual, Incomparable, "no run finished on either side"},
	} {
		cell := oneCell(t, c.base, c.cand, c.o)
		if cell.Verdict != c.want || c.want == Better && cell.Reason != c.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, cell.Verdict, cell.Reason, c.want, c.reason)
		}
		wantText(t, cell.Reason, c.reason)
	}
}

func TestRatiosAreWhatTheySay(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	c := oneCell(t, base, scaled(base, 1.3), Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{20, 100}, Targets: []float64{0.01}})
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

// withoutRandom marks the series smo of a side.
func withoutRandom(runs []record.Run) []Side {
	out := side(runs...)
	out[0].Deterministic = func(_, series string) bool { return series == "smo" }
	return out
}

// Where no randomness is involved the ratio is exact, and one run a side is enough; it takes
// no test from the others. One run with randomness is never enough.
func TestOneRunWithoutRandomness(t *testing.T) {
	base := noisy("smo", 1, 1, 0.2, 1)
	diverged := changed(scaled(base, 1), func(_ int, r *record.Run) { r.Status, r.Reason = record.StatusDiverged, "NaN" })
	for _, test := range []struct {
		name       string
		base, cand []record.Run
		o          Options
		want       string
	}{
		{"half more", base, scaled(base, 1.5), usual, Worse},
		{"the tolerance exactly", base, scaled(base, 1.05), usual, Equivalent},
		{"6% less", base, scaled(base, 1/1.06), usual, Better},
		{"half more, a strict alpha", base, scaled(base, 1.5), Options{Tolerance: 0.05, Alpha: 1e-4}, Worse},
		{"the candidate diverged", base, diverged, usual, Worse},
		{"the baseline diverged", diverged, base, usual, Better},
		{"a target that the candidate misses", base, scaled(base, 1.04), Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{base[0].Curve.Metrics["test"]["suboptimality"][9]}}, Worse},
	} {
		r := reported(t, withoutRandom(test.base), withoutRandom(test.cand), test.o)
		c := r.Cells[0]
		if c.Verdict != test.want || r.Tests != 0 {
			t.Errorf("%s: %s (%s), %d tests; want %s and none", test.name, c.Verdict, c.Reason, r.Tests, test.want)
		}
		wantNote(t, c.Notes, "no randomness is involved: compared exactly")
		for _, m := range c.Measures {
			if m.P != nil || m.Adjusted != nil || m.Ratio != nil && m.Ratio.Lo != m.Ratio.Hi {
				t.Errorf("%s: measure %+v, want no test and no width", test.name, m)
			}
		}
	}
}

// Neither a run without randomness nor one that is too few takes a test from the others.
func TestCellsThatTakeNoTest(t *testing.T) {
	base := slices.Concat(noisy("smo", 1, 1, 0.2, 1), noisy("msg", 4, 1, 0.2, 1), noisy("power", 8, 1, 0.2, 1))
	r := reported(t, withoutRandom(base), withoutRandom(scaled(base, 3)), usual)
	alone := compared(t, base[5:], scaled(base[5:], 3), usual)
	for i, want := range []string{Worse, Inconclusive, Worse} {
		if c := r.Cells[i]; c.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", c.Series, c.Verdict, c.Reason, want)
		}
	}
	// Two open cells: 2/2^7 is below 0.05/2.
	wantText(t, r.Cells[1].Reason, "4 repeats", "fewer than 7")
	few, many := r.Cells[1].Measures[0].Adjusted, r.Cells[2].Measures[0].Adjusted
	if r.Tests != alone.Tests || few != nil || *many != *alone.Cells[0].Measures[0].Adjusted {
		t.Errorf("%d tests, want the %d of the series with repeats", r.Tests, alone.Tests)
	}
	// Randomness on one side is randomness.
	if c := reported(t, side(base[0]), withoutRandom(scaled(base[:1], 3)), usual).Cells[0]; c.Verdict != Inconclusive {
		t.Errorf("one side without randomness: %s (%s), want inconclusive", c.Verdict, c.Reason)
	}
}

// Runs that do not finish are worse than any that do.
func TestUnfinishedRunsCountAsWorst(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	spoil := func(n int, status string) []record.Run {
		out := scaled(base, 1)
		for i := range n {
			out[i].Status, out[i].Reason = status, "because"
		}
		return out
	}
	for _, status := range []string{record.StatusDiverged, record.StatusOutOfTime, record.StatusOutOfMemory} {
		c := oneCell(t, base, spoil(9, status), Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.01}})
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
	if c := oneCell(t, spoil(9, record.StatusDiverged), scaled(scaled(base, 1), 1.0001), usual); c.Verdict != Better {
		t.Errorf("9 of 10 of the baseline: %s (%s), want better", c.Verdict, c.Reason)
	}
	c := oneCell(t, base, spoil(1, record.StatusDiverged), usual)
	if c.Verdict != Inconclusive || c.Measures[0].Verdict != Inconclusive {
		t.Errorf("1 of 10 diverged: %s, want inconclusive", c.Verdict)
	}
}

func TestTargetsThatRunsMiss(t *testing.T) {
	base := noisy("msg", 10, 1, 0.01, 1)
	// The last value is about 0.001; nine candidates stop at 10 times that.
	cand := changed(scaled(base, 1), func(i int, r *record.Run) {
		if i > 0 {
			for j := range r.Curve.Metrics["test"]["suboptimality"] {
				r.Curve.Metrics["test"]["suboptimality"][j] = max(0.02, r.Curve.Metrics["test"]["suboptimality"][j])
			}
		}
	})
	c := oneCell(t, base, cand, Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.015, 1e-7}})
	m := c.Measures[1]
	if m.Kind != ToTarget || *m.Reached != [2]int{10, 1} || m.Ratio != nil || m.Verdict != Worse || *m.P != 2.0/512 {
		t.Errorf("measure %+v, want worse by ranks", m)
	}
	// Expected running times: about 1/0.015 iterations, and as many + 9 x 1000 for one success.
	if math.Abs(*m.Baseline-1/0.015) > 1 || math.Abs(*m.Candidate-9000-1/0.015) > 1 {
		t.Errorf("expected costs %v and %v, want about 67 and 9067", *m.Baseline, *m.Candidate)
	}
	wantNote(t, m.Notes, "9 of 10 runs of the candidate do not reach the target")
	if m := c.Measures[2]; m.Verdict != Incomparable || m.P != nil || m.Notes[0] != "no run of either side reaches the target" {
		t.Errorf("measure %+v, want incomparable", m)
	}
}

// Curves that reach the optimum to rounding must not differ, whatever the rounding.
func TestFloorsMakeNoFalseAlarms(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	at := func(rounding float64) []record.Run {
		return changed(scaled(base, 1), func(i int, r *record.Run) {
			y := r.Curve.Metrics["test"]["suboptimality"]
			for j := 5; j < len(y); j++ {
				y[j] = rounding * float64(i+j-9)
			}
		})
	}
	for _, c := range []struct{ b, c float64 }{{1e-15, 3e-14}, {0, 1e-14}, {-1e-15, 1e-16}, {0, 1e-16}} {
		cell := oneCell(t, at(c.b), versioned(at(c.c), 3), Options{Alpha: 0.05})
		if cell.Verdict != Equivalent {
			t.Errorf("%v and %v: %s (%s), want equivalent", c.b, c.c, cell.Verdict, cell.Reason)
		}
		wantNote(t, cell.Details, "count as")
	}
	low := oneCell(t, base, at(-1e-3), usual)
	if low.Verdict != Incomparable {
		t.Errorf("negative suboptimality: %s, want incomparable", low.Verdict)
	}
	wantText(t, low.Reason, "further below 0 than rounding allows")
}

// The floor is that of the values that all curves begin with, or of the objective.
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
	base := noisy("msg", 10, 1, 0.2, 1)
	cut := func(runs []record.Run, from, to int, reason string) []record.Run {
		return changed(scaled(runs, 1), func(_ int, r *record.Run) {
			r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][from:to]
			y := r.Curve.Metrics["test"]
			y["suboptimality"] = y["suboptimality"][from:to]
			r.Reason = reason
		})
	}
	c := oneCell(t, base, cut(base, 0, 6, "exhausted"), usual)
	if c.Measures[0].At != 50 {
		t.Errorf("compared at %v, want at the last common cost, 50", c.Measures[0].At)
	}
	wantNote(t, c.Details, "compared up to 50 iterations, where the shortest curve ends; the longest ends at 1000")
	c = oneCell(t, base, cut(base, 0, 6, "converged: nothing to do"), usual)
	if c.Measures[0].At != 1000 || c.Verdict != Worse {
		t.Errorf("compared at %v, %s; a converged curve keeps its value", c.Measures[0].At, c.Verdict)
	}
	wantNote(t, c.Details, "10 runs converged")
	c = oneCell(t, cut(base, 0, 3, "budget"), versioned(cut(base, 5, 9, "budget"), 4), usual)
	if c.Verdict != Incomparable || c.Reason != "the curves do not overlap: one begins at 50 iterations, another ends at 5" {
		t.Errorf("%s (%s), want no overlap", c.Verdict, c.Reason)
	}
	c = oneCell(t, base, scaled(base, 1.0001), Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{3000, 30}})
	if c.Measures[0].Verdict != Incomparable || c.Measures[1].Verdict != Equivalent || c.Verdict != Equivalent {
		t.Errorf("cell %+v", c)
	}
	wantNote(t, c.Measures[0].Notes, "3000 iterations is outside the range that all curves cover, 1 to 1000")
}

// A report has no number that JSON lacks, however far the runs are apart.
func TestReportsAreJSON(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	wild := changed(scaled(base, 1), func(i int, r *record.Run) {
		for j := range r.Curve.Metrics["test"]["suboptimality"] {
			r.Curve.Metrics["test"]["suboptimality"][j] *= math.Exp2(float64(100 * (i - 5)))
		}
		if i == 9 {
			r.Status, r.Reason = record.StatusDiverged, "overflow"
		}
	})
	o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.1}}
	for _, cand := range [][]record.Run{wild, wild[:2], wild[:9], wild[9:]} {
		if _, err := json.Marshal(compared(t, base, cand, o)); err != nil {
			t.Error(err)
		}
	}
}

// A seed that draws a subset makes other data: even a deterministic series differs then.
func TestSeedsThatDrawRows(t *testing.T) {
	base := noisy("smo", 1, 1, 0.2, 1)
	for seed, want := range map[uint64]string{base[0].Seed: Worse, 9: Incomparable} {
		cand := changed(scaled(base, 1.5), func(_ int, r *record.Run) { r.Seed = seed; *r = keyed(*r) })
		sides := [2][]Side{withoutRandom(base), withoutRandom(cand)}
		for _, s := range sides {
			s[0].Drawn = func(string) bool { return true }
		}
		r := reported(t, sides[0], sides[1], usual)
		c := r.Cells[0]
		if c.Verdict != want {
			t.Errorf("seed %d: %s (%s), want %s", seed, c.Verdict, c.Reason, want)
		}
	}
}
