package draw

import (
	"cmp"
	"image/color"
	"slices"

	"stochopt/internal/observe"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// drawCurves draws the grid, areas, lines, bands and curves of a panel, in this order.
func (a axes) drawCurves(p *plots.ChartPanel) {
	a.drawGrid()
	for _, area := range p.Areas {
		a.fill(area.X, area.Lo, area.Hi, plots.ParseColor(area.Color))
	}
	for _, l := range p.Lines {
		a.drawLine(l)
	}
	for _, c := range p.Curves {
		a.drawBand(c)
	}
	for _, c := range p.Curves {
		a.drawCurve(c)
	}
}

// drawGrid draws faint lines at the labelled ticks, and a dotted line at the floor.
func (a axes) drawGrid() {
	style := vgdraw.LineStyle{Color: faint, Width: 0.4}
	for _, t := range a.xTicks {
		if t.Label != "" {
			a.vertical(style, t.Value)
		}
	}
	for _, t := range a.yTicks {
		if t.Label != "" {
			a.horizontal(style, t.Value)
		}
	}
	if a.y.Floor > 0 {
		a.horizontal(vgdraw.LineStyle{Color: grey, Width: 0.8, Dashes: []vg.Length{1, 2}}, a.y.Floor)
	}
}

// vertical draws a line across the data area at x.
func (a axes) vertical(style vgdraw.LineStyle, x float64) {
	at := a.X(a.x.Norm(x))
	a.StrokeLine2(style, at, a.Min.Y, at, a.Max.Y)
}

// horizontal draws a line across the data area at y.
func (a axes) horizontal(style vgdraw.LineStyle, y float64) {
	at := a.Y(a.y.Norm(y))
	a.StrokeLine2(style, a.Min.X, at, a.Max.X, at)
}

// drawLine draws a straight line, with its text above the left end if it is horizontal.
func (a axes) drawLine(l plots.ChartLine) {
	if l.X != nil && !a.x.Beyond(*l.X) {
		a.vertical(lineStyle(l.Style), *l.X)
	}
	if l.Y != nil && !a.y.Beyond(*l.Y) {
		a.horizontal(lineStyle(l.Style), *l.Y)
		style := a.tick
		style.color = plots.ParseColor(l.Style.Color)
		style.draw(a.Canvas, l.Text, vg.Point{X: a.Min.X + 4, Y: a.Y(a.y.Norm(*l.Y)) + 0.4*style.Size})
	}
}

// drawReason writes the reason for an empty panel in its middle.
func (a axes) drawReason(text string) {
	style := a.label
	style.color = grey
	step := 1.3 * style.Size
	lines := style.wrap(text, 0.9*a.Size().X)
	y := a.Center().Y + step*vg.Length(len(lines)-1)/2
	for _, l := range lines {
		style.drawCentred(a.Canvas, l, a.Center().X, y)
		y -= step
	}
}

func (a axes) drawBand(c plots.ChartCurve) {
	if c.Lo == nil {
		return
	}
	color := plots.ParseColor(c.Style.Color)
	color.A = 0x30
	a.fill(c.X, c.Lo, c.Hi, color)
}

// afterFirstEpoch returns the style of a curve after its first epoch.
func afterFirstEpoch(s plots.Style) plots.Style {
	s.Dash = []float64{4, 2.5}
	return s
}

// endMarkRadius is the radius of the mark at the end of a curve.
const endMarkRadius = vg.Length(2.6)

// drawCurve draws a curve without its band. A curve with a first epoch is solid in it and dashed after it.
func (a axes) drawCurve(c plots.ChartCurve) {
	switch {
	case c.Points:
		for i := range c.X {
			a.stroke(c.X[i:i+1], c.Y[i:i+1], c.Style)
		}
	case c.Dashed == nil:
		i := c.StaysFrom(a.y)
		a.strokeWithin(c.X[:i], c.Y[:i], c.Style.Faint())
		a.stroke(c.X[i:], c.Y[i:], c.Style)
	default:
		solid := c.Style
		solid.Dash = nil
		at := *c.Dashed
		y := observe.Curve{X: c.X, Y: c.Y}.LineAt(at)
		i, _ := slices.BinarySearch(c.X, at)
		a.stroke(append(slices.Clone(c.X[:i]), at), append(slices.Clone(c.Y[:i]), y), solid)
		a.stroke(append([]float64{at}, c.X[i:]...), append([]float64{y}, c.Y[i:]...), afterFirstEpoch(c.Style))
	}
	last := len(c.X) - 1
	if x, y := c.X[last], c.Y[last]; c.Converged && !a.x.Beyond(x) && !a.y.Beyond(y) {
		a.DrawGlyphNoClip(glyphStyle(c.Style, endMarkRadius), a.at(x, y))
	}
}

// at returns the position of a point on the canvas.
func (a axes) at(x, y float64) vg.Point { return vg.Point{X: a.X(a.x.Norm(x)), Y: a.Y(a.y.Norm(y))} }

// points returns the positions of the points of a curve on the canvas.
func (a axes) points(xs, ys []float64) (pts []vg.Point) {
	for i, x := range xs {
		pts = append(pts, a.at(x, ys[i]))
	}
	return pts
}

// stroke draws a line through points, clipped to the axes. A single point is drawn as a glyph.
func (a axes) stroke(xs, ys []float64, style plots.Style) {
	switch pts := a.points(xs, ys); {
	case len(pts) > 1:
		a.StrokeLines(lineStyle(style), a.ClipLinesXY(pts)...)
	case !a.x.Beyond(xs[0]) && !a.y.Beyond(ys[0]):
		a.DrawGlyphNoClip(glyphStyle(style, 0), pts[0])
	}
}

// strokeWithin strokes the points within the y axis, without lines to points outside it.
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

// fill fills the area between two lines with the same x values.
func (a axes) fill(xs, los, his []float64, color color.NRGBA) {
	outline, upper := a.points(xs, los), a.points(xs, his)
	slices.Reverse(upper)
	if outline = append(outline, upper...); len(outline) > 2 {
		a.FillPolygon(color, a.ClipPolygonXY(outline))
	}
}

var glyphs = map[string]vgdraw.GlyphDrawer{
	plots.GlyphDisc: vgdraw.CircleGlyph{}, plots.GlyphRing: vgdraw.RingGlyph{},
	plots.GlyphBox: vgdraw.BoxGlyph{}, plots.GlyphSquare: vgdraw.SquareGlyph{},
	plots.GlyphPyramid: vgdraw.PyramidGlyph{}, plots.GlyphTriangle: vgdraw.TriangleGlyph{},
	plots.GlyphPlus: vgdraw.PlusGlyph{}, plots.GlyphCross: vgdraw.CrossGlyph{},
}

// pointRadius is the default radius of separate points.
const pointRadius = vg.Length(2.5)

// glyphStyle returns the glyph of a style with the given radius. If the radius is 0, it is that of the style or else
// pointRadius.
func glyphStyle(s plots.Style, radius vg.Length) vgdraw.GlyphStyle {
	radius = cmp.Or(radius, vg.Length(s.Radius), pointRadius)
	return vgdraw.GlyphStyle{Color: plots.ParseColor(s.Color), Radius: radius, Shape: glyphs[s.Glyph]}
}

func lineStyle(s plots.Style) vgdraw.LineStyle {
	l := vgdraw.LineStyle{Color: plots.ParseColor(s.Color), Width: vg.Length(s.Width)}
	for _, d := range s.Dash {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	return l
}
