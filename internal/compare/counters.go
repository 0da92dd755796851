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

// counters has the counters of the runs of a cell at an iteration.
type counters struct {
	mu sync.Mutex
	// at is the iteration.
	at int64
	// logs has, for each counter, the logarithms of its values by place. They are +Inf for unfinished runs.
	logs map[string][]float64
}

// lastCommonIteration returns the last iteration that all finished runs have recorded. It ignores converged runs
// unless all have converged, because their counters keep their last values.
func lastCommonIteration(runs []*record.Run) int64 {
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
		return converged
	}
	return others
}

// read reads the counters of a run. The number of support vectors is not a counter.
func (k *counters) read(place, places int, curve record.Curve) {
	x, _ := curve.Along(record.CostIterations)
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range curve.Cost {
		if name == record.CostIterations || name == record.CostSupportSize || !curve.Counts(name) {
			continue
		}
		if k.logs[name] == nil {
			k.logs[name] = slices.Repeat([]float64{math.Inf(1)}, places)
		}
		y, _ := curve.Along(name)
		value := (observe.Curve{X: x, Y: y}).LineAt(float64(k.at))
		k.logs[name][place] = math.Log(max(value, 1))
	}
}

// setCounted sets the quantities of the counters. Counters with equal values have one quantity.
func (c *cell) setCounted() {
	for _, name := range slices.Sorted(maps.Keys(c.counters.logs)) {
		q := quantity{values: c.counters.logs[name]}
		q.Kind, q.At, q.Counter = Charged, float64(c.counters.at), name
		equal := func(o quantity) bool { return slices.Equal(o.values, q.values) }
		if !slices.ContainsFunc(c.counted, equal) {
			base, cand := c.pool.Selected(q.values)
			q.Baseline, q.Candidate = geometricMean(base), geometricMean(cand)
			c.counted = append(c.counted, q)
		}
	}
}

// costChanged is the reason of a verdict if only a counter prevents a pass.
const costChanged = "the cost at equal iterations changed"

// leastSeparated is the least number of repeats for which separate ranges of a counter show a difference. By
// chance, the ranges of two groups of six runs are separate with probability 2/924.
const leastSeparated = 6

// logRatios returns the logarithms of candidate / baseline, for all finished pairs or, if pairs is false, for any two
// finished runs of the two sides.
func (q *quantity) logRatios(pool *stats.Pool, pairs bool) (ratios []float64) {
	base, cand := pool.Selected(q.values)
	for i, b := range base {
		for j, k := range cand {
			if !stats.IsWorst(b) && !stats.IsWorst(k) && (i == j || !pairs) {
				ratios = append(ratios, k-b)
			}
		}
	}
	return ratios
}

// decideCounters sets the verdicts of the counters, without a test. A ratio beyond the tolerance decides if it is the
// same in all repeats, or if the ranges of the sides are separate and there are at least leastSeparated repeats. Both
// sides must have selected the same candidate. Other changes only prevent a pass. changed reports a mean ratio beyond
// the tolerance, or a counter that only one side has; increased reports a mean ratio above the tolerance.
func (c *cell) decideCounters(o Options) (changed, increased bool) {
	const rounding = 1e-12
	margin := math.Log1p(o.Tolerance) + rounding
	choice := c.pool.Choice()
	sameChoice := choice[0] == choice[1]
	for _, q := range c.counted {
		m := q.Measure
		ratios := q.logRatios(c.pool, c.Pairs > 0)
		if len(ratios) == 0 {
			c.note(m.Counter + " is not counted by both sides")
			changed = changed || (m.Baseline == nil) != (m.Candidate == nil)
			continue
		}
		in := stats.Interval{Value: stats.Mean(ratios), Lo: slices.Min(ratios), Hi: slices.Max(ratios)}
		constant := sameChoice && in.Hi-in.Lo <= 1e-9 && (c.repeats() > 1 || c.deterministic())
		if constant {
			in.Lo, in.Hi = in.Value, in.Value
		} else {
			all := q.logRatios(c.pool, false)
			in.Lo, in.Hi = slices.Min(all), slices.Max(all)
		}
		m.setRatio(in)
		switch decides := constant || sameChoice && c.repeats() >= leastSeparated; {
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
			changed, increased = true, increased || in.Value > 0
		}
		c.Measures = append(c.Measures, m)
	}
	return changed, increased
}
