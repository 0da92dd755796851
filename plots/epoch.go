package plots

import (
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// along returns the abscissae of a run: a cost counter, or the seconds.
func (c *cell) along(r record.Run) ([]float64, bool) {
	if c.panel.X == xSeconds {
		return c.timings.Seconds(r)
	}
	return r.Curve.Along(c.panel.X)
}

// trainRows is the number of training examples in Run.Rows.
const trainRows = record.SplitTrain

// firstEpoch returns where on the x axis the runs had looked at as many
// examples as there are to train on, on average; 0 if they never had, or the
// records do not tell.
func (o *content) firstEpoch(c *cell, runs []record.Run) float64 {
	var sum float64
	for i := range runs {
		n := runs[i].Rows[trainRows]
		if n == 0 {
			o.warn(c, "%s: the first epoch is not marked, as the record lacks the number of training rows", DisplayName(runs[i].Series))
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

// crossing returns where a drawn line is at x, the xs not decreasing; ok is false beyond
// their last. It is no reading of the curve, of which see analysis.Curve: where the line
// is upright, the pen meets its first end first.
func crossing(xs, ys []float64, x float64) (y float64, ok bool) {
	i, exact := slices.BinarySearch(xs, x)
	switch {
	case i == len(xs):
		return 0, false
	case exact:
		return ys[i], true
	}
	return analysis.Curve{X: xs, Y: ys}.LineAt(x), true
}

// laterDashes are those of a curve after its first epoch.
var laterDashes = []vg.Length{4, 2.5}

// piece is a stretch of a curve with a look of its own.
type piece struct {
	polyline
	style Style
}

// later returns the look of a curve after its first epoch.
func (s Style) later() Style {
	s.Dashes = laterDashes
	return s
}

// pieces returns the mean as it is drawn: in one, or solid up to the end of the
// first epoch and dashed from there.
func (cv curve) pieces(st Style) []piece {
	if cv.epoch <= 0 || len(cv.mean.x) < 2 || cv.epoch >= cv.mean.x[len(cv.mean.x)-1] {
		return []piece{{cv.mean, st}}
	}
	y, _ := crossing(cv.mean.x, cv.mean.y, cv.epoch)
	i, _ := slices.BinarySearch(cv.mean.x, cv.epoch)
	first := polyline{append(slices.Clone(cv.mean.x[:i]), cv.epoch), append(slices.Clone(cv.mean.y[:i]), y)}
	rest := polyline{append([]float64{cv.epoch}, cv.mean.x[i:]...), append([]float64{y}, cv.mean.y[i:]...)}
	st.Dashes = nil
	return []piece{{first, st}, {rest, st.later()}}
}

// lone reports whether the curve is a single point.
func (cv curve) lone() bool { return len(cv.mean.x) == 1 }

// allConverged reports whether the methods of all runs found that they were done.
// One that has nothing left to work on ends without that.
func allConverged(runs []record.Run) bool {
	return !slices.ContainsFunc(runs, func(r record.Run) bool { return !r.Converged() })
}

func (cv curve) end() point {
	n := len(cv.mean.x) - 1
	return point{cv.mean.x[n], cv.mean.y[n]}
}

// endsBefore reports whether the curve ends, as its method had converged,
// before the end of the axis.
func (cv curve) endsBefore(end float64) bool {
	return cv.converged && len(cv.mean.x) > 1 && cv.end().x < end*(1-slack)
}

// leaves reports whether the curve is beyond an end of an axis somewhere.
func (cv curve) leaves(x, y scale) bool {
	return slices.ContainsFunc(cv.mean.x, x.beyond) || slices.ContainsFunc(cv.mean.y, y.beyond)
}

// endMark marks the end of a curve.
type endMark struct {
	at    point
	style Style
}

func (e endMark) draw(c draw.Canvas, x, y scale) {
	if x.beyond(e.at.x) || y.beyond(e.at.y) {
		return
	}
	at := onCanvas(c, x, y, []point{e.at})[0]
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.style.Color, Radius: 2.6, Shape: e.style.Glyph}, at)
}
