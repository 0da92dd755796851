package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"

	"github.com/google/renameio/v2"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Input is what figures and tables are made from.
type Input struct {
	// Runs are the records, already selected: of each series and problem, the
	// runs of one setting of the tuned parameters.
	Runs []record.Run
	// Title is the experiment's.
	Title string
	// Profile names the profile the runs were made with; it may be empty.
	Profile string
	// Timings are those of the runs, if known.
	Timings record.Timings
	// Halved is the selection of the parameters per support size, if they were
	// selected by halvings. Runs are then those of the whole grids.
	Halved *analysis.Halved
	// Notes are remarks for the face of every figure and table, such as that
	// runs are missing. They go above the panels and the table's rows.
	Notes []string
}

// Drawn says what Draw has written.
type Drawn struct {
	// Files are the paths of the SVG, PDF and PNG file.
	Files []string
	// Warnings says what is missing from the figure or was left out of it.
	Warnings []string
	// Caption describes the figure in plain text.
	Caption string
}

// Draw draws fig into dir, which it makes if need be, as <id>.svg, <id>.pdf and
// <id>.png, each replaced atomically. The bytes depend on fig and in only.
//
// The SVG file holds the figure's title and caption as <title> and <desc>.
//
// Missing data make an empty panel and a warning. It is an error if fig is not
// valid, would have too many panels, or cannot be written.
func Draw(fig Figure, in Input, dir string) (Drawn, error) {
	c, err := Compose(fig, in)
	if err != nil {
		return Drawn{}, err
	}
	drawn := c.Drawn()
	drawn.Files, err = c.sheet.save(fig.ID, dir)
	if err != nil {
		return Drawn{}, err
	}
	return drawn, nil
}

// save writes the sheet into dir in all formats and returns the paths.
func (s *sheet) save(id, dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("plots: making the folder of figure %s: %w", id, err)
	}
	var files []string
	for _, f := range formats {
		data, err := f.encode(s)
		if err != nil {
			return nil, fmt.Errorf("plots: figure %s as %s: %w", id, f.ext, err)
		}
		name := filepath.Join(dir, id+"."+f.ext)
		if err := renameio.WriteFile(name, data, 0o644); err != nil {
			return nil, fmt.Errorf("plots: writing figure %s: %w", id, err)
		}
		files = append(files, name)
	}
	return files, nil
}

// sheet is a figure ready to be drawn.
type sheet struct {
	// title and caption describe it in files that have a place for that.
	title, caption string
	width, height  vg.Length
	header, footer []textLine
	frames         [][]frame
	legend         legend
	// The data areas are of one width and, but for those of narrow rows, of one
	// height; cols and rows hold the margins around those of a column and of a
	// row.
	dataWidth, dataHeight vg.Length
	narrow                []bool
	cols, rows            []margins
}

type textLine struct {
	text  string
	style text.Style
}

func (l textLine) height() vg.Length { return 1.35 * l.style.Font.Size }

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

	// The size of a data area: of a panel in a grid, in a single column, and
	// of a sole panel.
	dataWidth  = 2.6 * vg.Inch
	dataHeight = 1.85 * vg.Inch
	wideWidth  = 4.2 * vg.Inch
	soleHeight = 2.6 * vg.Inch

	// That of a panel in a grid of trade-offs, which have many curves.
	tradeoffWidth  = 3.3 * vg.Inch
	tradeoffHeight = 2.5 * vg.Inch
)

var (
	titleText  = sans(11, true, ink)
	detailText = sans(8.5, false, grey)
	alarmText  = sans(9.5, true, alarm)
	remarkText = sans(8.5, true, ink)
	noteText   = sans(7.5, false, grey)
)

// unique returns the strings of s, each once, in order of first occurrence.
func unique(s []string) []string {
	var u []string
	for _, v := range s {
		if !slices.Contains(u, v) {
			u = append(u, v)
		}
	}
	return u
}

// arrange sets the size of the sheet and the text around the panels: the
// remarks of in above, the notes on single panels below.
func (s *sheet) arrange(fig Figure, in Input, f facts, notes []string) {
	s.dataWidth, s.dataHeight = dataWidth, dataHeight
	if fig.tradesOff() {
		s.dataWidth, s.dataHeight = tradeoffWidth, tradeoffHeight
	}
	if len(s.frames[0]) == 1 {
		s.dataWidth = wideWidth
		if len(s.frames) == 1 {
			s.dataHeight = max(soleHeight, s.dataHeight)
		}
	}
	s.rows, s.cols = make([]margins, len(s.frames)), make([]margins, len(s.frames[0]))
	s.narrow = make([]bool, len(s.frames))
	for i, row := range s.frames {
		for j, fr := range row {
			s.narrow[i] = s.narrow[i] || fr.narrow
			m := fr.margins(s.dataWidth)
			s.rows[i], s.cols[j] = s.rows[i].widen(m), s.cols[j].widen(m)
		}
	}
	w, h := -gutterX, -gutterY
	for _, m := range s.cols {
		w += m.left + s.dataWidth + m.right + gutterX
	}
	for i, m := range s.rows {
		h += m.top + s.rowHeight(i) + m.bottom + gutterY
	}
	s.header = lines(titleText, w, f.title(fig, in))
	s.header = append(s.header, lines(detailText, w, f.detail(in))...)
	if f.standIns != nil {
		s.header = append(s.header, lines(alarmText, w, f.alarm())...)
	}
	for _, n := range unique(in.Notes) {
		s.header = append(s.header, lines(remarkText, w, n)...)
	}
	for _, n := range notes {
		s.footer = append(s.footer, lines(noteText, w, "Note: "+n)...)
	}
	s.width = w + 2*margin
	s.height = h + 2*margin + height(s.header) + gutterY + s.legend.height(w) + height(s.footer)
}

// rowHeight returns the height of the data areas of a row.
func (s *sheet) rowHeight(i int) vg.Length {
	if s.narrow[i] {
		return 0.45 * s.dataHeight
	}
	return s.dataHeight
}

// lines wraps txt to a width; empty text has no lines.
func lines(sty text.Style, width vg.Length, txt string) []textLine {
	if strings.TrimSpace(txt) == "" {
		return nil
	}
	var ls []textLine
	for _, l := range fit(sty, txt, width) {
		ls = append(ls, textLine{l, sty})
	}
	return ls
}

// draw draws the sheet on a canvas of its size.
func (s *sheet) draw(c draw.Canvas) {
	c.FillPolygon(hex(0xffffff), []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	drawLines(c, s.header)
	foot, key := height(s.footer), s.legend.height(c.Max.X-c.Min.X)
	footer := c
	footer.Max.Y = c.Min.Y + foot
	drawLines(footer, s.footer)
	keys := c
	keys.Min.Y, keys.Max.Y = c.Min.Y+foot, c.Min.Y+foot+key
	s.legend.draw(keys)
	y := c.Max.Y - height(s.header) - gutterY
	for i, row := range s.frames {
		y -= s.rows[i].top + s.rowHeight(i)
		x := c.Min.X
		for j, f := range row {
			x += s.cols[j].left
			data := c
			data.Min = vg.Point{X: x, Y: y}
			data.Max = vg.Point{X: x + s.dataWidth, Y: y + s.rowHeight(i)}
			f.draw(data)
			x += s.dataWidth + s.cols[j].right + gutterX
		}
		y -= s.rows[i].bottom + gutterY
	}
}

// drawLines draws lines of text from the top of c downwards.
func drawLines(c draw.Canvas, ls []textLine) {
	y := c.Max.Y
	for _, l := range ls {
		y -= l.height()
		handler.line(c, l.text, l.style, vg.Point{X: c.Min.X, Y: y + 0.3*l.style.Font.Size})
	}
}
