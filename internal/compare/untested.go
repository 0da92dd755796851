package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// decideWithoutRuns sets the verdict of a cell without runs to compare on a side, and reports whether it did.
// If all runs of the candidate failed but not those of the baseline, the candidate is worse.
func (c *cell) decideWithoutRuns() bool {
	base, cand := c.groups[0].noRuns(), c.groups[1].noRuns()
	switch {
	case base == "" && cand == "":
		return false
	case base == "" && c.groups[1].failed() && slices.ContainsFunc(c.groups[0].runs, (*record.Run).Completed):
		c.setVerdict(Worse, cand)
	case base == "" || cand == "":
		c.setVerdict(Incomparable, base+cand)
	default:
		c.setVerdict(Incomparable, base+"; "+cand)
	}
	return true
}

// noRuns returns the reason why a group has no runs to compare, or "".
func (g *group) noRuns() string {
	switch {
	case g.failed():
		return fmt.Sprintf("all runs of the %s failed: %s", g.side, g.all[0].Reason)
	case len(g.runs) == 0:
		return fmt.Sprintf("no parameters could be selected for the %s: each candidate of the grid has unfinished runs",
			g.side)
	case !slices.ContainsFunc(g.runs, started):
		return fmt.Sprintf("all runs of the %s were skipped: %s", g.side, g.runs[0].Reason)
	}
	return ""
}

// failed reports whether all runs of the whole grid failed.
func (g *group) failed() bool {
	return allSatisfy(g.all, func(r *record.Run) bool { return r.Status == record.StatusFailed })
}

// decideOtherProblem sets the verdict of a cell whose sides solve different problems, and reports whether it did.
func (c *cell) decideOtherProblem() bool {
	problem := func(r *record.Run) string {
		text := fmt.Sprintf("task %s, data %s, %s", r.Task, r.DatasetHash, rowsText(r.Rows))
		if r.StandIn {
			text += ", a stand-in"
		}
		return text
	}
	base, cand := distinct(c.groups[0].runs, problem), distinct(c.groups[1].runs, problem)
	switch {
	case !slices.Equal(base, cand):
		c.setVerdict(Incomparable, fmt.Sprintf("different data or tasks: %s / %s",
			words.List(base, mostListed), words.List(cand, mostListed)))
	case c.differentSubsets():
		c.setVerdict(Incomparable, "the sides have different seeds, which draw different rows: run both with the same seed")
	default:
		return false
	}
	return true
}

func rowsText(rows map[string]int64) string {
	if len(rows) == 0 {
		return "unknown rows"
	}
	text := "rows"
	for _, name := range union(rows, nil) {
		text += fmt.Sprintf(" %s %d", name, rows[name])
	}
	return text
}

// noteUnfinished adds a note for each status of unfinished runs of a side. It counts the runs that satisfy a
// condition, and names the reason of the last one and the consequence.
func (c *cell) noteUnfinished(side int, runs []*record.Run, consequence string, condition func(*record.Run) bool) {
	for _, status := range record.Unfinished() {
		n, reason := 0, ""
		for _, r := range runs {
			if r.Status == status && condition(r) {
				n, reason = n+1, r.Reason
			}
		}
		if n > 0 {
			c.note(fmt.Sprintf("%d of %d runs of the %s: %s (%s); they %s",
				n, len(runs), sideNames[side], strings.ReplaceAll(status, "-", " "), reason, consequence))
		}
	}
}

// identical reports whether both sides have the same runs, and the completed ones have equal bits. At least one run
// must be completed.
func (c *cell) identical() bool {
	return slices.EqualFunc(c.Base, c.Cand, c.same) && slices.ContainsFunc(c.Base, (*record.Run).Completed)
}

// same reports whether two runs are the same and, if completed, have equal bits and statuses. The statuses differ if
// only one of them reached a limit of time or memory.
func (c *cell) same(a, b *record.Run) bool {
	if refOf(a) != refOf(b) || a.Completed() != b.Completed() {
		return false
	}
	return !a.Completed() || a.Status == b.Status && c.equal[refOf(a)]
}

// Reasons of equivalence without a test.
const (
	sameCurves = "the same curves under other keys"
	sameRuns   = "the runs are the same, but one side is longer or records at other costs"
)

// equalRuns returns the reason if all pairs have equal bits at common iterations, or "". Such a cell needs no
// test, whatever the number of pairs.
func (c *cell) equalRuns() (reason string) {
	if c.Pairs == 0 || !slices.ContainsFunc(c.Base, finished) {
		return ""
	}
	for i, base := range c.Base {
		cand := c.Cand[i]
		switch {
		case base.Status != cand.Status:
			return ""
		case c.same(base, cand):
		case refOf(base) == refOf(cand):
			return "" // different bits
		case base.Key == cand.Key:
			if what, ok := commonDifference(base.Measured(), cand.Measured(), false); what != "" || !ok {
				return ""
			}
			reason = sameRuns
		default:
			if curveDifference(base.Measured(), cand.Measured()) != "" {
				return ""
			}
			reason = cmp.Or(reason, sameCurves)
		}
	}
	return reason
}
