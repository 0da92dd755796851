package draw

import (
	"slices"

	"stochopt/internal/observe"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

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

// drawGrid draws faint lines at the labelled ticks, and a dotted one at the floor.
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

// vertical draws a line across the area at a value of x, horizontal one at a value of y.
func (a axes) vertical(style vgdraw.LineStyle, x float64) {
	at := a.X(a.x.Norm(x))
	a.StrokeLine2(style, at, a.Min.Y, at, a.Max.Y)
}

func (a axes) horizontal(style vgdraw.LineStyle, y float64) {
	at := a.Y(a.y.Norm(y))
	a.StrokeLine2(style, a.Min.X, at, a.Max.X, at)
}

// drawLine draws a straight line, and the text of a horizontal one above its left end.
func (a axes) drawLine(l plots.ChartLine) {
	if l.X != nil && !a.x.Beyond(*l.X) {
		a.vertical(lineStyle(l.Style), *l.X)
	}
	if l.Y != nil && !a.y.Beyond(*l.Y) {
		a.horizontal(lineStyle(l.Style), *l.Y)
		sty := a.tick
		sty.color = plots.ParseColor(l.Style.Color)
		sty.line(a.Canvas, l.Text, vg.Point{X: a.Min.X + 4, Y: a.Y(a.y.Norm(*l.Y)) + 0.4*sty.Size})
	}
}

func (a axes) drawRemark(remark string) {
	c, sty := a.Canvas, a.label
	sty.color = grey
	step := 1.3 * sty.Size
	lines := sty.fit(remark, 0.9*(c.Max.X-c.Min.X))
	y := c.Center().Y + step*vg.Length(len(lines)-1)/2
	for _, l := range lines {
		sty.centred(c, l, c.Center().X, y)
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

// laterDash is that of a curve after its first epoch.
var laterDash = []float64{4, 2.5}

// later returns the look of a curve after its first epoch.
func later(s plots.Style) plots.Style {
	s.Dash = laterDash
	return s
}

// endRadius is that of the mark at the end of a curve.
const endRadius = vg.Length(2.6)

// drawCurve draws the curve itself: in one, or solid up to the end of the first epoch and
// dashed from there.
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
		a.stroke(append([]float64{at}, c.X[i:]...), append([]float64{y}, c.Y[i:]...), later(c.Style))
	}
	last := len(c.X) - 1
	if x, y := c.X[last], c.Y[last]; c.Converged && !a.x.Beyond(x) && !a.y.Beyond(y) {
		a.DrawGlyphNoClip(glyphStyle(c.Style, endRadius), a.at(x, y))
	}
}
