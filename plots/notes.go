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

// What footnotes of tables leave out is said here.
const (
	tablesHelp    = "docs/glossary.md#tables"
	exponentsHelp = "docs/glossary.md#exponents"
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

// lostNotes says which runs did not finish, a line a data set, series, status and
// reason, and of which settings unless it is all of them. How much memory runs would take
// is not what sets them apart.
func (in Input) lostNotes(runs []record.Run) []string {
	var notes []string
	for _, status := range record.Unfinished() {
		lost := filter(runs, func(r *record.Run) bool { return r.Status == status })
		for _, own := range observe.Grouped(lost, func(r *record.Run) [3]string {
			if status == record.StatusOutOfMemory {
				return [3]string{r.Series, r.Dataset}
			}
			return [3]string{r.Series, r.Dataset, r.Reason}
		}) {
			first := &own[0]
			all := filter(runs, func(r *record.Run) bool { return r.Series == first.Series && r.Dataset == first.Dataset })
			note := fmt.Sprintf("%s: %s on %s", in.Name(first.Series), condition(status), first.Dataset)
			var settings []string
			for i := range own {
				settings = words.AddOnce(settings, in.describe(&own[i], in.Choice.Tune))
			}
			if len(own) < len(all) && settings[0] != "" {
				note += " for " + strings.Join(settings[:min(len(settings), mostSettings)], "; ")
				if n := len(settings) - mostSettings; n > 0 {
					note += fmt.Sprintf(" and %d more", n)
				}
			}
			reason := first.Reason
			if slices.ContainsFunc(own, func(r record.Run) bool { return r.Reason != reason }) {
				reason = "the first " + reason
			}
			if reason != "" {
				note += " (" + reason + ")"
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// warning says what is missing from a panel, or was left out of it. where names the panel; it may be empty.
type warning struct{ where, text string }

// mostAlike is the number of panels that may be warned of in the same words.
const mostAlike = 2

// textsOfWarnings returns the texts of warnings, each once; what many panels have in
// common is said once of all.
func textsOfWarnings(warnings []warning) []string {
	var texts []string
	for _, w := range warnings {
		var panels []string
		for _, o := range warnings {
			if o.text == w.text {
				panels = words.AddOnce(panels, o.where)
			}
		}
		if n := len(panels); n > mostAlike {
			w.where = fmt.Sprintf("%d panels, the first is %s", n, panels[0])
		}
		texts = words.AddOnce(texts, joinParts(": ", w.where, w.text))
	}
	return texts
}
