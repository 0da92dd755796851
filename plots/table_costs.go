package plots

import (
	"stochopt/internal/record"
)

// costRow is a row of a table of costs: the runs of a series on a data set, and those
// of them that figures show.
type costRow struct {
	tableRow
	selected []record.Run
}

// Costs makes a table of what the runs of each series cost on each data set, as
// counted and as measured. all are the runs on record; those of in are the ones that
// figures show, of the selected parameters. Counters that apply to no run have no
// column.
func Costs(all []record.Run, in Input) *Grid {
	fields := []field[costRow]{
		{named(varDataset, "Data"), func(r costRow) Cell { return dataCell(r.runs[0].Dataset, r.madeUp()) }},
		{named(varSeries, "Algorithm"), func(r costRow) Cell { return r.nameCell() }},
		{numbers("runs", "Runs on record"), func(r costRow) Cell { return countRuns(r.runs) }},
		{numbers("runs_selected", "of them selected"), func(r costRow) Cell {
			return numberCell(float64(len(r.selected)), 4)
		}},
	}
	for _, m := range costColumns {
		if m.measure(in.Choice.Runs(), in) != missing {
			fields = append(fields, field[costRow]{m.column(), func(r costRow) Cell { return m.measure(r.selected, in) }})
		}
	}
	fields = append(fields, field[costRow]{numbers("total_seconds", "Seconds of all runs"), func(r costRow) Cell {
		total, timed := 0.0, false
		for i := range r.runs {
			if seconds, ok := stepSeconds(&r.runs[i]); ok {
				total, timed = total+seconds, true
			}
		}
		if !timed {
			return missing
		}
		return numberCell(total, 3)
	}})
	var rows []costRow
	for _, of := range byDataset(all) {
		for _, own := range in.bySeries(of) {
			chosen := filter(in.Choice.Runs(), func(r *record.Run) bool {
				return r.Dataset == of[0].Dataset && r.Series == own.series.series && r.Algorithm == own.series.algorithm
			})
			rows = append(rows, costRow{own, chosen})
		}
	}
	g := &Grid{ID: "costs", Title: "Costs", Notes: []string{
		"Counters: at the end of a run, mean over finished runs with the selected parameters; columns: " + tablesHelp,
	}}
	lay(g, fields, rows)
	if how := in.conditions(in.Choice.Runs()); how != "" {
		g.Notes = append(g.Notes, "Times: "+how)
	}
	return g
}
