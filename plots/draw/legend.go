package draw

import (
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	legendSwatch = vg.Length(36)
	legendGap    = vg.Length(6)
	legendSkip   = vg.Length(16)
	legendRow    = vg.Length(14)
	legendPad    = vg.Length(8)
)

var legendText = sans(9, false, ink)

// legend names the curves of all panels, once, below them.
type legend struct {
	keys []plots.ChartKey
	// cols is the number of columns, column the width of each.
	cols   int
	column vg.Length
}

// newLegend lists the entries of keys, two where curves are dashed after their first epoch.
func newLegend(keys []plots.ChartKey) legend {
	l := legend{cols: 1}
	for _, k := range keys {
		l.keys = append(l.keys, k)
		if k.Epochs {
			l.keys = append(l.keys, plots.ChartKey{Label: k.Label + ", after the first epoch", Style: later(k.Style)})
		}
	}
	for _, k := range l.keys {
		l.column = max(l.column, legendSwatch+legendGap+legendText.width(k.Label))
	}
	return l
}

func (l legend) rows() int { return (len(l.keys) + l.cols - 1) / l.cols }

func (l legend) height() vg.Length {
	if len(l.keys) == 0 {
		return 0
	}
	return 2*legendPad + vg.Length(l.rows())*legendRow
}

// within lays the legend out in as many columns as fit into width, which has room for at least one.
func (l legend) within(width vg.Length) legend {
	l.cols = min(max(int((width+legendSkip)/(l.column+legendSkip)), 1), max(len(l.keys), 1))
	if rows := l.rows(); rows > 0 {
		l.cols = (len(l.keys) + rows - 1) / rows // as even as the number of rows allows
	}
	return l
}

func (l legend) draw(c vgdraw.Canvas) {
	left := c.Center().X - (vg.Length(l.cols)*(l.column+legendSkip)-legendSkip)/2
	for i, e := range l.keys {
		x := left + vg.Length(i%l.cols)*(l.column+legendSkip)
		y := c.Max.Y - legendPad - legendRow/2 - vg.Length(i/l.cols)*legendRow
		if !e.Bare {
			c.StrokeLine2(lineStyle(e.Style), x, y, x+legendSwatch, y)
		}
		if e.Glyphs {
			c.DrawGlyphNoClip(glyphStyle(e.Style, loneRadius), vg.Point{X: x + legendSwatch/2, Y: y})
		}
		legendText.line(c, e.Label, vg.Point{X: x + legendSwatch + legendGap, Y: y - 3})
	}
}
