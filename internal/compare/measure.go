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

// curvesOf returns the function cell.curves for runs by place, some of which may be nil. It also reads the
// charges.
func (c *cell) curvesOf(byPlace []*record.Run) func(do func(place int, curve observe.Curve)) {
	c.charges = newCharges(byPlace)
	var runs []*record.Run
	var places []int
	for place, r := range byPlace {
		if r != nil {
			runs, places = append(runs, r), append(places, place)
		}
	}
	return func(do func(place int, curve observe.Curve)) {
		record.ReadCurves(runs, func(i int, measured record.Curve) {
			if finished(runs[i]) {
				c.charges.read(places[i], len(byPlace), measured)
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
	if !finished(r) || len(ys) == 0 { // an unreadable curve has no values
		return out
	}
	out.Finished, out.Stays = true, r.Converged()
	out.X, out.Y = xs, ys
	out.Floor = resolution(r, c.Split, c.Metric, measured.Metrics[c.Split])
	return out
}

// resolution returns the value below which differences of a metric are due to rounding. For errors it is half an
// example. For others it is a relative 1e-12 of the first value of the curve or of the objective, and at least
// the certified gap of the reference optimum.
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

// span has properties of all curves of a cell, independent of the selection.
type span struct {
	// Differences below floor are due to rounding. least is the least value, most the largest magnitude.
	floor, least, most float64
	// All curves cover the costs from lo to hi. first is the least positive cost, last the largest recorded
	// cost, longest the largest cost of a curve that has not converged.
	lo, hi, first, last, longest float64
	// converged is the number of curves that keep their last value.
	converged int
	// ends has the total costs by place.
	ends []float64
}

func (s *span) add(c observe.LogCurve) {
	s.floor = max(s.floor, c.Floor)
	s.least, s.most = min(s.least, slices.Min(c.Y)), max(s.most, slices.Max(c.Y), -slices.Min(c.Y))
	s.lo, s.hi = max(s.lo, c.Start()), min(s.hi, c.KnownTo())
	s.last = max(s.last, c.X[len(c.X)-1])
	if start := c.Start(); start > 0 {
		s.first = min(s.first, start)
	}
	if c.Stays {
		s.converged++
	} else {
		s.longest = max(s.longest, c.KnownTo())
	}
}

// measure reads all measures of a cell, or sets its verdict if the curves have no common range.
func (c *cell) measure(o Options) {
	places := len(c.pool.Scores)
	s := &c.span
	s.hi, s.first, s.ends = math.Inf(1), math.Inf(1), make([]float64, places)
	var mu sync.Mutex
	c.curves(func(place int, curve observe.Curve) {
		s.ends[place] = curve.End
		if curve.Finished {
			l := observe.NewLogCurve(curve)
			mu.Lock()
			defer mu.Unlock()
			s.add(l)
		}
	})
	s.floor = cmp.Or(s.floor, observe.Rounding*s.most, 1) // any positive value if all values are 0
	if math.IsInf(s.hi, 1) {
		s.hi = s.last
	}
	switch {
	case s.least < -s.floor:
		c.setVerdict(Incomparable, fmt.Sprintf("there are no ratios: the least %s on %s is %.3g, below 0 by more than "+
			"a rounding error (%.3g)", c.Metric, c.Split, s.least, s.floor))
		return
	case s.hi < s.lo:
		c.setVerdict(Incomparable, fmt.Sprintf("the curves do not overlap: one begins at %s %s, another ends at %s",
			costText(s.lo), c.Cost, costText(s.hi)))
		return
	}
	if c.readQuantities(o); c.Cost == record.CostSupportSize {
		return
	}
	if c.charges != nil {
		c.charges.addTo(c)
	}
	if s.converged > 0 && s.converged < places || s.converged == places && s.lo < s.hi {
		c.Details = append(c.Details, words.Count(s.converged, "run")+
			" converged before the end and keep their last values")
	}
	if c.exact() {
		c.note("the runs are deterministic: compared exactly")
	}
	if s.longest > s.hi*(1+1e-9) {
		c.Details = append(c.Details, fmt.Sprintf("compared up to %s %s, where the shortest curve ends; "+
			"the longest ends at %s", costText(s.hi), c.Cost, costText(s.longest)))
	}
}

// quantity is a measure with its values.
type quantity struct {
	Measure
	// of reads the value of a curve of a finished run. values has the values by place, +Inf for unfinished
	// runs. costs has, for a target, the costs until the target or the end.
	of            func(place int, curve observe.LogCurve) float64
	values, costs []float64
	// unavailable is the reason if the quantity cannot be compared.
	unavailable string
	estimate    *stats.Estimate
}

// readQuantities reads all quantities of a cell. Without Options.At, it reads the metric at the last common cost
// only if all curves have a recorded point there, because interpolation would bias the metric of a curve that
// oscillates.
func (c *cell) readQuantities(o Options) {
	if len(o.At) == 0 {
		last := c.atCost(c.span.hi)
		last.of = func(_ int, curve observe.LogCurve) float64 {
			ended := curve.Stays && curve.X[len(curve.X)-1] < c.span.hi
			if !ended && !slices.Contains(curve.X, c.span.hi) {
				return math.NaN()
			}
			return curve.At(c.span.hi)
		}
		c.quantities = append(c.quantities, last)
	}
	for _, at := range o.At {
		c.quantities = append(c.quantities, c.atCost(at))
	}
	for _, target := range o.Targets {
		c.quantities = append(c.quantities, c.toTarget(target))
	}
	c.quantities = append(c.quantities, c.area())
	raised := make([]int, len(c.pool.Scores))
	for i := range c.quantities {
		c.quantities[i].values = slices.Repeat([]float64{math.Inf(1)}, len(raised))
	}
	available := c.available()
	c.curves(func(place int, curve observe.Curve) {
		if !curve.Finished {
			return
		}
		curve.Floor = c.span.floor
		l := observe.NewLogCurve(curve)
		raised[place] = l.Raised
		for _, q := range available {
			q.values[place] = q.of(place, l)
		}
	})
	if slices.ContainsFunc(c.quantities[0].values, math.IsNaN) {
		c.quantities = c.quantities[1:]
	}
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
		c.Details = append(c.Details, fmt.Sprintf("%s below the rounding error count as %.3g",
			words.Count(points, "value"), c.span.floor))
	}
}

func (c *cell) atCost(at float64) quantity {
	q := quantity{of: func(_ int, curve observe.LogCurve) float64 { return curve.At(at) }}
	q.Kind, q.At = AtCost, at
	if lo, hi := c.span.lo, c.span.hi; at < lo || at > hi {
		q.unavailable = fmt.Sprintf("%s %s is outside the range of all curves, %s to %s",
			costText(at), c.Cost, costText(lo), costText(hi))
	}
	return q
}

func (c *cell) area() quantity {
	lo, hi := c.span.lo, c.span.hi
	q := quantity{of: func(_ int, curve observe.LogCurve) float64 { return curve.Mean(lo, hi) }}
	q.Kind = Area
	if !(0 < lo && lo < hi) {
		q.unavailable = "the curves have only one cost in common"
	}
	return q
}

func (c *cell) toTarget(target float64) quantity {
	costs := slices.Clone(c.span.ends)
	least := c.span.first
	if math.IsInf(least, 1) {
		least = 1
	}
	q := quantity{costs: costs, of: func(place int, curve observe.LogCurve) float64 {
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
	q.Baseline, q.Candidate = nil, nil
	for side, at := range places {
		total, reached := 0.0, 0
		for _, place := range at {
			if total += q.costs[place]; !stats.IsWorst(q.values[place]) {
				reached++
			}
		}
		q.Reached[side] = reached
		if n := len(at) - reached; n > 0 {
			q.Notes = append(q.Notes, fmt.Sprintf("%d of %d runs of the %s do not reach the target and count as worst",
				n, len(at), sideNames[side]))
		}
		if total /= float64(reached); reached > 0 {
			*[]**float64{&q.Baseline, &q.Candidate}[side] = &total
		}
	}
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

// exp returns e^v, or the largest number if that is less.
func exp(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

func costText(v float64) string { return words.Whole(v, 1e15) }
