package plots

import (
	"cmp"
	"maps"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
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

func named(id, title string) Column   { return Column{ID: id, Title: title} }
func numbers(id, title string) Column { return Column{ID: id, Title: title, Numeric: true} }
func deviations(id, title string) Column {
	return Column{ID: id, Title: title, Numeric: true, Spread: spreadDeviation}
}

// Cell is one entry of a Grid. A missing one has the text "-" and no value.
type Cell struct {
	// Text is rounded for people; Value, for CSV, is not.
	Text, Value string
	// Spread is the standard error, deviation or half width, for CSV.
	Spread string
}

var missing = Cell{Text: "-"}

func textCell(text string) Cell { return Cell{Text: text, Value: text} }

// numberCell shows a number with so many significant digits; NaN and infinities are missing.
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

func dataCell(name string, standIn bool) Cell {
	c := textCell(name)
	if standIn {
		c.Text += " (stand-in)"
	}
	return c
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

func (g *Grid) remark(texts ...string) {
	for _, text := range texts {
		g.Remarks = append(g.Remarks, Remark{Text: text})
	}
}

func (g *Grid) add(standIn bool, cells ...Cell) {
	g.Rows = append(g.Rows, cells)
	g.StandIn = append(g.StandIn, standIn)
}

func (g *Grid) fill(columns []column, rows []tableRow) {
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
}

// tableRow is a row of a table: the runs of one series on one problem with one
// setting of its parameters. A series with theory only has no runs.
type tableRow struct {
	series seriesID
	name   string
	runs   []record.Run
	// observed is what power laws are fitted to, by column, in a table of exponents.
	observed map[string]observe.Observations
}

func (c Catalog) row(id seriesID, runs []record.Run) tableRow {
	return tableRow{series: id, name: c.Name(id.series), runs: runs}
}

func (r tableRow) nameCell() Cell { return Cell{Text: r.name, Value: r.series.series} }

func (c Catalog) compareRows(a, b tableRow) int { return c.compare(a.series, b.series) }

// Values of Table.Kind.
const (
	KindDatasets    = "datasets"
	KindTimeToError = "time-to-error"
	KindExponents   = "exponents"
	KindTradeoff    = "tradeoff"
	// KindSparsification compares costs.
	KindSparsification = "sparsification"
)

// Build makes the valid table t from records.
func Build(t Table, in Input) *Grid {
	runs := filter(in.Choice.Runs(), func(r *record.Run) bool { return observe.Where(t.Where).Matches(r) })
	g := &Grid{ID: t.ID, Title: cmp.Or(t.Title, in.Title, t.ID)}
	build := map[string]func(*Grid, Table, []record.Run, Input) []tableRow{
		"": buildSeries, KindDatasets: buildDatasets, KindTimeToError: buildTimeToError,
		KindExponents: buildExponents, KindTradeoff: buildTradeoff, KindSparsification: buildSparsification,
	}[t.Kind]
	g.annotate(t, in, build(g, t, runs, in))
	return g
}

// buildSeries makes a row for each series, data set and setting of the parameters. Before the
// columns of t come the series, and whatever tells rows apart: the data set, k, and other parameters
// that vary. Series that occur in t.Theory alone have a row at the end. Rows are in the order of the
// data sets in the records, then of the parameters, then of the catalog.
func buildSeries(g *Grid, t Table, runs []record.Run, in Input) []tableRow {
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
	var columns []column
	for _, id := range append(vars, t.Columns...) {
		c, ok := columnOf(measurements, id)
		switch {
		case t.isTheory(id):
			c = t.theory(id, columnTitle(id))
		case !ok:
			c = in.variable(id, runs)
		}
		columns = append(columns, c)
	}
	g.fill(columns, rows)
	g.Notes = in.footnotes(columns, runsOf(rows))
	return rows
}

func runsOf(rows []tableRow) []record.Run {
	var runs []record.Run
	for _, row := range rows {
		runs = append(runs, row.runs...)
	}
	return runs
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
			in.compareRows(a, b))
	})
	return append(rows, in.theoryAlone(t, rows)...), vars
}

// theoryAlone returns rows, without runs, of what has theory but is in no row.
func (c Catalog) theoryAlone(t Table, rows []tableRow) []tableRow {
	var more []tableRow
	for _, name := range slices.Sorted(maps.Keys(t.Theory)) {
		if !slices.ContainsFunc(rows, func(r tableRow) bool { return r.series.series == name }) {
			more = append(more, c.row(seriesID{series: name}, nil))
		}
	}
	slices.SortStableFunc(more, c.compareRows)
	return more
}

func (t Table) isTheory(column string) bool {
	for _, texts := range t.Theory {
		if _, ok := texts[column]; ok {
			return true
		}
	}
	return false
}

func (t Table) theory(id, title string) column {
	return column{Column: named(id, title), cell: func(r tableRow) Cell {
		if text := t.Theory[r.series.series][id]; text != "" {
			return textCell(text)
		}
		return missing
	}}
}

var seriesColumn = column{Column: named(varSeries, "Algorithm"), cell: tableRow.nameCell}

func (in Input) variable(id string, runs []record.Run) column {
	if id == varSeries {
		return seriesColumn
	}
	c := named(id, symbol(id))
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
	return column{Column: c, cell: func(r tableRow) Cell {
		if len(r.runs) == 0 || r.runs[0].Value(id) == nil {
			return missing
		}
		return show(r.runs[0].Value(id), standIn(r.runs))
	}}
}

// outcomeColumns are the columns of a table of outcomes; it has those that apply to any run.
var outcomeColumns = []string{
	"final_suboptimality", "final_error", "support", "sum_kt2", record.CostKernelEvals,
}

// Outcomes makes a table of final results for an experiment that declares no table: a row for
// each series, data set and setting, with the tuned parameters of its runs. It is nil if there are
// no columns.
func Outcomes(in Input, tuned []string) *Grid {
	var columns []string
	for _, name := range tuned {
		has := func(r record.Run) bool { _, ok := r.Params[name]; return ok }
		if slices.ContainsFunc(in.Choice.Runs(), has) {
			columns = append(columns, name)
		}
	}
	all := tableRow{runs: in.Choice.Runs()}
	for _, id := range outcomeColumns {
		if c, ok := columnOf(measurements, id); ok && c.cell(all) != missing {
			columns = append(columns, id)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return Build(Table{ID: "outcomes", Title: "Results with the selected parameters", Columns: columns}, in)
}

// costColumns are the columns of a table of costs; it has those that apply to any run.
var costColumns = []column{
	counted(record.CostIterations), counted(record.CostKernelEvals), counted(record.CostKernelEvalsMoved),
	counted(record.CostInnerProducts), counted(record.CostSumKT), counted(record.CostSumKT2),
	measured(record.CostKernelEvalsComputed, observe.Label(record.CostKernelEvalsComputed),
		timing(func(t record.Timing) float64 { return float64(t.KernelEvalsComputed) }), mean(4), nil),
	measured("step_seconds", "Seconds", stepSeconds, mean(4), nil),
	measured("setup_seconds", "Setup s", setupSeconds, mean(4), nil),
}

var setupSeconds = timing(func(t record.Timing) float64 { return t.SetupSeconds })

func counted(counter string) column {
	return measured(counter, plainText(observe.Label(counter)), observe.Total(counter), mean(4), nil)
}

// Costs makes a table of what the runs of each series cost on each data set, as
// counted and as measured. all are the runs on record; those of in are the ones that
// figures show, of the selected parameters. Counters that apply to no run have no
// column.
func Costs(all []record.Run, in Input) *Grid {
	g := &Grid{ID: "costs", Title: "Costs", Columns: []Column{
		named(varDataset, "Data"), named(varSeries, "Algorithm"), numbers("runs", "Runs on record"),
		numbers("runs_selected", "of them selected"),
	}, Notes: []string{
		"Counters: at the end of a run, mean over finished runs with the selected parameters; columns: " + tablesHelp,
	}}
	selected := in.Choice.Runs()
	var apply []column
	for _, c := range costColumns {
		if c.cell(tableRow{runs: selected}) != missing {
			apply = append(apply, c)
			g.Columns = append(g.Columns, c.Column)
		}
	}
	g.Columns = append(g.Columns, numbers("total_seconds", "Seconds of all runs"))
	for _, of := range byDataset(all) {
		for _, own := range in.bySeries(of) {
			chosen := filter(selected, func(r *record.Run) bool {
				return r.Dataset == of[0].Dataset && r.Series == own.series.series && r.Algorithm == own.series.algorithm
			})
			row := in.row(own.series, chosen)
			cells := []Cell{
				dataCell(of[0].Dataset, standIn(own.runs)), own.nameCell(), countRuns(own.runs), numberCell(float64(len(chosen)), 4),
			}
			for _, c := range apply {
				cells = append(cells, c.cell(row))
			}
			g.add(standIn(own.runs), append(cells, totalSeconds(own.runs))...)
		}
	}
	if how := in.conditions(selected); how != "" {
		g.Notes = append(g.Notes, "Times: "+how)
	}
	return g
}

// totalSeconds adds up the times of runs, finished or not.
func totalSeconds(runs []record.Run) Cell {
	total := 0.0
	for i := range runs {
		seconds, _ := stepSeconds(&runs[i])
		total += seconds
	}
	if total == 0 {
		return missing
	}
	return numberCell(total, 3)
}
