package stats

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// Settings are the settings of the tests and intervals of a comparison.
type Settings struct {
	// Alpha is the family-wise error rate; 1 - Alpha is the level of intervals.
	Alpha float64
	// Margin is the equivalence margin, a difference of logarithms.
	Margin float64
	// Tests is the total number of tests.
	Tests int
	// Stream is the name of the random streams.
	Stream string
}

func (o Settings) seed(what string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(o.Stream + " " + what))
	return h.Sum64()
}

func (o Settings) share() float64 { return 1 / float64(max(o.Tests, 1)) }

// ApproximateLevel returns the level of the intervals that decide if there is no exact test.
func (o Settings) ApproximateLevel() float64 { return 1 - o.Alpha*o.share() }

// Estimate is an estimate of the logarithm of candidate / baseline from logarithms of their values.
type Estimate struct {
	// Centre is the difference of the means or, in a rank test, the median of the differences, which
	// may be infinite.
	Centre float64
	// P is twice the smaller p-value of two one-sided tests: that the candidate is at most the margin
	// above the baseline, and at most the margin below. Least is the smallest possible P for this
	// number of repeats. Adjusted is P after the correction for multiple tests, nil for a test outside
	// the family.
	P, Least float64
	Adjusted *float64
	// Ranks means that P is from a rank test.
	Ranks bool
	// Exact means that there is no randomness. Approximate means that there is no test and the interval
	// decides.
	Exact, Approximate bool
	// share is the fraction of alpha available to the test, 0 without a test.
	share float64
	// ends returns the interval of level 1 - alpha; nil for a rank test.
	ends func(alpha float64) (lo, hi float64)
}

// IsWorst reports whether a value is +Inf, which represents a run that is worse than any number.
func IsWorst(v float64) bool { return math.IsInf(v, 1) }

func ranked(base, cand []float64) bool {
	return slices.ContainsFunc(base, IsWorst) || slices.ContainsFunc(cand, IsWorst)
}

// Estimate returns estimates for several measures with at least two repeats per side. Each table holds
// the values of a measure, row by row as in Scores. If parameters are selected, the tests and intervals
// account for the selection.
//
// Without an exact test, the interval is the hull of two intervals: the interval of the difference for
// fixed parameters, and the bootstrap percentile interval of the difference with selection in each
// resample. The first is too short near ties of candidates, the second if a candidate is clearly best
// and there are few repeats. Their hull is not exact either.
func (p *Pool) Estimate(tables [][]float64, o Settings) []*Estimate {
	seed := o.seed("exchanges")
	of, values := p, tables
	if p.Approximate && p.HasChoice() {
		of, values = PlainPool(p.Rows[0], p.Rows[1], p.Paired), nil
		for _, v := range tables {
			values = append(values, slices.Concat(p.Selected(v)))
		}
	}
	tested := of.exchange(values, o, seed)
	out := make([]*Estimate, len(tables))
	for i := range tables {
		x := &tested[i]
		base, cand := p.Selected(tables[i])
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

// approximate replaces the intervals of estimates for fixed parameters by the hull described at
// Estimate.
func (p *Pool) approximate(tables [][]float64, estimates []*Estimate, o Settings, rng *rand.Rand) {
	for i, d := range p.bootstrap(tables, resamples(o.Alpha*o.share()), rng) {
		low, high := slices.Clone(d), d
		for j, v := range d {
			if math.IsInf(v, 0) || math.IsNaN(v) { // contains an infinite value: no information
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

// medianDifference returns the median of the differences within pairs, or between all values of the
// candidate and all of the baseline.
func medianDifference(base, cand []float64, paired bool) float64 {
	if paired {
		return Median(differences(base, cand))
	}
	var d []float64
	for _, b := range base {
		for _, c := range cand {
			d = append(d, minus(c, b))
		}
	}
	return Median(d)
}

// ExactEstimate returns the estimate for values without randomness. It has no test and is not in the family.
func ExactEstimate(base, cand float64) *Estimate {
	e := &Estimate{Centre: minus(cand, base), Least: 1, Exact: true}
	if !IsWorst(base) && !IsWorst(cand) {
		e.ends = func(float64) (lo, hi float64) { return e.Centre, e.Centre }
	}
	return e
}

// Interval returns the interval of level 1 - alpha. It is infinite for a rank test.
func (e *Estimate) Interval(alpha float64) Interval {
	lo, hi := math.Inf(-1), math.Inf(1)
	if e.ends != nil {
		lo, hi = e.ends(alpha)
	}
	return Interval{Value: e.Centre, Lo: lo, Hi: hi}
}

// Decision is the conclusion from an estimate.
type Decision int

// The candidate is above or below the baseline, or both are equivalent, or neither is shown.
const (
	Undecided Decision = iota
	Above
	Below
	Equivalent
)

// Decide returns the conclusion after the correction for multiple tests. A difference must exceed the
// margin. in is the interval of the test, of the given level: it lies outside the margin for a
// difference and within it for equivalence. Ends are infinite without a test; in is nil for a rank
// test.
func (e *Estimate) Decide(o Settings) (d Decision, in *Interval, level float64) {
	// A difference equal to the margin up to rounding is within it.
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

// differences returns cand - base. It sets rounding errors to 0.
func differences(base, cand []float64) []float64 {
	d := make([]float64, len(base))
	for i := range d {
		if d[i] = minus(cand[i], base[i]); math.Abs(d[i]) < rounding*max(1, math.Abs(base[i])) {
			d[i] = 0
		}
	}
	return d
}

// minus returns c - b, and 0 for equal infinite values.
func minus(c, b float64) float64 {
	if c == b {
		return 0
	}
	return c - b
}

// LeastRepeats returns the least number of repeats for which a test in a family of the given size can
// reject, up to 30.
func LeastRepeats(paired bool, alpha float64, tests int) int {
	o := Settings{Alpha: alpha, Tests: tests}
	n := 2
	for n < 30 && o.leastP(paired, n, n) > alpha*o.share() {
		n++
	}
	return n
}
