package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"
)

// annotate adds the title's mark, the remarks, the notes and the warnings.
func (g *Grid) annotate(t Table, in Input, rows []tableRow) {
	var runs []record.Run
	for _, row := range rows {
		runs = append(runs, row.runs...)
		if len(row.runs) == 0 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s", t.ID, row.name))
		}
		if !t.sized() && t.Kind != KindDatasets { // their remarks name them, or they show the data alone
			g.tellOfLost(row)
		}
	}
	if made := textsOf(filter(runs, func(r *record.Run) bool { return r.StandIn }), varDataset); made != nil {
		g.Title += " [STAND-IN DATA]"
		g.Remarks = append(g.Remarks, Remark{alarm(made), true})
	}
	g.remark(unique(in.Notes)...)
	if t.Kind != KindExponents { // where the number of rows is one of the things tried
		g.remark(subsamples(runs)...)
	}
	if n := g.measured(t, runs); n != "" && t.Kind != KindDatasets {
		g.Notes = append(g.Notes, n)
	}
	for _, c := range g.Columns {
		if m, ok := columnOf(measurements, c.ID); ok && m.noted() && t.Kind == "" && !t.isTheory(c.ID) {
			g.Notes = append(g.Notes, m.footnote(runs, in))
		}
	}
	if in.Profile != "" {
		g.Notes = append(g.Notes, "Profile: "+in.Profile)
	}
}

// measured names the data sets, the splits that the final suboptimality is
// measured on, if the table shows it, and how far the finished runs go.
func (g *Grid) measured(t Table, runs []record.Run) string {
	const final = "final_suboptimality"
	shown := slices.ContainsFunc(g.Columns, func(c Column) bool { return c.ID == final }) && !t.isTheory(final)
	var splits, parts []string
	for i := range runs {
		split, ok := analysis.UnseenSplit(&runs[i], "", record.MetricSuboptimality)
		if ok && shown && runs[i].Status == record.StatusFinished {
			splits = unique(append(splits, split))
		}
	}
	if data := textsOf(runs, varDataset); len(data) > 0 {
		parts = append(parts, "Data: "+strings.Join(data, ", "))
	}
	if len(splits) > 0 {
		parts = append(parts, "measured on: "+strings.Join(splits, ", "))
	}
	if failures := each(runs, optimumFailure); shown && len(failures) > 0 {
		parts = append(parts, "optimum certain but for a probability of "+words.Significant(slices.Max(failures), 2))
	}
	if budgets := each(runs, finalCost(record.CostIterations)); len(budgets) > 0 {
		budget := format(slices.Min(budgets))
		if most := format(slices.Max(budgets)); most != budget {
			budget += " to " + most
		}
		parts = append(parts, "budget: "+budget+" iterations")
	}
	return strings.Join(parts, "; ")
}
