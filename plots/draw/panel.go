package draw

import (
	"math"

	"stochopt/plots"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// panel is a data area with its axes, labels and title.
type panel struct{ *plots.ChartPanel }

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

// widen returns the larger of both on every side.
func (m margins) widen(o margins) margins {
	return margins{max(m.left, o.left), max(m.right, o.right), max(m.bottom, o.bottom), max(m.top, o.top)}
}

// margins returns the space that the panel needs around a data area of a
// given width.
func (p panel) margins(width vg.Length) margins {
	m := margins{top: tickText.Font.Size / 2, bottom: tickLength + tickGap + tickText.Font.Size}
	for _, t := range p.Y.Ticks() {
		m.left = max(m.left, tickText.Width(t.Label))
	}
	m.left += tickLength + tickGap
	for _, t := range p.X.Ticks() {
		at, half := vg.Length(p.X.Norm(t.Value))*width, tickText.Width(t.Label)/2
		m.left, m.right = max(m.left, half-at), max(m.right, at+half-width)
	}
	if p.Title != "" {
		m.top += titleGap + vg.Length(len(p.titleLines(width)))*1.25*panelTitle.Font.Size
	}
	if label(p.X) != "" {
		m.bottom += labelGap + 1.2*labelText.Font.Size
	}
	if label(p.Y) != "" {
		m.left += labelGap + 1.2*labelText.Font.Size
	}
	return m
}

// titleStyle is that of the title.
func (p panel) titleStyle() text.Style {
	sty := panelTitle
	if p.StandIn {
		sty.Color = alarm
	}
	return sty
}

func (p panel) titleLines(width vg.Length) []string {
	return fit(p.titleStyle(), string(p.Title), width)
}

// label returns the label of an axis if the panel is to have it.
func label(a plots.ChartAxis) string {
	if a.Bare {
		return ""
	}
	return string(a.Label)
}

// draw draws the panel around c, its data area.
func (p panel) draw(c vgdraw.Canvas) {
	p.drawData(c)
	m := p.margins(c.Max.X - c.Min.X)
	p.drawX(c, m)
	p.drawY(c, m)
	width := c.Max.X - c.Min.X
	y := c.Max.Y + tickText.Font.Size/2
	centred := func(sty text.Style, l string) {
		handler.line(c, l, sty, vg.Point{X: c.Center().X - sty.Width(l)/2, Y: y})
	}
	if p.Title == "" {
		return
	}
	y += titleGap
	titles := p.titleLines(width)
	for i := len(titles) - 1; i >= 0; i-- {
		centred(p.titleStyle(), titles[i])
		y += 1.25 * panelTitle.Font.Size
	}
}

func (p panel) drawX(c vgdraw.Canvas, m margins) {
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	for _, t := range p.X.Ticks() {
		x := c.X(p.X.Norm(t.Value))
		c.StrokeLine2(axisLine, x, c.Min.Y, x, c.Min.Y-length(t))
		handler.line(c, t.Label, tickText, vg.Point{
			X: x - tickText.Width(t.Label)/2,
			Y: c.Min.Y - tickLength - tickGap - 0.8*tickText.Font.Size,
		})
	}
	xLabel := label(p.X)
	handler.line(c, xLabel, labelText, vg.Point{
		X: c.Center().X - labelText.Width(xLabel)/2,
		Y: c.Min.Y - m.bottom + 0.3*labelText.Font.Size,
	})
}

func (p panel) drawY(c vgdraw.Canvas, m margins) {
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Min.X, c.Max.Y)
	for _, t := range p.Y.Ticks() {
		y := c.Y(p.Y.Norm(t.Value))
		c.StrokeLine2(axisLine, c.Min.X, y, c.Min.X-length(t), y)
		handler.line(c, t.Label, tickText, vg.Point{
			X: c.Min.X - tickLength - tickGap - tickText.Width(t.Label),
			Y: y - 0.35*tickText.Font.Size,
		})
	}
	yLabel := label(p.Y)
	if yLabel == "" {
		return
	}
	c.Push()
	c.Translate(vg.Point{X: c.Min.X - m.left + 0.95*labelText.Font.Size, Y: c.Center().Y - labelText.Width(yLabel)/2})
	c.Rotate(math.Pi / 2)
	handler.line(c, yLabel, labelText, vg.Point{})
	c.Pop()
}

// length returns how far the mark sticks out.
func length(t plots.Tick) vg.Length {
	if t.Label == "" {
		return tickLength / 2
	}
	return tickLength
}
