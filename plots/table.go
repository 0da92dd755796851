package plots

import (
	"cmp"
	"maps"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// Column is a column of a Grid.
type Column struct {
	// ID names the column in CSV, Title for people.
	ID, Title string
	// Numeric columns are aligned to the right.
	Numeric bool
	// Spread names a second number in the cells, or is "". It is "se" for a standard error, "sd" for a standard
	// deviation, and "half_width" for half the width of an interval. In CSV it is a separate column, <id>_<spread>.
	Spread string
	// CSVOnly columns appear only in CSV.
	CSVOnly bool
}

func textColumn(id, title string) Column   { return Column{ID: id, Title: title} }
func numberColumn(id, title string) Column { return Column{ID: id, Title: title, Numeric: true} }
func deviationColumn(id, title string) Column {
	return Column{ID: id, Title: title, Numeric: true, Spread: spreadDeviation}
}

// Cell is an entry of a Grid. A missing entry has the text "-" and no value.
type Cell struct {
	// Text is rounded. Value, for CSV, is exact.
	Text, Value string
	// Spread is the standard error, deviation or half width, for CSV.
	Spread string
}

var missing = Cell{Text: "-"}

func textCell(text string) Cell { return Cell{Text: text, Value: text} }

// numberCell shows a number with the given number of significant digits. NaN and infinities are missing.
func numberCell(v float64, digits int) Cell {
	if !finite.Is(v) {
		return missing
	}
	return Cell{Text: words.Significant(v, digits), Value: words.Exact(v)}
}

func percentCell(v float64) Cell {
	if !finite.Is(v) {
		return missing
	}
	return Cell{Text: words.Percent(v), Value: words.Exact(v)}
}

// dataCell shows the name of a dataset.
func dataCell(name string, standIn bool) Cell {
	c := textCell(name)
	if standIn {
		c.Text += " (stand-in)"
	}
	return c
}

// Grid is a table as plain data.
type Grid struct {
	ID, Title string
	Columns   []Column
	Rows      [][]Cell
	// StandIn reports for each row whether it is from stand-in data.
	StandIn []bool
	// Remarks are warnings between the title and the table.
	Remarks []string
	// Notes stand below the table.
	Notes []string
}

// remark adds the texts that are not empty to the remarks, each once.
func (g *Grid) remark(texts ...string) {
	for _, text := range texts {
		if text != "" {
			g.Remarks = words.AddOnce(g.Remarks, text)
		}
	}
}

// add adds a row.
func (g *Grid) add(standIn bool, cells ...Cell) {
	g.Rows = append(g.Rows, cells)
	g.StandIn = append(g.StandIn, standIn)
}

// fill adds the columns, the rows, and the rows of theory only. It returns all rows.
func (g *Grid) fill(t Table, in Input, columns []column, rows []tableRow) []tableRow {
	rows = append(rows, in.theoryOnlyRows(t, rows)...)
	for _, c := range columns {
		g.Columns = append(g.Columns, c.Column)
	}
	for _, row := range rows {
		var cells []Cell
		for _, c := range columns {
			cells = append(cells, c.cell(row))
		}
		g.add(standIn(row.runs), cells...)
	}
	return rows
}

// tableRow is a row of a table: the runs of a series on a problem with one setting of its parameters. A row of theory
// only has no runs.
type tableRow struct {
	series seriesID
	name   string
	runs   []record.Run
	// setting distinguishes rows of the same series and dataset.
	setting string
	// observed holds the observations of power laws by column, in tables of exponents.
	observed map[string]observe.Observations
	// chosen is the trade-off, in tables of trade-offs and of sparsification.
	chosen *selection.Series
}

func (c Catalog) row(series seriesID, runs []record.Run) tableRow {
	return tableRow{series: series, name: c.Name(series.id), runs: runs}
}

func (r tableRow) nameCell() Cell {
	return Cell{Text: joinParts(", ", r.name, r.setting), Value: joinParts(", ", r.series.id, r.setting)}
}

func (r tableRow) dataCell() Cell {
	if len(r.runs) == 0 {
		return missing
	}
	return dataCell(r.runs[0].Dataset, standIn(r.runs))
}

func (c Catalog) compareRows(a, b tableRow) int { return c.compare(a.series, b.series) }

// Values of Table.Kind.
const (
	KindDatasets       = "datasets"
	KindTimeToError    = "time-to-error"
	KindExponents      = "exponents"
	KindTradeoff       = "tradeoff"
	KindSparsification = "sparsification"
)

// Build makes a valid table.
func Build(t Table, in Input) *Grid {
	runs := filter(in.Choice.Runs(), func(r *record.Run) bool { return observe.Where(t.Where).Matches(r) })
	g := &Grid{ID: t.ID, Title: cmp.Or(t.Title, in.Title, t.ID)}
	if t.Kind != KindDatasets {
		g.remark(in.unfinishedNotes(runs)...)
	}
	build := map[string]func(*Grid, Table, []record.Run, Input) []tableRow{
		"": buildSeries, KindDatasets: buildDatasets, KindTimeToError: buildTimeToError,
		KindExponents: buildExponents, KindTradeoff: buildTradeoff, KindSparsification: buildSparsification,
	}[t.Kind]
	g.annotate(t, in, build(g, t, runs, in))
	return g
}

// buildSeries makes a row for each series, dataset and setting of the parameters, ordered by dataset, parameters and
// catalog. The columns that distinguish rows come first: the series, and the dataset, k and other parameters if they
// vary. The columns of t follow. Series that only occur in t.Theory are at the end.
func buildSeries(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
	rows, vars := in.rows(runs)
	ids := []string{record.VarSeries}
	if len(distinct(runs, record.VarDataset)) > 1 || standIn(runs) {
		ids = append(ids, record.VarDataset)
	}
	if len(distinct(runs, "k")) > 1 {
		ids = append(ids, "k")
	}
	ids = slices.DeleteFunc(unique(append(ids, vars...)), func(id string) bool { return slices.Contains(t.Columns, id) })
	columns := in.columns(t, append(ids, t.Columns...), measurements, runs)
	g.Notes = in.footnotes(columns, runsOf(rows))
	return g.fill(t, in, columns, rows)
}

func runsOf(rows []tableRow) []record.Run {
	var runs []record.Run
	for _, row := range rows {
		runs = append(runs, row.runs...)
	}
	return runs
}

// rows groups the runs into rows, and returns the variables that distinguish the rows of a series.
func (in Input) rows(runs []record.Run) (rows []tableRow, vars []string) {
	for _, own := range in.bySeries(runs) {
		distinguishing := observe.Distinguish(own.runs)
		vars = unique(append(vars, distinguishing...))
		for _, part := range partition(own.runs, distinguishing) {
			rows = append(rows, in.row(own.series, part))
		}
	}
	slices.SortFunc(vars, observe.CompareVariables)
	datasets := textsOf(runs, record.VarDataset)
	order := slices.DeleteFunc(slices.Clone(vars), func(v string) bool { return v == record.VarDataset })
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		return cmp.Or(
			slices.Index(datasets, a.runs[0].Dataset)-slices.Index(datasets, b.runs[0].Dataset),
			compareVars(&a.runs[0], &b.runs[0], order),
			in.compareRows(a, b))
	})
	return rows, vars
}

// theoryOnlyRows returns a row without runs for each series or dataset that has theory but no row.
func (c Catalog) theoryOnlyRows(t Table, rows []tableRow) []tableRow {
	var added []tableRow
	for _, name := range slices.Sorted(maps.Keys(t.Theory)) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.id == name }) {
			added = append(added, c.row(seriesID{id: name}, nil))
		}
	}
	slices.SortStableFunc(added, c.compareRows)
	return added
}

// isTheory reports whether a column has theory for some series.
func (t Table) isTheory(column string) bool {
	for _, texts := range t.Theory {
		if _, ok := texts[column]; ok {
			return true
		}
	}
	return false
}

// theory returns a column of theory.
func (t Table) theory(id string) column {
	return column{Column: textColumn(id, columnTitle(id)), cell: func(r tableRow) Cell {
		if text := t.Theory[r.series.id][id]; text != "" {
			return textCell(text)
		}
		return missing
	}}
}

// columns returns the columns with the given ids: theory, else a known column, else a variable of the runs.
func (in Input) columns(t Table, ids []string, known []column, runs []record.Run) []column {
	var columns []column
	for _, id := range ids {
		i := slices.IndexFunc(known, func(c column) bool { return c.ID == id })
		switch {
		case t.isTheory(id):
			columns = append(columns, t.theory(id))
		case i >= 0:
			columns = append(columns, known[i])
		default:
			columns = append(columns, in.variable(id, runs))
		}
	}
	return columns
}

// variable returns a column for a variable of the runs. Numbers are aligned to the right.
func (in Input) variable(id string, runs []record.Run) column {
	switch id {
	case record.VarSeries:
		return column{Column: textColumn(id, "Algorithm"), cell: tableRow.nameCell}
	case record.VarDataset:
		return column{Column: textColumn(id, "Data"), cell: tableRow.dataCell}
	}
	c := problemColumn(id, symbol(id), valueCell)
	c.Numeric = false
	for _, v := range distinct(runs, id) {
		_, c.Numeric = record.Number(v)
	}
	return c
}

// outcomeColumns lists the candidates for columns of Outcomes.
var outcomeColumns = []string{
	"final_suboptimality", "final_error", "support", "sum_kt2", record.CostKernelEvals,
}

// Outcomes makes a table of final results for an experiment that declares no table. It has a row for each series,
// dataset and setting, the tuned parameters and all outcomes that some run recorded. It is nil without columns.
func Outcomes(in Input, tuned []string) *Grid {
	var ids []string
	all := tableRow{runs: in.Choice.Runs()}
	for _, c := range in.columns(Table{}, slices.Concat(tuned, outcomeColumns), measurements, all.runs) {
		if c.cell(all) != missing {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return Build(Table{ID: "outcomes", Title: "Results with the selected parameters", Columns: ids}, in)
}
