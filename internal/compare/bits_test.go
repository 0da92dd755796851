package compare

import (
	"math"
	"testing"

	"stochopt/internal/record"
)

func TestDifferences(t *testing.T) {
	base := testRun("msg", 0, 1)
	base.Rows = map[string]int64{"test": 10}
	base.Facts = map[string]float64{"C": 1}
	base.Curve.Spectrum = make([][]float64, base.Curve.Len())
	base.Curve.Vectors = map[string][]float64{"responses": {1, 2, 0}}
	for _, c := range []struct {
		name   string
		change func(*record.Run)
		want   string
	}{
		{"last bit", func(r *record.Run) {
			v := r.Curve.Metrics["test"]["suboptimality"]
			v[9] = math.Nextafter(v[9], 1)
		}, "curve test/suboptimality at point 9: 0.001 / 0.0010000000000000002"},
		{"cost", func(r *record.Run) { r.Curve.Cost["iterations"][2] = 6 }, "cost iterations at point 2: 5 / 6"},
		{"metric", func(r *record.Run) {
			r.Curve.Metrics["test"]["objective"] = r.Curve.Metrics["test"]["suboptimality"]
		}, "curve test/objective: 0 / 10 values"},
		{"reason", func(r *record.Run) { r.Reason = "exhausted" }, "status: finished (budget of 1000 iterations) / finished (exhausted)"},
		{"rows", func(r *record.Run) { r.Rows = map[string]int64{"test": 9} }, "rows test: 10 / 9"},
		{"fact", func(r *record.Run) { r.Facts = nil }, "fact C: 1 / none"},
		{"parameters", func(r *record.Run) { r.Params["k"] = int64(5) }, "parameters: k=4;step.c=0.5 / k=5;step.c=0.5"},
		{"seed", func(r *record.Run) { r.Seed = 8 }, "seed: 7 / 8"},
		{"spectrum", func(r *record.Run) {
			r.Curve.Spectrum = append([][]float64{{1}}, base.Curve.Spectrum[1:]...)
		}, "spectrum at point 0: [] / [1]"},
		{"vectors", func(r *record.Run) { r.Curve.Vectors = map[string][]float64{"responses": {1, 3, 0}} }, "vector responses at point 1: 2 / 3"},
		{"sign of zero", func(r *record.Run) {
			r.Curve.Vectors = map[string][]float64{"responses": {1, 2, math.Copysign(0, -1)}}
		}, "vector responses at point 2: 0 / -0"},
		{"stand-in", func(r *record.Run) { r.StandIn = true }, "stand-in: false / true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := changed([]record.Run{base}, func(_ int, r *record.Run) { c.change(r) })
			diffs, equal := compareBits(side(base)[0], side(other...)[0])
			if len(diffs) != 1 || equal[refOf(&base)] {
				t.Fatalf("differences %v, equal %v", diffs, equal)
			}
			if d := diffs[0]; d.What != c.want || d.Key != base.Key || d.Run != base.Name() || d.Excused != "" {
				t.Errorf("difference %+v, want %q", d, c.want)
			}
		})
	}
}

// Labels and failures are not differences of bits, but failed runs are not equal.
func TestEqualBits(t *testing.T) {
	base := testRun("msg", 0, 1)
	renamed := base
	renamed.Dataset, renamed.Group, renamed.Series = "renamed", "panel", "my-msg"
	for _, c := range []struct {
		base, cand record.Run
		equal      bool
	}{
		{base, renamed, true},
		{base, failed(base, record.StatusFailed, "why"), false},
		{base, failed(base, record.StatusSkipped, "why"), false},
		{failed(base, record.StatusFailed, "why"), base, false},
	} {
		diffs, equal := compareBits(side(c.base)[0], side(c.cand)[0])
		if len(diffs) != 0 || equal[refOf(&base)] != c.equal {
			t.Errorf("%s and %s of %s: differences %v, equal %v", c.base.Status, c.cand.Status, c.cand.Series, diffs, equal)
		}
	}
}

// The machine determines where a run out of time ends, but not its points. It is worse than a finished run.
func TestRunsOutOfTime(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	stop := func(first, end int) []record.Run { // keeps points first to end-1
		return changed(base, func(_ int, r *record.Run) {
			r.Status, r.Reason, r.Limit = record.StatusOutOfTime, "1 s", &record.Limit{Seconds: 1}
			r.Curve.Cost["iterations"] = r.Curve.Cost["iterations"][first:end]
			r.Curve.Metrics["test"]["suboptimality"] = r.Curve.Metrics["test"]["suboptimality"][first:end]
		})
	}
	stopped := stop(0, 4)
	for _, c := range []struct {
		base []record.Run
		want string
	}{{base, Worse}, {stopped, Identical}, {stop(0, 3), Identical}, {stop(4, 5), Incomparable}} {
		r := compareRuns(t, c.base, stopped, defaults)
		if got := r.Cells[0]; got.Verdict != c.want || len(r.Differences) != 0 {
			t.Errorf("%s (%s), differences %v; want %s", got.Verdict, got.Reason, r.Differences, c.want)
		}
	}
	stopped[3].Curve.Metrics["test"]["suboptimality"][1] = 3
	if diffs, _ := compareBits(side(base...)[0], side(stopped...)[0]); len(diffs) != 1 || diffs[0].Key != base[3].Key {
		t.Errorf("differences %v", diffs)
	}
}

func TestExcusedDifferences(t *testing.T) {
	base, other := side(testRun("msg", 0, 1))[0], side(testRun("msg", 0, 2))[0]
	other.Platform = "linux/amd64"
	for platform, excused := range map[string]bool{"darwin/arm64": true, "linux/amd64": false, "": false} {
		base.Platform = platform
		if diffs, _ := compareBits(base, other); len(diffs) != 1 || (diffs[0].Excused != "") != excused {
			t.Errorf("%q: %+v, want excused: %v", platform, diffs, excused)
		}
	}
}

func TestIdenticalCellsHaveNoTest(t *testing.T) {
	base := append(noisyRuns("msg", 8, 1, 0.2, 1), noisyRuns("oja", 8, 1, 0.2, 2)...)
	cand := append(noisyRuns("msg", 8, 1, 0.2, 1), scaled(noisyRuns("oja", 8, 1, 0.2, 2), 2)...)
	r := compareRuns(t, base, cand, defaults)
	if r.Cells[0].Verdict != Identical || r.Cells[0].Pairs != 8 || len(r.Cells[0].Measures) != 0 {
		t.Errorf("cell %+v, want identical", r.Cells[0])
	}
	if r.Cells[1].Verdict != Worse || r.Tests != 2 {
		t.Errorf("%d tests, want the 2 of the other cell:\n%s", r.Tests, summary(r))
	}
	// One run on each side is enough.
	if c := compareCell(t, base[:1], base[:1], defaults); c.Verdict != Identical {
		t.Errorf("verdict %s of the same run, want identical", c.Verdict)
	}
	// Only common repeats are compared.
	c := compareCell(t, base[:8], base[:5], defaults)
	if c.Verdict != Identical || c.Pairs != 5 {
		t.Errorf("verdict %s of %d pairs, want identical of 5", c.Verdict, c.Pairs)
	}
	wantNote(t, c.Details, "3 of 8 repeats of the baseline and 0 of 5")
	// A pair with different runs needs a test.
	if c := compareCell(t, base[:8], append(scaled(base[:1], 1), base[1:8]...), defaults); c.Verdict != Equivalent {
		t.Errorf("verdict %s, want equivalent", c.Verdict)
	}
	// So does a run that failed on only one side.
	broken := append([]record.Run{failed(base[0], record.StatusFailed, "boom")}, base[1:8]...)
	if c := compareCell(t, base[:8], broken, defaults); c.Verdict != Inconclusive || len(c.Measures) == 0 {
		t.Errorf("verdict %s, want inconclusive", c.Verdict)
	}
	c = compareCell(t, broken, broken, defaults)
	if c.Verdict != Identical {
		t.Errorf("verdict %s, want identical", c.Verdict)
	}
	wantNote(t, c.Notes, "1 of 8 runs of the baseline: failed (boom)")
}

// A longer run must be equal at common iterations.
func TestLongerRuns(t *testing.T) {
	base := noisyRuns("msg", 2, 1, 0.2, 1)
	longer := func(by float64) []record.Run {
		return changed(base, func(_ int, r *record.Run) {
			r.Extent = "2000/log:10"
			m := r.Curve.Metrics["test"]
			r.Curve.Cost["iterations"] = []int64{1, 3, 10, 100, 2000}
			y := m["suboptimality"]
			m["suboptimality"] = []float64{y[0], 0.4, y[3] * by, y[6], 1e-6}
			r.Curve.Metrics["state"] = map[string][]float64{"dual": {1, 2, 3, 4, 5}}
		})
	}
	r := compareRuns(t, base, longer(1), defaults)
	if c := r.Cells[0]; len(r.Differences) != 0 || c.Verdict != Equivalent || c.Reason != sameRuns {
		t.Errorf("%d differences, %s (%s)", len(r.Differences), c.Verdict, c.Reason)
	}
	// Runs with different bits are not equivalent, although some points are equal.
	cost := changed(base, func(_ int, r *record.Run) { r.Curve.Cost["iterations"][9] = 1100 })
	for _, cand := range [][]record.Run{longer(1.0000001), cost} {
		r = compareRuns(t, base, cand, defaults)
		if c := r.Cells[0]; len(r.Differences) != 2 || c.Verdict == Equivalent {
			t.Errorf("%d differences, want 2; %s (%s)", len(r.Differences), c.Verdict, c.Reason)
		}
	}
}

// Without Options.At, the metric is not interpolated.
func TestLastCommonCostMustBeRecorded(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	cand := changed(scaled(base, 1), func(_ int, r *record.Run) {
		r.Extent = "2000/log:10"
		r.Curve.Cost["iterations"][9] = 1100
	})
	c := compareCell(t, base, cand, defaults)
	if len(c.Measures) != 1 || c.Measures[0].Kind != Area {
		t.Errorf("measures %+v, want only the area", c.Measures)
	}
	if c := compareCell(t, base, cand, Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{1000}}); len(c.Measures) != 2 || c.Measures[0].At != 1000 {
		t.Errorf("measures %+v, want one at cost 1000", c.Measures)
	}
}
