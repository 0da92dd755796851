package plots

import (
	"math"
	"slices"

	"stochopt/internal/observe"
)

// curve is one curve of a panel while its figure is laid out.
type curve struct {
	series seriesID
	// color is the value of the figure's colour variable.
	color any
	// extra names what else tells the curve from others of its series and
	// colour.
	extra string
	// mean is the curve itself with its band, empty for a spectrum; thin holds
	// further lines: the repeats, or the eigenvalues.
	mean ChartCurve
	thin []ChartCurve
	// converged is set if the methods of all these runs found that they were done.
	converged bool
	// water is what an illustration draws besides the mean.
	water *basin
}

// lone reports whether the curve is a single point.
func (cv curve) lone() bool { return len(cv.mean.X) == 1 }

// end returns the last point of the curve.
func (cv curve) end() (x, y float64) {
	n := len(cv.mean.X) - 1
	return cv.mean.X[n], cv.mean.Y[n]
}

// endsBefore reports whether the curve ends, as its method had converged,
// before the end of the axis.
func (cv curve) endsBefore(end float64) bool {
	if !cv.converged || len(cv.mean.X) < 2 {
		return false
	}
	x, _ := cv.end()
	return x < end*(1-slack)
}

// leaves reports whether the curve is beyond an end of an axis somewhere.
func (cv curve) leaves(x, y ChartAxis) bool {
	return slices.ContainsFunc(cv.mean.X, x.Beyond) || slices.ContainsFunc(cv.mean.Y, y.Beyond)
}

// inView reports whether a point, or the line between two neighbours, is within
// the ends of the axes.
func (c ChartCurve) inView(x, y ChartAxis) bool {
	for i := range c.X {
		u, _, okX := x.Place(c.X[i])
		v, _, okY := y.Place(c.Y[i])
		if !okX || !okY || x.Beyond(u) {
			continue
		}
		if !y.Beyond(v) {
			return true
		}
		if i == 0 || math.IsNaN(c.Y[i-1]) || x.Beyond(c.X[i-1]) {
			continue
		}
		if below, above := math.Min(c.Y[i-1], v), math.Max(c.Y[i-1], v); below < y.Min && above > y.Max {
			return true
		}
	}
	return false
}

// inView reports whether any of the curve is to be seen in a panel with these
// axes.
func (cv curve) inView(x, y ChartAxis) bool {
	return cv.mean.inView(x, y) || slices.ContainsFunc(cv.thin, func(l ChartCurve) bool { return l.inView(x, y) })
}

// enter returns where on a logarithmic x axis the curve, or its band, comes into
// view, +Inf if it never does: the last point before that where there is one.
func (cv curve) enter(y ChartAxis) float64 {
	before := math.Inf(1)
	for i, x := range cv.mean.X {
		if x <= 0 {
			continue
		}
		seen := !y.Beyond(cv.mean.Y[i]) || cv.mean.Lo != nil && cv.mean.Lo[i] <= y.Max && cv.mean.Hi[i] >= y.Min
		if seen {
			return math.Min(before, x)
		}
		before = x
	}
	return math.Inf(1)
}

// Crossing returns where a drawn line is at x, the xs not decreasing; ok is false beyond
// their last. It is no reading of the curve, of which see observe.Curve: where the line
// is upright, the pen meets its first end first.
func Crossing(xs, ys []float64, x float64) (y float64, ok bool) {
	i, exact := slices.BinarySearch(xs, x)
	switch {
	case i == len(xs):
		return 0, false
	case exact:
		return ys[i], true
	}
	return observe.Curve{X: xs, Y: ys}.LineAt(x), true
}
