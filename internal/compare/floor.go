package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// floorOf returns the value below which differences of a metric are rounding: that
// of the options if there is one; for errors half an example; for suboptimality and
// the like a relative 1e-12 of the first value of the curves or of the objective,
// and not less than the gap that the reference optimum is certified to.
func floorOf(o Options, of ...resolution) float64 {
	if o.Floor > 0 {
		return o.Floor
	}
	var floor, largest float64
	for _, r := range of {
		floor, largest = max(floor, r.floor), max(largest, r.largest)
	}
	switch {
	case floor > 0:
		return floor
	case largest > 0:
		return observe.Rounding * largest
	}
	return 1 // all values are 0, and alike
}

// resolution is what the floor of a run is, as far as the run says, and its largest value.
type resolution struct{ floor, largest float64 }

func resolutionOf(r *record.Run, l axes) (out resolution) {
	if r.Status != record.StatusFinished {
		return out
	}
	m := observe.MetricOf(r.Task, l.metric)
	out.floor = observe.Resolution(r, l.split, l.metric)
	if m.Unit == observe.Fraction && out.floor > 0 {
		return out
	}
	cols := r.Measured().Metrics[l.split]
	if len(cols[l.metric]) == 0 {
		return out
	}
	for _, v := range cols[l.metric] {
		out.largest = max(out.largest, math.Abs(v))
	}
	out.floor = max(out.floor, observe.Rounding*math.Abs(cols[l.metric][0]))
	if f := cols[m.Above]; m.Above != "" && len(f) > 0 {
		out.floor = max(out.floor, observe.Rounding*math.Abs(f[len(f)-1]))
	}
	return out
}

// take surveys the curves that read returns, and sets the floor. reason says why there is
// nothing to measure.
func (s *curveSet) take(o Options, read func(place int) (observe.Curve, resolution, error)) (reason string, err error) {
	s.curve = func(place int) observe.LogCurve {
		c, _, _ := read(place) // which has gone well once
		c.Floor = s.floor
		return observe.NewLogCurve(c)
	}
	s.survey = make([]surveyed, len(s.score))
	resolutions, errs := make([]resolution, len(s.score)), make([]error, len(s.score))
	s.each(func(place int) {
		var c observe.Curve
		if c, resolutions[place], errs[place] = read(place); errs[place] == nil {
			s.survey[place] = surveyOf(observe.NewLogCurve(c))
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return "", err
	}
	s.floor = cmp.Or(s.floor, floorOf(o, resolutions...))
	least := 0.0
	for _, c := range s.survey {
		least = min(least, c.least)
	}
	raised := 0
	for _, place := range slices.Concat(s.chosen()[0], s.chosen()[1]) {
		raised += s.curve(place).Raised
	}
	if least < -s.floor {
		return fmt.Sprintf("%s on %s is as low as %.3g, further below 0 than rounding allows (%.3g): there are no ratios",
			s.axes.metric, s.axes.split, least, s.floor), nil
	}
	if raised > 0 {
		s.notes = append(s.notes, fmt.Sprintf("values of at most %.3g count as %.3g (%s)", s.floor, s.floor, words.Count(raised, "point")))
	}
	return "", nil
}
