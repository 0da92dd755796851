package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// annotate adds the title's mark, the remarks, the notes and the warnings.
func (g *Grid) annotate(t Table, in Input, rows []tableRow) {
	var f facts
	var runs []record.Run
	for _, row := range rows {
		runs = append(runs, row.runs...)
		if len(row.runs) == 0 {
			g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: no runs of %s", t.ID, DisplayName(row.series.series)))
		}
		for i := range row.runs {
			if r := &row.runs[i]; r.StandIn && !slices.Contains(f.standIns, r.Dataset) {
				f.standIns = append(f.standIns, r.Dataset)
			}
		}
		if t.sized() || t.Kind == KindDatasets {
			continue // its remarks name them, or it shows the data alone
		}
		for _, status := range record.Unfinished() {
			lost := filter(row.runs, func(r *record.Run) bool { return r.Status == status })
			if len(lost) > 0 && status != record.StatusFailed && status != record.StatusDiverged {
				g.Remarks = append(g.Remarks, fmt.Sprintf("%d of %d runs of %s %s: %s", len(lost), len(row.runs), DisplayName(row.series.series), happened(status), lost[0].Reason))
			}
			if len(lost) > 0 {
				g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %d of %d runs of %s %s and are left out, the first being %s (%s)",
					t.ID, len(lost), len(row.runs), DisplayName(row.series.series), happened(status), lost[0].Name(), lost[0].Reason))
			}
		}
	}
	if f.standIns != nil {
		g.Title += " [STAND-IN DATA]"
		g.Remarks = append(g.Remarks, f.alarm())
	}
	g.Remarks = append(g.Remarks, unique(in.Notes)...)
	if t.Kind != KindExponents { // where the number of rows is one of the things tried
		g.Remarks = append(g.Remarks, subsamples(runs)...)
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

// measured names the data sets, the splits that the final suboptimality is
// measured on, if the table shows it, and how far the finished runs go.
func (g *Grid) measured(t Table, runs []record.Run) string {
	var data, splits []string
	for _, v := range distinct(runs, varDataset) {
		data = append(data, format(v))
	}
	shown := slices.ContainsFunc(g.Columns, func(c Column) bool { return c.ID == "final_suboptimality" }) && !t.isTheory("final_suboptimality")
	var budgets []float64
	for i := range runs {
		r := &runs[i]
		if r.Status != record.StatusFinished {
			continue
		}
		if split, ok := splitOf(r, "", "suboptimality"); ok && shown && !slices.Contains(splits, split) {
			splits = append(splits, split)
		}
		if n, ok := finalCost("iterations")(r); ok {
			budgets = append(budgets, n)
		}
	}
	var parts []string
	if len(data) > 0 {
		parts = append(parts, "Data: "+strings.Join(data, ", "))
	}
	if len(splits) > 0 {
		parts = append(parts, "measured on: "+strings.Join(splits, ", "))
	}
	if len(budgets) > 0 {
		budget := format(slices.Min(budgets))
		if most := format(slices.Max(budgets)); most != budget {
			budget += " to " + most
		}
		parts = append(parts, "budget: "+budget+" iterations")
	}
	return strings.Join(parts, "; ")
}
