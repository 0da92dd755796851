package plots

import (
	"encoding/csv"
	"io"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/words"
)

// Chart is a figure laid out as plain data: panels with axes and curves, their styles, and the text around
// them. Package draw makes files from it. All its numbers are finite.
type Chart struct {
	ID      string
	Title   string
	Caption string
	// Alarms warn of stand-in data. Alarms and Remarks are above the panels, Notes below them.
	Alarms  []string
	Remarks []string
	Notes   []string
	// Panels holds the panels by row and column. The first row is the longest.
	Panels [][]*ChartPanel
	// Keys holds the entries of the legend.
	Keys []ChartKey

	// Detail is the line below the title. Lead is the caption without title, alarms, remarks and notes.
	Detail string
	Lead   string
	// Crowded enlarges the panels, because they have many curves.
	Crowded bool
	// Style is the appearance of the files on paper.
	Style Appearance `json:"-"`
	// Warnings report missing data and curves or texts that are not drawn.
	Warnings []string
}

// ChartPanel is one panel of a chart.
type ChartPanel struct {
	Title string    `json:"title,omitempty"`
	X     ChartAxis `json:"x"`
	Y     ChartAxis `json:"y"`
	// StandIn reports whether the panel shows stand-in data.
	StandIn bool `json:"stand_in,omitempty"`
	// Curves are in drawing order.
	Curves []ChartCurve `json:"curves,omitempty"`
	// Static reports whether the panel has Areas, which only the drawn files show.
	Static bool `json:"static,omitempty"`
	// Areas and Lines are drawn below the curves, areas first.
	Areas []ChartArea `json:"-"`
	Lines []ChartLine `json:"lines,omitempty"`
	// Empty is the reason why the panel shows no curve.
	Empty string `json:"empty,omitempty"`
}

// ChartKey is an entry of the legend.
type ChartKey struct {
	// Key is the name by which curves and lines refer to the entry, Label its text.
	Key   string `json:"key"`
	Label string `json:"label"`
	// Series is the id of the series, empty for other entries.
	Series string `json:"series,omitempty"`
	Style
	// Glyphs reports whether some curve has separate points, PointsOnly whether all have.
	Glyphs     bool `json:"-"`
	PointsOnly bool `json:"-"`
	// Epochs reports whether some curve is dashed after its first epoch.
	Epochs bool `json:"-"`
}

// ChartLine is a straight line: vertical if X is set, horizontal if Y is.
type ChartLine struct {
	Key string   `json:"key"`
	X   *float64 `json:"x,omitempty"`
	Y   *float64 `json:"y,omitempty"`
	// Label describes the line, Text is drawn at a horizontal line.
	Label string `json:"label"`
	Text  string `json:"-"`
	Style Style  `json:"-"`
}

// ChartArea is the filled area between two lines with the same x values.
type ChartArea struct {
	X, Lo, Hi []float64
	Color     string
}

// ChartCurve is a curve with its band, in columns of equal length. Values are not clipped to the axes; on a
// logarithmic y axis they may be zero or negative.
type ChartCurve struct {
	Key string    `json:"key"`
	X   []float64 `json:"x"`
	Y   []float64 `json:"y"`
	// Lo and Hi are the ends of the band, nil without a band.
	Lo []float64 `json:"lo,omitempty"`
	Hi []float64 `json:"hi,omitempty"`
	// N is the number of runs that are averaged. Label distinguishes curves of the same key.
	N     int    `json:"n,omitempty"`
	Label string `json:"label,omitempty"`
	// Dashed is the x from which on the curve is dashed, nil if it is not.
	Dashed *float64 `json:"dashed,omitempty"`
	// Points reports whether the points are separate, without a line.
	Points bool `json:"points,omitempty"`
	// Thin reports whether the curve is a single run or an eigenvalue, drawn below the others.
	Thin bool `json:"thin,omitempty"`
	// Converged reports whether the method converged where the curve ends, before the end of the axis.
	Converged bool `json:"done,omitempty"`
	// Style may differ from the key's.
	Style Style `json:"-"`

	curveID
}

// curveID identifies a curve of a figure.
type curveID struct {
	series seriesID
	// setting lists the values of the variables in which the curves of the series differ.
	setting string
}

// columns returns pointers to the columns, of which Lo and Hi may be nil.
func (c *ChartCurve) columns() []*[]float64 { return []*[]float64{&c.X, &c.Y, &c.Lo, &c.Hi} }

// at returns a copy of the curve with only the points at the given indices.
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

// drawable returns a copy of the curve without the points that cannot be drawn. These are infinities, NaN and, if the x
// axis is logarithmic, x values that are not positive.
func (c ChartCurve) drawable(logX bool) ChartCurve {
	var points []int
	for i, x := range c.X {
		notFinite := func(column *[]float64) bool { return *column != nil && !finite.Is((*column)[i]) }
		if !slices.ContainsFunc(c.columns(), notFinite) && (x > 0 || !logX) {
			points = append(points, i)
		}
	}
	return c.at(points)
}

// exceeds reports whether some point of the curve is outside an axis.
func (c ChartCurve) exceeds(x, y ChartAxis) bool {
	return slices.ContainsFunc(c.X, x.Beyond) || slices.ContainsFunc(c.Y, y.Beyond)
}

// inView reports whether a point of the curve, or the line between two neighbours, is within the axes.
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

// StaysFrom returns the index of the last point outside the y axis, if the curve left the axis after entering it. It is
// 0 for all other curves, and for thin and dashed ones. The files draw the points before this index faintly.
func (c ChartCurve) StaysFrom(y ChartAxis) int {
	last, entered, left := 0, false, false
	for i, v := range c.Y {
		if y.Beyond(v) {
			last, left = i, left || entered
		} else {
			entered = true
		}
	}
	if !left || c.Thin || c.Dashed != nil {
		return 0
	}
	return last
}

// entersAt returns the index of the last point before the curve or its band enters the y axis, or the number of
// points if neither does.
func (c ChartCurve) entersAt(y ChartAxis) int {
	for i, v := range c.Y {
		if !y.Beyond(v) || c.Lo != nil && c.Lo[i] <= y.Max && c.Hi[i] >= y.Min {
			return max(i-1, 0)
		}
	}
	return len(c.X)
}

const (
	// A curve has at most maxPoints points. Reduced keeps at least minPoints of them.
	maxPoints, minPoints = 2000, 24
	// keptDigits is the number of significant digits that Reduced keeps.
	keptDigits = 5
)

// Reduced returns a copy of the chart with fewer points and rounded numbers. The curves of a panel share the
// given number of points equally, but each keeps minPoints. The kept points are evenly spaced by index.
func (c *Chart) Reduced(points int) *Chart {
	out := *c
	out.Panels = make([][]*ChartPanel, len(c.Panels))
	for i, row := range c.Panels {
		for _, p := range row {
			reduced := *p
			reduced.Curves = slices.Clone(p.Curves)
			for k, cv := range p.Curves {
				kept := evenIndices(len(cv.X), max(points/len(p.Curves), minPoints))
				reduced.Curves[k] = cv.at(kept).rounded()
			}
			out.Panels[i] = append(out.Panels[i], &reduced)
		}
	}
	return &out
}

// evenIndices returns at most limit of the indices below n, evenly spaced, including the first and the last.
func evenIndices(n, limit int) []int {
	limit = min(n, limit)
	indices := make([]int, limit)
	for i := range indices {
		indices[i] = i * (n - 1) / max(limit-1, 1)
	}
	return indices
}

// rounded rounds the numbers of the curve in place.
func (c ChartCurve) rounded() ChartCurve {
	for _, column := range c.columns() {
		for i, v := range *column {
			(*column)[i] = words.Round(v, keptDigits)
		}
	}
	return c
}

// WriteCSV writes the numbers of the chart, a row for each point of each curve. The row of a straight line has
// only x or only the mean.
func (c *Chart) WriteCSV(w io.Writer) error {
	rows := [][]string{{"panel", "series", "x", "mean", "low", "high"}}
	for _, p := range slices.Concat(c.Panels...) {
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
	return csv.NewWriter(w).WriteAll(rows)
}
