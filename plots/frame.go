package plots

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a panel: a data area with its axes, labels and title.
type frame struct {
	title          string
	titleStyle     text.Style
	x, y           scale
	xLabel, yLabel string
	layers         []layer
	// empty says why there is nothing to see; it is empty if there is.
	empty string
	// clipped is set if values are drawn at the floor of the y axis.
	clipped bool
	// leaves is set if a curve is beyond an end of the y axis somewhere, stops
	// if a curve ends before the others as its method had converged.
	leaves, stops bool
	// hidden names the curves of trade-offs that lie beyond the axes, with their
	// least errors.
	hidden []string
	// cut names the trade-offs that are beyond the axes in part, curves is the number
	// of all.
	cut    []string
	curves int
	// narrow frames are less high than others.
	narrow bool
}

const (
	tickLength = vg.Length(4)
	tickGap    = vg.Length(2)
	labelGap   = vg.Length(4)
	titleGap   = vg.Length(5)
)

var (
	frameTitle = sans(9.5, true, ink)
	labelText  = sans(9, false, ink)
	tickText   = sans(8, false, ink)
	axisLine   = draw.LineStyle{Color: ink, Width: 0.6}
)

// margins is the space around a data area.
type margins struct{ left, right, bottom, top vg.Length }

// widen returns the larger of both on every side.
func (m margins) widen(o margins) margins {
	return margins{max(m.left, o.left), max(m.right, o.right), max(m.bottom, o.bottom), max(m.top, o.top)}
}

// margins returns the space that the frame needs around a data area of a
// given width.
func (f frame) margins(width vg.Length) margins {
	m := margins{top: tickText.Font.Size / 2, bottom: tickLength + tickGap + tickText.Font.Size}
	for _, t := range f.y.ticks() {
		m.left = max(m.left, tickText.Width(t.label))
	}
	m.left += tickLength + tickGap
	for _, t := range f.x.ticks() {
		at, half := vg.Length(f.x.norm(t.value))*width, tickText.Width(t.label)/2
		m.left, m.right = max(m.left, half-at), max(m.right, at+half-width)
	}
	if f.title != "" {
		m.top += titleGap + vg.Length(len(f.titleLines(width)))*1.25*frameTitle.Font.Size
	}
	if f.xLabel != "" {
		m.bottom += labelGap + 1.2*labelText.Font.Size
	}
	if f.yLabel != "" {
		m.left += labelGap + 1.2*labelText.Font.Size
	}
	return m
}

func (f frame) titleLines(width vg.Length) []string { return fit(f.titleStyle, f.title, width) }

// draw draws the frame around c, its data area.
func (f frame) draw(c draw.Canvas) {
	for _, l := range f.layers {
		l.draw(c, f.x, f.y)
	}
	m := f.margins(c.Max.X - c.Min.X)
	f.drawX(c, m)
	f.drawY(c, m)
	width := c.Max.X - c.Min.X
	y := c.Max.Y + tickText.Font.Size/2
	centred := func(sty text.Style, l string) {
		handler.line(c, l, sty, vg.Point{X: c.Center().X - sty.Width(l)/2, Y: y})
	}
	if f.title == "" {
		return
	}
	y += titleGap
	titles := f.titleLines(width)
	for i := len(titles) - 1; i >= 0; i-- {
		centred(f.titleStyle, titles[i])
		y += 1.25 * frameTitle.Font.Size
	}
}

func (f frame) drawX(c draw.Canvas, m margins) {
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	for _, t := range f.x.ticks() {
		x := c.X(f.x.norm(t.value))
		c.StrokeLine2(axisLine, x, c.Min.Y, x, c.Min.Y-t.length())
		handler.line(c, t.label, tickText, vg.Point{
			X: x - tickText.Width(t.label)/2,
			Y: c.Min.Y - tickLength - tickGap - 0.8*tickText.Font.Size,
		})
	}
	handler.line(c, f.xLabel, labelText, vg.Point{
		X: c.Center().X - labelText.Width(f.xLabel)/2,
		Y: c.Min.Y - m.bottom + 0.3*labelText.Font.Size,
	})
}

func (f frame) drawY(c draw.Canvas, m margins) {
	c.StrokeLine2(axisLine, c.Min.X, c.Min.Y, c.Min.X, c.Max.Y)
	for _, t := range f.y.ticks() {
		y := c.Y(f.y.norm(t.value))
		c.StrokeLine2(axisLine, c.Min.X, y, c.Min.X-t.length(), y)
		handler.line(c, t.label, tickText, vg.Point{
			X: c.Min.X - tickLength - tickGap - tickText.Width(t.label),
			Y: y - 0.35*tickText.Font.Size,
		})
	}
	if f.yLabel == "" {
		return
	}
	c.Push()
	c.Translate(vg.Point{X: c.Min.X - m.left + 0.95*labelText.Font.Size, Y: c.Center().Y - labelText.Width(f.yLabel)/2})
	c.Rotate(math.Pi / 2)
	handler.line(c, f.yLabel, labelText, vg.Point{})
	c.Pop()
}

// length returns how far the mark sticks out.
func (t tick) length() vg.Length {
	if t.label == "" {
		return tickLength / 2
	}
	return tickLength
}
