package compare

import (
	"fmt"
	"math"
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"
	"stochopt/results/words"
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
// costs are those of all candidates of both sides, whatever is chosen.
type curveSet struct {
	*pool
	// curves are those of the pool, base and cand those of what was chosen.
	curves     []analysis.LogCurve
	base, cand []analysis.LogCurve
	axes       axes
	// lo and hi bound the costs that all curves cover, lines says to interpolate
	// along lines for want of common recorded costs.
	lo, hi float64
	lines  bool
	floor  float64
	notes  []string
}

// newCurveSet reads the curves of a cell. reason says why they cannot be compared.
func newCurveSet(p *pool, l axes, o Options) (s *curveSet, reason string, err error) {
	s = &curveSet{pool: p, axes: l}
	var runs []record.Run
	read := make([]analysis.Curve, len(p.runs))
	for i, r := range p.runs {
		if r == nil {
			continue
		}
		runs = append(runs, *r)
		if read[i], err = readCurve(*r, l); err != nil {
			return nil, "", err
		}
	}
	s.floor = floorOf(o, l, runs)
	if reason := s.take(read); reason != "" {
		return nil, reason, nil
	}
	var recordings [2][]string
	for side, rows := range p.observed() {
		for _, row := range rows {
			for _, r := range p.runs[row*len(p.columns) : (row+1)*len(p.columns)] {
				if r != nil {
					recordings[side] = words.AddOnce(recordings[side], recording(*r))
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

// chooseCurves sets the curves of what is chosen as observed.
func (s *curveSet) chooseCurves() {
	a, k := s.observed(), len(s.columns)
	choice := s.choice(a)
	of := func(side int) (out []analysis.LogCurve) {
		for _, row := range a[side] {
			out = append(out, s.curves[row*k+choice[side]])
		}
		return out
	}
	s.base, s.cand = of(0), of(1)
}

// only returns the curves of some candidates, with the floor and the range of all.
func (s *curveSet) only(columns []int) *curveSet {
	out := *s
	out.pool, out.curves = s.pool.only(columns), picked(s.curves, len(s.columns), columns)
	out.chooseCurves()
	return &out
}

// recording says at which iterations a run is recorded.
func recording(r record.Run) string { return record.ParseExtent(r.Extent).Recorded() }

// cover finds the range of costs that all curves cover; it says why there is none.
func (s *curveSet) cover() (reason string) {
	s.hi = math.Inf(1)
	var last, longest float64
	stays := 0
	for _, c := range s.curves {
		if !c.Finished {
			continue
		}
		s.lo, s.hi = max(s.lo, c.Start()), min(s.hi, c.KnownTo())
		last = max(last, c.X[len(c.X)-1])
		if c.Stays {
			stays++
		} else {
			longest = max(longest, c.KnownTo())
		}
	}
	if math.IsInf(s.hi, 1) {
		s.hi = last
	}
	if stays > 0 && stays < len(s.curves) || stays == len(s.curves) && s.lo < s.hi {
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

// observe takes all measures of a cell. name tells its random streams from those
// of others. Unless costs are asked for, the metric is compared at the last one, if all
// curves record there.
func (s *curveSet) observe(o Options, name string) []measurement {
	var out []measurement
	if len(o.At) == 0 && (!s.lines || s.recordedAt(s.hi)) {
		out = append(out, s.atCost(s.hi, name+" at"))
	}
	for i, at := range o.At {
		out = append(out, s.atCost(at, fmt.Sprintf("%s at %d", name, i)))
	}
	for i, target := range o.Targets {
		out = append(out, s.toTarget(target, fmt.Sprintf("%s to %d", name, i)))
	}
	return append(out, s.area(name+" area"))
}

// recordedAt reports whether all curves have a value at x, or would keep theirs. One
// that wiggles is not to be compared with its own chords.
func (s *curveSet) recordedAt(x float64) bool {
	lacks := func(c analysis.LogCurve) bool {
		return c.Finished && !slices.Contains(c.X, x) && !(c.Stays && c.X[len(c.X)-1] < x)
	}
	return !slices.ContainsFunc(s.curves, lacks)
}

// sampled reads a value of each curve, +Inf of those that did not finish.
func (m measurement) sampled(s *curveSet, of func(analysis.LogCurve) float64, seed string) measurement {
	m.values = make([]float64, len(s.curves))
	for i, c := range s.curves {
		if m.values[i] = math.Inf(1); c.Finished {
			m.values[i] = of(c)
		}
	}
	a := s.observed()
	base, cand := s.valuesOf(m.values, a, s.choice(a))
	m.sample = sample{base: slices.Clone(base), cand: slices.Clone(cand), paired: s.paired, seed: seed}
	m.Baseline, m.Candidate = geometric(base), geometric(cand)
	return m
}

func (s *curveSet) atCost(at float64, seed string) measurement {
	m := measurement{Measure: Measure{Kind: AtCost, At: at}}
	if at < s.lo || at > s.hi {
		m.empty = fmt.Sprintf("%s %s is outside the range that all curves cover, %s to %s", costText(at), s.axes.cost, costText(s.lo), costText(s.hi))
		return m
	}
	return m.sampled(s, func(c analysis.LogCurve) float64 { return c.At(at) }, seed)
}

func (s *curveSet) area(seed string) measurement {
	m := measurement{Measure: Measure{Kind: Area}}
	if !(0 < s.lo && s.lo < s.hi) {
		m.empty = "the curves have a single cost in common"
		return m
	}
	return m.sampled(s, func(c analysis.LogCurve) float64 { return c.Mean(s.lo, s.hi, s.lines) }, seed)
}

func (s *curveSet) toTarget(target float64, seed string) measurement {
	m := measurement{Measure: Measure{Kind: ToTarget, At: target, Reached: &[2]int{}}}
	if target < s.floor {
		m.empty = fmt.Sprintf("the target is below %.3g, where differences are due to rounding", s.floor)
		return m
	}
	least := math.Inf(1)
	for _, c := range s.curves {
		if x := c.Start(); x > 0 {
			least = min(least, x)
		}
	}
	if math.IsInf(least, 1) {
		least = 1
	}
	m = m.sampled(s, func(c analysis.LogCurve) float64 {
		x, ok := c.FirstAt(target, s.lines)
		if !ok {
			return math.Inf(1)
		}
		return math.Log(max(x, least))
	}, seed)
	m.Baseline, m.Reached[0] = s.expectedCost(s.base, target)
	m.Candidate, m.Reached[1] = s.expectedCost(s.cand, target)
	if m.Reached[0]+m.Reached[1] == 0 {
		m.empty = "no run of either side reaches the target"
		return m
	}
	for i, curves := range [][]analysis.LogCurve{s.base, s.cand} {
		if n := len(curves) - m.Reached[i]; n > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs of the %s do not reach the target and count as worst", n, len(curves), sideNames[i]))
		}
	}
	return m
}

var sideNames = [2]string{"baseline", "candidate"}

// expectedCost returns the expected running time: what all runs spent, on the way
// to the target or in vain, over the number of those that reached it (Hansen et
// al. 2021, COCO); nil if none did.
func (s *curveSet) expectedCost(curves []analysis.LogCurve, target float64) (*float64, int) {
	var spent float64
	n := 0
	for _, c := range curves {
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
	mean := power(analysis.Mean(finite))
	return &mean
}

// power is e^v, or the largest number if that is more.
func power(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }

// costText formats a cost.
func costText(v float64) string { return words.Whole(v, 1e15) }
