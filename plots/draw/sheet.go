// Package draw turns figures into SVG, PDF and PNG files. It decides on sizes on
// paper and nothing else: what is shown, on which axes and in which colours is all in
// the plots.Chart.
package draw

import (
	"fmt"
	"strings"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// File is a chart in a format.
type File struct {
	Ext  string
	Data []byte
}

// Files draws a chart as SVG, PDF and PNG. The bytes depend on the chart only.
func Files(c *plots.Chart) ([]File, error) {
	s := NewSheet(c)
	var files []File
	for _, f := range formats {
		data, err := f.encode(s)
		if err != nil {
			return nil, fmt.Errorf("plots: figure %s as %s: %w", c.ID, f.ext, err)
		}
		files = append(files, File{f.ext, data})
	}
	return files, nil
}

// SVG returns the chart as the SVG file of Files.
func SVG(c *plots.Chart) ([]byte, error) {
	svg, err := encodeSVG(NewSheet(c))
	if err != nil {
		return nil, fmt.Errorf("plots: figure %s as svg: %w", c.ID, err)
	}
	return svg, nil
}

// Sheet is a chart on paper of a size that it fits on.
type Sheet struct {
	Width, Height  vg.Length
	chart          *plots.Chart
	header, footer []textLine
	legend         legend
	// The data areas are of one size; cols and rows hold the margins around those of a column
	// and of a row.
	dataWidth, dataHeight vg.Length
	cols, rows            []margins
}

type textLine struct {
	text string
	style
}

func (l textLine) height() vg.Length { return 1.35 * l.Size }

func height(lines []textLine) (h vg.Length) {
	for _, l := range lines {
		h += l.height()
	}
	return h
}

const (
	margin  = vg.Length(10)
	gutterX = vg.Length(12)
	gutterY = vg.Length(10)

	// The size of a data area: of a panel in a grid, in a single column, and of a sole panel.
	dataWidth  = 2.6 * vg.Inch
	dataHeight = 1.85 * vg.Inch
	wideWidth  = 4.2 * vg.Inch
	soleHeight = 2.6 * vg.Inch

	// That of a panel with many curves in a grid.
	crowdedWidth  = 3.3 * vg.Inch
	crowdedHeight = 2.5 * vg.Inch
)

var (
	titleText  = sans(11, true, ink)
	detailText = sans(8.5, false, grey)
	alarmText  = sans(9.5, true, alarm)
	remarkText = sans(8.5, true, ink)
	noteText   = sans(7.5, false, grey)
)

// NewSheet sets the size of a sheet for a chart and the text around the panels: the
// remarks above, the notes below.
func NewSheet(c *plots.Chart) *Sheet {
	s := &Sheet{chart: c, dataWidth: dataWidth, dataHeight: dataHeight}
	if c.Crowded {
		s.dataWidth, s.dataHeight = crowdedWidth, crowdedHeight
	}
	if len(c.Panels[0]) == 1 {
		s.dataWidth = wideWidth
		if len(c.Panels) == 1 {
			s.dataHeight = max(soleHeight, s.dataHeight)
		}
	}
	s.rows, s.cols = make([]margins, len(c.Panels)), make([]margins, len(c.Panels[0]))
	for i, row := range c.Panels {
		for j, p := range row {
			m := marginsOf(p, s.dataWidth)
			s.rows[i], s.cols[j] = s.rows[i].widen(m), s.cols[j].widen(m)
		}
	}
	w, h := -gutterX, -gutterY
	for _, m := range s.cols {
		w += m.left + s.dataWidth + m.right + gutterX
	}
	for _, m := range s.rows {
		h += m.top + s.dataHeight + m.bottom + gutterY
	}
	legend := newLegend(c.Keys)
	w = max(w, legend.column)
	s.legend = legend.within(w)
	s.header = append(lines(titleText, w, c.Title), lines(detailText, w, c.Detail)...)
	s.header = append(s.header, lines(alarmText, w, c.Alarms...)...)
	s.header = append(s.header, lines(remarkText, w, c.Remarks...)...)
	for _, n := range c.Notes {
		s.footer = append(s.footer, lines(noteText, w, "Note: "+n)...)
	}
	s.Width = w + 2*margin
	s.Height = h + 2*margin + height(s.header) + gutterY + s.legend.height() + height(s.footer)
	return s
}

// lines wraps texts to a width; empty ones have no lines.
func lines(sty style, width vg.Length, texts ...string) []textLine {
	var ls []textLine
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		for _, l := range sty.fit(t, width) {
			ls = append(ls, textLine{l, sty})
		}
	}
	return ls
}

// Draw draws the sheet on a canvas of its size.
func (s *Sheet) Draw(c vgdraw.Canvas) {
	c.FillPolygon(white, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c.Min, c.Max = c.Min.Add(vg.Point{X: margin, Y: margin}), c.Max.Sub(vg.Point{X: margin, Y: margin})
	drawLines(c, s.header)
	foot := height(s.footer)
	footer := c
	footer.Max.Y = c.Min.Y + foot
	drawLines(footer, s.footer)
	keys := c
	keys.Min.Y, keys.Max.Y = c.Min.Y+foot, c.Min.Y+foot+s.legend.height()
	s.legend.draw(keys)
	y := c.Max.Y - height(s.header) - gutterY
	for i, row := range s.chart.Panels {
		y -= s.rows[i].top + s.dataHeight
		x := c.Min.X
		for j, p := range row {
			x += s.cols[j].left
			data := c
			data.Min = vg.Point{X: x, Y: y}
			data.Max = vg.Point{X: x + s.dataWidth, Y: y + s.dataHeight}
			drawPanel(p, data)
			x += s.dataWidth + s.cols[j].right + gutterX
		}
		y -= s.rows[i].bottom + gutterY
	}
}

func drawLines(c vgdraw.Canvas, ls []textLine) {
	y := c.Max.Y
	for _, l := range ls {
		y -= l.height()
		l.line(c, l.text, vg.Point{X: c.Min.X, Y: y + 0.3*l.Size})
	}
}
