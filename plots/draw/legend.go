package draw

import (
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// legend names the curves of all panels, once, below them.
type legend []plots.ChartKey

// newLegend returns the entries of keys, two where curves are dashed after their first
// epoch.
func newLegend(keys []plots.ChartKey) legend {
	var l legend
	for _, k := range keys {
		l = append(l, k)
		if k.Epochs {
			l = append(l, plots.ChartKey{Label: k.Label + ", after the first epoch", Style: later(k.Style)})
		}
	}
	return l
}

const (
	legendSwatch = vg.Length(30)
	legendGap    = vg.Length(6)
	legendSkip   = vg.Length(16)
	legendRow    = vg.Length(14)
	legendLine   = vg.Length(11) // further lines of a label
	legendPad    = vg.Length(8)
)

var legendText = sans(9, false, ink)

// legendShape is a legend laid out in a width.
type legendShape struct {
	cols int
	// column is the width of a column, total that of all.
	column, total vg.Length
	// labels holds the lines of each label, heights those of each row.
	labels  [][]string
	heights []vg.Length
}

// shape lays the legend out in a width; labels that are too wide for it are
// broken into lines.
func (l legend) shape(width vg.Length) legendShape {
	var s legendShape
	room := width - legendSwatch - legendGap
	for _, e := range l {
		label := []string{string(e.Label)}
		if legendText.Width(label[0]) > room {
			label = fit(legendText, label[0], room)
		}
		for _, line := range label {
			s.column = max(s.column, legendSwatch+legendGap+legendText.Width(line))
		}
		s.labels = append(s.labels, label)
	}
	s.cols = min(max(int((width+legendSkip)/(s.column+legendSkip)), 1), max(len(l), 1))
	rows := (len(l) + s.cols - 1) / s.cols
	// As even as the number of rows allows.
	if rows > 0 {
		s.cols = (len(l) + rows - 1) / rows
	}
	s.total = vg.Length(s.cols)*(s.column+legendSkip) - legendSkip
	s.heights = make([]vg.Length, rows)
	for i, label := range s.labels {
		h := &s.heights[i/s.cols]
		*h = max(*h, legendRow+vg.Length(len(label)-1)*legendLine)
	}
	return s
}

func (l legend) height(width vg.Length) vg.Length {
	if len(l) == 0 {
		return 0
	}
	h := 2 * legendPad
	for _, row := range l.shape(width).heights {
		h += row
	}
	return h
}

// draw draws the legend in c, which has its height.
func (l legend) draw(c vgdraw.Canvas) {
	s := l.shape(c.Max.X - c.Min.X)
	left := c.Center().X - s.total/2
	top := c.Max.Y - legendPad
	for i, e := range l {
		if i > 0 && i%s.cols == 0 {
			top -= s.heights[i/s.cols-1]
		}
		x := left + vg.Length(i%s.cols)*(s.column+legendSkip)
		y := top - legendRow/2
		if !e.Bare {
			c.StrokeLine2(lineStyle(e.Style), x, y, x+legendSwatch, y)
		}
		if e.Glyphs {
			c.DrawGlyphNoClip(glyphStyle(e.Style, loneRadius), vg.Point{X: x + legendSwatch/2, Y: y})
		}
		for j, line := range s.labels[i] {
			handler.line(c, line, legendText, vg.Point{X: x + legendSwatch + legendGap, Y: y - 3 - vg.Length(j)*legendLine})
		}
	}
}
