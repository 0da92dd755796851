package compare

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// largeBetter is a ratio below which "better" is more often a mistake than progress.
const (
	largeBetter = 0.9
	checkLeak   = "better by more than 10 %: check for a leak, such as test rows among those trained on or selected by"
)

// verdictOf is the verdict of a decision.
var verdictOf = map[stats.Decision]string{
	stats.Above: Worse, stats.Below: Better, stats.Equivalent: Equivalent, stats.Undecided: Inconclusive,
}

func (o Options) settings() stats.Settings {
	return stats.Settings{Alpha: o.Alpha, Margin: math.Log1p(o.Tolerance)}
}

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
	decision, in, level := e.Decide(o.settings())
	if in != nil {
		q.take(*in)
		q.Level = level
	}
	if e.Ranks {
		q.Notes = append(q.Notes, "the test is on ranks, because runs that count as worst have no ratio")
	}
	q.Verdict = verdictOf[decision]
}

// take sets the ratio from the interval of its logarithm.
func (m *Measure) take(in stats.Interval) {
	m.Ratio = &stats.Interval{Value: power(in.Value), Lo: power(in.Lo), Hi: power(in.Hi)}
}

// decide sets the verdicts of a cell and its measures.
func (c *cell) decide(o Options) {
	tested := 0
	for i := range c.questions {
		q := &c.questions[i]
		q.decide(o)
		if q.empty == "" {
			tested++
		}
		c.Measures = append(c.Measures, q.Measure)
	}
	count := func(verdict string) (n int) {
		for _, m := range c.Measures {
			if m.Verdict == verdict {
				n++
			}
		}
		return n
	}
	equivalent, better := count(Equivalent) == tested, count(Better) > 0
	differs, more := c.decideCharges(o)
	switch {
	case count(Worse) > 0:
		c.Verdict = Worse
	case tested == 0:
		var why []string
		for _, m := range c.Measures {
			why = append(why, m.Notes...)
		}
		c.setVerdict(Incomparable, words.List(slices.Compact(why), mostListed))
	case more || differs && !better:
		c.setVerdict(Inconclusive, costChanged)
	case better || equivalent && count(Better) > 0: // by a lower cost
		c.Verdict = Better
		large := func(m Measure) bool {
			return m.Kind != Charged && m.Verdict == Better && (m.Ratio == nil || m.Ratio.Value < largeBetter)
		}
		if slices.ContainsFunc(c.Measures, large) {
			c.Reason = checkLeak
		}
	case equivalent:
		c.Verdict = Equivalent
	default:
		c.Verdict = Inconclusive
	}
}

// lacks says what an inconclusive cell lacks; least is the number of repeats with which a difference
// can be significant.
func (c *cell) lacks(least int) string {
	n := c.repeats()
	few := fmt.Sprintf(", and no difference can be significant with fewer than %d", least)
	switch {
	case n < 2 && c.deterministic():
		return "without randomness there is one run on each side, and the halvings that select among candidates differ"
	case n < 2:
		return "only one repeat" + few
	case n < least:
		return words.Count(n, "repeat") + few
	}
	return "neither a difference nor equivalence is shown"
}
