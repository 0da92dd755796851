package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// charges holds what runs were charged at an iteration: by counter, the logarithms at each place.
type charges struct {
	mu     sync.Mutex
	at     int64
	values map[string][]float64
}

// newCharges returns the charges at the last iteration that all finished runs have on record. Runs that
// converged do not count where others did not converge, as their costs stay what they are.
func newCharges(runs []*record.Run) *charges {
	converged, others := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, r := range runs {
		switch {
		case r == nil || !finished(r):
		case r.Converged():
			converged = min(converged, r.End())
		default:
			others = min(others, r.End())
		}
	}
	if others == math.MaxInt64 {
		others = converged
	}
	return &charges{at: others, values: map[string][]float64{}}
}

// read reads the charges of a run. The number of support vectors is no cost.
func (g *charges) read(place, places int, curve record.Curve) {
	x, _ := curve.Along(record.CostIterations)
	g.mu.Lock()
	defer g.mu.Unlock()
	for name := range curve.Cost {
		y, _ := curve.Along(name)
		isCost := name != record.CostIterations && name != record.CostSupportSize
		if !isCost || !curve.Counts(name) || len(y) != len(x) {
			continue
		}
		if g.values[name] == nil {
			g.values[name] = slices.Repeat([]float64{math.Inf(1)}, places)
		}
		g.values[name][place] = math.Log(max((observe.Curve{X: x, Y: y}).LineAt(float64(g.at)), 1))
	}
}

// ask adds the measures of the charges, each counter once that has the same values as others.
func (g *charges) ask(c *cell) {
	for _, name := range slices.Sorted(maps.Keys(g.values)) {
		q := question{values: g.values[name]}
		q.Kind, q.At, q.Counter = Charged, float64(g.at), name
		twin := func(o question) bool { return slices.Equal(o.values, q.values) }
		if !slices.ContainsFunc(c.charged, twin) {
			base, cand := c.pool.Taken(q.values)
			q.Baseline, q.Candidate = geometric(base), geometric(cand)
			c.charged = append(c.charged, q)
		}
	}
}

// span returns the least and the largest difference of logarithms, of pairs or of any two runs, and
// those of any two runs in any case. Runs that did not finish do not count.
func (q *question) span(c *cell) (least, most, leastAny, mostAny float64) {
	least, most = math.Inf(1), math.Inf(-1)
	leastAny, mostAny = least, most
	base, cand := c.pool.Taken(q.values)
	for i, b := range base {
		for j, k := range cand {
			if stats.Worst(b) || stats.Worst(k) {
				continue
			}
			leastAny, mostAny = min(leastAny, k-b), max(mostAny, k-b)
			if i == j || c.Pairs == 0 {
				least, most = min(least, k-b), max(most, k-b)
			}
		}
	}
	return least, most, leastAny, mostAny
}

// costChanged is why a cell does not pass whose curves would.
const costChanged = "the cost at equal iterations changed"

// decideCharges sets the verdicts of the charges. If all repeats, which are several unless no randomness
// enters, differ by the same factor, the tolerance decides. So it does if each of six runs or more of a
// side costs more than each of the other, and both sides chose the same. Of others no test is made: a
// clear difference, which it reports, only keeps the cell from being equivalent, or better for more of
// the cost.
func (c *cell) decideCharges(o Options) (differs, more bool) {
	margin, choice := math.Log1p(o.Tolerance)+1e-12, c.pool.Choice() // without what rounding adds
	for i := range c.charged {
		q := &c.charged[i]
		m := &q.Measure
		least, most, leastAny, mostAny := q.span(c)
		if least > most { // one side counts something else
			c.note(m.Counter + " is not counted by both sides")
			differs = differs || (m.Baseline == nil) != (m.Candidate == nil)
			continue
		}
		chosen := choice[0] == choice[1] // else the cost is that of another candidate
		constant := chosen && most-least <= 1e-9 && (c.repeats() > 1 || c.deterministic())
		switch e := q.estimate; {
		case constant:
			q.estimate = stats.Exactly(0, least)
			q.decide(o)
		case e == nil || e.Ranks:
			continue
		default:
			in := e.Interval(o.Alpha)
			m.take(in)
			m.Level, m.Verdict = 1-o.Alpha, Inconclusive
			if -margin <= in.Lo && in.Hi <= margin {
				m.Verdict = Equivalent
			}
		}
		m.Beyond = m.Ratio.Lo > 1+o.Tolerance || m.Ratio.Hi < 1/(1+o.Tolerance)
		switch enough := chosen && c.pool.Repeats() >= 6; {
		case constant && m.Verdict == Equivalent && math.Abs(least) > 1e-9:
			c.note(fmt.Sprintf("the cost changed: %s at %s iterations by %+.2g %%", m.Counter, costText(m.At), 100*(m.Ratio.Value-1)))
		case constant:
		case enough && leastAny > margin:
			m.Verdict = Worse
		case enough && mostAny < -margin:
			m.Verdict = Better
		case m.Beyond:
			differs, more = true, more || m.Ratio.Lo > 1
		}
		c.Measures = append(c.Measures, *m)
	}
	return differs, more
}
