package compare

import (
	"fmt"
	"math"

	"stochopt/results/record"
)

// relativeFloor times the scale of a metric is what rounding may make of 0.
const relativeFloor = 1e-12

// floorOf returns the value below which differences of a metric are rounding: that
// of the options if there is one; for errors half an example; for suboptimality and
// the like a relative 1e-12 of the first value of the curves or of the objective,
// and not less than the gap that the reference optimum is certified to.
func floorOf(o Options, l lens, runs []record.Run) float64 {
	if o.Floor > 0 {
		return o.Floor
	}
	var floor, largest float64
	for _, r := range runs {
		if r.Status != record.StatusFinished {
			continue
		}
		resolution := r.Resolution(l.split, l.metric)
		floor = max(floor, resolution)
		if l.metric == "error" && resolution > 0 {
			continue
		}
		cols := r.Curve.Metrics[l.split]
		for _, v := range cols[l.metric] {
			largest = max(largest, math.Abs(v))
		}
		floor = max(floor, relativeFloor*math.Abs(cols[l.metric][0]))
		if l.metric != "suboptimality" {
			continue
		}
		if f := cols["objective"]; len(f) > 0 {
			floor = max(floor, relativeFloor*math.Abs(f[len(f)-1]))
		}
	}
	switch {
	case floor > 0:
		return floor
	case largest > 0:
		return relativeFloor * largest
	}
	return 1 // all values are 0, and alike
}

// clampAll sets the logarithms of curves. It returns what to note, or the reason
// why there are none.
func clampAll(curves []curve, floor float64, l lens) (note, reason string) {
	var least float64
	n := 0
	for i := range curves {
		for _, y := range curves[i].y {
			least = min(least, y)
		}
		n += curves[i].clamp(floor)
	}
	if least < -floor {
		return "", fmt.Sprintf("%s on %s is as low as %.3g, below 0 by more than rounding, for which %.3g is allowed: there are no ratios", l.metric, l.split, least, floor)
	}
	if n > 0 {
		note = fmt.Sprintf("values of at most %.3g count as %.3g (%s)", floor, floor, plural(n, "point"))
	}
	return note, ""
}
