package draw

import (
	"errors"
	"strings"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	legendSwatch = vg.Length(36)
	shortSwatch  = vg.Length(24)
	legendGap    = vg.Length(6)
	legendSkip   = vg.Length(16)
	legendRow    = vg.Length(14)
	legendPad    = vg.Length(8)
)

// legend names the curves of all panels, once.
type legend struct {
	*typography
	keys []plots.ChartKey
	// place is as in plots.Appearance.
	place string
	// cols is the number of columns, column the width of each, swatch that of a line before its label.
	cols           int
	column, swatch vg.Length
}

func (l legend) below() bool { return l.place == "" || l.place == "below" }

// corner returns the corner of a panel that the legend is in, such as "top-left", or "".
func (l legend) corner() string {
	corner, _ := strings.CutPrefix(l.place, plots.LegendInside)
	if corner == l.place || len(l.keys) == 0 {
		return ""
	}
	return corner
}

// newLegend lists the entries of keys, two where curves are dashed after their first epoch.
func (t *typography) newLegend(keys []plots.ChartKey, place string) legend {
	l := legend{typography: t, place: place, cols: 1, swatch: legendSwatch}
	if t.fitted {
		l.swatch = shortSwatch * t.scale
	}
	if place == plots.Omitted {
		return l
	}
	for _, k := range keys {
		l.keys = append(l.keys, k)
		if k.Epochs {
			l.keys = append(l.keys, plots.ChartKey{Label: k.Label + ", after the first epoch", Style: later(k.Style)})
		}
	}
	for _, k := range l.keys {
		l.column = max(l.column, l.swatch+legendGap*t.scale+t.label.width(k.Label))
	}
	return l
}

func (l legend) rows() int { return (len(l.keys) + l.cols - 1) / l.cols }

func (l legend) height() vg.Length {
	if len(l.keys) == 0 {
		return 0
	}
	return (2*legendPad + vg.Length(l.rows())*legendRow) * l.scale
}

// within lays the legend out in as many columns as fit into width, which has room for at least one.
func (l legend) within(width vg.Length) legend {
	skip := legendSkip * l.scale
	l.cols = min(max(int((width+skip)/(l.column+skip)), 1), max(len(l.keys), 1))
	if rows := l.rows(); rows > 0 {
		l.cols = (len(l.keys) + rows - 1) / rows // as even as the number of rows allows
	}
	return l
}

func (l legend) draw(c vgdraw.Canvas) {
	skip, row := legendSkip*l.scale, legendRow*l.scale
	left := c.Center().X - (vg.Length(l.cols)*(l.column+skip)-skip)/2
	for i, e := range l.keys {
		x := left + vg.Length(i%l.cols)*(l.column+skip)
		y := c.Max.Y - legendPad*l.scale - row/2 - vg.Length(i/l.cols)*row
		if !e.PointsOnly {
			c.StrokeLine2(lineStyle(e.Style), x, y, x+l.swatch, y)
		}
		if e.Glyphs {
			c.DrawGlyphNoClip(glyphStyle(e.Style, loneRadius), vg.Point{X: x + l.swatch/2, Y: y})
		}
		l.label.line(c, e.Label, vg.Point{X: x + l.swatch + legendGap*l.scale, Y: y - 3*l.scale})
	}
}

// drawInside draws the legend in its corner of a data area, on a ground that lets curves shine through.
func (l legend) drawInside(c vgdraw.Canvas) {
	corner := l.corner()
	if corner == "" {
		return
	}
	inset := legendGap * l.scale
	c.Min.X, c.Max.X = c.Min.X+inset, c.Max.X-inset
	if strings.HasSuffix(corner, "left") {
		c.Max.X = c.Min.X + l.column
	} else {
		c.Min.X = c.Max.X - l.column
	}
	if strings.HasPrefix(corner, "top") {
		c.Min.Y = c.Max.Y - l.height()
	} else {
		c.Max.Y = c.Min.Y + l.height()
	}
	pad := legendPad * l.scale / 2
	lo, hi := vg.Point{X: c.Min.X - pad, Y: c.Min.Y + pad}, vg.Point{X: c.Max.X + pad, Y: c.Max.Y - pad}
	ground := white
	ground.A = 0xc0
	c.FillPolygon(ground, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
	l.draw(c)
}

// check reports a legend that does not fit into its panel.
func (l legend) check(s *Sheet) error {
	if l.corner() != "" && (l.column+2*legendGap*l.scale > s.dataWidth || l.height() > s.dataHeight) {
		return errors.New("the legend does not fit into a panel: " +
			"set legend: below, right or none, or give series shorter labels")
	}
	return nil
}
