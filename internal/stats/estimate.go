package stats

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// Settings are those of the tests and intervals of a comparison.
type Settings struct {
	// Alpha is the family-wise error rate; 1 - Alpha is the level of intervals.
	Alpha float64
	// Margin is the difference of logarithms that does not matter.
	Margin float64
	// Tests is the number of tests that are made in all.
	Tests int
	// Stream names the random streams.
	Stream string
}

func (o Settings) seed(what string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(o.Stream + " " + what))
	return h.Sum64()
}

func (o Settings) share() float64 { return 1 / float64(max(o.Tests, 1)) }

// ApproximateLevel is the level of the intervals that decide where there is no exact test.
func (o Settings) ApproximateLevel() float64 { return 1 - o.Alpha*o.share() }

// Estimate is what values of both sides, which are logarithms, say about the logarithm of candidate / baseline.
type Estimate struct {
	// Centre is the difference of the means, or, if ranks decide, the median of the differences,
	// which may be infinite.
	Centre float64
	// P is twice the smaller of the p-values of two one-sided tests: that the candidate is at most
	// the margin above the baseline, and at most the margin below. Least is the smallest that as many
	// repeats can have. Adjusted is P after the correction for the number of tests, nil for a test
	// that is not in the family.
	P, Least float64
	Adjusted *float64
	Ranks    bool
	// Exact says that there is nothing to estimate, Approximate that there is no test and the
	// interval decides.
	Exact, Approximate bool
	// share is the part of alpha that the test had, 0 if there was none.
	share float64
	// ends returns the ends of the interval of the level 1 - alpha; nil if ranks decide.
	ends func(alpha float64) (lo, hi float64)
}

// Worst reports whether a value is that of a run that did worse than any number.
func Worst(v float64) bool { return math.IsInf(v, 1) }

func ranked(base, cand []float64) bool {
	return slices.ContainsFunc(base, Worst) || slices.ContainsFunc(cand, Worst)
}

// Estimate estimates measures of at least two repeats a side: tables of values, which begin with
// those of the baseline. Where there is a choice, the tests and intervals are of the whole procedure.
//
// Where there is no exact test of it, the interval is the hull of that of the difference at what
// was chosen and of the percentiles of the differences of repeats drawn again, each with its own
// choice. The first is too short where the choice is a near tie, as another one would give another
// difference; the other where it is clear, for few repeats. Neither is exact, and nor is the hull.
func (p *Pool) Estimate(tables [][]float64, o Settings) []*Estimate {
	seed := o.seed("exchanges")
	of, values := p, tables
	if p.Approximate && p.Chooses() {
		of, values = PlainPool(p.Rows[0], p.Rows[1], p.Paired), nil
		for _, v := range tables {
			values = append(values, slices.Concat(p.Taken(v)))
		}
	}
	tested := of.exchange(values, o, seed)
	out := make([]*Estimate, len(tables))
	for i := range tables {
		x := &tested[i]
		base, cand := p.Taken(tables[i])
		e := &Estimate{P: min(2*x.above, 2*x.below, 1), Ranks: x.ranks, Least: o.leastP(p.Paired, p.Rows[0], p.Rows[1])}
		if out[i] = e; e.Ranks {
			e.Centre = medianDifference(base, cand, p.Paired)
			continue
		}
		e.Centre, e.ends = Mean(cand)-Mean(base), x.ends
	}
	if of != p {
		p.approximate(tables, out, o, rand.New(rand.NewPCG(0, seed)))
	}
	return out
}

// approximate makes estimates of what was chosen those of the procedure that chooses.
func (p *Pool) approximate(tables [][]float64, estimates []*Estimate, o Settings, rng *rand.Rand) {
	for i, d := range p.drawnAgain(tables, resamples(o.Alpha*o.share()), rng) {
		low, high := slices.Clone(d), d
		for j, v := range d {
			if math.IsInf(v, 0) || math.IsNaN(v) { // a run that did worse than any number says nothing
				low[j], high[j] = math.Inf(-1), math.Inf(1)
			}
		}
		e := estimates[i]
		e.Approximate, e.P, e.Least, e.share = true, 1, 1, o.share()
		if fixed := e.ends; fixed != nil {
			e.ends = func(alpha float64) (lo, hi float64) {
				lo, hi = fixed(alpha)
				least, _ := percentiles(low, alpha)
				_, most := percentiles(high, alpha)
				return min(lo, least), max(hi, most)
			}
		}
	}
}

// medianDifference is the median of the differences of pairs, or of all of the candidate from all of
// the baseline.
func medianDifference(base, cand []float64, paired bool) float64 {
	if paired {
		return Median(differences(base, cand))
	}
	var d []float64
	for _, b := range base {
		for _, c := range cand {
			d = append(d, less(c, b))
		}
	}
	return Median(d)
}

// Exactly compares values into which no randomness enters: the difference is what any others would
// give. It has no test, and no part in the family.
func Exactly(base, cand float64) *Estimate {
	e := &Estimate{Centre: less(cand, base), Least: 1, Exact: true}
	if !Worst(base) && !Worst(cand) {
		e.ends = func(float64) (lo, hi float64) { return e.Centre, e.Centre }
	}
	return e
}

// Interval returns the interval of the level 1 - alpha, whose ends are infinite if ranks decide.
func (e *Estimate) Interval(alpha float64) Interval {
	lo, hi := math.Inf(-1), math.Inf(1)
	if e.ends != nil {
		lo, hi = e.ends(alpha)
	}
	return Interval{Value: e.Centre, Lo: lo, Hi: hi}
}

// Decision is what an estimate shows.
type Decision int

// Decisions: the candidate is above the baseline, or below, or both are equivalent.
const (
	Undecided Decision = iota
	Above
	Below
	Equivalent
)

// Decide decides after the correction: above or below by more than the margin, or within it. The
// interval is that of the test, of the level given: it is beyond the margin where a difference is
// shown, within it for equivalence, and neither where nothing is. An end is infinite where there was
// no test. in is nil if ranks decide.
func (e *Estimate) Decide(o Settings) (d Decision, in *Interval, level float64) {
	// A difference of exactly the margin is within it, whatever the rounding.
	margin := o.Margin + rounding
	tested, equivalent := o.Alpha*e.share, o.Alpha
	if e.Approximate {
		equivalent = tested
	}
	of, within := e.Interval(tested), e.Interval(equivalent)
	significant := e.Exact || e.Adjusted != nil && *e.Adjusted <= o.Alpha*(1+rounding)
	if e.Approximate {
		significant = of.Lo > margin || of.Hi < -margin
	}
	switch {
	case significant && e.Centre > margin:
		d = Above
	case significant && e.Centre < -margin:
		d = Below
	case -margin <= within.Lo && within.Hi <= margin:
		d, of, tested = Equivalent, within, equivalent
	}
	if e.ends == nil {
		return d, nil, 0
	}
	return d, &of, 1 - tested
}

// differences returns cand - base, 0 where that is rounding.
func differences(base, cand []float64) []float64 {
	d := make([]float64, len(base))
	for i := range d {
		if d[i] = less(cand[i], base[i]); math.Abs(d[i]) < rounding*max(1, math.Abs(base[i])) {
			d[i] = 0
		}
	}
	return d
}

// less returns c - b; two infinite values are alike.
func less(c, b float64) float64 {
	if c == b {
		return 0
	}
	return c - b
}

// LeastRepeats returns the least number of repeats with which a test in a family of the given
// number of tests can reject at all.
func LeastRepeats(paired bool, alpha float64, tests int) int {
	o := Settings{Alpha: alpha, Tests: tests}
	n := 2
	for n < 30 && o.leastP(paired, n, n) > alpha*o.share() {
		n++
	}
	return n
}
