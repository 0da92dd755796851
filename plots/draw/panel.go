package draw

import (
	"math"
	"slices"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	tickLength = vg.Length(4)
	tickGap    = vg.Length(2)
	labelGap   = vg.Length(4)
	titleGap   = vg.Length(5)
)

var (
	panelTitle = sans(9.5, true, ink)
	labelText  = sans(9, false, ink)
	tickText   = sans(8, false, ink)
	axisLine   = vgdraw.LineStyle{Color: ink, Width: 0.6}
)

// margins is the space around a data area.
type margins struct{ left, right, bottom, top vg.Length }

func (m margins) widen(o margins) margins {
	return margins{max(m.left, o.left), max(m.right, o.right), max(m.bottom, o.bottom), max(m.top, o.top)}
}

// marginsOf returns the space that a panel needs around a data area of a given width.
func marginsOf(p *plots.ChartPanel, width vg.Length) margins {
	m := margins{top: tickText.Size / 2, bottom: tickLength + tickGap + tickText.Size}
	for _, t := range p.Y.Ticks() {
		m.left = max(m.left, tickText.width(t.Label))
	}
	m.left += tickLength + tickGap
	for _, t := range p.X.Ticks() {
		at, half := vg.Length(p.X.Norm(t.Value))*width, tickText.width(t.Label)/2
		m.left, m.right = max(m.left, half-at), max(m.right, at+half-width)
	}
	if p.Title != "" {
		m.top += titleGap + vg.Length(len(panelTitle.fit(p.Title, width)))*1.25*panelTitle.Size
	}
	if label(p.X) != "" {
		m.bottom += labelGap + 1.2*labelText.Size
	}
	if label(p.Y) != "" {
		m.left += labelGap + 1.2*labelText.Size
	}
	return m
}

func label(a plots.ChartAxis) string {
	if a.Bare {
		return ""
	}
	return a.Label
}

func drawPanel(p *plots.ChartPanel, c vgdraw.Canvas) {
	a := axes{c, p.X, p.Y}
	if p.Empty != "" {
		drawRemark(c, p.Empty)
	}
	width := c.Max.X - c.Min.X
	m := marginsOf(p, width)
	var xTicks, yTicks []plots.Tick // none if there is nothing to read off
	if len(p.Curves) > 0 {
		a.drawCurves(p)
		xTicks, yTicks = a.x.Ticks(), a.y.Ticks()
	}
	a.drawX(m, xTicks)
	a.drawY(m, yTicks)
	if p.Title == "" {
		return
	}
	style := panelTitle
	if p.StandIn {
		style.color = alarm
	}
	y := c.Max.Y + tickText.Size/2 + titleGap
	for _, line := range slices.Backward(style.fit(p.Title, width)) {
		style.centred(c, line, c.Center().X, y)
		y += 1.25 * style.Size
	}
}

func (a axes) drawX(m margins, ticks []plots.Tick) {
	a.StrokeLine2(axisLine, a.Min.X, a.Min.Y, a.Max.X, a.Min.Y)
	for _, t := range ticks {
		x := a.X(a.x.Norm(t.Value))
		a.StrokeLine2(axisLine, x, a.Min.Y, x, a.Min.Y-length(t))
		tickText.centred(a.Canvas, t.Label, x, a.Min.Y-tickLength-tickGap-0.8*tickText.Size)
	}
	labelText.centred(a.Canvas, label(a.x), a.Center().X, a.Min.Y-m.bottom+0.3*labelText.Size)
}

func (a axes) drawY(m margins, ticks []plots.Tick) {
	a.StrokeLine2(axisLine, a.Min.X, a.Min.Y, a.Min.X, a.Max.Y)
	for _, t := range ticks {
		y := a.Y(a.y.Norm(t.Value))
		a.StrokeLine2(axisLine, a.Min.X, y, a.Min.X-length(t), y)
		tickText.line(a.Canvas, t.Label, vg.Point{
			X: a.Min.X - tickLength - tickGap - tickText.width(t.Label),
			Y: y - 0.35*tickText.Size,
		})
	}
	text := label(a.y)
	if text == "" {
		return
	}
	a.Push()
	a.Translate(vg.Point{X: a.Min.X - m.left + 0.95*labelText.Size, Y: a.Center().Y - labelText.width(text)/2})
	a.Rotate(math.Pi / 2)
	labelText.line(a.Canvas, text, vg.Point{})
	a.Pop()
}

// length returns how far the mark sticks out.
func length(t plots.Tick) vg.Length {
	if t.Label == "" {
		return tickLength / 2
	}
	return tickLength
}
