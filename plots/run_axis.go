package plots

import (
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// along returns the abscissae of a run: a cost counter, or the seconds.
func (c *pane) along(r record.Run) ([]float64, bool) {
	if c.panel.X == xSeconds {
		return c.in.Timings.Seconds(r)
	}
	return r.Curve.Along(c.panel.X)
}

// firstEpoch returns where on the x axis the runs had looked at as many
// examples as there are to train on, on average; 0 if they never had, or the
// records do not tell.
func (c *pane) firstEpoch(runs []record.Run) float64 {
	var sum float64
	for i := range runs {
		n := runs[i].Rows[record.SplitTrain]
		if n == 0 {
			c.warn("%s: the first epoch is not marked, as the record lacks the number of training rows", c.in.Name(runs[i].Series))
			return 0
		}
		x, _ := c.along(runs[i])
		iterations := floats(runs[i].Curve.Cost[record.CostIterations])
		if len(iterations) == 0 || iterations[len(iterations)-1] < float64(n) {
			return 0
		}
		sum += analysis.Curve{X: iterations, Y: x}.LineAt(float64(n))
	}
	return sum / float64(len(runs))
}

// Crossing returns where a drawn line is at x, the xs not decreasing; ok is false beyond
// their last. It is no reading of the curve, of which see analysis.Curve: where the line
// is upright, the pen meets its first end first.
func Crossing(xs, ys []float64, x float64) (y float64, ok bool) {
	i, exact := slices.BinarySearch(xs, x)
	switch {
	case i == len(xs):
		return 0, false
	case exact:
		return ys[i], true
	}
	return analysis.Curve{X: xs, Y: ys}.LineAt(x), true
}

// lone reports whether the curve is a single point.
func (cv curve) lone() bool { return len(cv.mean.X) == 1 }

// allConverged reports whether the methods of all runs found that they were done.
// One that has nothing left to work on ends without that.
func allConverged(runs []record.Run) bool {
	return !slices.ContainsFunc(runs, func(r record.Run) bool { return !r.Converged() })
}

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
