package compare

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestVerdicts(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	other := func(level, sd float64, seed uint64) []record.Run {
		return changed(noisy("msg", 10, level, sd, seed), func(_ int, r *record.Run) { r.Version, r.Seed = 2, 8; *r = keyed(*r) })
	}
	for _, c := range []struct {
		name string
		cand []record.Run
		o    Options
		want string
	}{
		{"equal", scaled(base, 1), usual, Equivalent},
		{"4% more", scaled(base, 1.04), usual, Equivalent},
		{"the tolerance exactly", scaled(base, 1.05), usual, Equivalent},
		{"6% more", scaled(base, 1.06), usual, Worse},
		{"6% more, tolerance 10%", scaled(base, 1.06), Options{Alpha: 0.05, Tolerance: 0.1}, Equivalent},
		{"1% more, no tolerance", scaled(base, 1.01), Options{Alpha: 0.05}, Worse},
		{"rounding, no tolerance", scaled(base, 1+1e-14), Options{Alpha: 0.05}, Equivalent},
		{"6% less", scaled(base, 1/1.06), usual, Better},
		{"4% less", scaled(base, 0.96), usual, Equivalent},
		{"unpaired, twice", other(2, 0.2, 2), usual, Worse},
		{"unpaired, half", other(0.5, 0.2, 2), usual, Better},
		{"unpaired, the same", other(1, 0.2, 2), usual, Inconclusive},
		{"unpaired, the same, hardly any noise", other(math.Exp(0.2*0.1), 0.001, 2), Options{Alpha: 0.05, Tolerance: 0.5}, Equivalent},
		{"unpaired, 40% more", other(1.4, 0.2, 2), usual, Worse},
		{"unpaired, 40% more, small alpha", other(1.4, 0.2, 2), Options{Tolerance: 0.05, Alpha: 1e-4}, Inconclusive},
	} {
		cell := oneCell(t, base, c.cand, c.o)
		if cell.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s: %+v", c.name, cell.Verdict, cell.Reason, c.want, cell.Measures)
		}
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

func TestOneRepeatIsNeverAVerdict(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	for name, c := range map[string]Cell{
		"one pair":     oneCell(t, base[:1], scaled(base[:1], 100), usual),
		"one and many": oneCell(t, base[:1], changed(scaled(base, 100), func(_ int, r *record.Run) { r.Seed = 3; *r = keyed(*r) }), usual),
		"one within":   oneCell(t, base[:1], scaled(base[:1], 1.0001), usual),
	} {
		if c.Verdict != Inconclusive || !strings.HasPrefix(c.Reason, "only one repeat, and no difference can be significant with fewer than ") {
			t.Errorf("%s: %s (%s), want inconclusive", name, c.Verdict, c.Reason)
		}
	}
}

// The same bits are the same, however few they are and whatever the keys.
func TestTheSameCurvesUnderOtherKeys(t *testing.T) {
	base := noisy("msg", 1, 1, 0.2, 1)
	c := oneCell(t, base, scaled(base, 1), usual)
	if c.Verdict != Equivalent || c.Reason != sameCurves || !slices.Equal(c.Changed, []string{"version: 1 -> 2"}) {
		t.Errorf("%s (%s), changed %q; want equivalent", c.Verdict, c.Reason, c.Changed)
	}
	// Other costs, or a run that did not finish, are not the same.
	cost := changed(scaled(base, 1), func(_ int, r *record.Run) { r.Curve.Cost["iterations"][9]++ })
	if c := oneCell(t, base, cost, usual); c.Verdict != Inconclusive {
		t.Errorf("another cost: %s (%s)", c.Verdict, c.Reason)
	}
	status := changed(scaled(base, 1), func(_ int, r *record.Run) { r.Status = record.StatusOutOfTime })
	if c := oneCell(t, base, status, usual); c.Verdict == Equivalent {
		t.Errorf("another status: %s (%s)", c.Verdict, c.Reason)
	}
}

func TestLargeImprovementsMayBeLeaks(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	for by, want := range map[float64]string{0.93: "", 0.8: checkLeak} {
		if c := oneCell(t, base, scaled(base, by), usual); c.Verdict != Better || c.Reason != want {
			t.Errorf("a ratio of %v: %s (%s), want better (%s)", by, c.Verdict, c.Reason, want)
		}
	}
}

// Two errors that happen to be the same on few rows do not show equivalence.
func TestFewDifferencesThatAreTheSameByChance(t *testing.T) {
	for n, want := range map[int]string{2: Inconclusive, 5: Inconclusive, 6: Equivalent} {
		base := noisy("msg", n, 1, 0.2, 1)
		cand := changed(scaled(base, 1), func(_ int, r *record.Run) {
			r.Curve.Metrics["train"] = map[string][]float64{"error": make([]float64, len(testCosts))}
		})
		if c := oneCell(t, base, cand, usual); c.Verdict != want {
			t.Errorf("%d pairs: %s (%s), want %s", n, c.Verdict, c.Reason, want)
		}
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
		{"6% more", base, scaled(base, 1.06), usual, Worse},
		{"the tolerance exactly", base, scaled(base, 1.05), usual, Equivalent},
		{"6% less", base, scaled(base, 1/1.06), usual, Better},
		{"half more, tolerance 60%", base, scaled(base, 1.5), Options{Alpha: 0.05, Tolerance: 0.6}, Equivalent},
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

func TestOneRunWithRandomness(t *testing.T) {
	base := slices.Concat(noisy("smo", 1, 1, 0.2, 1), noisy("msg", 1, 1, 0.2, 1), noisy("power", 8, 1, 0.2, 1))
	r := reported(t, withoutRandom(base), withoutRandom(scaled(base, 3)), usual)
	alone := compared(t, base[2:], scaled(base[2:], 3), usual)
	for i, want := range []string{Worse, Inconclusive, Worse} {
		if c := r.Cells[i]; c.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", c.Series, c.Verdict, c.Reason, want)
		}
	}
	// Two open cells: 2/2^7 is below 0.05/2.
	wantText(t, r.Cells[1].Reason, "only one repeat", "fewer than 7")
	if r.Tests != alone.Tests || *r.Cells[2].Measures[0].Adjusted != *alone.Cells[0].Measures[0].Adjusted {
		t.Errorf("%d tests, want the %d of the series with repeats", r.Tests, alone.Tests)
	}
	// Randomness on one side is randomness.
	if c := reported(t, side(base[0]), withoutRandom(scaled(base[:1], 3)), usual).Cells[0]; c.Verdict != Inconclusive {
		t.Errorf("one side without randomness: %s (%s), want inconclusive", c.Verdict, c.Reason)
	}
}

func TestTooFewRepeats(t *testing.T) {
	base := noisy("msg", 4, 1, 0.2, 1)
	r := compared(t, base, scaled(base, 2), usual)
	c := r.Cells[0]
	if c.Verdict != Inconclusive || r.Tests != 0 {
		t.Errorf("%s, %d tests; 4 pairs cannot be significant", c.Verdict, r.Tests)
	}
	wantText(t, c.Reason, "4 repeats", "fewer than 6")
	if p := c.Measures[0].Adjusted; p != nil {
		t.Errorf("the adjusted p-value is %v, want none: 4 pairs cannot be significant", *p)
	}
	if c := oneCell(t, noisy("msg", 7, 1, 0.2, 1), scaled(noisy("msg", 7, 1, 0.2, 1), 2), usual); c.Verdict != Worse {
		t.Errorf("%s with 7 repeats, want worse", c.Verdict)
	}
}

// Runs that do not finish are worse than any that do.
func TestUnfinishedRunsCountAsWorst(t *testing.T) {
	base := noisy("msg", 10, 1, 0.2, 1)
	spoil := func(n int, status string) []record.Run {
		return changed(scaled(base, 1), func(i int, r *record.Run) {
			if i < n {
				r.Status, r.Reason = status, "because"
			}
		})
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
		if c := oneCell(t, spoil(9, status), scaled(scaled(base, 1), 1.0001), usual); c.Verdict != Better {
			t.Errorf("9 of 10 of the baseline %s: %s (%s), want better", status, c.Verdict, c.Reason)
		}
	}
	c := oneCell(t, base, spoil(1, record.StatusDiverged), usual)
	if c.Verdict != Inconclusive || c.Measures[0].Verdict != Inconclusive {
		t.Errorf("1 of 10 diverged: %s, want inconclusive", c.Verdict)
	}
	both := oneCell(t, changed(base, func(i int, r *record.Run) { r.Status, r.Reason = record.StatusDiverged, "NaN" }), spoil(10, record.StatusDiverged), usual)
	if both.Verdict != Incomparable || both.Reason != "no run finished on either side" {
		t.Errorf("%s (%s), want incomparable", both.Verdict, both.Reason)
	}
}

func TestAllRunsFailed(t *testing.T) {
	base := noisy("msg", 3, 1, 0.2, 1)
	crash := changed(base, func(_ int, r *record.Run) { *r = failed(*r, record.StatusFailed, "panic: index out of range") })
	c := oneCell(t, base, crash, usual)
	if c.Verdict != Worse || c.Reason != "all runs of the candidate failed: panic: index out of range" {
		t.Errorf("%s (%s), want worse", c.Verdict, c.Reason)
	}
	if c := oneCell(t, crash, base, usual); c.Verdict != Incomparable {
		t.Errorf("%s (%s), want incomparable", c.Verdict, c.Reason)
	}
	if c := oneCell(t, crash, crash, usual); c.Verdict != Incomparable {
		t.Errorf("%s (%s), want incomparable", c.Verdict, c.Reason)
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
	unpaired := changed(cand, func(_ int, r *record.Run) { r.Seed = 9; *r = keyed(*r) })
	if m := oneCell(t, base, unpaired, Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.015}}).Measures[1]; m.Verdict != Worse || m.Ratio != nil {
		t.Errorf("unpaired measure %+v, want worse by ranks", m)
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
		cell := oneCell(t, at(c.b), changed(at(c.c), func(_ int, r *record.Run) { r.Version = 3; *r = keyed(*r) }), Options{Alpha: 0.05})
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
	c = oneCell(t, cut(base, 0, 3, "budget"), changed(cut(base, 5, 9, "budget"), func(_ int, r *record.Run) { r.Version = 4; *r = keyed(*r) }), usual)
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
	for _, cand := range [][]record.Run{wild, wild[:2], wild[:9], wild[9:]} {
		o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.1}}
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
