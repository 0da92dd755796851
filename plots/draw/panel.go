package draw

import (
	"math"
	"slices"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	tickLength = vg.Length(4) // of a tick with a label
	tickGap    = vg.Length(2) // between a tick and its label
	labelGap   = vg.Length(4) // between the labels of ticks and of the axis
	titleGap   = vg.Length(5) // between the data area and the title
)

var axisLine = vgdraw.LineStyle{Color: ink, Width: 0.6}

// margins is the space around a data area.
type margins struct{ left, right, bottom, top vg.Length }

// widen returns margins with the larger of m and o on each side.
func (m margins) widen(o margins) margins {
	return margins{max(m.left, o.left), max(m.right, o.right), max(m.bottom, o.bottom), max(m.top, o.top)}
}

// axes is a data area with its axes.
type axes struct {
	vgdraw.Canvas
	*typography
	x, y           plots.ChartAxis
	xTicks, yTicks []plots.Tick
}

// axes returns the axes of a panel. c is its data area.
func (t *typography) axes(p *plots.ChartPanel, c vgdraw.Canvas) axes {
	width := func(tick plots.Tick) vg.Length { return t.tick.width(tick.Label) }
	height := func(plots.Tick) vg.Length { return t.tick.Size }
	size := c.Size()
	return axes{c, t, p.X, p.Y, t.ticks(p.X, size.X, width), t.ticks(p.Y, size.Y, height)}
}

// ticks returns the ticks of an axis of the given length. If labels are fitted, it reduces their number until none
// touch. extent returns the size of a label along the axis.
func (t *typography) ticks(a plots.ChartAxis, length vg.Length, extent func(plots.Tick) vg.Length) []plots.Tick {
	for fewer := 0; ; fewer++ {
		ticks, end, touch := a.FewerTicks(fewer), vg.Length(math.Inf(-1)), false
		for _, tick := range ticks {
			if tick.Label != "" {
				at, half := vg.Length(a.Norm(tick.Value))*length, extent(tick)/2
				touch = touch || at-half < end+t.tick.Size/3
				end = at + half
			}
		}
		if !touch || !t.fitLabels || fewer == plots.MaxFewer {
			return ticks
		}
	}
}

// labelLines returns the lines of the label of an axis of the given length.
func (t *typography) labelLines(a plots.ChartAxis, length vg.Length) []string {
	switch {
	case a.LabelHidden || a.Label == "":
		return nil
	case t.fitLabels:
		return t.label.wrap(a.Label, length)
	}
	return []string{a.Label}
}

func (a axes) xLabel() []string { return a.labelLines(a.x, a.Size().X) }
func (a axes) yLabel() []string { return a.labelLines(a.y, a.Size().Y) }

// lineStep is the distance between the lines of a label, relative to the font size.
const lineStep = 1.2

// margins returns the space that a panel needs around its data area.
func (a axes) margins(p *plots.ChartPanel) margins {
	width := a.Size().X
	m := margins{top: a.tick.Size / 2, bottom: tickLength + tickGap + a.tick.Size}
	for _, t := range a.yTicks {
		m.left = max(m.left, a.tick.width(t.Label))
	}
	m.left += tickLength + tickGap
	for _, t := range a.xTicks {
		at, half := vg.Length(a.x.Norm(t.Value))*width, a.tick.width(t.Label)/2
		m.left, m.right = max(m.left, half-at), max(m.right, at+half-width)
	}
	if p.Title != "" {
		m.top += titleGap + vg.Length(len(a.panel.wrap(p.Title, width)))*1.25*a.panel.Size
	}
	if n := len(a.xLabel()); n > 0 {
		m.bottom += labelGap + vg.Length(n)*lineStep*a.label.Size
	}
	if n := len(a.yLabel()); n > 0 {
		m.left += labelGap + vg.Length(n)*lineStep*a.label.Size
	}
	return m
}

// drawPanel draws a panel. c is its data area.
func (t *typography) drawPanel(p *plots.ChartPanel, c vgdraw.Canvas) {
	a := t.axes(p, c)
	if p.Empty != "" {
		a.drawReason(p.Empty)
	}
	m := a.margins(p)
	if len(p.Curves) > 0 {
		a.drawCurves(p)
	} else {
		a.xTicks, a.yTicks = nil, nil
	}
	a.drawXAxis(m)
	a.drawYAxis(m)
	if p.Title == "" {
		return
	}
	style := t.panel
	if p.StandIn {
		style.color = alarm
	}
	y := c.Max.Y + t.tick.Size/2 + titleGap
	for _, line := range slices.Backward(style.wrap(p.Title, c.Size().X)) {
		style.drawCentred(c, line, c.Center().X, y)
		y += 1.25 * style.Size
	}
}

func (a axes) drawXAxis(m margins) {
	a.StrokeLine2(axisLine, a.Min.X, a.Min.Y, a.Max.X, a.Min.Y)
	for _, t := range a.xTicks {
		x := a.X(a.x.Norm(t.Value))
		a.StrokeLine2(axisLine, x, a.Min.Y, x, a.Min.Y-markLength(t))
		a.tick.drawCentred(a.Canvas, t.Label, x, a.Min.Y-tickLength-tickGap-0.8*a.tick.Size)
	}
	y := a.Min.Y - m.bottom + 0.3*a.label.Size
	for _, line := range slices.Backward(a.xLabel()) {
		a.label.drawCentred(a.Canvas, line, a.Center().X, y)
		y += lineStep * a.label.Size
	}
}

func (a axes) drawYAxis(m margins) {
	a.StrokeLine2(axisLine, a.Min.X, a.Min.Y, a.Min.X, a.Max.Y)
	for _, t := range a.yTicks {
		y := a.Y(a.y.Norm(t.Value))
		a.StrokeLine2(axisLine, a.Min.X, y, a.Min.X-markLength(t), y)
		a.tick.draw(a.Canvas, t.Label, vg.Point{
			X: a.Min.X - tickLength - tickGap - a.tick.width(t.Label),
			Y: y - 0.35*a.tick.Size,
		})
	}
	x := a.Min.X - m.left + 0.95*a.label.Size
	for _, line := range a.yLabel() {
		a.Push()
		a.Translate(vg.Point{X: x, Y: a.Center().Y - a.label.width(line)/2})
		a.Rotate(math.Pi / 2)
		a.label.draw(a.Canvas, line, vg.Point{})
		a.Pop()
		x += lineStep * a.label.Size
	}
}

// markLength returns the length of a tick mark.
func markLength(t plots.Tick) vg.Length {
	if t.Label == "" {
		return tickLength / 2
	}
	return tickLength
}
