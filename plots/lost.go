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
