package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// happened says what runs of a status other than finished did.
var happened = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "were skipped",
	record.StatusOutOfTime: "ran out of time", record.StatusOutOfMemory: "ran out of memory",
}

// condition is what a run of a status other than finished is.
func condition(status string) string { return strings.ReplaceAll(status, "-", " ") }

// allLost says why none of the runs can be drawn.
func allLost(total int, lost map[string][]record.Run) string {
	if len(lost[record.StatusOutOfTime])+len(lost[record.StatusOutOfMemory]) > 0 {
		return fmt.Sprintf("none of the %d runs finished", total)
	}
	if len(lost[record.StatusSkipped]) == 0 {
		return fmt.Sprintf("all %d runs failed or diverged", total)
	}
	if len(lost) == 1 {
		return fmt.Sprintf("all %d runs were skipped", total)
	}
	return fmt.Sprintf("all %d runs failed, diverged or were skipped", total)
}

// tellOfLost warns of the runs of a row that did not finish.
func (g *Grid) tellOfLost(row tableRow) {
	for _, status := range record.Unfinished() {
		lost := filter(row.runs, func(r *record.Run) bool { return r.Status == status })
		if len(lost) == 0 {
			continue
		}
		what := fmt.Sprintf("%d of %d runs of %s %s", len(lost), len(row.runs), row.name, happened[status])
		if status != record.StatusFailed && status != record.StatusDiverged {
			g.remark(what + ": " + lost[0].Reason)
		}
		g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s and are left out, the first is %s (%s)", g.ID, what, lost[0].Name(), lost[0].Reason))
	}
}

// lostNotes says which runs did not finish, a line a data set, series, status and
// reason; how much memory runs would take is not what sets them apart.
func (in Input) lostNotes(runs []record.Run) []string {
	type kind struct{ series, dataset, reason string }
	var notes []string
	for _, status := range record.Unfinished() {
		lost := filter(runs, func(r *record.Run) bool { return r.Status == status })
		for _, own := range observe.Grouped(lost, func(r *record.Run) kind {
			if status == record.StatusOutOfMemory {
				return kind{r.Series, r.Dataset, ""}
			}
			return kind{r.Series, r.Dataset, r.Reason}
		}) {
			all := filter(runs, func(r *record.Run) bool { return r.Series == own[0].Series && r.Dataset == own[0].Dataset })
			notes = append(notes, in.lostNote(own, len(own) == len(all)))
		}
	}
	return notes
}

// mostSettings is the number of settings that a note lists.
const mostSettings = 6

// lostNote says which runs of a series were lost in one way, of which settings unless
// these are all there are.
func (in Input) lostNote(lost []record.Run, all bool) string {
	first := &lost[0]
	note := fmt.Sprintf("%s: %s on %s", in.Name(first.Series), condition(first.Status), first.Dataset)
	var settings []string
	for i := range lost {
		if s := in.describe(&lost[i], in.Choice.Tune); s != "" {
			settings = words.AddOnce(settings, s)
		}
	}
	if n := len(settings); n > 0 && !all {
		note += " for " + strings.Join(settings[:min(n, mostSettings)], "; ")
		if n > mostSettings {
			note += fmt.Sprintf(" and %d more", n-mostSettings)
		}
	}
	switch {
	case slices.ContainsFunc(lost, func(r record.Run) bool { return r.Reason != first.Reason }):
		note += " (the first " + first.Reason + ")"
	case first.Reason != "":
		note += " (" + first.Reason + ")"
	}
	return note
}

// warning says what is missing from a panel, or was left out of it.
type warning struct {
	// where names the panel; it may be empty.
	where, text string
}

// mostAlike is the number of panels that may be warned of in the same words.
const mostAlike = 2

// collapse returns the texts of warnings, each once; what many panels have in
// common is said once of all.
func collapse(warnings []warning) []string {
	panels := make(map[string][]string)
	for _, w := range warnings {
		panels[w.text] = unique(append(panels[w.text], w.where))
	}
	var texts []string
	for _, w := range warnings {
		where := w.where
		if n := len(panels[w.text]); n > mostAlike {
			where = fmt.Sprintf("%d panels, the first is %s", n, panels[w.text][0])
		}
		texts = append(texts, strings.TrimPrefix(where+": "+w.text, ": "))
	}
	return unique(texts)
}
