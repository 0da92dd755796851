package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
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

// field is a column of a table with how its cells come from what a row is made from.
type field[R any] struct {
	Column
	cell func(R) Cell
}

// Grid is a table ready to be written.
type Grid struct {
	ID, Title string
	Columns   []Column
	Rows      [][]Cell
	// StandIn says, for each row, whether it is from made-up data.
	StandIn []bool
	// Remarks go between the title and the table: what a reader must not miss.
	Remarks []Remark
	// Notes go below the table.
	Notes []string
	// Warnings says what is missing from it.
	Warnings []string
}

// Remark is what a reader of a table must not miss; an alarm, that it is of made-up data.
type Remark struct {
	Text  string
	Alarm bool
}

// remark adds remarks that are no alarms.
func (g *Grid) remark(texts ...string) {
	for _, text := range texts {
		g.Remarks = append(g.Remarks, Remark{Text: text})
	}
}

// named, numbers and deviations are columns, the last of means with their deviations.
func named(id, title string) Column   { return Column{ID: id, Title: title} }
func numbers(id, title string) Column { return Column{ID: id, Title: title, Numeric: true} }
func deviations(id, title string) Column {
	return Column{ID: id, Title: title, Numeric: true, Spread: spreadDeviation}
}

// lay fills in the columns and rows of a table. A row says whether it is of made-up data.
func lay[R interface{ madeUp() bool }](g *Grid, fields []field[R], rows []R) {
	for _, f := range fields {
		g.Columns = append(g.Columns, f.Column)
	}
	for _, row := range rows {
		var cells []Cell
		for _, f := range fields {
			cells = append(cells, f.cell(row))
		}
		g.Rows = append(g.Rows, cells)
		g.StandIn = append(g.StandIn, row.madeUp())
	}
}

// tableRow is a row of a table: the runs of one series on one problem with one
// setting of its parameters. A series with theory only has no runs.
type tableRow struct {
	series seriesID
	// name is what people call the series.
	name string
	runs []record.Run
}

func (c Catalog) row(id seriesID, runs []record.Run) tableRow {
	return tableRow{id, c.Name(id.series), runs}
}

func (r tableRow) nameCell() Cell { return Cell{Text: r.name, Value: r.series.series} }

func (r tableRow) madeUp() bool { return standIn(r.runs) }

// Build makes the table t from records: a row a series, data set and setting
// of the parameters. Before the columns of t come the series, and whatever
// tells rows apart: the data set, k, and other parameters that vary.
// Series that occur in t.Theory alone have a row at the end. Rows are in the
// order of the data sets in the records, then of the parameters, then of the
// catalog.
//
// It is an error if t is not valid or names a column that is neither theory
// nor a measurement nor a parameter of any run.
func Build(t Table, in Input) (g *Grid, err error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	runs := filter(in.Choice.Runs(), func(r *record.Run) bool { return observe.Where(t.Where).Matches(r) })
	g = &Grid{ID: t.ID, Title: cmp.Or(t.Title, in.Title, t.ID)}
	k := t.kindOf()
	t.Reference = cmp.Or(t.Reference, k.reference)
	rows, err := k.build(g, t, runs, in)
	if err != nil {
		return nil, fmt.Errorf("plots: table %s: %w", t.ID, err)
	}
	g.annotate(t, in, rows)
	return g, nil
}

// buildSeries makes the rows and columns of a table of no particular kind.
func buildSeries(g *Grid, t Table, runs []record.Run, in Input) ([]tableRow, error) {
	if err := t.checkColumns(runs); err != nil {
		return nil, err
	}
	rows, vars := in.rows(t, runs)
	vars = slices.DeleteFunc(vars, func(v string) bool { return v == varDataset || v == "k" })
	if len(distinct(runs, "k")) > 1 {
		vars = append([]string{"k"}, vars...)
	}
	if len(distinct(runs, varDataset)) > 1 || standIn(runs) {
		vars = append([]string{varDataset}, vars...)
	}
	vars = append([]string{varSeries}, vars...)
	vars = slices.DeleteFunc(vars, func(v string) bool { return slices.Contains(t.Columns, v) })
	var fields []field[tableRow]
	for _, id := range append(vars, t.Columns...) {
		fields = append(fields, t.field(id, runs, in))
	}
	lay(g, fields, rows)
	return rows, nil
}

// rows groups the runs, and returns the variables that tell the rows of one
// series apart.
func (in Input) rows(t Table, runs []record.Run) (rows []tableRow, vars []string) {
	for _, own := range in.bySeries(runs) {
		apart := observe.Distinguish(own.runs)
		vars = unique(append(vars, apart...))
		for _, part := range partition(own.runs, apart) {
			rows = append(rows, in.row(own.series, part))
		}
	}
	slices.SortFunc(vars, observe.CompareVariables)
	datasets := textsOf(runs, varDataset)
	order := slices.DeleteFunc(slices.Clone(vars), func(v string) bool { return v == varDataset })
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		return cmp.Or(
			slices.Index(datasets, a.runs[0].Dataset)-slices.Index(datasets, b.runs[0].Dataset),
			compareVars(&a.runs[0], &b.runs[0], order),
			in.compare(a.series, b.series))
	})
	theory := in.theoryAlone(t, rows)
	slices.SortStableFunc(theory, in.compareRows)
	return append(rows, theory...), vars
}

func (c Catalog) compareRows(a, b tableRow) int { return c.compare(a.series, b.series) }

// theoryAlone returns rows, without runs, of what has theory but is in no row.
func (c Catalog) theoryAlone(t Table, rows []tableRow) []tableRow {
	var more []tableRow
	for _, name := range slices.Sorted(maps.Keys(t.Theory)) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == name }) {
			more = append(more, c.row(seriesID{series: name}, nil))
		}
	}
	return more
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

// theoryField returns a column with the texts that the table gives.
func (t Table) theoryField(id, title string) field[tableRow] {
	return field[tableRow]{Column{ID: id, Title: title}, func(r tableRow) Cell {
		if text := t.Theory[r.series.series][id]; text != "" {
			return textCell(text)
		}
		return missing
	}}
}

// field returns a column of what is measured of the runs of a row.
func (in Input) field(m measurement) field[tableRow] {
	return field[tableRow]{m.column(), func(r tableRow) Cell { return m.measure(r.runs, in) }}
}

// seriesField is the column that names a row's series.
var seriesField = field[tableRow]{named(varSeries, "Algorithm"), func(r tableRow) Cell { return r.nameCell() }}

func (t Table) checkColumns(runs []record.Run) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("columns is empty: list measurements (%s), parameters, or columns of theory",
			strings.Join(Measurements(), ", "))
	}
	if len(runs) == 0 {
		return nil
	}
	known := []string{varSeries, varAlgorithm, varDataset, varGroup}
	for i := range runs {
		known = append(known, runs[i].Params.Names()...)
	}
	for _, c := range t.Columns {
		if _, ok := columnOf(measurements, c); ok || t.isTheory(c) || slices.Contains(known, c) {
			continue
		}
		slices.Sort(known)
		return fmt.Errorf("unknown column %q: it is not a measurement (%s), a column of theory, or a variable of the runs (%s)",
			c, strings.Join(Measurements(), ", "), strings.Join(slices.Compact(known), ", "))
	}
	return nil
}

// field returns a column: of theory, a measurement or a variable.
func (t Table) field(id string, runs []record.Run, in Input) field[tableRow] {
	m, measured := columnOf(measurements, id)
	switch {
	case t.isTheory(id):
		return t.theoryField(id, columnTitle(id))
	case measured:
		return in.field(m)
	case id == varSeries:
		return seriesField
	}
	c := Column{ID: id, Title: symbol(id)}
	show := func(v any, _ bool) Cell { return textCell(format(v)) }
	switch id {
	case varAlgorithm:
		c.Title, show = "Algorithm", func(v any, _ bool) Cell { return Cell{Text: in.Name(format(v)), Value: format(v)} }
	case varDataset, varGroup:
		c.Title, show = "Data", func(v any, standIn bool) Cell { return dataCell(format(v), standIn) }
	default:
		for _, v := range distinct(runs, id) {
			_, c.Numeric = record.Number(v)
		}
	}
	return field[tableRow]{c, func(r tableRow) Cell {
		if len(r.runs) == 0 || r.runs[0].Value(id) == nil {
			return missing
		}
		return show(r.runs[0].Value(id), r.madeUp())
	}}
}
