// Package draw draws a plots.Chart as SVG, PDF and PNG files. It decides only on sizes. The chart has the content, the
// axes and the colours.
package draw

import (
	"cmp"
	"fmt"
	"strings"

	"stochopt/internal/words"
	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// File is a drawn chart. Ext is the extension of its format.
type File struct {
	Ext  string
	Data []byte
}

// Files draws a chart as SVG, PDF and PNG. The bytes depend only on the chart. It is an error if the chart does not fit
// the size of its style.
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
	return encodeSVG(s)
}

// Sheet is a chart laid out on paper, in points. It has the size of the style or, without one, the size that it needs.
type Sheet struct {
	Width, Height vg.Length
	*typography
	chart          *plots.Chart
	header, footer []textLine
	legend         legend
	margin         vg.Length
	// All data areas have the same size. cols and rows hold the margins around the data areas of each column and row.
	dataWidth, dataHeight vg.Length
	cols, rows            []margins
}

type textLine struct {
	text string
	textStyle
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

	// The sizes of data areas in a grid; the width in a single column; the height of a single panel.
	dataWidth    = 2.6 * vg.Inch
	dataHeight   = 1.85 * vg.Inch
	wideWidth    = 4.2 * vg.Inch
	singleHeight = 2.6 * vg.Inch

	// The sizes of data areas in a grid of a Crowded chart.
	crowdedWidth  = 3.3 * vg.Inch
	crowdedHeight = 2.5 * vg.Inch

	// sizedMargin is the margin of a figure of a given size, which is for a text with its own margins.
	sizedMargin = vg.Length(2)
	// The least size of a data area in a figure of a given size, relative to the size of labels.
	leastWidth, leastHeight = 5, 4
)

// NewSheet lays out a chart. It is an error if the chart does not fit the size of its style.
func NewSheet(c *plots.Chart) (*Sheet, error) {
	s := &Sheet{chart: c, typography: newTypography(c.Style), margin: margin, dataWidth: dataWidth, dataHeight: dataHeight}
	if c.Crowded {
		s.dataWidth, s.dataHeight = crowdedWidth, crowdedHeight
	}
	if len(c.Panels[0]) == 1 {
		s.dataWidth = wideWidth
		if len(c.Panels) == 1 {
			s.dataHeight = max(singleHeight, s.dataHeight)
		}
	}
	s.legend = s.newLegend(c.Keys, c.Style.Legend)
	var err error
	if c.Style.Sized() {
		s.margin = sizedMargin
		err = s.fitSize()
	} else {
		s.layOut()
	}
	if err = cmp.Or(err, s.legend.check(s)); err != nil {
		return nil, fmt.Errorf("plots: figure %s: %w", c.ID, err)
	}
	return s, nil
}

// layOut computes the margins, texts and size of the sheet from the size of its data areas.
func (s *Sheet) layOut() {
	c := s.chart
	s.rows, s.cols = make([]margins, len(c.Panels)), make([]margins, len(c.Panels[0]))
	area := vgdraw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: s.dataWidth, Y: s.dataHeight}}}
	for i, row := range c.Panels {
		for j, p := range row {
			m := s.axes(p, area).margins(p)
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
	below := vg.Length(0)
	switch {
	case s.legend.below():
		w = max(w, s.legend.column)
		s.legend = s.legend.arrange(w)
		below = s.legend.height()
	case s.legend.place == plots.LegendRight:
		w, h = w+gutterX+s.legend.column, max(h, s.legend.height())
	}
	s.wrapTexts(w)
	s.Width = w + 2*s.margin
	s.Height = h + 2*s.margin + height(s.header) + s.headerGap() + below + height(s.footer)
}

// wrapTexts sets the header and the footer, with lines no wider than w.
func (s *Sheet) wrapTexts(w vg.Length) {
	c := s.chart
	s.header, s.footer = wrapped(s.title, w, textOr(c.Style.Title, c.Title)), nil
	s.header = append(s.header, wrapped(s.detail, w, textOr(c.Style.Subtitle, c.Detail))...)
	if c.Style.Notes == plots.Omitted {
		return
	}
	s.header = append(s.header, wrapped(s.alarm, w, c.Alarms...)...)
	s.header = append(s.header, wrapped(s.remark, w, c.Remarks...)...)
	for _, n := range c.Notes {
		s.footer = append(s.footer, wrapped(s.note, w, "Note: "+n)...)
	}
}

// textOr returns the text of the style or, without one, of the figure.
func textOr(styled, text string) string {
	if styled == plots.Omitted {
		return ""
	}
	return cmp.Or(styled, text)
}

// headerGap is the space below the header.
func (s *Sheet) headerGap() vg.Length {
	if len(s.header) == 0 {
		return 0
	}
	return gutterY
}

// fitSize finds the size of the data areas for which the sheet has the width and height of the style. It iterates,
// because the margins depend on the size through labels and wrapped text.
func (s *Sheet) fitSize() error {
	style := s.chart.Style
	width, height := vg.Length(plots.Points(style.Width)), vg.Length(plots.Points(style.Height))
	if width > 0 && s.legend.below() && s.legend.column > width-2*s.margin {
		return fmt.Errorf("a label of the legend is wider than %s: "+
			"give the series a shorter label, or set a larger width or legend: none", style.Width)
	}
	aspect := s.dataHeight / s.dataWidth
	const rounds, tolerance = 60, 1e-6
	for round := range rounds {
		s.layOut()
		var dx, dy vg.Length
		if width > 0 {
			dx = (width - s.Width) / vg.Length(len(s.cols))
		}
		if height > 0 {
			dy = (height - s.Height) / vg.Length(len(s.rows))
		}
		if round > rounds/2 { // if sizes alternate, only shrink
			dx, dy = min(dx, 0), min(dy, 0)
		}
		if max(dx, -dx)+max(dy, -dy) < tolerance {
			break
		}
		s.dataWidth, s.dataHeight = s.dataWidth+dx, s.dataHeight+dy
		if height == 0 {
			s.dataHeight = aspect * s.dataWidth
		}
		switch {
		case s.dataWidth < leastWidth*s.label.Size, height == 0 && s.dataHeight < leastHeight*s.label.Size:
			return fmt.Errorf("no room for %s in a row in a width of %s: set a larger width, a smaller font_size, "+
				"legend: below or none, or fewer panels in a row", words.Count(len(s.cols), "panel"), style.Width)
		case s.dataHeight < leastHeight*s.label.Size:
			return fmt.Errorf("no room for %s of panels in a height of %s: set a larger height, a smaller font_size, "+
				"legend: right or none, or none for title, subtitle and notes", words.Count(len(s.rows), "row"), style.Height)
		}
	}
	s.Width, s.Height = cmp.Or(width, s.Width), cmp.Or(height, s.Height)
	return nil
}

// wrapped returns the lines of the texts that are not empty.
func wrapped(sty textStyle, width vg.Length, texts ...string) []textLine {
	var ls []textLine
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		for _, l := range sty.wrap(t, width) {
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
		l.draw(c, l.text, vg.Point{X: c.Min.X, Y: y + 0.3*l.Size})
	}
}
