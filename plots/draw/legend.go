package draw

import (
	"errors"
	"strings"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

const (
	legendSwatch = vg.Length(36) // length of the line before a label
	shortSwatch  = vg.Length(24) // the same if labels are fitted
	legendGap    = vg.Length(6)  // between a line and its label
	legendSkip   = vg.Length(16) // between columns
	legendRow    = vg.Length(14) // height of a row
	legendPad    = vg.Length(8)  // above and below all rows
)

// legend lists the curves of all panels.
type legend struct {
	*typography
	keys []plots.ChartKey
	// place is plots.Appearance.Legend.
	place string
	// cols is the number of columns, column the width of a column, swatch the length of the line before a label.
	cols           int
	column, swatch vg.Length
}

// below reports whether the legend is below the panels.
func (l legend) below() bool { return l.place == "" || l.place == "below" }

// corner returns the corner of the panel for the legend, such as "top-left", or "" if the legend is elsewhere or empty.
func (l legend) corner() string {
	corner, _ := strings.CutPrefix(l.place, plots.LegendInside)
	if corner == l.place || len(l.keys) == 0 {
		return ""
	}
	return corner
}

// newLegend returns a legend of one column. A key with Epochs has a second entry, for the curve after the first epoch.
func (t *typography) newLegend(keys []plots.ChartKey, place string) legend {
	l := legend{typography: t, place: place, cols: 1, swatch: legendSwatch}
	if t.fitLabels {
		l.swatch = shortSwatch * t.scale
	}
	if place == plots.Omitted {
		return l
	}
	for _, k := range keys {
		l.keys = append(l.keys, k)
		if k.Epochs {
			later := plots.ChartKey{Label: k.Label + ", after the first epoch", Style: afterFirstEpoch(k.Style)}
			l.keys = append(l.keys, later)
		}
	}
	for _, k := range l.keys {
		l.column = max(l.column, l.swatch+legendGap*t.scale+t.label.width(k.Label))
	}
	return l
}

func (l legend) rows() int { return (len(l.keys) + l.cols - 1) / l.cols }

// height returns the height of the legend, 0 if it is empty.
func (l legend) height() vg.Length {
	if len(l.keys) == 0 {
		return 0
	}
	return (2*legendPad + vg.Length(l.rows())*legendRow) * l.scale
}

// arrange returns the legend in as many columns as fit into width.
func (l legend) arrange(width vg.Length) legend {
	skip := legendSkip * l.scale
	l.cols = min(max(int((width+skip)/(l.column+skip)), 1), max(len(l.keys), 1))
	if rows := l.rows(); rows > 0 {
		l.cols = (len(l.keys) + rows - 1) / rows // balance the columns
	}
	return l
}

// draw draws the legend at the top of an area, with its columns in the middle.
func (l legend) draw(c vgdraw.Canvas) {
	skip, row := legendSkip*l.scale, legendRow*l.scale
	left := c.Center().X - (vg.Length(l.cols)*(l.column+skip)-skip)/2
	for i, k := range l.keys {
		x := left + vg.Length(i%l.cols)*(l.column+skip)
		y := c.Max.Y - legendPad*l.scale - row/2 - vg.Length(i/l.cols)*row
		if !k.PointsOnly {
			c.StrokeLine2(lineStyle(k.Style), x, y, x+l.swatch, y)
		}
		if k.Glyphs {
			c.DrawGlyphNoClip(glyphStyle(k.Style, pointRadius), vg.Point{X: x + l.swatch/2, Y: y})
		}
		l.label.draw(c, k.Label, vg.Point{X: x + l.swatch + legendGap*l.scale, Y: y - 3*l.scale})
	}
}

// drawInside draws the legend in its corner of a data area, on a translucent background.
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
	background := white
	background.A = 0xc0
	c.FillPolygon(background, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
	l.draw(c)
}

// check returns an error if the legend does not fit into its panel.
func (l legend) check(s *Sheet) error {
	if l.corner() != "" && (l.column+2*legendGap*l.scale > s.dataWidth || l.height() > s.dataHeight) {
		return errors.New("the legend does not fit into a panel: " +
			"set legend: below, right or none, or give series shorter labels")
	}
	return nil
}
