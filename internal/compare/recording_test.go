package compare

import (
	"math"
	"testing"

	"stochopt/internal/record"
)

// recordedAt returns runs with the same curve, level/cost, and other recorded costs.
func recordedAt(runs []record.Run, extent string, costs []int64) []record.Run {
	return changed(runs, func(_ int, r *record.Run) {
		level := r.Curve.Metrics["test"]["suboptimality"][0]
		y := make([]float64, len(costs))
		for i, x := range costs {
			y[i] = level / float64(x)
		}
		r.Extent = extent
		r.Curve.Cost["iterations"] = costs
		r.Curve.Metrics["test"]["suboptimality"] = y
	})
}

// Equal curves with different recorded points are equivalent. Step functions would differ.
func TestOtherRecordingsMakeNoFalseAlarms(t *testing.T) {
	var dense []int64
	for x := 1.0; x < 1000; x *= 1.1 {
		if n := int64(math.Round(x)); len(dense) == 0 || n > dense[len(dense)-1] {
			dense = append(dense, n)
		}
	}
	dense = append(dense, 1000)
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	cand := recordedAt(base, "1000/log:80", dense)
	c := compareCell(t, base, cand, Options{Alpha: 0.05, Targets: []float64{0.003}, At: []float64{300, 900}})
	if c.Verdict != Equivalent {
		t.Errorf("%s (%s), want equivalent: %+v", c.Verdict, c.Reason, c.Measures)
	}
}

// A counter that grows 1% faster changes each measure by about 1%, not by a whole recording interval.
func TestSmallChangesOfCostMakeSmallDifferences(t *testing.T) {
	base := noisyRuns("msg", 10, 1, 0.2, 1)
	stretch := func(runs []record.Run, by int64) []record.Run {
		return changed(scaled(runs, 1), func(_ int, r *record.Run) {
			for i := range r.Curve.Cost["iterations"] {
				r.Curve.Cost["iterations"][i] *= by
			}
		})
	}
	o := Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.004}}
	c := compareCell(t, stretch(base, 100), versioned(stretch(base, 101), 3), o)
	if c.Verdict != Equivalent {
		t.Errorf("%s (%s), want equivalent: %+v", c.Verdict, c.Reason, c.Measures)
	}
	for _, m := range c.Measures {
		if m.Ratio.Value < 1.005 || m.Ratio.Value > 1.0101 {
			t.Errorf("%s: ratio %v, want about 1.01", m.Kind, m.Ratio.Value)
		}
	}
}
