package plots

import (
	"strings"

	"stochopt/results/record"
)

// costCounters are the counters of a table of costs, in its order.
var costCounters = []string{"iterations", "kernel_evals", "kernel_evals_moved", "inner_products", "sum_kt", "sum_kt2"}

// Costs makes a table of what the runs of each series cost on each data set, as
// counted and as measured. all are the runs on record, selected those of them that
// figures show, of the selected parameters. Counters that apply to no run have no
// column.
func Costs(all, selected []record.Run, timings record.Timings) *Grid {
	g := &Grid{ID: "costs", Title: "Costs", Columns: []Column{
		{ID: varDataset, Title: "Data"},
		{ID: varSeries, Title: "Algorithm"},
		{ID: "runs", Title: "Runs on record", Numeric: true},
		{ID: "runs_selected", Title: "of them selected", Numeric: true},
	}}
	ms := measures{timings: timings}
	type quantity struct {
		column Column
		value  func(*record.Run) (float64, bool)
	}
	var quantities []quantity
	for _, name := range costCounters {
		quantities = append(quantities, quantity{Column{ID: name, Title: plainText(axisLabel(name)), Numeric: true}, counted(name)})
	}
	quantities = append(quantities,
		quantity{Column{ID: record.CostKernelEvalsComputed, Title: axisLabel(record.CostKernelEvalsComputed), Numeric: true}, ms.computed},
		quantity{Column{ID: "step_seconds", Title: "Seconds", Numeric: true}, ms.stepSeconds},
		quantity{Column{ID: "setup_seconds", Title: "Setup s", Numeric: true}, ms.setupSeconds})
	kept := quantities[:0]
	for _, q := range quantities {
		if len(each(selected, q.value)) > 0 {
			kept = append(kept, q)
			g.Columns = append(g.Columns, q.column)
		}
	}
	g.Columns = append(g.Columns, Column{ID: "total_seconds", Title: "Seconds of all runs", Numeric: true})
	for _, v := range distinct(all, varDataset) {
		of := filter(all, func(r *record.Run) bool { return r.Dataset == format(v) })
		for _, id := range seriesOf(of) {
			is := func(r *record.Run) bool {
				return r.Dataset == format(v) && r.Series == id.series && r.Algorithm == id.algorithm
			}
			own, chosen := filter(of, is), filter(selected, is)
			data := Cell{Text: format(v), Value: format(v)}
			if standIn(own) {
				data.Text += " (stand-in)"
			}
			row := []Cell{data, {Text: DisplayName(id.series), Value: id.series}, countRuns(own), numberCell(float64(len(chosen)), 4)}
			for _, q := range kept {
				row = append(row, meanCell(each(chosen, q.value), 4))
			}
			total, timed := 0.0, false
			for i := range own {
				if t, ok := timings.Of(own[i]); ok {
					total, timed = total+t.StepSeconds, true
				}
			}
			if timed {
				row = append(row, numberCell(total, 3))
			} else {
				row = append(row, missing)
			}
			g.Rows, g.StandIn = append(g.Rows, row), append(g.StandIn, standIn(own))
		}
	}
	g.Notes = []string{
		strings.Join([]string{
			"Counters are those at the end of a run, mean over the finished ones of the selected parameters",
			"Seconds are measured wall time in the algorithm alone, and Setup s that before its clock starts",
		}, "; "),
	}
	if how := conditions(selected, timings); how != "" {
		g.Notes = append(g.Notes, "Times: "+how)
	}
	return g
}

func (ms measures) setupSeconds(r *record.Run) (float64, bool) {
	t, ok := ms.timings.Of(*r)
	return t.SetupSeconds, ok && t.SetupSeconds > 0
}

func (ms measures) computed(r *record.Run) (float64, bool) {
	t, ok := ms.timings.Of(*r)
	return float64(t.KernelEvalsComputed), ok && t.KernelEvalsComputed > 0
}
