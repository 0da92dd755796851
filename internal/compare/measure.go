package compare

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"

	"golang.org/x/sync/errgroup"
)

// surveyed is what is kept of a curve: what was paid in all and, if it finished, where it starts, to
// where it is known, its last point, its least value and largest magnitude, and its floor.
type surveyed struct {
	finished, stays                               bool
	end, start, knownTo, last, least, most, floor float64
}

// readCurve takes the curve of a run, which has no points if the run did not finish: it is
// worse than any that did. It is an error if a value is not a number.
func (c *cell) readCurve(r *record.Run) (observe.Curve, error) {
	out := observe.Curve{Finished: r.Status == record.StatusFinished}
	out.Stays = out.Finished && r.Converged()
	measured := r.Measured()
	xs, _ := measured.Along(c.Cost)
	columns := measured.Metrics[c.Split]
	ys := columns[c.Metric]
	if n := len(xs); n > 0 {
		out.End = xs[n-1]
	}
	if !out.Finished {
		return out, nil
	}
	if len(xs) != len(ys) || len(ys) == 0 {
		return out, fmt.Errorf("compare: %s has %d values of %s at %d costs", r.Name(), len(ys), c.Metric, len(xs))
	}
	for i, y := range ys {
		if !finite.Is(y) {
			return out, fmt.Errorf("compare: %s: %s on %s is %v at point %d; only finite values can be compared", r.Name(), c.Metric, c.Split, y, i)
		}
	}
	out.X, out.Y = xs, ys
	out.Floor = resolution(r, c.Split, c.Metric, columns)
	return out, nil
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

// inParallel does something for all numbers below n, several at a time, and returns the error of the
// least of them.
func inParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	const part = 64
	for first := 0; first < n; first += part {
		workers.Go(func() error {
			for i := first; i < min(first+part, n); i++ {
				errs[i] = do(i)
			}
			return nil
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

// look surveys the curves of a cell, and sets their floor, unless it is set, and the range that
// they cover. reason says why there is nothing to measure.
func (c *cell) look() (notes []string, reason string, err error) {
	c.survey = make([]surveyed, len(c.pool.Scores))
	err = inParallel(len(c.survey), func(place int) error {
		curve, err := c.read(place)
		s := surveyed{end: curve.End}
		if err == nil && curve.Finished {
			l := observe.NewLogCurve(curve)
			s.finished, s.stays, s.floor = true, l.Stays, l.Floor
			s.start, s.knownTo, s.last = l.Start(), l.KnownTo(), l.X[len(l.X)-1]
			s.least, s.most = slices.Min(l.Y), max(slices.Max(l.Y), -slices.Min(l.Y))
		}
		c.survey[place] = s
		return err
	})
	if err != nil {
		return nil, "", err
	}
	var least, most, floor float64
	for _, s := range c.survey {
		least, most, floor = min(least, s.least), max(most, s.most), max(floor, s.floor)
	}
	// Where all values are 0, and alike, any floor will do.
	c.floor = cmp.Or(c.floor, floor, observe.Rounding*most, 1)
	if least < -c.floor {
		return nil, fmt.Sprintf("%s on %s is as low as %.3g, further below 0 than rounding allows (%.3g): there are no ratios",
			c.Metric, c.Split, least, c.floor), nil
	}
	notes, reason = c.cover()
	return notes, reason, nil
}

// cover finds the range of costs that all curves cover; it says why there is none.
func (c *cell) cover() (notes []string, reason string) {
	c.lo, c.hi = 0, math.Inf(1)
	var last, longest float64
	stays := 0
	for _, s := range c.survey {
		if !s.finished {
			continue
		}
		c.lo, c.hi = max(c.lo, s.start), min(c.hi, s.knownTo)
		last = max(last, s.last)
		if s.stays {
			stays++
		} else {
			longest = max(longest, s.knownTo)
		}
	}
	if math.IsInf(c.hi, 1) {
		c.hi = last
	}
	if stays > 0 && stays < len(c.survey) || stays == len(c.survey) && c.lo < c.hi {
		notes = append(notes, fmt.Sprintf("%s converged before the end; their last values are used from there on", words.Count(stays, "run")))
	}
	if c.hi < c.lo {
		return nil, fmt.Sprintf("the curves do not overlap: one begins at %s %s, another ends at %s", costText(c.lo), c.Cost, costText(c.hi))
	}
	if longest > c.hi*(1+1e-9) {
		notes = append(notes, fmt.Sprintf("compared up to %s %s, where the shortest curve ends; the longest ends at %s", costText(c.hi), c.Cost, costText(longest)))
	}
	return notes, ""
}

// question is a measure to be taken.
type question struct {
	Measure
	// stream names the random stream of its resampling.
	stream string
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
func (c *cell) ask(o Options) (notes []string, err error) {
	var unrecorded atomic.Bool
	if len(o.At) == 0 {
		last := c.atCost(c.hi, "at")
		last.of = func(place int, curve observe.LogCurve) float64 {
			if s := c.survey[place]; c.lines && !(s.stays && s.last < c.hi) && !slices.Contains(curve.X, c.hi) {
				unrecorded.Store(true)
			}
			return curve.At(c.hi)
		}
		c.questions = append(c.questions, last)
	}
	for i, at := range o.At {
		c.questions = append(c.questions, c.atCost(at, fmt.Sprintf("at %d", i)))
	}
	for i, target := range o.Targets {
		c.questions = append(c.questions, c.toTarget(target, fmt.Sprintf("to %d", i)))
	}
	c.questions = append(c.questions, c.area())
	points, err := c.readValues()
	if err != nil {
		return nil, err
	}
	if unrecorded.Load() {
		c.questions = c.questions[1:]
	}
	places := c.pool.Places()
	for i := range c.questions {
		if q := &c.questions[i]; q.empty == "" {
			base, cand := c.pool.Taken(q.values)
			q.Baseline, q.Candidate = geometric(base), geometric(cand)
			q.expect(places)
		}
	}
	raised := 0
	for _, place := range slices.Concat(places[0], places[1]) {
		raised += points[place]
	}
	if raised > 0 {
		notes = append(notes, fmt.Sprintf("values of at most %.3g count as %.3g (%s)", c.floor, c.floor, words.Count(raised, "point")))
	}
	return notes, nil
}

// readValues takes the values of all curves, each of which it reads once, and returns how many of
// their points were raised to the floor.
func (c *cell) readValues() (raised []int, err error) {
	for i := range c.questions {
		c.questions[i].values = slices.Repeat([]float64{math.Inf(1)}, len(c.survey))
	}
	raised = make([]int, len(c.survey))
	return raised, inParallel(len(c.survey), func(place int) error {
		if !c.survey[place].finished {
			return nil
		}
		curve, err := c.read(place)
		if err != nil {
			return err
		}
		curve.Floor = c.floor
		l := observe.NewLogCurve(curve)
		raised[place] = l.Raised
		for i := range c.questions {
			if q := &c.questions[i]; q.empty == "" {
				q.values[place] = q.of(place, l)
			}
		}
		return nil
	})
}

func (c *cell) atCost(at float64, stream string) question {
	q := question{stream: stream, of: func(_ int, curve observe.LogCurve) float64 { return curve.At(at) }}
	q.Kind, q.At = AtCost, at
	if at < c.lo || at > c.hi {
		q.empty = fmt.Sprintf("%s %s is outside the range that all curves cover, %s to %s", costText(at), c.Cost, costText(c.lo), costText(c.hi))
	}
	return q
}

func (c *cell) area() question {
	q := question{stream: "area", of: func(_ int, curve observe.LogCurve) float64 { return curve.Mean(c.lo, c.hi, c.lines) }}
	q.Kind = Area
	if !(0 < c.lo && c.lo < c.hi) {
		q.empty = "the curves have a single cost in common"
	}
	return q
}

func (c *cell) toTarget(target float64, stream string) question {
	least := math.Inf(1)
	costs := make([]float64, len(c.survey))
	for place, s := range c.survey {
		if costs[place] = s.end; s.start > 0 {
			least = min(least, s.start)
		}
	}
	if math.IsInf(least, 1) {
		least = 1
	}
	q := question{stream: stream, costs: costs, of: func(place int, curve observe.LogCurve) float64 {
		x, ok := curve.FirstAt(target, c.lines)
		if !ok {
			return math.Inf(1)
		}
		costs[place] = x
		return math.Log(max(x, least))
	}}
	q.Kind, q.At, q.Reached = ToTarget, target, &[2]int{}
	if target < c.floor {
		q.empty = fmt.Sprintf("the target is below %.3g, where differences are due to rounding", c.floor)
	}
	return q
}

// expect says of each side what it takes to reach a target, the expected running time: what all
// runs spent, on the way to the target or in vain, over the number of those that reached it (Hansen
// et al. 2021, COCO); nothing if none did.
func (q *question) expect(places [2][]int) {
	if q.Kind != ToTarget {
		return
	}
	q.Baseline, q.Candidate = nil, nil
	for side, at := range places {
		spent, reached := 0.0, 0
		for _, place := range at {
			if spent += q.costs[place]; !stats.Worst(q.values[place]) {
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
	finite := slices.DeleteFunc(slices.Clone(logs), stats.Worst)
	if len(finite) == 0 {
		return nil
	}
	mean := power(stats.Mean(finite))
	return &mean
}

// power is e^v, or the largest number if that is more.
func power(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

func costText(v float64) string { return words.Whole(v, 1e15) }
