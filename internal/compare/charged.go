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
			base, cand := c.pool.Selected(q.values)
			q.Baseline, q.Candidate = geometric(base), geometric(cand)
			c.charged = append(c.charged, q)
		}
	}
}

// costChanged is why a cell does not pass whose curves would.
const costChanged = "the cost at equal iterations changed"

// leastApart is the number of repeats from which on runs that all cost more than those of the other side
// show a difference: by chance that has the probability 2/924 with six runs a side.
const leastApart = 6

// differences returns the differences of the logarithms of any two runs of the sides, or of pairs only.
// Runs that did not finish do not count.
func (q *question) differences(c *cell, pairs bool) (d []float64) {
	base, cand := c.pool.Selected(q.values)
	for i, b := range base {
		for j, k := range cand {
			if !stats.IsWorst(b) && !stats.IsWorst(k) && (i == j || !pairs) {
				d = append(d, k-b)
			}
		}
	}
	return d
}

// decideCharges sets the verdicts of the charges. If all repeats, which are several unless no randomness
// enters, differ by the same factor, the tolerance decides. So it does if each of six runs or more of a
// side costs more than each of the other, and both sides chose the same. Otherwise a mean beyond the
// tolerance only keeps the cell from being equivalent, or better for more of the cost.
func (c *cell) decideCharges(o Options) (differs, more bool) {
	margin, choice := math.Log1p(o.Tolerance)+1e-12, c.pool.Choice() // without what rounding adds
	chosen := choice[0] == choice[1]                                 // else the cost is that of another candidate
	for _, q := range c.charged {
		m := q.Measure
		d := q.differences(c, c.Pairs > 0)
		if len(d) == 0 { // one side counts something else
			c.note(m.Counter + " is not counted by both sides")
			differs = differs || (m.Baseline == nil) != (m.Candidate == nil)
			continue
		}
		in := stats.Interval{Value: stats.Mean(d), Lo: slices.Min(d), Hi: slices.Max(d)}
		constant := chosen && in.Hi-in.Lo <= 1e-9 && (c.repeats() > 1 || c.deterministic())
		if constant {
			in.Lo, in.Hi = in.Value, in.Value
		} else {
			any := q.differences(c, false)
			in.Lo, in.Hi = slices.Min(any), slices.Max(any)
		}
		m.take(in)
		switch decides := constant || chosen && c.pool.Repeats() >= leastApart; {
		case decides && in.Lo > margin:
			m.Verdict = Worse
		case decides && in.Hi < -margin:
			m.Verdict = Better
		case math.Abs(in.Value) <= margin:
			m.Verdict = Equivalent
			if constant && math.Abs(in.Value) > 1e-9 {
				c.note(fmt.Sprintf("the cost changed: %s at %s iterations by %+.2g %%", m.Counter, costText(m.At), 100*(m.Ratio.Value-1)))
			}
		default:
			m.Verdict, m.Beyond = Inconclusive, true
			differs, more = true, more || in.Value > 0
		}
		c.Measures = append(c.Measures, m)
	}
	return differs, more
}
