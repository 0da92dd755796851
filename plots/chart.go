package plots

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"stochopt/internal/finite"
	"stochopt/internal/words"
)

// Chart is the layout of a figure as data: its panels with axes and curves, their styles, and
// the text around them. Package draw makes files from it. No number in it is NaN or
// infinite.
type Chart struct {
	ID      string
	Title   string
	Caption string
	// Alarms are what must not be missed, such as that data are a stand-in; Remarks
	// stand above the panels, such as that runs are missing, and Notes below them.
	Alarms  []string
	Remarks []string
	Notes   []string
	// Panels are by row and column. A row may be shorter than the first.
	Panels [][]*ChartPanel
	// Keys are the entries of the legend.
	Keys []ChartKey

	// Detail is the line below the title. Lead is the caption without the title, the alarms and the notes.
	Detail string
	Lead   string
	// Crowded: panels have many curves, and files give them more room.
	Crowded bool
	// Style is how the files look on paper.
	Style Appearance `json:"-"`
	// Warnings say what is missing from the figure or was left out of it.
	Warnings []string
}

// ChartPanel is one panel of a chart.
type ChartPanel struct {
	Title string    `json:"title,omitempty"`
	X     ChartAxis `json:"x"`
	Y     ChartAxis `json:"y"`
	// StandIn says that a dataset that is shown is made up.
	StandIn bool `json:"stand_in,omitempty"`
	// Curves are in drawing order. Static: the panel shows something else than curves
	// along an axis, which only the drawing has; Curves are then what has a place on
	// the axes.
	Curves []ChartCurve `json:"curves,omitempty"`
	Static bool         `json:"static,omitempty"`
	// Areas are filled, Lines are straight ones across the panel; all are below the curves, in
	// this order.
	Areas []ChartArea `json:"-"`
	Lines []ChartLine `json:"lines,omitempty"`
	// Empty says why there is nothing to show.
	Empty string `json:"empty,omitempty"`
}

// ChartKey is an entry of the legend.
type ChartKey struct {
	// Key is what curves and lines refer to, Label what people read.
	Key   string `json:"key"`
	Label string `json:"label"`
	// Series is the id of the series, empty for other entries.
	Series string `json:"series,omitempty"`
	Style
	// Glyphs: a curve has glyphs somewhere. PointsOnly: each is a lone point, without a line.
	Glyphs     bool `json:"-"`
	PointsOnly bool `json:"-"`
	// Epochs: a curve is dashed after its first epoch, which drawings have an entry of its own for.
	Epochs bool `json:"-"`
}

// ChartLine is a straight line: vertical if X is set, horizontal if Y is.
type ChartLine struct {
	Key string   `json:"key"`
	X   *float64 `json:"x,omitempty"`
	Y   *float64 `json:"y,omitempty"`
	// Label says what the line stands for, Text is drawn at a horizontal one.
	Label string `json:"label"`
	Text  string `json:"-"`
	Style Style  `json:"-"`
}

// ChartArea is what lies between two lines over the same abscissae.
type ChartArea struct {
	X, Lo, Hi []float64
	Color     string
}

// ChartCurve is a curve with its band, columns of equal length. Values are as
// measured, not clipped to the range of the axes; on a logarithmic y axis they may not be positive.
type ChartCurve struct {
	Key string    `json:"key"`
	X   []float64 `json:"x"`
	Y   []float64 `json:"y"`
	// Lo and Hi are the band, nil without a band.
	Lo []float64 `json:"lo,omitempty"`
	Hi []float64 `json:"hi,omitempty"`
	// N is the number of runs in the curve, Label what tells it from others of its
	// key, Dashed from which x on it is dashed.
	N      int      `json:"n,omitempty"`
	Label  string   `json:"label,omitempty"`
	Dashed *float64 `json:"dashed,omitempty"`
	// Points: the curve is of separate points. Thin: it is one of many below the
	// others, a single run or an eigenvalue. Converged: the method had converged where
	// the curve ends, before the end of the axis.
	Points    bool `json:"points,omitempty"`
	Thin      bool `json:"thin,omitempty"`
	Converged bool `json:"done,omitempty"`
	// Style is that of the drawing; it may differ from the key's.
	Style Style `json:"-"`

	identity
}

// identity tells the curves of a figure apart.
type identity struct {
	series seriesID
	// extra names the values of the variables that tell the curve from others of its series.
	extra string
}

func (c *ChartCurve) columns() []*[]float64 { return []*[]float64{&c.X, &c.Y, &c.Lo, &c.Hi} }

// at returns the curve with some of its points only, in columns of its own.
func (c ChartCurve) at(points []int) ChartCurve {
	for _, column := range c.columns() {
		if *column == nil {
			continue
		}
		kept := make([]float64, len(points))
		for j, i := range points {
			kept[j] = (*column)[i]
		}
		*column = kept
	}
	return c
}

// drawable leaves out the points of which anything is not a number, and those that have no place on
// a logarithmic x axis.
func (c ChartCurve) drawable(log bool) ChartCurve {
	var points []int
	for i, x := range c.X {
		infinite := func(column *[]float64) bool { return *column != nil && !finite.Is((*column)[i]) }
		if !slices.ContainsFunc(c.columns(), infinite) && (x > 0 || !log) {
			points = append(points, i)
		}
	}
	return c.at(points)
}

// leaves reports whether the curve is beyond an end of an axis somewhere.
func (c ChartCurve) leaves(x, y ChartAxis) bool {
	return slices.ContainsFunc(c.X, x.Beyond) || slices.ContainsFunc(c.Y, y.Beyond)
}

// inView reports whether a point, or the line between two neighbours, is within the ends of the axes.
func (c ChartCurve) inView(x, y ChartAxis) bool {
	for i, v := range c.Y {
		switch {
		case x.Beyond(c.X[i]):
		case !y.Beyond(v):
			return true
		case i > 0 && !x.Beyond(c.X[i-1]) && min(c.Y[i-1], v) < y.Min && max(c.Y[i-1], v) > y.Max:
			return true
		}
	}
	return false
}

// StaysFrom returns the index of the last point before a curve that leaves the y axis comes back to
// stay, the last index if it never does, and 0 for a curve that never leaves it.
func (c ChartCurve) StaysFrom(y ChartAxis) int {
	last, seen, left := 0, false, false
	for i, v := range c.Y {
		if y.Beyond(v) {
			last, left = i, left || seen
		} else {
			seen = true
		}
	}
	if !left || c.Thin || c.Dashed != nil {
		return 0
	}
	return last
}

// enter returns the index of the last point before the curve, or its band, comes into view of
// the y axis, and the number of points if it never does.
func (c ChartCurve) enter(y ChartAxis) int {
	for i, v := range c.Y {
		if !y.Beyond(v) || c.Lo != nil && c.Lo[i] <= y.Max && c.Hi[i] >= y.Min {
			return max(i-1, 0)
		}
	}
	return len(c.X)
}

const (
	// A curve has at most mostPoints points; reduction leaves it at least leastPoints of them.
	mostPoints, leastPoints = 2000, 24
	// keptDigits is the number of significant digits that reduction leaves.
	keptDigits = 5
)

// Reduced returns a chart that looks much the same with fewer and shorter numbers. The curves of a
// panel share the given number of points equally, but each keeps leastPoints; the points kept are
// evenly spaced by index.
func (c *Chart) Reduced(points int) *Chart {
	out := *c
	out.Panels = make([][]*ChartPanel, len(c.Panels))
	for i, row := range c.Panels {
		for _, p := range row {
			reduced := *p
			reduced.Curves = slices.Clone(p.Curves)
			for k, cv := range p.Curves {
				reduced.Curves[k] = cv.at(evenly(len(cv.X), max(points/len(p.Curves), leastPoints))).rounded()
			}
			out.Panels[i] = append(out.Panels[i], &reduced)
		}
	}
	return &out
}

// evenly returns no more than most of the indices below n, evenly spaced, with the first and the last.
func evenly(n, most int) []int {
	most = min(n, most)
	indices := make([]int, most)
	for i := range indices {
		indices[i] = i * (n - 1) / max(most-1, 1)
	}
	return indices
}

func (c ChartCurve) rounded() ChartCurve {
	for _, column := range c.columns() {
		for i, v := range *column {
			r, err := strconv.ParseFloat(words.Digits(v, keptDigits), 64)
			if err == nil { // else it rounds up to a number that is too large
				(*column)[i] = r
			}
		}
	}
	return c
}

// WriteCSV writes the numbers that the chart draws: a row for each point of each curve. A
// straight line has x or the mean only.
func (c *Chart) WriteCSV(w io.Writer) error {
	rows := [][]string{{"panel", "series", "x", "mean", "low", "high"}}
	for _, row := range c.Panels {
		for _, p := range row {
			add := func(series string, numbers ...*float64) {
				row := []string{joinParts(": ", p.Title, p.Y.Label+" against "+p.X.Label), series}
				for _, v := range numbers {
					text := ""
					if v != nil {
						text = words.Exact(*v)
					}
					row = append(row, text)
				}
				rows = append(rows, row)
			}
			for _, l := range p.Lines {
				add(l.Label, l.X, l.Y, nil, nil)
			}
			for _, cv := range p.Curves {
				for i := range cv.X {
					numbers := make([]*float64, 4)
					for k, column := range cv.columns() {
						if *column != nil {
							numbers[k] = &(*column)[i]
						}
					}
					add(joinParts(", ", cv.Key, cv.Label), numbers...)
				}
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
