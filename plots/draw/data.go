package draw

import (
	"math"
	"slices"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// axes is a data area with its axes.
type axes struct {
	vgdraw.Canvas
	x, y plots.ChartAxis
}

func (a axes) drawCurves(p *plots.ChartPanel) {
	a.drawGrid()
	for _, l := range p.Lines {
		a.drawLine(l)
	}
	for _, area := range p.Areas {
		a.fill(area.X, area.Lo, area.Hi, plots.ParseColor(area.Color))
	}
	for _, l := range p.Levels {
		a.drawLevel(l)
	}
	means := 0
	for _, c := range p.Curves {
		a.drawBand(c)
		if !c.Thin {
			means++
		}
	}
	for _, c := range p.Curves {
		if c.Thin {
			a.stroke(c.X, c.Y, c.Look)
		}
	}
	drawn := 0
	for i, c := range p.Curves {
		if c.Thin {
			continue
		}
		a.drawCurve(c, float64(drawn)/float64(means))
		drawn++
		if c.Jump { // its two sides are joined by what is no part of the function
			x, y := last(p.Curves[i-1])
			a.stroke([]float64{x, c.X[0]}, []float64{y, c.Y[0]}, riser(c.Look))
		}
	}
}

// drawGrid draws faint lines at the labelled ticks.
func (a axes) drawGrid() {
	style := vgdraw.LineStyle{Color: faint, Width: 0.4}
	for _, t := range a.x.Ticks() {
		if t.Label != "" {
			a.vertical(style, t.Value)
		}
	}
	for _, t := range a.y.Ticks() {
		if t.Label != "" {
			a.horizontal(style, t.Value)
		}
	}
}

// vertical draws a line across the area at a value of x, horizontal one at a value of y,
// and returns where it is.
func (a axes) vertical(style vgdraw.LineStyle, x float64) {
	at := a.X(a.x.Norm(x))
	a.StrokeLine2(style, at, a.Min.Y, at, a.Max.Y)
}

func (a axes) horizontal(style vgdraw.LineStyle, y float64) vg.Length {
	at := a.Y(a.y.Norm(y))
	a.StrokeLine2(style, a.Min.X, at, a.Max.X, at)
	return at
}

func (a axes) drawLine(l plots.ChartLine) {
	if l.X != nil && *l.X >= a.x.Min && *l.X <= a.x.Max {
		a.vertical(lineStyle(l.Look), *l.X)
	}
	if l.Y != nil && *l.Y >= a.y.Min && *l.Y <= a.y.Max {
		a.horizontal(lineStyle(l.Look), *l.Y)
	}
}

// drawLevel draws a surface with its text: below it on the right, where what it fills has
// ended, or where there is no room above it on the left.
func (a axes) drawLevel(l plots.ChartLevel) {
	if v := a.y.Norm(l.Y); v < 0 || v > 1 {
		return
	}
	const gap = 4
	at := a.horizontal(lineStyle(l.Look), l.Y)
	sty := sans(8, false, plots.ParseColor(l.Look.Color))
	pt := vg.Point{X: a.Min.X + gap, Y: at + 0.4*sty.Size}
	if right := a.Max.X - sty.width(string(l.Text)) - 2; a.X(a.x.Norm(l.Shore))+gap < right {
		pt = vg.Point{X: right, Y: at - 1.1*sty.Size}
	}
	sty.line(a, string(l.Text), pt)
}

func drawRemark(c vgdraw.Canvas, remark string) {
	sty := labelText
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
	color := plots.ParseColor(c.Look.Color)
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

// riser returns the look of the line at a jump of a curve.
func riser(s plots.Style) plots.Style {
	return plots.Style{Color: s.Color + "80", Width: 0.6, Dash: []float64{1, 2}}
}

func last(c plots.ChartCurve) (x, y float64) { return c.X[len(c.X)-1], c.Y[len(c.Y)-1] }

// endRadius is that of the mark at the end of a curve.
const endRadius = vg.Length(2.6)

// drawCurve draws the curve itself: in one, or solid up to the end of the first epoch and
// dashed from there. phase keeps the marks along different curves apart.
func (a axes) drawCurve(c plots.ChartCurve, phase float64) {
	if c.Dashed == nil {
		a.stroke(c.X, c.Y, c.Look)
	} else {
		solid := c.Look
		solid.Dash = nil
		at := *c.Dashed
		y, _ := crossing(c.X, c.Y, at)
		i, _ := slices.BinarySearch(c.X, at)
		a.stroke(append(slices.Clone(c.X[:i]), at), append(slices.Clone(c.Y[:i]), y), solid)
		a.stroke(append([]float64{at}, c.X[i:]...), append([]float64{y}, c.Y[i:]...), later(c.Look))
	}
	if c.Marked {
		a.drawMarks(c, phase)
	}
	if x, y := last(c); c.Done && !a.x.Beyond(x) && !a.y.Beyond(y) {
		a.DrawGlyphNoClip(glyphStyle(c.Look, endRadius), a.at(x, y))
	}
}

const (
	// markCount is the number of glyphs on a curve as long as the x axis.
	markCount  = 5
	markRadius = vg.Length(2.3)
)

// drawMarks draws glyphs along a curve, evenly spaced on the x axis. phase, from 0 to
// 1, keeps those of different curves apart. There is at least one, where the curve
// ends.
func (a axes) drawMarks(c plots.ChartCurve, phase float64) {
	if len(c.X) < 2 {
		return // drawn as a point
	}
	drawn := false
	dot := func(u, v float64) {
		if u < 0 || u > 1 || v < 0 || v > 1 {
			return
		}
		a.DrawGlyphNoClip(glyphStyle(c.Look, markRadius), vg.Point{X: a.X(u), Y: a.Y(v)})
		drawn = true
	}
	us, vs := make([]float64, len(c.X)), make([]float64, len(c.X))
	for i := range c.X {
		us[i], vs[i] = a.x.Norm(c.X[i]), a.y.Norm(c.Y[i])
	}
	for k := range markCount {
		u := (float64(k) + phase) / markCount
		if v, ok := crossing(us, vs, u); ok && u >= us[0] {
			dot(u, v)
		}
	}
	if last := len(us) - 1; !drawn {
		dot(math.Min(us[last], 1), vs[last])
	}
}
