package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// decide sets the verdict of a measure from its estimate.
func (q *question) decide(o Options) {
	e := q.estimate
	switch {
	case q.empty != "":
		q.Verdict = Incomparable
		q.Notes = append(q.Notes, q.empty)
		return
	case e == nil:
		q.Verdict = Inconclusive
		return
	}
	if !e.Exact && !e.Approximate {
		q.P, q.Adjusted = &e.P, e.Adjusted
	}
	if e.Ratio != nil {
		q.Ratio = &stats.Interval{Value: power(e.Ratio.Value), Lo: power(e.Ratio.Lo), Hi: power(e.Ratio.Hi)}
	}
	if e.Ranks {
		q.Notes = append(q.Notes, "the test is on ranks, because runs that count as worst have no ratio")
	}
	switch e.Decide(o.Alpha, math.Log1p(o.Tolerance)) {
	case stats.Above:
		q.Verdict = Worse
	case stats.Below:
		q.Verdict = Better
	case stats.Equivalent:
		q.Verdict = Equivalent
	default:
		q.Verdict = Inconclusive
	}
}

// decide sets the verdicts of a cell and its measures, and its reason.
func (c *cell) decide(o Options) {
	for i := range c.questions {
		q := &c.questions[i]
		q.decide(o)
		if q.Verdict == Inconclusive && q.estimate != nil && q.estimate.Idle && c.Halvings == 0 {
			q.Notes = append(q.Notes, tooFewChosen)
		}
		c.Measures = append(c.Measures, q.Measure)
	}
	by := map[string][]Measure{}
	for _, m := range c.Measures {
		by[m.Verdict] = append(by[m.Verdict], m)
	}
	tested := len(c.Measures) - len(by[Incomparable])
	switch {
	case len(by[Worse]) > 0:
		c.Verdict, c.Reason = Worse, c.say(by[Worse])
	case tested == 0:
		var why []string
		for _, m := range c.Measures {
			why = append(why, m.Notes...)
		}
		c.Verdict, c.Reason = Incomparable, words.List(slices.Compact(why), mostListed)
	case len(by[Better]) > 0:
		c.Verdict, c.Reason = Better, c.say(by[Better])
	case len(by[Equivalent]) == tested:
		c.Verdict, c.Reason = Equivalent, ""
	default:
		c.Verdict = Inconclusive
	}
}

// say tells of the measures that decided.
func (c *Cell) say(measures []Measure) string {
	var parts []string
	for _, m := range measures {
		what := c.measured(m)
		if m.Ratio != nil {
			what += fmt.Sprintf(": %.3g times the baseline's", m.Ratio.Value)
			if !m.Exact() {
				what += fmt.Sprintf(" (%.3g to %.3g)", m.Ratio.Lo, m.Ratio.Hi)
			}
		} else if m.Reached != nil {
			what += fmt.Sprintf(": reached by %d and %d runs", m.Reached[0], m.Reached[1])
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, "; ")
}

// measured names a measure.
func (c *Cell) measured(m Measure) string {
	metric := c.Split + " " + c.Metric
	switch m.Kind {
	case AtCost:
		return fmt.Sprintf("%s at %s %s", metric, costText(m.At), c.Cost)
	case ToTarget:
		return fmt.Sprintf("%s to %s %.4g", c.Cost, metric, m.At)
	}
	return metric + " over the curve"
}

// allFailed reports whether runs, of which there are some, all failed, and why the first one did.
func allFailed(runs []*record.Run) (bool, string) {
	if len(runs) == 0 || slices.ContainsFunc(runs, func(r *record.Run) bool { return r.Status != record.StatusFailed }) {
		return false, ""
	}
	return true, runs[0].Reason
}

// unfinished notes the runs of a side that count as worst.
func unfinished(runs []*record.Run, side string) []string {
	of := func(r *record.Run) bool { return r.Status != record.StatusSkipped }
	return byStatus(runs, of, func(n int, status, reason string) string {
		return fmt.Sprintf("%d of %d runs of the %s: %s (%s); they count as worst", n, len(runs), side, strings.ReplaceAll(status, "-", " "), reason)
	})
}

// byStatus tells of some of the runs that did not finish, by their status, with the reason of the last.
func byStatus(runs []*record.Run, of func(*record.Run) bool, say func(n int, status, reason string) string) []string {
	var notes []string
	for _, status := range record.Unfinished() {
		n, reason := 0, ""
		for _, r := range runs {
			if r.Status == status && of(r) {
				n, reason = n+1, r.Reason
			}
		}
		if n > 0 {
			notes = append(notes, say(n, status, reason))
		}
	}
	return notes
}
