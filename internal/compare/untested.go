package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// lacksRuns decides a cell that has nothing to compare on a side: a candidate all
// of whose runs failed where the baseline has some is worse, without a test.
func (c *cell) lacksRuns() bool {
	base, cand := c.groups[0].lacks(sideNames[0]), c.groups[1].lacks(sideNames[1])
	switch {
	case base+cand == "":
		return false
	case base == "" && c.groups[1].failed() && slices.ContainsFunc(c.groups[0].runs, (*record.Run).Completed):
		c.setVerdict(Worse, cand)
	case base != "" && strings.Replace(base, sideNames[0], sideNames[1], 1) == cand:
		c.setVerdict(Incomparable, strings.Replace(base, "the "+sideNames[0], "both sides", 1))
	case base != "" && cand != "":
		c.setVerdict(Incomparable, base+"; "+cand)
	default:
		c.setVerdict(Incomparable, cmp.Or(base, cand))
	}
	return true
}

// lacks says why a side has no runs to compare, or is empty.
func (g *group) lacks(side string) string {
	switch {
	case g.failed():
		return fmt.Sprintf("all runs of the %s failed: %s", side, g.all[0].Reason)
	case len(g.runs) == 0:
		return fmt.Sprintf("nothing could be selected for the %s: each candidate of the grid has runs that did not finish", side)
	case !slices.ContainsFunc(g.runs, started):
		return fmt.Sprintf("all runs of the %s were skipped: %s", side, g.runs[0].Reason)
	}
	return ""
}

func (g *group) failed() bool {
	return !slices.ContainsFunc(g.all, func(r *record.Run) bool { return r.Status != record.StatusFailed })
}

// otherProblem decides a cell whose runs are of another problem than those of the baseline.
func (c *cell) otherProblem() bool {
	problem := func(r *record.Run) string {
		text := fmt.Sprintf("task %s, data %s, %s", r.Task, r.DatasetHash, rowsText(r.Rows))
		if r.StandIn {
			text += ", a stand-in"
		}
		return text
	}
	b, k := distinct(c.groups[0].runs, problem), distinct(c.groups[1].runs, problem)
	switch {
	case slices.Equal(b, k) && !c.otherRows():
		return false
	case slices.Equal(b, k):
		c.setVerdict(Incomparable, "the sides have different seeds, which draw different rows: run both with the same seed")
		return true
	}
	c.setVerdict(Incomparable, fmt.Sprintf("other data or task: %s / %s", words.List(b, mostListed), words.List(k, mostListed)))
	return true
}

func rowsText(rows map[string]int64) string {
	if len(rows) == 0 {
		return "rows not on record"
	}
	text := "rows"
	for _, name := range union(rows, nil) {
		text += fmt.Sprintf(" %s %d", name, rows[name])
	}
	return text
}

// unfinished notes the runs of a side that did not finish, with what becomes of them, by status with
// the reason of the last.
func (c *cell) unfinished(side int, runs []*record.Run, they string, of func(*record.Run) bool) {
	for _, status := range record.Unfinished() {
		n, reason := 0, ""
		for _, r := range runs {
			if r.Status == status && of(r) {
				n, reason = n+1, r.Reason
			}
		}
		if n > 0 {
			c.note(fmt.Sprintf("%d of %d runs of the %s: %s (%s); they %s",
				n, len(runs), sideNames[side], strings.ReplaceAll(status, "-", " "), reason, they))
		}
	}
}

// identical reports whether the runs compared are the same on both sides, completed
// ones equal bit for bit and at least one of them.
func (c *cell) identical() bool {
	return slices.EqualFunc(c.Base, c.Cand, c.same) && slices.ContainsFunc(c.Base, (*record.Run).Completed)
}

func (c *cell) same(a, b *record.Run) bool {
	stopped := a.Completed() && a.Status != b.Status // by time or memory, on one side
	return refOf(a) == refOf(b) && a.Completed() == b.Completed() && !stopped && (!a.Completed() || c.equal[refOf(a)])
}

// Reasons of an equivalence that needs no estimate.
const (
	sameCurves = "the same curves under other keys"
	sameRuns   = "the runs are the same, but one side goes on longer or records at other costs"
)

// alike says why all runs that are compared pair by pair are the same to the bit, as far
// as both go, or is empty. There is nothing to estimate then, however few they are.
func (c *cell) alike() (reason string) {
	if c.Pairs == 0 || !slices.ContainsFunc(c.Base, finished) {
		return ""
	}
	for i, b := range c.Base {
		k := c.Cand[i]
		switch {
		case b.Status != k.Status:
			return ""
		case c.same(b, k):
		case refOf(b) == refOf(k):
			return "" // other bits
		case b.Key == k.Key:
			if what, ok := commonDiffers(b.Measured(), k.Measured(), false); what != "" || !ok {
				return ""
			}
			reason = sameRuns
		default:
			if curvesDiffer(b.Measured(), k.Measured()) != "" {
				return ""
			}
			reason = cmp.Or(reason, sameCurves)
		}
	}
	return reason
}
