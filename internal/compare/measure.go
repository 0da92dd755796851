package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// readCurvesOf sets eachCurve for the runs at all places, some of which may be nil. eachCurve also reads the counters.
func (c *cell) readCurvesOf(byPlace []*record.Run) {
	c.counters = &counters{at: lastCommonIteration(byPlace), logs: map[string][]float64{}}
	var runs []*record.Run
	var places []int
	for place, r := range byPlace {
		if r != nil {
			runs, places = append(runs, r), append(places, place)
		}
	}
	c.eachCurve = func(do func(place int, curve observe.Curve)) {
		record.ReadCurves(runs, func(i int, measured record.Curve) {
			if finished(runs[i]) {
				c.counters.read(places[i], len(byPlace), measured)
			}
			do(places[i], c.curveOf(runs[i], measured))
		})
	}
}

// curveOf returns the curve of a run. The curve of an unfinished run has no points.
func (c *cell) curveOf(r *record.Run, measured record.Curve) (out observe.Curve) {
	xs, _ := measured.Along(c.Cost)
	if n := len(xs); n > 0 {
		out.End = xs[n-1]
	}
	ys := measured.Metrics[c.Split][c.Metric]
	if !finished(r) || len(ys) == 0 { // a curve that could not be read has no values
		return out
	}
	out.Finished, out.Stays = true, r.Converged()
	out.X, out.Y = xs, ys
	out.Floor = resolution(r, c.Split, c.Metric, measured.Metrics[c.Split])
	return out
}

// resolution returns the value below which differences of a metric are due to rounding. For an error it is half a row.
// For other metrics it is 1e-12 of the first value of the curve or of the last objective, and at least the certified
// gap of the reference optimum.
func resolution(r *record.Run, split, metric string, columns map[string][]float64) float64 {
	m := observe.MetricOf(r.Task, metric)
	floor := observe.Resolution(r, split, metric)
	if m.Unit == observe.Fraction && floor > 0 {
		return floor
	}
	floor = max(floor, observe.Rounding*math.Abs(columns[metric][0]))
	if f := columns[m.Above]; m.Above != "" && len(f) > 0 {
		floor = max(floor, observe.Rounding*math.Abs(f[len(f)-1]))
	}
	return floor
}

// span has the ranges of costs and values of all curves of a cell, independent of the selection.
type span struct {
	// Differences of values below floor are due to rounding.
	floor float64
	// leastY is the least value, or 0 if it is positive. largestY is the largest absolute value.
	leastY, largestY float64
	// All curves are known from lo to hi.
	lo, hi float64
	// leastX is the least positive cost, largestX the largest recorded cost.
	leastX, largestX float64
	// longest is the largest cost of a curve that has not converged.
	longest float64
	// converged is the number of curves that keep their last value.
	converged int
	// ends has the total costs by place.
	ends []float64
}

func (s *span) add(c observe.LogCurve) {
	s.floor = max(s.floor, c.Floor)
	s.leastY = min(s.leastY, slices.Min(c.Y))
	s.largestY = max(s.largestY, slices.Max(c.Y), -slices.Min(c.Y))
	s.lo, s.hi = max(s.lo, c.Start()), min(s.hi, c.KnownTo())
	s.largestX = max(s.largestX, c.X[len(c.X)-1])
	if start := c.Start(); start > 0 {
		s.leastX = min(s.leastX, start)
	}
	if c.Stays {
		s.converged++
	} else {
		s.longest = max(s.longest, c.KnownTo())
	}
}

// setSpan reads the span of a cell.
func (c *cell) setSpan() {
	s := &c.span
	s.hi, s.leastX, s.ends = math.Inf(1), math.Inf(1), make([]float64, len(c.pool.Scores))
	var mu sync.Mutex
	c.eachCurve(func(place int, curve observe.Curve) {
		s.ends[place] = curve.End
		if curve.Finished {
			l := observe.NewLogCurve(curve)
			mu.Lock()
			defer mu.Unlock()
			s.add(l)
		}
	})
	s.floor = cmp.Or(s.floor, observe.Rounding*s.largestY, 1) // any positive value if all values are 0
	if math.IsInf(s.hi, 1) {
		s.hi = s.largestX
	}
}

// measure reads all quantities of a cell except CPU seconds, or sets its verdict if the curves have no logarithms or no
// common range.
func (c *cell) measure(o Options) {
	c.setSpan()
	s := &c.span
	switch {
	case s.leastY < -s.floor:
		c.setVerdict(Incomparable, fmt.Sprintf("there are no ratios: the least %s on %s is %.3g, below 0 by more than "+
			"a rounding error (%.3g)", c.Metric, c.Split, s.leastY, s.floor))
		return
	case s.hi < s.lo:
		c.setVerdict(Incomparable, fmt.Sprintf("the curves do not overlap: one begins at %s %s, another ends at %s",
			costText(s.lo), c.Cost, costText(s.hi)))
		return
	}
	c.readQuantities(o)
	if c.Cost == record.CostSupportSize {
		return // a trade-off has no counters, and its curves are constant beyond their ends
	}
	c.setCounted()
	if s.converged > 0 && (s.converged < len(s.ends) || s.lo < s.hi) {
		c.detail(words.Count(s.converged, "run") + " converged before the end and keep their last values")
	}
	if c.exact() {
		c.note("the runs are deterministic: compared exactly")
	}
	if s.longest > s.hi*(1+1e-9) {
		c.detail(fmt.Sprintf("compared up to %s %s, where the shortest curve ends; the longest ends at %s",
			costText(s.hi), c.Cost, costText(s.longest)))
	}
}

// quantity is a measure with its values.
type quantity struct {
	Measure
	// read returns the logarithm of the value for a finished run. NaN means that the quantity cannot be compared.
	read func(place int, curve observe.LogCurve) float64
	// values has the logarithms by place, +Inf for unfinished runs.
	values []float64
	// costs has, for a target, the cost of each place until it reached the target or ended.
	costs []float64
	// unavailable is the reason why the quantity cannot be compared, or "".
	unavailable string
	estimate    *stats.Estimate
}

// wanted returns the quantities that the options request, without their values.
func (c *cell) wanted(o Options) (out []quantity) {
	if len(o.At) == 0 {
		out = append(out, c.atLastCost())
	}
	for _, at := range o.At {
		out = append(out, c.atCost(at))
	}
	for _, target := range o.Targets {
		out = append(out, c.toTarget(target))
	}
	return append(out, c.area())
}

// readQuantities reads all quantities of the curves of a cell.
func (c *cell) readQuantities(o Options) {
	c.quantities = c.wanted(o)
	raised := make([]int, len(c.pool.Scores))
	for i := range c.quantities {
		c.quantities[i].values = slices.Repeat([]float64{math.Inf(1)}, len(raised))
	}
	available := c.available()
	c.eachCurve(func(place int, curve observe.Curve) {
		if !curve.Finished {
			return
		}
		curve.Floor = c.span.floor
		l := observe.NewLogCurve(curve)
		raised[place] = l.Raised
		for _, q := range available {
			q.values[place] = q.read(place, l)
		}
	})
	c.quantities = slices.DeleteFunc(c.quantities, func(q quantity) bool {
		return slices.ContainsFunc(q.values, math.IsNaN)
	})
	places := c.pool.SelectedIndices()
	for _, q := range c.available() {
		base, cand := c.pool.Selected(q.values)
		q.Baseline, q.Candidate = geometricMean(base), geometricMean(cand)
		if q.Kind == ToTarget {
			q.setExpectedCosts(places)
		}
	}
	points := 0
	for _, place := range slices.Concat(places[:]...) {
		points += raised[place]
	}
	if points > 0 {
		c.detail(fmt.Sprintf("%s below the rounding error count as %.3g", words.Count(points, "value"), c.span.floor))
	}
}

// atLastCost returns the metric at the last common cost. It can be compared only if all curves have a recorded point
// there, because interpolation would bias the metric of a curve that oscillates.
func (c *cell) atLastCost() quantity {
	at := c.span.hi
	q := c.atCost(at)
	q.read = func(_ int, curve observe.LogCurve) float64 {
		ended := curve.Stays && curve.X[len(curve.X)-1] < at
		if !ended && !slices.Contains(curve.X, at) {
			return math.NaN()
		}
		return curve.At(at)
	}
	return q
}

func (c *cell) atCost(at float64) quantity {
	q := quantity{read: func(_ int, curve observe.LogCurve) float64 { return curve.At(at) }}
	q.Kind, q.At = AtCost, at
	if lo, hi := c.span.lo, c.span.hi; at < lo || at > hi {
		q.unavailable = fmt.Sprintf("%s %s is outside the range of all curves, %s to %s",
			costText(at), c.Cost, costText(lo), costText(hi))
	}
	return q
}

func (c *cell) area() quantity {
	lo, hi := c.span.lo, c.span.hi
	q := quantity{read: func(_ int, curve observe.LogCurve) float64 { return curve.Mean(lo, hi) }}
	q.Kind = Area
	if !(0 < lo && lo < hi) {
		q.unavailable = "the curves have only one cost in common"
	}
	return q
}

func (c *cell) toTarget(target float64) quantity {
	costs := slices.Clone(c.span.ends)
	least := c.span.leastX // replaces a cost of 0, which has no logarithm
	if math.IsInf(least, 1) {
		least = 1
	}
	q := quantity{costs: costs, read: func(place int, curve observe.LogCurve) float64 {
		x, ok := curve.FirstAt(target)
		if !ok {
			return math.Inf(1)
		}
		costs[place] = x
		return math.Log(max(x, least))
	}}
	q.Kind, q.At, q.Reached = ToTarget, target, &[2]int{}
	if target < c.span.floor {
		q.unavailable = fmt.Sprintf("the target is below %.3g, where differences are due to rounding", c.span.floor)
	}
	return q
}

// setExpectedCosts sets the expected cost of each side to reach the target: the total cost of all runs divided by
// the number of runs that reached it (Hansen et al. 2021, COCO). It is nil if no run did.
func (q *quantity) setExpectedCosts(places [2][]int) {
	var expected [2]*float64
	for side, at := range places {
		total, reached := 0.0, 0
		for _, place := range at {
			total += q.costs[place]
			if !stats.IsWorst(q.values[place]) {
				reached++
			}
		}
		q.Reached[side] = reached
		if n := len(at) - reached; n > 0 {
			q.Notes = append(q.Notes, fmt.Sprintf("%d of %d runs of the %s do not reach the target and count as worst",
				n, len(at), sideNames[side]))
		}
		if reached > 0 {
			mean := total / float64(reached)
			expected[side] = &mean
		}
	}
	q.Baseline, q.Candidate = expected[0], expected[1]
	if q.Reached[0]+q.Reached[1] == 0 {
		q.Notes, q.unavailable = nil, "no run of either side reaches the target"
	}
}

// geometricMean returns the geometric mean of the finite values, or nil without such values.
func geometricMean(logs []float64) *float64 {
	finite := slices.DeleteFunc(slices.Clone(logs), stats.IsWorst)
	if len(finite) == 0 {
		return nil
	}
	mean := exp(stats.Mean(finite))
	return &mean
}

// exp returns e^v, but at most the largest number, because JSON has no infinity.
func exp(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

// costText formats a cost.
func costText(v float64) string { return words.Whole(v, 1e15) }
