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

// curvesOf returns a function that reads the curves of the runs and calls do with each and its place.
// A place may have no run.
func (c *cell) curvesOf(at []*record.Run) func(do func(place int, curve observe.Curve)) {
	c.charges = newCharges(at)
	var runs []*record.Run
	var places []int
	for place, r := range at {
		if r != nil {
			runs, places = append(runs, r), append(places, place)
		}
	}
	return func(do func(place int, curve observe.Curve)) {
		record.ReadCurves(runs, func(i int, measured record.Curve) {
			if finished(runs[i]) {
				c.charges.read(places[i], len(at), measured)
			}
			do(places[i], c.curveOf(runs[i], measured))
		})
	}
}

// curveOf takes the curve of a run, which has no points if the run did not finish: it is
// worse than any that did.
func (c *cell) curveOf(r *record.Run, measured record.Curve) (out observe.Curve) {
	xs, _ := measured.Along(c.Cost)
	if n := len(xs); n > 0 {
		out.End = xs[n-1]
	}
	ys := measured.Metrics[c.Split][c.Metric]
	if !finished(r) || len(ys) == 0 { // a curve that cannot be read has no points
		return out
	}
	out.Finished, out.Stays = true, r.Converged()
	out.X, out.Y = xs, ys
	out.Floor = resolution(r, c.Split, c.Metric, measured.Metrics[c.Split])
	return out
}

// resolution is the value below which differences of a metric are rounding, as far as a run says:
// for errors half an example; for suboptimality and the like a relative 1e-12 of the first value of
// the curve or of the objective, and not less than the gap that the reference optimum is certified to.
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

// span is what the curves of a cell have in common, those of all candidates of both sides, whatever
// is chosen.
type span struct {
	// floor is the value below which differences are rounding, least and most are the least value
	// and the largest magnitude.
	floor, least, most float64
	// All curves cover the costs from lo to hi. first is the least positive cost of any, last the
	// largest on record; longest is the end of the longest curve that still changes.
	lo, hi, first, last, longest float64
	// staying counts the curves whose last value holds from there on.
	staying int
	// ends are the costs that were paid in all.
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
		s.staying++
	} else {
		s.longest = max(s.longest, c.KnownTo())
	}
}

// measure takes all measures of a cell, or decides the cell if the curves have nothing in common.
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
	// Where all values are 0, and alike, any floor will do.
	s.floor = cmp.Or(s.floor, observe.Rounding*s.most, 1)
	if math.IsInf(s.hi, 1) {
		s.hi = s.last
	}
	switch {
	case s.least < -s.floor:
		c.setVerdict(Incomparable, fmt.Sprintf("%s on %s is as low as %.3g, further below 0 than rounding allows (%.3g): there are no ratios",
			c.Metric, c.Split, s.least, s.floor))
		return
	case s.hi < s.lo:
		c.setVerdict(Incomparable, fmt.Sprintf("the curves do not overlap: one begins at %s %s, another ends at %s",
			costText(s.lo), c.Cost, costText(s.hi)))
		return
	}
	if c.ask(o); c.Cost == TradeoffCost {
		return
	}
	if c.charges != nil {
		c.charges.ask(c)
	}
	if s.staying > 0 && s.staying < places || s.staying == places && s.lo < s.hi {
		c.Details = append(c.Details, words.Count(s.staying, "run")+
			" converged before the end; their last values are used from there on")
	}
	if c.exact() {
		c.note("no randomness is involved: compared exactly")
	}
	if s.longest > s.hi*(1+1e-9) {
		c.Details = append(c.Details, fmt.Sprintf(
			"compared up to %s %s, where the shortest curve ends; the longest ends at %s", costText(s.hi), c.Cost, costText(s.longest)))
	}
}

// question is a measure to be taken.
type question struct {
	Measure
	// of says what it reads of a curve that finished; values are those of all repeats and candidates,
	// +Inf of runs that did not finish. costs are, on the way to a target, what was spent.
	of            func(place int, curve observe.LogCurve) float64
	values, costs []float64
	// empty says why there is nothing to test.
	empty    string
	estimate *stats.Estimate
}

// ask takes all measures of a cell, and notes how many points of what was chosen were raised to the
// floor. Unless costs are asked for, the metric is compared at the last one, if all curves
// record there: one that wiggles is not to be compared with its own chords.
func (c *cell) ask(o Options) {
	if len(o.At) == 0 {
		last := c.atCost(c.span.hi)
		last.of = func(_ int, curve observe.LogCurve) float64 {
			ended := curve.Stays && curve.X[len(curve.X)-1] < c.span.hi
			if !ended && !slices.Contains(curve.X, c.span.hi) {
				return math.NaN()
			}
			return curve.At(c.span.hi)
		}
		c.questions = append(c.questions, last)
	}
	for _, at := range o.At {
		c.questions = append(c.questions, c.atCost(at))
	}
	for _, target := range o.Targets {
		c.questions = append(c.questions, c.toTarget(target))
	}
	c.questions = append(c.questions, c.area())
	raised := make([]int, len(c.pool.Scores))
	for i := range c.questions {
		c.questions[i].values = slices.Repeat([]float64{math.Inf(1)}, len(raised))
	}
	asked := c.asked()
	c.curves(func(place int, curve observe.Curve) {
		if !curve.Finished {
			return
		}
		curve.Floor = c.span.floor
		l := observe.NewLogCurve(curve)
		raised[place] = l.Raised
		for _, q := range asked {
			q.values[place] = q.of(place, l)
		}
	})
	if slices.ContainsFunc(c.questions[0].values, math.IsNaN) {
		c.questions = c.questions[1:]
	}
	places := c.pool.SelectedIndices()
	for _, q := range c.asked() {
		base, cand := c.pool.Selected(q.values)
		q.Baseline, q.Candidate = geometric(base), geometric(cand)
		q.expect(places)
	}
	points := 0
	for _, place := range slices.Concat(places[:]...) {
		points += raised[place]
	}
	if points > 0 {
		c.Details = append(c.Details, fmt.Sprintf("values of at most %.3g count as %.3g (%s)",
			c.span.floor, c.span.floor, words.Count(points, "point")))
	}
}

func (c *cell) atCost(at float64) question {
	q := question{of: func(_ int, curve observe.LogCurve) float64 { return curve.At(at) }}
	q.Kind, q.At = AtCost, at
	if lo, hi := c.span.lo, c.span.hi; at < lo || at > hi {
		q.empty = fmt.Sprintf("%s %s is outside the range that all curves cover, %s to %s",
			costText(at), c.Cost, costText(lo), costText(hi))
	}
	return q
}

func (c *cell) area() question {
	lo, hi := c.span.lo, c.span.hi
	q := question{of: func(_ int, curve observe.LogCurve) float64 { return curve.Mean(lo, hi) }}
	q.Kind = Area
	if !(0 < lo && lo < hi) {
		q.empty = "the curves have a single cost in common"
	}
	return q
}

func (c *cell) toTarget(target float64) question {
	costs := slices.Clone(c.span.ends)
	least := c.span.first
	if math.IsInf(least, 1) {
		least = 1
	}
	q := question{costs: costs, of: func(place int, curve observe.LogCurve) float64 {
		x, ok := curve.FirstAt(target)
		if !ok {
			return math.Inf(1)
		}
		costs[place] = x
		return math.Log(max(x, least))
	}}
	q.Kind, q.At, q.Reached = ToTarget, target, &[2]int{}
	if target < c.span.floor {
		q.empty = fmt.Sprintf("the target is below %.3g, where differences are due to rounding", c.span.floor)
	}
	return q
}

// expect says of each side what it takes to reach a target, the expected running time: what all
// runs spent, on the way to the target or in vain, divided by the number of runs that reached it
// (Hansen et al. 2021, COCO); nothing if no run did.
func (q *question) expect(places [2][]int) {
	if q.Kind != ToTarget {
		return
	}
	q.Baseline, q.Candidate = nil, nil
	for side, at := range places {
		spent, reached := 0.0, 0
		for _, place := range at {
			if spent += q.costs[place]; !stats.IsWorst(q.values[place]) {
				reached++
			}
		}
		q.Reached[side] = reached
		if n := len(at) - reached; n > 0 {
			q.Notes = append(q.Notes, fmt.Sprintf("%d of %d runs of the %s do not reach the target and count as worst", n, len(at), sideNames[side]))
		}
		if spent /= float64(reached); reached > 0 {
			*[]**float64{&q.Baseline, &q.Candidate}[side] = &spent
		}
	}
	if q.Reached[0]+q.Reached[1] == 0 {
		q.Notes, q.empty = nil, "no run of either side reaches the target"
	}
}

// geometric returns the geometric mean of what is finite, nil if nothing is.
func geometric(logs []float64) *float64 {
	finite := slices.DeleteFunc(slices.Clone(logs), stats.IsWorst)
	if len(finite) == 0 {
		return nil
	}
	mean := power(stats.Mean(finite))
	return &mean
}

// power is e^v, or the largest number if that is more.
func power(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

func costText(v float64) string { return words.Whole(v, 1e15) }
