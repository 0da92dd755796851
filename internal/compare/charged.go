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

// charges has the counters of runs at an iteration: the logarithms by counter and place.
type charges struct {
	mu     sync.Mutex
	at     int64
	values map[string][]float64
}

// newCharges returns charges at the last iteration that all finished runs have recorded. It ignores converged runs
// unless all have converged, because their counters keep their last values.
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

// read reads the counters of a run. The number of support vectors is not a cost.
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

// addTo adds the measures of the counters to a cell. Counters with equal values have one measure.
func (g *charges) addTo(c *cell) {
	for _, name := range slices.Sorted(maps.Keys(g.values)) {
		q := quantity{values: g.values[name]}
		q.Kind, q.At, q.Counter = Charged, float64(g.at), name
		equal := func(o quantity) bool { return slices.Equal(o.values, q.values) }
		if !slices.ContainsFunc(c.charged, equal) {
			base, cand := c.pool.Selected(q.values)
			q.Baseline, q.Candidate = geometricMean(base), geometricMean(cand)
			c.charged = append(c.charged, q)
		}
	}
}

// costChanged is the reason if only a counter prevents a pass.
const costChanged = "the cost at equal iterations changed"

// leastSeparated is the least number of repeats for which separate ranges of a counter show a difference. By
// chance, the ranges of two groups of six runs are separate with probability 2/924.
const leastSeparated = 6

// logDifferences returns the differences of the logarithms of any two finished runs of the sides, or of pairs.
func (q *quantity) logDifferences(c *cell, pairs bool) (d []float64) {
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

// decideCharges sets the verdicts of the counters. The tolerance decides if the ratio is the same in all repeats,
// or if there are at least leastSeparated repeats and the ranges of the sides are separate. Both sides must have
// selected the same candidate. Otherwise a mean beyond the tolerance only prevents a pass: differs reports such a
// mean or a counter of one side only, more reports a larger mean.
func (c *cell) decideCharges(o Options) (differs, more bool) {
	margin, choice := math.Log1p(o.Tolerance)+1e-12, c.pool.Choice() // tolerates a rounding error
	sameChoice := choice[0] == choice[1]
	for _, q := range c.charged {
		m := q.Measure
		d := q.logDifferences(c, c.Pairs > 0)
		if len(d) == 0 { // one side has another counter
			c.note(m.Counter + " is not counted by both sides")
			differs = differs || (m.Baseline == nil) != (m.Candidate == nil)
			continue
		}
		in := stats.Interval{Value: stats.Mean(d), Lo: slices.Min(d), Hi: slices.Max(d)}
		constant := sameChoice && in.Hi-in.Lo <= 1e-9 && (c.repeats() > 1 || c.deterministic())
		if constant {
			in.Lo, in.Hi = in.Value, in.Value
		} else {
			all := q.logDifferences(c, false)
			in.Lo, in.Hi = slices.Min(all), slices.Max(all)
		}
		m.setRatio(in)
		switch decides := constant || sameChoice && c.pool.Repeats() >= leastSeparated; {
		case decides && in.Lo > margin:
			m.Verdict = Worse
		case decides && in.Hi < -margin:
			m.Verdict = Better
		case math.Abs(in.Value) <= margin:
			m.Verdict = Equivalent
			if constant && math.Abs(in.Value) > 1e-9 {
				c.note(fmt.Sprintf("the cost changed: %s at %s iterations by %+.2g %%",
					m.Counter, costText(m.At), 100*(m.Ratio.Value-1)))
			}
		default:
			m.Verdict, m.BeyondTolerance = Inconclusive, true
			differs, more = true, more || in.Value > 0
		}
		c.Measures = append(c.Measures, m)
	}
	return differs, more
}
