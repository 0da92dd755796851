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

// newCharges returns the charges at the last iteration that all finished runs have on record.
func newCharges(runs []*record.Run) *charges {
	out := &charges{at: math.MaxInt64, values: map[string][]float64{}}
	for _, r := range runs {
		if r != nil && finished(r) {
			out.at = min(out.at, r.End())
		}
	}
	return out
}

// read reads the charges of a run. The number of support vectors is no cost.
func (g *charges) read(place, places int, curve record.Curve) {
	x, _ := curve.Along(record.CostIterations)
	g.mu.Lock()
	defer g.mu.Unlock()
	for name := range curve.Cost {
		if y, _ := curve.Along(name); name != record.CostIterations && name != record.CostSupportSize && curve.Counts(name) && len(y) == len(x) {
			if g.values[name] == nil {
				g.values[name] = slices.Repeat([]float64{math.Inf(1)}, places)
			}
			g.values[name][place] = math.Log(max((observe.Curve{X: x, Y: y}).LineAt(float64(g.at)), 1))
		}
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

// constant returns an exact estimate if all repeats, which are several unless no randomness enters,
// differ by the same factor, and both sides chose the same; else nil.
func (q *question) constant(c *cell) *stats.Estimate {
	base, cand := c.pool.Taken(q.values)
	choice := c.pool.Choice()
	if choice[0] != choice[1] || c.repeats() < 2 && !c.deterministic() {
		return nil
	}
	least, most := math.Inf(1), math.Inf(-1)
	for i, b := range base {
		for j, k := range cand {
			if i == j || c.Pairs == 0 {
				least, most = min(least, k-b), max(most, k-b)
			}
		}
	}
	if most-least <= 1e-9 {
		return stats.Exactly(base[0], cand[0])
	}
	return nil
}

// costVaries is why a cell does not pass whose curves would.
const costVaries = "the cost at equal iterations changed, by a factor that varies between repeats"

// decideCharges sets the verdicts of the charges. One that differs by the same factor in all repeats is
// decided exactly. Of one that varies between repeats no test is made: a clear difference, which it
// reports, only keeps the cell from being equivalent, or better for more of the cost.
func (c *cell) decideCharges(o Options) (differs, more bool) {
	for i := range c.charged {
		q := &c.charged[i]
		if exact := q.constant(c); exact != nil {
			q.estimate = exact
		} else if q.estimate != nil {
			q.estimate.Approximate = false // its interval would decide
		}
		if q.decide(o); q.Ratio == nil {
			continue
		}
		m := &q.Measure
		m.P, m.Adjusted = nil, nil
		if m.Verdict == Inconclusive {
			m.take(q.estimate.Interval(o.Alpha))
			m.Level = 1 - o.Alpha
		}
		switch m.Beyond = m.Ratio.Lo > 1+o.Tolerance || m.Ratio.Hi < 1/(1+o.Tolerance); {
		case m.Verdict == Equivalent && m.Exact() && math.Abs(m.Ratio.Value-1) > 1e-9:
			c.note(fmt.Sprintf("the cost changed: %s at %s iterations is %.4g times that of the baseline", m.Counter, costText(m.At), m.Ratio.Value))
		case m.Verdict == Inconclusive && m.Beyond:
			differs, more = true, more || m.Ratio.Lo > 1
		}
		c.Measures = append(c.Measures, *m)
	}
	return differs, more
}
