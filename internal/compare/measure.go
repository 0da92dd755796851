package compare

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"

	"golang.org/x/sync/errgroup"
)

// sample is a measure of the runs of both sides: logarithms, +Inf for a run that
// did worse than any number could say.
type sample struct {
	base, cand []float64
	paired     bool
	// seed names the random stream of the resampling.
	seed string
}

// worst reports whether a value is that of a run that did worse than any number.
func worst(v float64) bool { return math.IsInf(v, 1) }

// ranked reports whether ranks decide, as a run has no value.
func (s sample) ranked() bool { return slices.ContainsFunc(slices.Concat(s.base, s.cand), worst) }

// measurement is a measure before its test.
type measurement struct {
	Measure
	// values are those of all repeats and candidates, as the pool has them, sample those of
	// what was chosen.
	values []float64
	sample sample
	// empty says why there is nothing to test.
	empty string
}

// curveSet is what the measures of a cell are taken from. Its floor and the range of its
// costs are those of all candidates of both sides, whatever is chosen. Its curves are read
// when they are looked at and not kept, as those of a cell may be more than memory holds.
type curveSet struct {
	*pool
	// curve reads the curve at a place of the pool, survey holds what is kept of it.
	curve  func(place int) observe.LogCurve
	survey []surveyed
	axes   axes
	// lo and hi bound the costs that all curves cover, lines says to interpolate
	// along lines for want of common recorded costs.
	lo, hi float64
	lines  bool
	floor  float64
	notes  []string
}

// surveyed is what is kept of a curve: of one that finished where it starts, to where it is
// known, its last point and its least value.
type surveyed struct {
	finished, stays             bool
	start, knownTo, last, least float64
}

func surveyOf(c observe.LogCurve) surveyed {
	if !c.Finished {
		return surveyed{}
	}
	return surveyed{true, c.Stays, c.Start(), c.KnownTo(), c.X[len(c.X)-1], slices.Min(c.Y)}
}

// newCurveSet surveys the curves of a cell. reason says why they cannot be compared.
func newCurveSet(p *pool, l axes, o Options) (s *curveSet, reason string, err error) {
	s = &curveSet{pool: p, axes: l}
	reason, err = s.take(o, func(place int) (observe.Curve, resolution, error) {
		r := p.runs[place]
		if r == nil {
			return observe.Curve{}, resolution{}, nil
		}
		c, err := readCurve(r, l)
		return c, resolutionOf(r, l), err
	})
	if err != nil || reason != "" {
		return nil, reason, err
	}
	var recordings [2][]string
	for side, rows := range p.observed() {
		for _, row := range rows {
			for _, r := range p.runs[row*len(p.columns) : (row+1)*len(p.columns)] {
				if r != nil {
					recordings[side] = words.AddOnce(recordings[side], recording(r))
				}
			}
		}
	}
	if b, c := unique(recordings[0]), unique(recordings[1]); !slices.Equal(b, c) {
		s.lines = true
		s.notes = append(s.notes, fmt.Sprintf("the sides record at different costs (%s / %s), so curves are interpolated linearly in the logarithms; steps would favour one side", words.List(b, mostListed), words.List(c, mostListed)))
	}
	return s, s.cover(), nil
}

// each does something at all places, several at a time.
func (s *curveSet) each(do func(place int)) {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	const part = 64
	for first := 0; first < len(s.score); first += part {
		workers.Go(func() error {
			for place := first; place < min(first+part, len(s.score)); place++ {
				do(place)
			}
			return nil
		})
	}
	workers.Wait()
}

// chosen are the places of what each side chooses as observed.
func (s *curveSet) chosen() (places [2][]int) {
	a, k := s.observed(), len(s.columns)
	choice := s.choice(a)
	for side, rows := range a {
		for _, row := range rows {
			places[side] = append(places[side], row*k+choice[side])
		}
	}
	return places
}

// recording says at which iterations a run is recorded.
func recording(r *record.Run) string { return record.ParseExtent(r.Extent).Recorded() }

// cover finds the range of costs that all curves cover; it says why there is none.
func (s *curveSet) cover() (reason string) {
	s.hi = math.Inf(1)
	var last, longest float64
	stays := 0
	for _, c := range s.survey {
		if !c.finished {
			continue
		}
		s.lo, s.hi = max(s.lo, c.start), min(s.hi, c.knownTo)
		last = max(last, c.last)
		if c.stays {
			stays++
		} else {
			longest = max(longest, c.knownTo)
		}
	}
	if math.IsInf(s.hi, 1) {
		s.hi = last
	}
	if stays > 0 && stays < len(s.survey) || stays == len(s.survey) && s.lo < s.hi {
		s.notes = append(s.notes, fmt.Sprintf("%s converged before the end; their last values are used from there on", words.Count(stays, "run")))
	}
	if s.hi < s.lo {
		return fmt.Sprintf("the curves do not overlap: one begins at %s %s, another ends at %s", costText(s.lo), s.axes.cost, costText(s.hi))
	}
	if longest > s.hi*(1+1e-9) {
		s.notes = append(s.notes, fmt.Sprintf("compared up to %s %s, where the shortest curve ends; the longest ends at %s", costText(s.hi), s.axes.cost, costText(longest)))
	}
	return ""
}

// reading is a measure to be taken: of says what it reads of a curve that finished, if there
// is something to test.
type reading struct {
	measurement
	of func(observe.LogCurve) float64
}

// observe takes all measures of a cell. name tells its random streams from those
// of others. Unless costs are asked for, the metric is compared at the last one, if all
// curves record there.
func (s *curveSet) observe(o Options, name string) []measurement {
	var all []reading
	add := func(r reading, what string) {
		r.sample.seed = name + " " + what
		all = append(all, r)
	}
	if len(o.At) == 0 && (!s.lines || s.recordedAt(s.hi)) {
		add(s.atCost(s.hi), "at")
	}
	for i, at := range o.At {
		add(s.atCost(at), fmt.Sprintf("at %d", i))
	}
	for i, target := range o.Targets {
		add(s.toTarget(target), fmt.Sprintf("to %d", i))
	}
	add(s.area(), "area")
	s.read(all)
	out := make([]measurement, len(all))
	for i, r := range all {
		if r.of != nil {
			s.sampled(&r.measurement)
		}
		if r.of != nil && r.Kind == ToTarget {
			s.spent(&r.measurement)
		}
		out[i] = r.measurement
	}
	return out
}

// recordedAt reports whether all curves have a value at x, or would keep theirs. One
// that wiggles is not to be compared with its own chords.
func (s *curveSet) recordedAt(x float64) bool {
	lacks := make([]bool, len(s.survey))
	s.each(func(place int) {
		c := s.survey[place]
		lacks[place] = c.finished && !(c.stays && c.last < x) && !slices.Contains(s.curve(place).X, x)
	})
	return !slices.Contains(lacks, true)
}

// read takes the values of all curves, +Inf of those that did not finish. Each is read once.
func (s *curveSet) read(all []reading) {
	for i := range all {
		if all[i].of != nil {
			all[i].values = slices.Repeat([]float64{math.Inf(1)}, len(s.survey))
		}
	}
	s.each(func(place int) {
		if !s.survey[place].finished {
			return
		}
		c := s.curve(place)
		for i := range all {
			if all[i].of != nil {
				all[i].values[place] = all[i].of(c)
			}
		}
	})
}

// sampled takes the sample of what is chosen.
func (s *curveSet) sampled(m *measurement) {
	a := s.observed()
	base, cand := s.valuesOf(m.values, a, s.choice(a))
	m.sample.base, m.sample.cand, m.sample.paired = slices.Clone(base), slices.Clone(cand), s.paired
	m.Baseline, m.Candidate = geometric(base), geometric(cand)
}

func (s *curveSet) atCost(at float64) reading {
	r := reading{of: func(c observe.LogCurve) float64 { return c.At(at) }}
	r.Kind, r.At = AtCost, at
	if at < s.lo || at > s.hi {
		r.of = nil
		r.empty = fmt.Sprintf("%s %s is outside the range that all curves cover, %s to %s", costText(at), s.axes.cost, costText(s.lo), costText(s.hi))
	}
	return r
}

func (s *curveSet) area() reading {
	r := reading{of: func(c observe.LogCurve) float64 { return c.Mean(s.lo, s.hi, s.lines) }}
	r.Kind = Area
	if !(0 < s.lo && s.lo < s.hi) {
		r.of, r.empty = nil, "the curves have a single cost in common"
	}
	return r
}

func (s *curveSet) toTarget(target float64) reading {
	least := math.Inf(1)
	for _, c := range s.survey {
		if c.start > 0 {
			least = min(least, c.start)
		}
	}
	if math.IsInf(least, 1) {
		least = 1
	}
	r := reading{of: func(c observe.LogCurve) float64 {
		x, ok := c.FirstAt(target, s.lines)
		if !ok {
			return math.Inf(1)
		}
		return math.Log(max(x, least))
	}}
	r.Kind, r.At, r.Reached = ToTarget, target, &[2]int{}
	if target < s.floor {
		r.of = nil
		r.empty = fmt.Sprintf("the target is below %.3g, where differences are due to rounding", s.floor)
	}
	return r
}

// spent says what it took what is chosen to reach a target.
func (s *curveSet) spent(m *measurement) {
	chosen := s.chosen()
	m.Baseline, m.Reached[0] = s.expectedCost(chosen[0], m.At)
	m.Candidate, m.Reached[1] = s.expectedCost(chosen[1], m.At)
	if m.Reached[0]+m.Reached[1] == 0 {
		m.empty = "no run of either side reaches the target"
		return
	}
	for i, places := range chosen {
		if n := len(places) - m.Reached[i]; n > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs of the %s do not reach the target and count as worst", n, len(places), sideNames[i]))
		}
	}
}

var sideNames = [2]string{"baseline", "candidate"}

// expectedCost returns the expected running time: what all runs spent, on the way
// to the target or in vain, over the number of those that reached it (Hansen et
// al. 2021, COCO); nil if none did.
func (s *curveSet) expectedCost(places []int, target float64) (*float64, int) {
	var spent float64
	n := 0
	for _, place := range places {
		c := s.curve(place)
		if x, ok := c.FirstAt(target, s.lines); ok {
			spent += x
			n++
			continue
		}
		spent += c.End
	}
	if n == 0 {
		return nil, 0
	}
	spent /= float64(n)
	return &spent, n
}

// geometric returns the geometric mean of what is finite, nil if nothing is.
func geometric(logs []float64) *float64 {
	finite := slices.DeleteFunc(slices.Clone(logs), worst)
	if len(finite) == 0 {
		return nil
	}
	mean := power(stats.Mean(finite))
	return &mean
}

// power is e^v, or the largest number if that is more.
func power(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

// costText formats a cost.
func costText(v float64) string { return words.Whole(v, 1e15) }
