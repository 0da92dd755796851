package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// annotate adds the title's mark, the remarks and the notes.
func (g *Grid) annotate(t Table, in Input, rows []tableRow) {
	runs := runsOf(rows)
	if made := standIns(runs); made != nil {
		g.Title += " [STAND-IN DATA]"
		g.remark(alarm(made))
	}
	g.remark(in.Notes...)
	g.remark(words.Changes(in.Set))
	g.remark(in.Criteria(nil, []Table{t})...)
	if t.Kind != KindExponents { // where the number of rows is one of the things tried
		g.remark(subsamples(runs)...)
	}
	for _, c := range g.Columns {
		g.remark(declaredNote(runs, c.ID)) // a column of costs has the id of what it counts
	}
	if n := g.measured(t, runs, in.Profile); n != "" {
		g.Notes = append(g.Notes, n)
	}
}

// Pages that explain what the footnotes of tables leave out.
const (
	columnsHelp = "docs/results-folder.md#columns-of-tables"
)

// mostData is the number of data sets that a heading or a footnote names.
const mostData = 6

// namesOfData writes "Data: a, b", of many their number.
func namesOfData(data []string) string {
	switch n := len(data); {
	case n == 0:
		return ""
	case n > mostData:
		return fmt.Sprintf("Data: %d data sets", n)
	}
	return "Data: " + strings.Join(data, ", ")
}

// measured names the data sets, the splits that the final suboptimality is
// measured on, if the table shows it, how far the finished runs go, and the profile. A
// table of data sets needs the last only.
func (g *Grid) measured(t Table, runs []record.Run, profile string) string {
	if profile != "" {
		profile = "profile: " + profile
	}
	if t.Kind == KindDatasets {
		return profile
	}
	const final = "final_suboptimality"
	shown := slices.ContainsFunc(g.Columns, func(c Column) bool { return c.ID == final }) && !t.isTheory(final)
	var splits []string
	for i := range runs {
		split, ok := observe.UnseenSplit(&runs[i], "", record.MetricSuboptimality)
		if ok && shown && runs[i].Status == record.StatusFinished {
			splits = unique(append(splits, split))
		}
	}
	parts := []string{namesOfData(textsOf(runs, varDataset))}
	if len(splits) > 0 {
		parts = append(parts, "measured on: "+strings.Join(splits, ", "))
	}
	if budgets := observe.Each(runs, observe.Total(record.CostIterations)); len(budgets) > 0 {
		budget := format(slices.Min(budgets))
		if most := format(slices.Max(budgets)); most != budget {
			budget += " to " + most
		}
		parts = append(parts, "budget: "+budget+" iterations")
	}
	return joinParts("; ", append(parts, profile)...)
}

// happened says what runs of a status other than finished did.
var happened = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "were skipped",
	record.StatusOutOfTime: "ran out of time", record.StatusOutOfMemory: "ran out of memory",
}

// condition is what a run of a status other than finished is.
func condition(status string) string { return strings.ReplaceAll(status, "-", " ") }

// mostSettings is the number of settings that a note lists.
const mostSettings = 6

// lostNotes says how many runs did not finish, in one line for each data set, series and status, with
// the reason of the first and, unless all are lost, their settings.
func (in Input) lostNotes(runs []record.Run) []string {
	var notes []string
	for _, all := range observe.Grouped(runs, func(r *record.Run) [2]string { return [2]string{r.Series, r.Dataset} }) {
		for _, status := range record.Unfinished() {
			lost := filter(all, func(r *record.Run) bool { return r.Status == status })
			if len(lost) == 0 {
				continue
			}
			first := &lost[0]
			note := fmt.Sprintf("%s: %d of %d runs %s on %s", in.Name(first.Series), len(lost), len(all), happened[status], first.Dataset)
			var settings []string
			for i := range lost {
				settings = words.AddOnce(settings, in.describe(&lost[i], in.Choice.Tune))
			}
			if len(lost) < len(all) && settings[0] != "" {
				note += " for " + strings.Join(settings[:min(len(settings), mostSettings)], "; ")
				if n := len(settings) - mostSettings; n > 0 {
					note += fmt.Sprintf(" and %d more", n)
				}
			}
			reason := first.Reason
			if slices.ContainsFunc(lost, func(r record.Run) bool { return r.Reason != reason }) {
				reason = "the first: " + reason
			}
			if reason != "" {
				note += " (" + reason + ")"
			}
			notes = append(notes, note)
		}
	}
	return notes
}
