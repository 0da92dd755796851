package plots

import (
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

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
