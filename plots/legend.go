package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names the curves of all panels, once, below them.
type legend []legendEntry

type legendEntry struct {
	label string
	style Style
	// glyph is set if a curve is a lone point somewhere.
	glyph bool
}

const (
	legendSwatch = vg.Length(30)
	legendGap    = vg.Length(6)
	legendSkip   = vg.Length(16)
	legendRow    = vg.Length(14)
	legendPad    = vg.Length(8)
)

var legendText = sans(9, false, ink)

// shape returns the number of columns and rows the legend needs in a width,
// and the width of one column.
func (l legend) shape(width vg.Length) (cols, rows int, column vg.Length) {
	for _, e := range l {
		column = max(column, legendSwatch+legendGap+legendText.Width(e.label))
	}
	cols = min(max(int((width+legendSkip)/(column+legendSkip)), 1), max(len(l), 1))
	rows = (len(l) + cols - 1) / cols
	// As even as the number of rows allows.
	if rows > 0 {
		cols = (len(l) + rows - 1) / rows
	}
	return cols, rows, column
}

func (l legend) height(width vg.Length) vg.Length {
	if len(l) == 0 {
		return 0
	}
	_, rows, _ := l.shape(width)
	return 2*legendPad + vg.Length(rows)*legendRow
}

// draw draws the legend in c, which has its height.
func (l legend) draw(c draw.Canvas) {
	cols, _, column := l.shape(c.Max.X - c.Min.X)
	total := vg.Length(cols)*(column+legendSkip) - legendSkip
	left := c.Center().X - total/2
	for i, e := range l {
		x := left + vg.Length(i%cols)*(column+legendSkip)
		y := c.Max.Y - legendPad - vg.Length(i/cols)*legendRow - legendRow/2
		style := draw.LineStyle{Color: e.style.Color, Width: e.style.Width, Dashes: e.style.Dashes}
		c.StrokeLine2(style, x, y, x+legendSwatch, y)
		if e.glyph {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.style.Color, Radius: 2.5, Shape: e.style.Glyph}, vg.Point{X: x + legendSwatch/2, Y: y})
		}
		handler.line(c, e.label, legendText, vg.Point{X: x + legendSwatch + legendGap, Y: y - 3})
	}
}
