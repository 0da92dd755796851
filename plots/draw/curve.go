package draw

import (
	"image/color"
	"slices"

	"stochopt/internal/observe"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
)

// at returns where a point of the axes is on the canvas.
func (a axes) at(x, y float64) vg.Point { return vg.Point{X: a.X(a.x.Norm(x)), Y: a.Y(a.y.Norm(y))} }

// stroke draws a line through the points that have a place on the axes. It is cut at the ends of an
// axis that clips. A lone point is drawn as a glyph.
func (a axes) stroke(xs, ys []float64, style plots.Style) {
	var pts []vg.Point
	beyond := false
	for i := range xs {
		x, moved, ok := a.x.Place(xs[i])
		y, _, okY := a.y.Place(ys[i])
		if ok && !moved && okY {
			pts = append(pts, a.at(x, y))
			beyond = beyond || a.x.Beyond(x) || a.y.Beyond(y)
		}
	}
	switch {
	case len(pts) > 1:
		lines := [][]vg.Point{pts}
		if a.x.Clip {
			lines = a.ClipLinesX(lines...)
		}
		if a.y.Clip {
			lines = a.ClipLinesY(lines...)
		}
		a.StrokeLines(lineStyle(style), lines...)
	case len(pts) == 1 && !beyond:
		a.DrawGlyphNoClip(glyphStyle(style, 0), pts[0])
	}
}

// fill fills the space between two lines over the same abscissae, where both have a place on the axes.
func (a axes) fill(xs, los, his []float64, color color.NRGBA) {
	var outline, upper []vg.Point
	for i := range xs {
		x, moved, ok := a.x.Place(xs[i])
		lo, _, okLo := a.y.Place(los[i])
		hi, _, okHi := a.y.Place(his[i])
		if ok && !moved && okLo && okHi {
			outline, upper = append(outline, a.at(x, lo)), append(upper, a.at(x, hi))
		}
	}
	if len(outline) < 2 {
		return
	}
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
