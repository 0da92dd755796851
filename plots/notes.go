package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// annotate adds the remarks and the note on data, and marks the title of a table with stand-in data.
func (g *Grid) annotate(t Table, in Input, rows []tableRow) {
	runs := runsOf(rows)
	if datasets := standIns(runs); datasets != nil {
		g.Title += " [STAND-IN DATA]"
		g.remark(standInAlarm(datasets))
	}
	g.remark(in.Notes...)
	g.remark(words.Changes(in.Set))
	g.remark(in.Criteria(nil, []Table{t})...)
	if t.Kind != KindExponents { // there the number of rows is tuned
		g.remark(subsampleNotes(runs)...)
	}
	for _, c := range g.Columns {
		g.remark(declaredNote(runs, c.ID)) // the id of a column of costs is the cost
	}
	if n := g.dataNote(t, runs, in.Profile); n != "" {
		g.Notes = append(g.Notes, n)
	}
}

// columnsHelp is the page that explains the columns of tables.
const columnsHelp = "docs/results-folder.md#columns-of-tables"

// maxNamedDatasets is the maximum number of datasets that a heading or a footnote lists.
const maxNamedDatasets = 6

// dataText returns "Data: a, b", or the number of datasets if there are many.
func dataText(data []string) string {
	switch n := len(data); {
	case n == 0:
		return ""
	case n > maxNamedDatasets:
		return fmt.Sprintf("Data: %d data sets", n)
	}
	return "Data: " + strings.Join(data, ", ")
}

// dataNote names the datasets, the iterations of finished runs, and the profile. If the table shows the final
// suboptimality, it also names the splits. For a table of datasets it returns only the profile.
func (g *Grid) dataNote(t Table, runs []record.Run, profile string) string {
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
			splits = words.AddOnce(splits, split)
		}
	}
	parts := []string{dataText(textsOf(runs, record.VarDataset))}
	if len(splits) > 0 {
		parts = append(parts, "measured on: "+strings.Join(splits, ", "))
	}
	if budgets := observe.Each(runs, observe.Total(record.CostIterations)); len(budgets) > 0 {
		budget := format(slices.Min(budgets))
		if largest := format(slices.Max(budgets)); largest != budget {
			budget += " to " + largest
		}
		parts = append(parts, "budget: "+budget+" iterations")
	}
	return joinParts("; ", append(parts, profile)...)
}

// statusPhrases holds the predicate for runs of each status other than finished.
var statusPhrases = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "were skipped",
	record.StatusOutOfTime: "ran out of time", record.StatusOutOfMemory: "ran out of memory",
}

// maxListed is the maximum number of settings or targets that a note lists.
const maxListed = 6

// unfinishedNotes returns a note for each series, dataset and status of runs that did not finish. It has their number
// and the reason of the first. If other runs have another status, it also has the settings.
func (in Input) unfinishedNotes(runs []record.Run) []string {
	var notes []string
	for _, all := range observe.Grouped(runs, func(r *record.Run) [2]string { return [2]string{r.Series, r.Dataset} }) {
		for _, status := range record.Unfinished() {
			runs := filter(all, func(r *record.Run) bool { return r.Status == status })
			if len(runs) == 0 {
				continue
			}
			first := &runs[0]
			note := fmt.Sprintf("%s: %d of %d runs %s on %s",
				in.Name(first.Series), len(runs), len(all), statusPhrases[status], first.Dataset)
			var settings []string
			for i := range runs {
				settings = words.AddOnce(settings, in.describe(&runs[i], in.Choice.Tune))
			}
			if len(runs) < len(all) && settings[0] != "" {
				note += " for " + strings.Join(settings[:min(len(settings), maxListed)], "; ")
				if n := len(settings) - maxListed; n > 0 {
					note += fmt.Sprintf(" and %d more", n)
				}
			}
			reason := first.Reason
			if slices.ContainsFunc(runs, func(r record.Run) bool { return r.Reason != reason }) {
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
