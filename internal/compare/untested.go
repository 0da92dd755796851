package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// settle gives a cell a verdict that needs no measures.
func (c *cell) settle(verdict, reason string) { c.Verdict, c.Reason = verdict, reason }

const noneSelected = "nothing could be selected for the %s: each candidate of the grid has runs that did not finish"

// lacksRuns settles a cell that has nothing to compare on a side: a candidate all
// of whose runs failed where the baseline has some is worse, without a test.
func (c *cell) lacksRuns() bool {
	failedB, why := allFailed(c.groups[0].all)
	failedC, whyC := allFailed(c.groups[1].all)
	switch {
	case failedB && failedC:
		c.settle(Incomparable, "all runs failed on both sides: "+whyC)
	case failedB:
		c.settle(Incomparable, fmt.Sprintf("all runs of the baseline failed: %s", why))
	case failedC && slices.ContainsFunc(c.groups[0].runs, (*record.Run).Completed):
		c.settle(Worse, fmt.Sprintf("all runs of the candidate failed: %s", whyC))
		c.Notes = append(c.Notes, c.Reason)
	case len(c.groups[0].runs) == 0:
		c.settle(Incomparable, fmt.Sprintf(noneSelected, sideNames[0]))
	case len(c.groups[1].runs) == 0:
		c.settle(Incomparable, fmt.Sprintf(noneSelected, sideNames[1]))
	default:
		return false
	}
	return true
}

// otherProblem settles a cell whose runs are of another problem than those of the baseline.
func (c *cell) otherProblem() bool {
	for _, f := range []struct {
		what string
		of   func(*record.Run) string
	}{
		{"task", func(r *record.Run) string { return r.Task }},
		{"data", func(r *record.Run) string {
			if r.StandIn {
				return "a stand-in"
			}
			return "not a stand-in"
		}},
		{"data", func(r *record.Run) string { return "hash " + r.DatasetHash }},
		{"data", func(r *record.Run) string { return rowsText(r.Rows) }},
	} {
		b, k := distinct(c.groups[0].runs, f.of), distinct(c.groups[1].runs, f.of)
		if !slices.Equal(b, k) {
			c.settle(Incomparable, fmt.Sprintf("other %s: %s / %s", f.what, words.List(b, mostListed), words.List(k, mostListed)))
			return true
		}
	}
	return false
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

func (c *cell) noneFinished() bool {
	finished := func(r *record.Run) bool { return r.Status == record.StatusFinished }
	switch {
	case !slices.ContainsFunc(slices.Concat(c.Base, c.Cand), finished):
		c.settle(Incomparable, "no run finished on either side")
	case len(c.Base) == 0 || len(c.Cand) == 0:
		c.settle(Incomparable, "all runs of one side were skipped")
	default:
		return false
	}
	return true
}

// identical reports whether the runs compared are the same on both sides, completed
// ones equal bit for bit and at least one of them.
func (c *cell) identical() bool {
	if len(c.Base) != len(c.Cand) {
		return false
	}
	// Runs that cannot be told apart by repeat and seed may still be the same ones, and
	// those of a pair are where they are: their key holds both.
	theirs := map[ref]*record.Run{}
	for _, r := range c.Cand {
		theirs[refOf(r)] = r
	}
	some := false
	for _, b := range c.Base {
		r, ok := theirs[refOf(b)]
		if !ok || !c.same(b, r) {
			return false
		}
		some = some || b.Completed()
	}
	return some
}

// Reasons of an equivalence that needs no estimate.
const (
	sameCurves = "the same curves under other keys"
	sameRuns   = "the runs are the same, but one side goes on longer or records at other costs"
)

// alike says why all runs that are compared pair by pair are the same to the bit, as far
// as both go, or is empty. There is nothing to estimate then, however few they are.
func (c *cell) alike() string {
	if c.Pairs == 0 {
		return ""
	}
	finished, reason := false, ""
	for i, b := range c.Base {
		k := c.Cand[i]
		finished = finished || b.Status == record.StatusFinished
		switch {
		case b.Status != k.Status:
			return ""
		case c.same(b, k):
		case refOf(b) == refOf(k):
			return "" // other bits
		case b.Key == k.Key:
			if x, _ := common(b.Measured(), k.Measured()); x.Len() == 0 || prefixesDiffer(b.Measured(), k.Measured()) != "" {
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
	if !finished {
		return ""
	}
	return reason
}

// lacks says what an inconclusive cell lacks; least is the number of repeats with which a difference
// can be significant.
func (c *cell) lacks(least int) string {
	n := c.repeats()
	few := fmt.Sprintf(", and no difference can be significant with fewer than %d", least)
	switch {
	case c.Halvings > 0 && c.deterministic():
		return "neither a difference nor equivalence is shown with these test rows; more test rows may decide"
	case c.Halvings > 0:
		return "only one repeat: the confidence intervals are over halvings of the test set, and say nothing about another run"
	case n < 2 && c.deterministic():
		return "without randomness there is one run on each side, and the halvings that select among candidates differ" + c.ratios()
	case n < 2:
		return "only one repeat" + few
	case n < least:
		return words.Count(n, "repeat") + few
	}
	return "neither a difference nor equivalence is shown"
}

// approximately notes a cell of which the procedures are compared as given, by intervals of a level.
func approximately(level float64) string {
	return fmt.Sprintf("the sides choose among different candidates, or in different ways: there is no exact test, and approximate confidence intervals at %s%% decide",
		words.Digits(100*level, 4))
}

// withoutRandomness notes a cell that is decided by the tolerance alone.
const withoutRandomness = "no randomness is involved: compared exactly"

// deterministic reports whether no randomness enters the runs of either side.
func (c *cell) deterministic() bool {
	for i, s := range c.sides {
		if s.Deterministic == nil || !s.Deterministic(c.groups[i].dataset, c.groups[i].series) {
			return false
		}
	}
	return !c.drawn() || c.sameSeeds()
}

// drawn reports whether the seed draws the rows of either side.
func (c *cell) drawn() bool {
	return slices.ContainsFunc(c.sides[:], func(s Side) bool { return s.Drawn != nil && s.Drawn(c.Dataset) })
}

func (c *cell) sameSeeds() bool {
	all := c.all()
	return !slices.ContainsFunc(all, func(r *record.Run) bool { return r.Seed != all[0].Seed })
}

// otherRows notes a cell whose sides have rows that different seeds have drawn.
const otherRows = "different seeds draw different rows for all runs of a side: tests over repeats do not cover that"

// ratios says by how much the sides differ, for want of intervals.
func (c *Cell) ratios() string {
	var parts []string
	for _, m := range c.Measures {
		if m.Baseline != nil && m.Candidate != nil && *m.Baseline > 0 {
			parts = append(parts, fmt.Sprintf("%s: %.4g times the baseline's", c.measured(m), *m.Candidate / *m.Baseline))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

func (c *cell) same(a, b *record.Run) bool {
	return refOf(a) == refOf(b) && a.Completed() == b.Completed() && (!a.Completed() || c.equal[refOf(a)])
}
