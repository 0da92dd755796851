package draw

import (
	"image/color"
	"slices"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
)

// at returns where a point of the axes is on the canvas.
func (a axes) at(x, y float64) vg.Point { return vg.Point{X: a.X(a.x.Norm(x)), Y: a.Y(a.y.Norm(y))} }

// points returns where the points of a curve are on the canvas.
func (a axes) points(xs, ys []float64) (pts []vg.Point) {
	for i, x := range xs {
		pts = append(pts, a.at(x, ys[i]))
	}
	return pts
}

// stroke draws a line through points, cut at the ends of the axes. A lone point is drawn as a glyph.
func (a axes) stroke(xs, ys []float64, style plots.Style) {
	switch pts := a.points(xs, ys); {
	case len(pts) > 1:
		a.StrokeLines(lineStyle(style), a.ClipLinesXY(pts)...)
	case !a.x.Beyond(xs[0]) && !a.y.Beyond(ys[0]):
		a.DrawGlyphNoClip(glyphStyle(style, 0), pts[0])
	}
}

// strokeWithin strokes each stretch of points within the y axis, without the lines to points beyond it.
func (a axes) strokeWithin(xs, ys []float64, style plots.Style) {
	for begin := 0; begin < len(ys); begin++ {
		end := begin
		for end < len(ys) && !a.y.Beyond(ys[end]) {
			end++
		}
		if end > begin {
			a.stroke(xs[begin:end], ys[begin:end], style)
			begin = end
		}
	}
}

// fill fills the space between two lines over the same abscissae.
func (a axes) fill(xs, los, his []float64, color color.NRGBA) {
	outline, upper := a.points(xs, los), a.points(xs, his)
	slices.Reverse(upper)
	if outline = append(outline, upper...); len(outline) > 2 {
		a.FillPolygon(color, a.ClipPolygonXY(outline))
	}
}
