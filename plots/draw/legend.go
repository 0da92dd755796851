package draw

import (
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	legendSwatch = vg.Length(30)
	legendGap    = vg.Length(6)
	legendSkip   = vg.Length(16)
	legendRow    = vg.Length(14)
	legendLine   = vg.Length(11) // further lines of a label
	legendPad    = vg.Length(8)
)

var legendText = sans(9, false, ink)

// legend names the curves of all panels, once, below them. It is laid out in a width.
type legend struct {
	keys []plots.ChartKey
	cols int
	// column is the width of a column, total that of all.
	column, total vg.Length
	// labels holds the lines of each label, heights those of each row, and height is that of the legend.
	labels  [][]string
	heights []vg.Length
	height  vg.Length
}

// newLegend lays out the entries of keys, two where curves are dashed after their first epoch. Labels
// that are too wide are broken into lines.
func newLegend(keys []plots.ChartKey, width vg.Length) legend {
	var l legend
	for _, k := range keys {
		l.keys = append(l.keys, k)
		if k.Epochs {
			l.keys = append(l.keys, plots.ChartKey{Label: k.Label + ", after the first epoch", Style: later(k.Style)})
		}
	}
	if len(l.keys) == 0 {
		return l
	}
	room := width - legendSwatch - legendGap
	for _, e := range l.keys {
		label := []string{string(e.Label)}
		if legendText.width(label[0]) > room {
			label = legendText.fit(label[0], room)
		}
		for _, line := range label {
			l.column = max(l.column, legendSwatch+legendGap+legendText.width(line))
		}
		l.labels = append(l.labels, label)
	}
	n := len(l.keys)
	l.cols = min(max(int((width+legendSkip)/(l.column+legendSkip)), 1), n)
	rows := (n + l.cols - 1) / l.cols
	l.cols = (n + rows - 1) / rows // as even as the number of rows allows
	l.total = vg.Length(l.cols)*(l.column+legendSkip) - legendSkip
	l.heights = make([]vg.Length, rows)
	for i, label := range l.labels {
		h := &l.heights[i/l.cols]
		*h = max(*h, legendRow+vg.Length(len(label)-1)*legendLine)
	}
	l.height = 2 * legendPad
	for _, row := range l.heights {
		l.height += row
	}
	return l
}

func (l legend) draw(c vgdraw.Canvas) {
	left := c.Center().X - l.total/2
	top := c.Max.Y - legendPad
	for i, e := range l.keys {
		if i > 0 && i%l.cols == 0 {
			top -= l.heights[i/l.cols-1]
		}
		x := left + vg.Length(i%l.cols)*(l.column+legendSkip)
		y := top - legendRow/2
		if !e.Bare {
			c.StrokeLine2(lineStyle(e.Style), x, y, x+legendSwatch, y)
		}
		if e.Glyphs {
			c.DrawGlyphNoClip(glyphStyle(e.Style, loneRadius), vg.Point{X: x + legendSwatch/2, Y: y})
		}
		for j, line := range l.labels[i] {
			legendText.line(c, line, vg.Point{X: x + legendSwatch + legendGap, Y: y - 3 - vg.Length(j)*legendLine})
		}
	}
}
