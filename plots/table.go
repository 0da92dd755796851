package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// Column is a column of a Grid.
type Column struct {
	// ID names the column in CSV, Title for people.
	ID, Title string
	// Numeric columns are aligned to the right.
	Numeric bool
	// Spread, "se", "sd" or "half_width", is set if the cells hold a standard
	// error, a standard deviation or half the width of an interval too, which is
	// a column of its own, <id>_<spread>, in CSV.
	Spread string
	// CSVOnly columns are for CSV alone.
	CSVOnly bool
}

// Cell is one entry of a Grid. A missing one has the text "-" and no value.
type Cell struct {
	// Text is rounded for people; Value, for CSV, is not.
	Text, Value string
	// Spread is the standard error, deviation or half width, for CSV.
	Spread string
}

var missing = Cell{Text: "-"}

// Grid is a table ready to be written.
type Grid struct {
	ID, Title string
	Columns   []Column
	Rows      [][]Cell
	// StandIn says, for each row, whether it is from made-up data.
	StandIn []bool
	// Remarks go between the title and the table: what a reader must not miss.
	Remarks []string
	// Notes go below the table.
	Notes []string
	// Warnings says what is missing from it.
	Warnings []string
}

// tableRow is a row of a table: the runs of one series on one problem with one
// setting of its parameters. A series with theory only has no runs.
type tableRow struct {
	series seriesID
	runs   []record.Run
}

// Build makes the table t from records: a row a series, data set and setting
// of the parameters. Before the columns of t come the series, and whatever
// tells rows apart: the data set, k, and other parameters that vary.
// Series that occur in t.Theory alone have a row at the end. Rows are in the
// order of the data sets in the records, then of the parameters, then of the
// registry of algorithms.
//
// It is an error if t is not valid or names a column that is neither theory
// nor a measurement nor a parameter of any run.
func Build(t Table, in Input) (*Grid, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	runs := filter(in.Runs, func(r *record.Run) bool { return matches(r, t.Where) })
	g := &Grid{ID: t.ID, Title: cmp.Or(t.Title, in.Title, t.ID)}
	if build := builders[t.Kind]; build != nil {
		rows, err := build(g, t, runs, measures{in.Timings, in.Halved})
		if err != nil {
			return nil, fmt.Errorf("plots: table %s: %w", t.ID, err)
		}
		g.annotate(t, in, rows)
		return g, nil
	}
	if err := t.checkColumns(runs); err != nil {
		return nil, err
	}
	g.annotate(t, in, g.fill(t, runs, measures{in.Timings, in.Halved}))
	return g, nil
}

// fill makes the rows and columns of a table of no particular kind.
func (g *Grid) fill(t Table, runs []record.Run, ms measures) []tableRow {
	rows, vars := t.rows(runs)
	vars = slices.DeleteFunc(vars, func(v string) bool { return v == varDataset || v == "k" })
	if len(distinct(runs, "k")) > 1 {
		vars = append([]string{"k"}, vars...)
	}
	if len(distinct(runs, varDataset)) > 1 || standIn(runs) {
		vars = append([]string{varDataset}, vars...)
	}
	vars = append([]string{varSeries}, vars...)
	vars = slices.DeleteFunc(vars, func(v string) bool { return slices.Contains(t.Columns, v) })
	for _, id := range append(vars, t.Columns...) {
		g.Columns = append(g.Columns, t.column(id, runs))
	}
	for _, row := range rows {
		var cells []Cell
		for _, c := range g.Columns {
			cells = append(cells, t.cell(row, c.ID, ms))
		}
		g.Rows = append(g.Rows, cells)
		g.StandIn = append(g.StandIn, standIn(row.runs))
	}
	return rows
}

// rows groups the runs, and returns the variables that tell the rows of one
// series apart.
func (t Table) rows(runs []record.Run) (rows []tableRow, vars []string) {
	for _, id := range seriesOf(runs) {
		own := filter(runs, func(r *record.Run) bool { return r.Series == id.series && r.Algorithm == id.algorithm })
		apart := distinguish(own)
		for _, v := range apart {
			if !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
		for _, part := range partition(own, apart) {
			rows = append(rows, tableRow{id, part})
		}
	}
	slices.SortFunc(vars, func(a, b string) int { return cmp.Or(preference(a)-preference(b), strings.Compare(a, b)) })
	datasets := distinct(runs, varDataset)
	order := slices.DeleteFunc(slices.Clone(vars), func(v string) bool { return v == varDataset })
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		return cmp.Or(
			slices.Index(datasets, any(a.runs[0].Dataset))-slices.Index(datasets, any(b.runs[0].Dataset)),
			compareVars(&a.runs[0], &b.runs[0], order),
			compareSeries(a.series, b.series))
	})
	var theory []seriesID
	for _, s := range sortedKeys(t.Theory) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == s }) {
			theory = append(theory, seriesID{series: s})
		}
	}
	slices.SortStableFunc(theory, compareSeries)
	for _, id := range theory {
		rows = append(rows, tableRow{series: id})
	}
	return rows, vars
}

// isTheory reports whether any series has theory of that name.
func (t Table) isTheory(column string) bool {
	for _, texts := range t.Theory {
		if _, ok := texts[column]; ok {
			return true
		}
	}
	return false
}

func (t Table) checkColumns(runs []record.Run) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("plots: table %s lists no columns: list some of %s, parameters, or columns of theory", t.ID, strings.Join(Measurements(), ", "))
	}
	if len(runs) == 0 {
		return nil
	}
	known := []string{varSeries, varAlgorithm, varDataset, varGroup}
	for i := range runs {
		known = append(known, runs[i].Params.Names()...)
	}
	for _, c := range t.Columns {
		if _, ok := measurements[c]; ok || t.isTheory(c) || slices.Contains(known, c) {
			continue
		}
		slices.Sort(known)
		return fmt.Errorf("plots: table %s: column %q is neither a measurement (%s) nor in the table's theory nor a variable of its runs (%s)",
			t.ID, c, strings.Join(Measurements(), ", "), strings.Join(slices.Compact(known), ", "))
	}
	return nil
}

func (t Table) column(id string, runs []record.Run) Column {
	if m, ok := measurements[id]; ok && !t.isTheory(id) {
		return Column{ID: id, Title: m.title, Numeric: true, Spread: m.spread}
	}
	c := Column{ID: id, Title: columnTitle(id)}
	switch id {
	case varSeries, varAlgorithm:
		c.Title = "Algorithm"
	case varDataset, varGroup:
		c.Title = "Data"
	default:
		if t.isTheory(id) {
			break
		}
		c.Title = symbol(id)
		for _, v := range distinct(runs, id) {
			_, c.Numeric = number(v)
		}
	}
	return c
}

func (t Table) cell(row tableRow, column string, ms measures) Cell {
	if t.isTheory(column) {
		if text := t.Theory[row.series.series][column]; text != "" {
			return Cell{Text: text, Value: text}
		}
		return missing
	}
	if column == varSeries {
		return Cell{Text: DisplayName(row.series.series), Value: row.series.series}
	}
	if len(row.runs) == 0 {
		return missing
	}
	if m, ok := measurements[column]; ok {
		return m.measure(row.runs, ms)
	}
	v := valueOf(&row.runs[0], column)
	if v == nil {
		return missing
	}
	c := Cell{Text: format(v), Value: format(v)}
	if column == varAlgorithm {
		c.Text = DisplayName(c.Text)
	}
	if (column == varDataset || column == varGroup) && standIn(row.runs) {
		c.Text += " (stand-in)"
	}
	return c
}
