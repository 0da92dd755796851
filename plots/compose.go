package plots

import (
	"fmt"
	"slices"
)

// Composition is a figure laid out: what it shows, on which axes, in which looks.
// It is drawn as a file, or given as data.
type Composition struct {
	fig      Figure
	in       Input
	cells    [][]cell
	contents [][]content
	looks    looks
	facts    facts
	// notes go below the panels.
	notes []string
	sheet *sheet
	drawn Drawn
}

// Compose lays out fig. It is an error if fig is not valid or would have too many
// panels; missing data make an empty panel and a warning.
func Compose(fig Figure, in Input) (*Composition, error) {
	if err := fig.Validate(); err != nil {
		return nil, err
	}
	if err := fig.checkHalved(in.Halved); err != nil {
		return nil, err
	}
	cells, err := layOut(fig, in.Runs)
	if err != nil {
		return nil, err
	}
	color := fig.Color
	if color == "" {
		color = varSeries
	}
	contents := make([][]content, len(cells))
	var curves []curve
	var warnings []warning
	var notes []string
	for i := range cells {
		for j := range cells[i] {
			cells[i][j].timings, cells[i][j].halved = in.Timings, in.Halved
			ct := curvesOf(&cells[i][j], color)
			contents[i] = append(contents[i], ct)
			curves = append(curves, ct.curves...)
			warnings = append(warnings, ct.warnings...)
			notes = append(notes, ct.notes...)
		}
	}
	looks := newLooks(color, curves)
	frames, beyond := framesOf(cells, contents, looks)
	for i := range cells {
		for j := range cells[i] {
			c, f := &cells[i][j], &frames[i][j]
			if i+1 < len(cells) && j < len(cells[i+1]) && c.xKey() == cells[i+1][j].xKey() {
				f.xLabel = ""
			}
			if j > 0 && c.yKey() == cells[i][j-1].yKey() && c.yLabel() == cells[i][j-1].yLabel() {
				f.yLabel = ""
			}
		}
	}
	sh := &sheet{frames: frames, legend: withReference(withLater(looks.legend(curves), looks, curves), contents)}
	f := factsOf(fig, in.Halved, cells, contents)
	f.conditions = conditions(timedRuns(cells), in.Timings)
	notes, drawn := sh.finish(fig, in, f, notes, append(warnings, beyond...))
	return &Composition{
		fig: fig, in: in, cells: cells, contents: contents, looks: looks, facts: f, notes: notes,
		sheet: sh, drawn: drawn,
	}, nil
}

// framesOf returns the panels with axes and labels, and warnings of what the axes
// cannot hold.
func framesOf(cells [][]cell, contents [][]content, looks looks) (frames [][]frame, warnings []warning) {
	xs, ys := scales(cells, contents)
	for i := range cells {
		var row []frame
		for j := range cells[i] {
			c := &cells[i][j]
			f, text := newFrame(c, contents[i][j], xs[c.xKey()], ys[c.yKey()], looks)
			if text != "" {
				warnings = append(warnings, warning{c.where, text})
			}
			row = append(row, f)
		}
		frames = append(frames, row)
	}
	return frames, warnings
}

// finish sets the size of a sheet with frames and the text around them, and describes
// it. It returns the notes that stand below the panels.
func (s *sheet) finish(fig Figure, in Input, f facts, notes []string, warnings []warning) ([]string, Drawn) {
	if n := floorNote(s.frames); n != "" {
		notes = append([]string{n}, notes...)
	}
	notes = unique(append(notes, f.notes(s.frames)...))
	s.arrange(fig, in, f, notes)
	s.title, s.caption = plainText(f.title(fig, in)), f.caption(fig, in, notes)
	texts := collapse(warnings)
	for i, w := range texts {
		texts[i] = "figure " + fig.ID + ": " + w
	}
	return notes, Drawn{Warnings: texts, Caption: s.caption}
}

// Drawn describes the figure; it has no files.
func (c *Composition) Drawn() Drawn {
	d := c.drawn
	d.Warnings = slices.Clone(d.Warnings)
	return d
}

// SVG returns the figure as Draw writes it to its SVG file.
func (c *Composition) SVG() ([]byte, error) {
	svg, err := encodeSVG(c.sheet)
	if err != nil {
		return nil, fmt.Errorf("plots: figure %s as svg: %w", c.fig.ID, err)
	}
	return svg, nil
}

// Shown returns the ids of the data sets and of the series whose runs the figure
// shows, each in order of first occurrence.
func (c *Composition) Shown() (datasets, series []string) {
	for _, row := range c.cells {
		for i := range row {
			for _, r := range row[i].runs {
				if !slices.Contains(datasets, r.Dataset) {
					datasets = append(datasets, r.Dataset)
				}
				if !slices.Contains(series, r.Series) {
					series = append(series, r.Series)
				}
			}
		}
	}
	return datasets, series
}
