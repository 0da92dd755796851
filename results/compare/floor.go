package compare

import (
	"fmt"
	"math"
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"
)

// floorOf returns the value below which differences of a metric are rounding: that
// of the options if there is one; for errors half an example; for suboptimality and
// the like a relative 1e-12 of the first value of the curves or of the objective,
// and not less than the gap that the reference optimum is certified to.
func floorOf(o Options, l axes, runs []record.Run) float64 {
	if o.Floor > 0 {
		return o.Floor
	}
	var floor, largest float64
	for _, r := range runs {
		if r.Status != record.StatusFinished {
			continue
		}
		m, resolution := analysis.MetricOf(r.Task, l.metric), analysis.Resolution(&r, l.split, l.metric)
		floor = max(floor, resolution)
		if m.Unit == analysis.Fraction && resolution > 0 {
			continue
		}
		cols := r.Measured().Metrics[l.split]
		for _, v := range cols[l.metric] {
			largest = max(largest, math.Abs(v))
		}
		floor = max(floor, analysis.Rounding*math.Abs(cols[l.metric][0]))
		if f := cols[m.Above]; m.Above != "" && len(f) > 0 {
			floor = max(floor, analysis.Rounding*math.Abs(f[len(f)-1]))
		}
	}
	switch {
	case floor > 0:
		return floor
	case largest > 0:
		return analysis.Rounding * largest
	}
	return 1 // all values are 0, and alike
}

// take sets the curves, with the logarithms of their values. reason says why there are none.
func (s *curveSet) take(curves []analysis.Curve) (reason string) {
	least := 0.0
	s.curves = make([]analysis.LogCurve, len(curves))
	for i, c := range curves {
		c.Floor = s.floor
		s.curves[i] = analysis.NewLogCurve(c)
		for _, y := range s.curves[i].Y {
			least = min(least, y)
		}
	}
	s.chooseCurves()
	raised := 0
	for _, c := range slices.Concat(s.base, s.cand) {
		raised += c.Raised
	}
	if least < -s.floor {
		return fmt.Sprintf("%s on %s is as low as %.3g, further below 0 than rounding allows (%.3g): there are no ratios",
			s.axes.metric, s.axes.split, least, s.floor)
	}
	if raised > 0 {
		s.notes = append(s.notes, fmt.Sprintf("values of at most %.3g count as %.3g (%s)", s.floor, s.floor, words.Count(raised, "point")))
	}
	return ""
}
