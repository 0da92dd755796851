package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// maxPanels is the maximum number of panels of a figure. A facet by a parameter with many values would otherwise need
// an image of gigabytes.
const maxPanels = 120

// pane is a panel under construction, with its position and the runs that it shows.
type pane struct {
	*ChartPanel
	row, col int
	// columnY reports whether the panels of a column share a y axis, instead of those of a row.
	columnY bool
	// spec defines the content, where describes the runs in messages.
	spec  Panel
	where string
	runs  []record.Run
	in    Input
	// why is the reason if there are no curves.
	why string
	// warnings are printed, notes are shown below the figure.
	warnings, notes []string
	// splits lists the splits of the metric, in order of first use.
	splits []string
	// constant is the error of the constant classifier, 0 if it is unknown.
	constant float64
}

// layout holds the panes of a figure by row and column.
type layout [][]*pane

// runs returns the runs of all panels.
func (l layout) runs() (runs []record.Run) {
	for _, c := range slices.Concat(l...) {
		runs = append(runs, c.runs...)
	}
	return runs
}

// facetValues returns a condition for each value of a variable in runs. Without values, it returns one condition that
// all runs meet. Series are in the order of the catalog.
func (in Input) facetValues(runs []record.Run, panels []Panel, name string) []observe.Where {
	values := distinct(runs, name)
	switch name {
	case record.VarSeries:
		values = nil
		for _, own := range in.bySeries(runs) {
			values = append(values, own.series.id)
		}
	case record.VarDataset:
		values = in.datasets(runs, panels)
	}
	facets := make([]observe.Where, max(len(values), 1))
	for i, v := range values {
		facets[i] = observe.Where{name: v}
	}
	return facets
}

// layOut returns the panels of a figure by row and column, without curves.
func layOut(f Figure, in Input) (panes layout, err error) {
	panels := f.AllPanels()
	shown := filter(in.Choice.Runs(), func(r *record.Run) bool {
		return slices.ContainsFunc(panels, func(p Panel) bool { return p.shows(r) })
	})
	rows, cols := in.facetValues(shown, panels, f.Facet.Rows), in.facetValues(shown, panels, f.Facet.Cols)
	down, across := len(rows), len(cols)
	panelsAcross := f.Facet.Rows != "" || f.Draw == DrawBias || f.Profiles() && f.Facet.Cols == ""
	if panelsAcross {
		across *= len(panels)
	} else {
		down *= len(panels)
	}
	if down*across > maxPanels {
		return nil, fmt.Errorf("plots: figure %s would have %d panels, the limit is %d: "+
			"restrict it with \"where\", or facet by a variable with fewer values", f.ID, down*across, maxPanels)
	}
	runs := make([][]record.Run, len(panels))
	for i, p := range panels {
		if runs[i] = in.Choice.Runs(); p.Tuned != "" {
			runs[i] = withGridCost(in.Choice)
		}
	}
	var all []*pane
	for i := range down {
		for j := range across {
			p := i / len(rows)
			if panelsAcross {
				p = j / len(cols)
			}
			all = append(all, newPane(f, panels[p], rows[i%len(rows)], cols[j%len(cols)], runs[p], in))
		}
	}
	panes = slices.Collect(slices.Chunk(all, min(across, cmp.Or(f.Facet.Wrap, across))))
	for i, row := range panes {
		for j, c := range row {
			c.row, c.col, c.columnY = i, j, f.Facet.ShareY == "cols"
		}
	}
	return panes, nil
}

// newPane returns a panel of a figure without curves. row and col are the conditions of its facet. runs are the runs
// to which the conditions apply.
func newPane(f Figure, p Panel, row, col observe.Where, runs []record.Run, in Input) *pane {
	c := &pane{ChartPanel: &ChartPanel{}, spec: p, in: in}
	if k := c.illustration(); c.illustrates() {
		c.Static, c.spec.X, c.spec.Y, c.spec.Log = k.static, k.x.name, k.y.name, nil
	}
	c.runs = filter(runs, func(r *record.Run) bool { return p.shows(r) && row.Matches(r) && col.Matches(r) })
	var names []string
	for _, s := range p.Series {
		names = append(names, in.Name(s))
	}
	title := []string{in.describeWhere(col), in.describeWhere(row)}
	if len(names) == 1 && !c.illustrates() && f.Facet.Rows != record.VarSeries && f.Facet.Cols != record.VarSeries {
		title = append(title, names[0])
	}
	if len(f.Panels) > 0 {
		// The title has only conditions of the panel; the conditions of the figure are in its heading.
		where := make(map[string]any)
		for name, v := range p.Where {
			if format(f.Where[name]) != format(v) && name != f.Facet.Rows && name != f.Facet.Cols {
				where[name] = v
			}
		}
		title = append(title, in.describeWhere(where))
	}
	c.Title = joinParts(" · ", title...)
	series := strings.Join(names, " or ")
	c.where = joinParts(", ", in.describeWhere(row), in.describeWhere(col), in.describeWhere(p.Where), series)
	return c
}

// warn adds a warning that names the runs of the panel.
func (c *pane) warn(format string, args ...any) {
	c.warnings = append(c.warnings, joinParts(": ", c.where, fmt.Sprintf(format, args...)))
}

// warnOfSeries warns about series of the panel that have no runs.
func (c *pane) warnOfSeries() {
	for _, s := range c.spec.Series {
		if !slices.ContainsFunc(c.runs, func(r record.Run) bool { return r.Series == s }) {
			c.warn("no runs of series %q", s)
		}
	}
}

// add adds a curve on top of the others, with at most maxPoints points. It ignores a curve without drawable points.
func (c *pane) add(cv ChartCurve) {
	if cv = cv.drawable(c.spec.logX()); len(cv.X) > 0 {
		cv = cv.at(evenIndices(len(cv.X), maxPoints))
		cv.Points = cv.Points || len(cv.X) == 1
		c.Curves = append(c.Curves, cv)
	}
}

// xLabel returns the label of the x axis.
func (c *pane) xLabel() string {
	if c.illustrates() {
		return c.illustration().x.label
	}
	label := observe.Label(c.spec.X)
	switch ratio, tuned := c.spec.Draw == DrawPerformance, c.spec.Tuned != ""; {
	case ratio && tuned:
		label += " of the grid / least"
	case ratio:
		label += " / least of any series"
	case tuned:
		label += ", " + gridCostLabel
	}
	return label
}

// yLabel returns the label of the y axis. If all runs have the same split, the label of a loss names it. If all have
// the same label for ranks, that is the label.
func (c *pane) yLabel() string {
	if c.illustrates() {
		return c.illustration().y.label
	}
	if c.spec.Profiles() {
		return "Share of targets reached"
	}
	label := observe.Label(c.spec.Y)
	if adjective := lossLabels[c.spec.Split]; len(c.runs) == 0 && c.spec.Y == record.MetricError && adjective != "" {
		label = adjective + " " + inSentence(record.MetricError)
	}
	var names []string
	for i := range c.runs {
		r := &c.runs[i]
		switch c.spec.Y {
		case record.MetricRank:
			names = append(names, cmp.Or(c.in.algorithm(r.Algorithm).Rank, label))
		case record.MetricError, record.MetricHinge:
			split, ok := observe.UnseenSplit(r, c.spec.Split, c.spec.Y)
			if name := label; ok {
				if adjective := lossLabels[split]; adjective != "" {
					name = adjective + " " + inSentence(c.spec.Y)
				}
				names = append(names, name)
			}
		}
	}
	if names = slices.Compact(names); len(names) == 1 {
		return names[0]
	}
	return label
}

// lossLabels holds the adjectives of losses by split.
var lossLabels = map[string]string{
	record.SplitTest: "Test", record.SplitTrain: "Training", record.SplitValidation: "Validation",
}

// joinParts joins the parts that are not empty.
func joinParts(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), sep)
}

// standIn reports whether some run is on stand-in data.
func standIn(runs []record.Run) bool {
	return slices.ContainsFunc(runs, func(r record.Run) bool { return r.StandIn })
}

func unique(s []string) (u []string) {
	for _, v := range s {
		u = words.AddOnce(u, v)
	}
	return u
}

// xKey returns a key that is equal for panels that share an x axis. Such panels are in one column and show the same
// quantity on the same kind of scale. If the range depends on the data, they also show the same datasets. The two
// panels of DrawBias share both axes.
func (c *pane) xKey() string {
	place := c.col
	if c.spec.Draw == drawNegative || c.spec.Draw == drawPositive {
		place = c.row
	}
	return fmt.Sprint(place, c.spec.X, c.spec.Tuned, c.spec.logX(), c.axisDatasets(), c.profileKind())
}

// yKey is like xKey for y axes. Panels of one row share them or, if Facet.ShareY is "cols", panels of one column.
func (c *pane) yKey() string {
	place := c.row
	if c.columnY {
		place = c.col
	}
	return fmt.Sprint(place, c.spec.Y, c.spec.logY(), c.axisDatasets(), c.profileKind())
}

// profileKind returns the kind of a profile, or "" for other panels. Panels of different kinds share no axes.
func (c *pane) profileKind() string {
	if c.spec.Profiles() {
		return c.spec.Draw
	}
	return ""
}

// axisDatasets returns the datasets of the panel if the ranges of its axes depend on them.
func (c *pane) axisDatasets() []string {
	if c.illustrates() || c.spec.Y == record.MetricError {
		return textsOf(c.runs, record.VarDataset)
	}
	return nil
}
