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

// Files draws a chart as SVG, PDF and PNG. The bytes depend on the chart only. It is an error if the
// chart does not fit the size that its style gives.
func Files(c *plots.Chart) ([]File, error) {
	s, err := NewSheet(c)
	if err != nil {
		return nil, err
	}
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
	s, err := NewSheet(c)
	if err != nil {
		return nil, err
	}
	svg, err := encodeSVG(s)
	if err != nil {
		return nil, fmt.Errorf("plots: figure %s as svg: %w", c.ID, err)
	}
	return svg, nil
}

// Sheet is a chart on paper: of the size that its style gives, or else of one that it fits on.
type Sheet struct {
	Width, Height vg.Length
	*typography
	chart          *plots.Chart
	header, footer []textLine
	legend         legend
	margin         vg.Length
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
	inset := vg.Point{X: s.margin, Y: s.margin}
	c.Min, c.Max = c.Min.Add(inset), c.Max.Sub(inset)
	drawLines(c, s.header)
	foot := height(s.footer)
	footer := c
	footer.Max.Y = c.Min.Y + foot
	drawLines(footer, s.footer)
	top := c.Max.Y - height(s.header) - s.headerGap()
	switch keys := c; {
	case s.legend.below():
		keys.Min.Y, keys.Max.Y = c.Min.Y+foot, c.Min.Y+foot+s.legend.height()
		s.legend.draw(keys)
	case s.legend.place == plots.LegendRight:
		keys.Min.X, keys.Max.Y = c.Max.X-s.legend.column, top
		s.legend.draw(keys)
	}
	y := top
	for i, row := range s.chart.Panels {
		y -= s.rows[i].top + s.dataHeight
		x := c.Min.X
		for j, p := range row {
			x += s.cols[j].left
			data := c
			data.Min = vg.Point{X: x, Y: y}
			data.Max = vg.Point{X: x + s.dataWidth, Y: y + s.dataHeight}
			s.drawPanel(p, data)
			if i == 0 && j == 0 {
				s.legend.drawInside(data)
			}
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
