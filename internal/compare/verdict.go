package compare

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

const (
	// largeGain is the ratio below which a cell has largeGainReason.
	largeGain       = 0.9
	largeGainReason = "better by more than 10 %: check for a leak, such as test rows used for training or selection"
)

// verdictOf maps decisions to verdicts.
var verdictOf = map[stats.Decision]string{
	stats.Above: Worse, stats.Below: Better, stats.Equivalent: Equivalent, stats.Undecided: Inconclusive,
}

func (o Options) settings() stats.Settings {
	return stats.Settings{Alpha: o.Alpha, Margin: math.Log1p(o.Tolerance)}
}

// decide sets the verdict of a measure from its estimate.
func (q *quantity) decide(o Options) {
	e := q.estimate
	switch {
	case q.unavailable != "":
		q.Verdict = Incomparable
		q.Notes = append(q.Notes, q.unavailable)
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
		q.setRatio(*in)
		q.Level = level
	}
	if e.Ranks {
		q.Notes = append(q.Notes, "the test is on ranks, because runs that count as worst have no ratio")
	}
	q.Verdict = verdictOf[decision]
}

// setRatio sets the ratio from the interval of its logarithm.
func (m *Measure) setRatio(in stats.Interval) {
	m.Ratio = &stats.Interval{Value: exp(in.Value), Lo: exp(in.Lo), Hi: exp(in.Hi)}
}

// decide sets the verdicts of a cell and its measures.
func (c *cell) decide(o Options) {
	tested := 0
	for i := range c.quantities {
		q := &c.quantities[i]
		q.decide(o)
		if q.unavailable == "" {
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
	changed, increased := c.decideCounters(o)  // adds their measures
	cheaper := equivalent && count(Better) > 0 // a counter is lower
	switch {
	case count(Worse) > 0:
		c.Verdict = Worse
	case tested == 0:
		var why []string
		for _, m := range c.Measures {
			why = append(why, m.Notes...)
		}
		c.setVerdict(Incomparable, words.List(slices.Compact(why), mostListed))
	case increased || changed && !better:
		c.setVerdict(Inconclusive, costChanged)
	case better || cheaper:
		c.Verdict = Better
		large := func(m Measure) bool {
			return m.Kind != Charged && m.Verdict == Better && (m.Ratio == nil || m.Ratio.Value < largeGain)
		}
		if slices.ContainsFunc(c.Measures, large) {
			c.Reason = largeGainReason
		}
	case equivalent:
		c.Verdict = Equivalent
	default:
		c.Verdict = Inconclusive
	}
}

// inconclusiveReason returns the reason of an inconclusive verdict. least is the least number of repeats for a
// significant difference.
func (c *cell) inconclusiveReason(least int) string {
	n := c.repeats()
	few := fmt.Sprintf("; no difference can be significant with fewer than %d", least)
	switch {
	case n < 2 && c.deterministic():
		return "the runs are deterministic, but the sides have different halvings"
	case n < 2:
		return "only one repeat" + few
	case n < least:
		return words.Count(n, "repeat") + few
	}
	return "the tests show neither a difference nor equivalence"
}
