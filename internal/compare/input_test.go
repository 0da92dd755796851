package compare

import (
	"math"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestBadInput(t *testing.T) {
	good := side(noisyRuns("msg", 3, 1, 0.2, 1)...)
	if _, err := Compare(good, side(noisyRuns("oja", 3, 1, 0.2, 1)...), defaults); err == nil {
		t.Error("no error for sides without a common cell")
	}
	for _, o := range []Options{
		{Alpha: 0.05, Tolerance: -0.1}, {Alpha: 0.05, Tolerance: math.NaN()}, {Alpha: 0.05, Tolerance: 5},
		{Tolerance: 0.05, Alpha: 1}, {Tolerance: 0.05, Alpha: 1e-300}, {Tolerance: 0.05, Alpha: -0.05},
		{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{1e300}}, {Alpha: 0.05, Tolerance: 0.05, At: []float64{math.Inf(1)}},
	} {
		if _, err := Compare(good, good, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestComparedCurves(t *testing.T) {
	full := func(r *record.Run) {
		y := r.Curve.Metrics["test"]["suboptimality"]
		r.Curve.Metrics = map[string]map[string][]float64{
			"test":       {"error": y, "hinge": y},
			"population": {"suboptimality": y},
			"state":      {"suboptimality": y, "support": y},
		}
		r.Curve.Cost["kernel_evals"] = r.Curve.Cost["iterations"]
		r.Curve.Cost["inner_products"] = make([]int64, len(y))
		r.Version++
		*r = keyed(*r)
	}
	base := changed(noisyRuns("msg", 3, 1, 0.2, 1), func(_ int, r *record.Run) { full(r) })
	cand := changed(base, func(_ int, r *record.Run) { r.Version++; *r = keyed(*r) })
	for _, c := range []struct {
		name       string
		side       Side
		o          Options
		want, from string
	}{
		{"default", Side{}, defaults, "error test iterations", ""},
		{"of the figures", Side{Metric: "suboptimality", Split: "state", Cost: "kernel_evals"}, defaults, "suboptimality state kernel_evals", ""},
		{"of the figures without a split", Side{Metric: "suboptimality"}, defaults, "suboptimality population iterations", ""},
		{"not recorded", Side{Metric: "spectrum", Cost: "seconds"}, defaults, "error test iterations", ""},
		{"options", Side{Metric: "error", Split: "test"}, Options{Alpha: 0.05, Tolerance: 0.05, Metric: "hinge", Cost: "kernel_evals"}, "hinge test kernel_evals", ""},
		{"option for the split", Side{}, Options{Alpha: 0.05, Tolerance: 0.05, Split: "population"}, "suboptimality population iterations", ""},
		{"inapplicable cost", Side{}, Options{Alpha: 0.05, Tolerance: 0.05, Cost: "inner_products"}, "  ", "not all runs count inner_products"},
	} {
		b, d := c.side, c.side
		b.Name, b.Runs, d.Name, d.Runs = "exp", base, "exp", cand
		r := mustCompare(t, []Side{b}, []Side{d}, c.o)
		cell := r.Cells[0]
		if got := cell.Metric + " " + cell.Split + " " + cell.Cost; got != c.want || cell.Reason != c.from && c.from != "" {
			t.Errorf("%s: compared %q (%s), want %q", c.name, got, cell.Reason, c.want)
		}
	}
	// A metric to maximise.
	up := changed(noisyRuns("msg", 3, 1, 0.2, 1), func(_ int, r *record.Run) {
		r.Curve.Metrics["test"]["objective"] = r.Curve.Metrics["test"]["suboptimality"]
	})
	if c := compareCell(t, up, scaled(up, 1), Options{Alpha: 0.05, Tolerance: 0.05, Metric: "objective"}); c.Verdict != Incomparable || !strings.HasPrefix(c.Reason, "a larger objective is better") {
		t.Errorf("%s (%s), want incomparable", c.Verdict, c.Reason)
	}
	if r, err := Compare([]Side{{Name: "exp", Runs: up, Metric: "objective"}}, side(scaled(up, 1)...), defaults); err != nil || r.Cells[0].Metric != "suboptimality" {
		t.Errorf("compared %+v, %v; want suboptimality", r, err)
	}
	// A metric of other cells.
	mixed := append(noisyRuns("oja", 3, 1, 0.2, 1), base...)
	r := compareRuns(t, mixed, append(scaled(noisyRuns("oja", 3, 1, 0.2, 1), 1), cand...), Options{Alpha: 0.05, Tolerance: 0.05, Metric: "hinge"})
	if c := r.Cells[0]; c.Verdict != Incomparable || c.Reason != "not all runs record hinge" {
		t.Errorf("%s (%s), want incomparable", c.Verdict, c.Reason)
	}
}
