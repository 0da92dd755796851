package draw

import (
	"image/color"
	"slices"

	"stochopt/internal/observe"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
)

// point is a point on the axes of a panel.
type point struct{ x, y float64 }

func last(c plots.ChartCurve) point { return point{c.X[len(c.X)-1], c.Y[len(c.Y)-1]} }

// onAxes returns the points of two columns.
func onAxes(x, y []float64) []point {
	points := make([]point, len(x))
	for i := range x {
		points[i] = point{x[i], y[i]}
	}
	return points
}

// at returns where a point of the axes is on the canvas.
func (a axes) at(p point) vg.Point { return vg.Point{X: a.X(a.x.Norm(p.x)), Y: a.Y(a.y.Norm(p.y))} }

func (a axes) atAll(points []point) []vg.Point {
	pts := make([]vg.Point, len(points))
	for i, q := range points {
		pts[i] = a.at(q)
	}
	return pts
}

// stroke draws a line. Its points are within the range of the axes, or are cut at the ends
// of an axis that clips. A lone point is drawn as a glyph.
func (a axes) stroke(points []point, style plots.Style) {
	pts := a.atAll(points)
	switch {
	case len(pts) == 0:
		return
	case len(pts) > 1:
		lines := [][]vg.Point{pts}
		if a.x.Clip {
			lines = a.ClipLinesX(lines...)
		}
		if a.y.Clip {
			lines = a.ClipLinesY(lines...)
		}
		a.StrokeLines(lineStyle(style), lines...)
	case !a.x.Beyond(points[0].x) && !a.y.Beyond(points[0].y):
		a.DrawGlyphNoClip(glyphStyle(style, 0), pts[0])
	}
}

// fill fills the space between two lines over the same abscissae.
func (a axes) fill(lo, hi []point, color color.NRGBA) {
	if len(lo) < 2 {
		return
	}
	outline, upper := a.atAll(lo), a.atAll(hi)
	slices.Reverse(upper)
	outline = append(outline, upper...)
	if a.x.Clip {
		outline = a.ClipPolygonX(outline)
	}
	if a.y.Clip {
		outline = a.ClipPolygonY(outline)
	}
	a.FillPolygon(color, outline)
}

// placeLine returns the points of a line that have a place on the axes.
func placeLine(xs, ys []float64, sx, sy plots.ChartAxis) (points []point) {
	for i := range xs {
		x, moved, ok := sx.Place(xs[i])
		y, _, okY := sy.Place(ys[i])
		if ok && !moved && okY {
			points = append(points, point{x, y})
		}
	}
	return points
}

// placeBand is placeLine for the two edges of a band.
func placeBand(c plots.ChartCurve, sx, sy plots.ChartAxis) (below, above []point) {
	for i := range c.X {
		u, moved, ok := sx.Place(c.X[i])
		lo, _, okLo := sy.Place(c.Lo[i])
		hi, _, okHi := sy.Place(c.Hi[i])
		if ok && !moved && okLo && okHi {
			below, above = append(below, point{u, lo}), append(above, point{u, hi})
		}
	}
	return below, above
}

// crossing returns where a drawn line is at x, the xs not decreasing; ok is false beyond
// their last. Where the line is upright, the pen meets its first end first.
func crossing(xs, ys []float64, x float64) (y float64, ok bool) {
	i, exact := slices.BinarySearch(xs, x)
	switch {
	case i == len(xs):
		return 0, false
	case exact:
		return ys[i], true
	}
	return observe.Curve{X: xs, Y: ys}.LineAt(x), true
}
