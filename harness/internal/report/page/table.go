package page

import (
	"slices"
	"strings"

	"stochopt/plots"
	"stochopt/results/words"
)

// longTable is the number of rows from which on a table is folded.
const longTable = 40

// table is a table of a report.
type table struct {
	*plots.Grid
	Anchor  string
	Columns []plots.Column
	Rows    []row
	// Alarms and Remarks go above the table.
	Alarms, Remarks []string
	Facets          facets
	Shows           []*claim
	// Own: the table is the report's, not one of the specification.
	Own bool
}

type row struct {
	Cells   []cell
	StandIn bool
	Facets  facets
}

type cell struct {
	Text string
	// Header: it names the row. Numeric: it is aligned to the right.
	Header, Numeric bool
}

// Long reports whether the table is to be folded.
func (t *table) Long() bool { return len(t.Rows) > longTable }

func newTable(g *plots.Grid, e *experiment, names names) *table {
	t := &table{Grid: g, Anchor: names.unique("t-" + e.Name + "-" + g.ID), Facets: facets{Experiment: e.Anchor}}
	for _, r := range g.Remarks {
		if r.Alarm {
			t.Alarms = append(t.Alarms, r.Text)
		} else {
			t.Remarks = append(t.Remarks, r.Text)
		}
	}
	for _, c := range g.Columns {
		if !c.CSVOnly {
			t.Columns = append(t.Columns, c)
		}
	}
	find := newFinder(e)
	for i, cells := range g.Rows {
		r := row{StandIn: i < len(g.StandIn) && g.StandIn[i]}
		for j, c := range cells {
			if j >= len(g.Columns) || g.Columns[j].CSVOnly {
				continue
			}
			column := g.Columns[j]
			r.Cells = append(r.Cells, cell{c.Text, len(r.Cells) == 0, column.Numeric})
			if !column.Numeric {
				find.add(&r.Facets, c.Text)
			}
		}
		for _, d := range r.Facets.Datasets {
			t.Facets.Datasets = words.AddOnce(t.Facets.Datasets, d)
		}
		for _, s := range r.Facets.Series {
			t.Facets.Series = words.AddOnce(t.Facets.Series, s)
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// finder tells which data sets and series a row of a table is about, by the names
// in it.
type finder struct{ datasets, series map[string][]string }

func newFinder(e *experiment) finder {
	f := finder{map[string][]string{}, map[string][]string{}}
	put := func(m map[string][]string, name, id string) {
		if name != "" && !slices.Contains(m[name], id) {
			m[name] = append(m[name], id)
		}
	}
	for _, d := range e.Datasets {
		put(f.datasets, d.ID, d.ID)
		put(f.datasets, d.Title, d.ID)
	}
	for _, s := range e.Series {
		put(f.series, s.ID, s.ID)
		put(f.series, s.Label, s.ID)
	}
	return f
}

func (f finder) add(to *facets, text string) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "*"))
	for _, id := range f.datasets[text] {
		to.Datasets = words.AddOnce(to.Datasets, id)
	}
	for _, id := range f.series[text] {
		to.Series = words.AddOnce(to.Series, id)
	}
}
