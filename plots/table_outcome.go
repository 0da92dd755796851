package plots

import (
	"slices"

	"stochopt/internal/record"
)

// outcomeColumns are those of a table of outcomes, of which it has what applies to any run.
var outcomeColumns = []string{
	"final_suboptimality", "final_error", "support", "sum_kt2", record.CostKernelEvals,
}

// Outcomes makes a table of final results for an experiment that declares no table: a row for
// each series, data set and setting, with the tuned parameters of its runs.
func Outcomes(in Input, tuned []string) (*Grid, error) {
	var columns []string
	for _, name := range tuned {
		has := func(r record.Run) bool { _, ok := r.Params[name]; return ok }
		if slices.ContainsFunc(in.Choice.Runs(), has) {
			columns = append(columns, name)
		}
	}
	for _, id := range outcomeColumns {
		if m, ok := columnOf(measurements, id); ok && m.measure(in.Choice.Runs(), in) != missing {
			columns = append(columns, id)
		}
	}
	return Build(Table{ID: "outcomes", Title: "Results with the selected parameters", Columns: columns}, in)
}
