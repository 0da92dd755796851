package plots

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// maxPanels bounds a figure: a facet over a swept parameter would otherwise
// ask for an image of gigabytes.
const maxPanels = 120

// pane is a panel in its place, with the runs it shows, while its figure is laid out.
type pane struct {
	row, col int
	panel    Panel
	title    string
	// where describes the runs it is for, for messages.
	where string
	runs  []record.Run
	// in is what the figure is made from.
	in Input
	content
	// x and y are its axes, out is what it becomes in the chart.
	x, y ChartAxis
	out  *ChartPanel
	noted
}

// content is what a panel shows: curves, or why there are none.
type content struct {
	curves   []curve
	why      string
	warnings []warning
	// notes are warnings that belong on the face of the figure.
	notes []string
	// splits lists the splits measured on, in order of first use.
	splits []string
	// references are the classifiers that those of a trade-off are compared with.
	references []reference
	// constant is the error of the constant classifier, 0 if it is not known.
	constant float64
}

// noted is what the notes below the panels say of one of them.
type noted struct {
	// floored: values are drawn at the floor of the y axis. leaves: a curve is beyond an
	// end of an axis somewhere. stops: a curve ends before the others as its method had
	// converged.
	floored, leaves, stops bool
	// hidden names the curves of trade-offs that lie beyond the axes, with their
	// least errors.
	hidden []string
	// cut names the trade-offs that are beyond the axes in part, seen is the number
	// of all that are to be seen.
	cut  []string
	seen int
}

// layout holds the panes of a figure by row and column.
type layout [][]pane

// all goes through the panes, row by row.
func (l layout) all() iter.Seq[*pane] {
	return func(yield func(*pane) bool) {
		for i := range l {
			for j := range l[i] {
				if !yield(&l[i][j]) {
					return
				}
			}
		}
	}
}

// facetValue is one value along a facet; without a facet, its variable is "".
type facetValue struct {
	name  string
	value any
}

func (v facetValue) shows(r *record.Run) bool {
	if v.name == "" {
		return true
	}
	have := r.Value(v.name)
	return have != nil && format(have) == format(v.value)
}

func (v facetValue) label(c Catalog) string {
	if v.name == "" {
		return ""
	}
	return c.label(v.name, v.value)
}

// facetValues returns the values of a variable in runs, series in the order of the
// catalog, or a single value that all runs have if there is no such variable, or no value
// of it.
func (c Catalog) facetValues(runs []record.Run, name string) []facetValue {
	values := []facetValue{}
	switch name {
	case "":
	case varSeries:
		for _, own := range c.bySeries(runs) {
			if v := (facetValue{name, own.series.series}); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	default:
		for _, v := range distinct(runs, name) {
			values = append(values, facetValue{name, v})
		}
	}
	if len(values) == 0 {
		return []facetValue{{}}
	}
	return values
}

// layOut places the panels of a figure on a grid, row by row.
func layOut(f Figure, in Input) (panes layout, err error) {
	panels := f.panels()
	shown := filter(in.Choice.Runs(), func(r *record.Run) bool {
		for _, p := range panels {
			if p.shows(r) {
				return true
			}
		}
		return false
	})
	rows, cols := in.facetValues(shown, f.Facet.Rows), in.facetValues(shown, f.Facet.Cols)
	down, across := len(rows), len(cols)
	panelsAcross := f.Facet.Rows != "" || f.Draw == DrawBias
	if panelsAcross {
		across *= len(panels)
	} else {
		down *= len(panels)
	}
	if down*across > maxPanels {
		return nil, fmt.Errorf("plots: figure %s would have %d panels, more than %d: restrict it with \"where\", or facet by a variable with fewer values",
			f.ID, down*across, maxPanels)
	}
	runs := make([][]record.Run, len(panels))
	for i, p := range panels {
		runs[i] = in.runsOf(p)
	}
	panes = make(layout, down)
	for i := range panes {
		for j := range across {
			p, row, col := i/len(rows), rows[i%len(rows)], cols[j%len(cols)]
			if panelsAcross {
				p = j / len(cols)
			}
			panes[i] = append(panes[i], newPane(f, panels[p], row, col, runs[p], in))
		}
	}
	if n := f.Facet.Wrap; n > 0 && n < across {
		panes = slices.Collect(slices.Chunk(panes[0], n))
	}
	for i := range panes {
		for j := range panes[i] {
			panes[i][j].row, panes[i][j].col = i, j
		}
	}
	return panes, nil
}

func newPane(f Figure, p Panel, row, col facetValue, runs []record.Run, in Input) pane {
	c := pane{panel: p, in: in}
	c.runs = filter(runs, func(r *record.Run) bool { return p.shows(r) && row.shows(r) && col.shows(r) })
	var own []string
	if len(p.Series) == 1 && (p.Draw == "" || p.Draw == DrawTradeoff) && f.Facet.Rows != varSeries && f.Facet.Cols != varSeries {
		own = append(own, in.Name(p.Series[0]))
	}
	if len(f.Panels) > 0 {
		// What the panel alone asks for; the figure's conditions are named in
		// its heading.
		where := make(map[string]any)
		for name, v := range p.Where {
			if format(f.Where[name]) != format(v) && name != f.Facet.Rows && name != f.Facet.Cols {
				where[name] = v
			}
		}
		own = append(own, in.describeWhere(where))
	}
	c.title = joinParts(" · ", append([]string{col.label(in.Catalog), row.label(in.Catalog)}, own...)...)
	var series []string
	for _, s := range p.Series {
		series = append(series, in.Name(s))
	}
	c.where = joinParts(", ", row.label(in.Catalog), col.label(in.Catalog), in.describeWhere(p.Where), strings.Join(series, " or "))
	return c
}

// joinParts joins the parts that are not empty.
func joinParts(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

// standIn reports whether any of the runs is on made-up data.
func standIn(runs []record.Run) bool {
	return slices.ContainsFunc(runs, func(r record.Run) bool { return r.StandIn })
}

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
