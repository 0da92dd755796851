package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// annotate adds the title's mark, the remarks, the notes and the warnings.
func (g *Grid) annotate(t Table, in Input, rows []tableRow) {
	var runs []record.Run
	for _, row := range rows {
		runs = append(runs, row.runs...)
		if len(row.runs) == 0 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s", t.ID, DisplayName(row.series.series)))
		}
		if !t.sized() && t.Kind != KindDatasets { // their remarks name them, or they show the data alone
			g.tellOfLost(row)
		}
	}
	if made := namesOf(filter(runs, func(r *record.Run) bool { return r.StandIn })); made != nil {
		g.Title += " [STAND-IN DATA]"
		g.Remarks = append(g.Remarks, Remark{facts{standIns: made}.alarm(), true})
	}
	g.remark(unique(in.Notes)...)
	if t.Kind != KindExponents { // where the number of rows is one of the things tried
		g.remark(subsamples(runs)...)
	}
	if n := g.measured(t, runs); n != "" && t.Kind != KindDatasets {
		g.Notes = append(g.Notes, n)
	}
	for _, c := range g.Columns {
		if m, ok := columnOf(measurements, c.ID); ok && m.note != nil && t.Kind == "" && !t.isTheory(c.ID) {
			g.Notes = append(g.Notes, m.footnote(runs, in.Timings))
		}
	}
	if in.Profile != "" {
		g.Notes = append(g.Notes, "Profile: "+in.Profile)
	}
}

// tellOfLost warns of the runs of a row that did not finish.
func (g *Grid) tellOfLost(row tableRow) {
	for _, status := range record.Unfinished() {
		lost := filter(row.runs, func(r *record.Run) bool { return r.Status == status })
		if len(lost) == 0 {
			continue
		}
		what := fmt.Sprintf("%d of %d runs of %s %s", len(lost), len(row.runs), DisplayName(row.series.series), happened(status))
		if status != record.StatusFailed && status != record.StatusDiverged {
			g.remark(what + ": " + lost[0].Reason)
		}
		g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s and are left out, the first being %s (%s)", g.ID, what, lost[0].Name(), lost[0].Reason))
	}
}

// namesOf lists the data sets of runs.
func namesOf(runs []record.Run) []string {
	var names []string
	for _, v := range distinct(runs, varDataset) {
		names = append(names, format(v))
	}
	return names
}

// measured names the data sets, the splits that the final suboptimality is
// measured on, if the table shows it, and how far the finished runs go.
func (g *Grid) measured(t Table, runs []record.Run) string {
	const final = "final_suboptimality"
	shown := slices.ContainsFunc(g.Columns, func(c Column) bool { return c.ID == final }) && !t.isTheory(final)
	var splits, parts []string
	for i := range runs {
		split, ok := splitOf(&runs[i], "", record.MetricSuboptimality)
		if ok && shown && runs[i].Status == record.StatusFinished {
			splits = unique(append(splits, split))
		}
	}
	if data := namesOf(runs); len(data) > 0 {
		parts = append(parts, "Data: "+strings.Join(data, ", "))
	}
	if len(splits) > 0 {
		parts = append(parts, "measured on: "+strings.Join(splits, ", "))
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
