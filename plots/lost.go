package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
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
			g.Remarks = append(g.Remarks, what+": "+lost[0].Reason)
		}
		g.Warnings = append(g.Warnings, fmt.Sprintf("table %s: %s and are left out, the first being %s (%s)", g.ID, what, lost[0].Name(), lost[0].Reason))
	}
}

// lostNotes says which runs did not finish, a line a data set, series, status and
// reason; how much memory runs would take is not what sets them apart.
func (in Input) lostNotes(runs []record.Run) []string {
	type group struct {
		head, of, reason string
		apart            bool // reasons differ
		settings         []string
		runs             int
	}
	var groups []*group
	count := make(map[string]int)
	of := func(r *record.Run) string { return r.Series + "\x00" + r.Dataset }
	for i := range runs {
		count[of(&runs[i])]++
	}
	for _, status := range record.Unfinished() {
		for i := range runs {
			r := &runs[i]
			if r.Status != status {
				continue
			}
			head := fmt.Sprintf("%s: %s on %s", in.Name(r.Series), condition(status), r.Dataset)
			j := slices.IndexFunc(groups, func(g *group) bool {
				return g.head == head && (g.reason == r.Reason || status == record.StatusOutOfMemory)
			})
			if j < 0 {
				j = len(groups)
				groups = append(groups, &group{head: head, of: of(r), reason: r.Reason})
			}
			g := groups[j]
			g.runs++
			g.apart = g.apart || g.reason != r.Reason
			var setting []string
			for _, name := range in.Halved.Options.Tune {
				if v := r.Value(name); v != nil {
					setting = append(setting, in.label(name, v))
				}
			}
			if s := strings.Join(setting, ", "); s != "" && !slices.Contains(g.settings, s) {
				g.settings = append(g.settings, s)
			}
		}
	}
	notes := make([]string, len(groups))
	for i, g := range groups {
		notes[i] = g.head
		if n := len(g.settings); n > 0 && g.runs < count[g.of] {
			notes[i] += " for " + strings.Join(g.settings[:min(n, mostSettings)], "; ")
			if n > mostSettings {
				notes[i] += fmt.Sprintf(" and %d more", n-mostSettings)
			}
		}
		switch {
		case g.apart:
			notes[i] += " (the first " + g.reason + ")"
		case g.reason != "":
			notes[i] += " (" + g.reason + ")"
		}
	}
	return notes
}

// mostSettings is the number of settings that a note lists.
const mostSettings = 6
