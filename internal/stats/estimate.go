package stats

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
)

// Settings are those of the tests and intervals of a comparison.
type Settings struct {
	// Alpha is the family-wise error rate; 1 - Alpha is the level of intervals.
	Alpha float64
	// Tests is the number of tests that are made in all.
	Tests int
	// Seed and Stream name the random streams.
	Seed   uint64
	Stream string
	// Resamples is the number of bootstrap resamples, 0 for as many as Alpha asks for.
	Resamples int
}

func (o Settings) seed(what string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(o.Stream + " " + what))
	return h.Sum64()
}

func (o Settings) share() float64 { return o.Alpha / float64(max(o.Tests, 1)) }

// ApproximateLevel is the level of the intervals that decide where there is no exact test.
func (o Settings) ApproximateLevel() float64 { return 1 - o.share() }

// Estimate is what values of both sides, which are logarithms, say about the logarithm of candidate / baseline.
type Estimate struct {
	// Centre is the mean, or, if ranks decide, the median, which may be infinite.
	Centre float64
	// Ratio is the interval of the mean of the logarithms, if ranks do not decide.
	Ratio *Interval
	// P is the p-value, Least the smallest that as many repeats can have. Adjusted is P after the
	// correction for the number of tests, nil for a test that is not in the family.
	P, Least float64
	Adjusted *float64
	Ranks    bool
	// Exact says that there is nothing to estimate, Approximate that there is no test and the
	// interval decides, Idle that no equivalence can be shown.
	Exact, Approximate, Idle bool
}

// Worst reports whether a value is that of a run that did worse than any number.
func Worst(v float64) bool { return math.IsInf(v, 1) }

func ranked(base, cand []float64) bool {
	return slices.ContainsFunc(base, Worst) || slices.ContainsFunc(cand, Worst)
}

// leastChosen is the number of repeats below which a choice is never found equivalent, nor
// decided by an approximate interval: which way a near tie falls is hardly seen in fewer.
const leastChosen = 6

// Taken returns what both sides choose as observed of a table of values.
func (p *Pool) Taken(values []float64) (base, cand []float64) {
	base, cand = p.valuesOf(values, p.observed(), p.Choice())
	return slices.Clone(base), slices.Clone(cand)
}

// Estimate estimates measures of at least two repeats a side: tables of values, with the names
// of their random streams. The difference is that of what was chosen. Where there is a choice
// its test and its interval are of the whole procedure: see pValues and widen.
func (p *Pool) Estimate(tables [][]float64, names []string, o Settings) []*Estimate {
	level := o
	if p.Approximate {
		level.Alpha = o.share()
	}
	out := make([]*Estimate, len(tables))
	for i, values := range tables {
		base, cand := p.Taken(values)
		e := estimate(base, cand, p.Paired, level, names[i])
		out[i] = &e
	}
	if !p.Chooses() {
		return out
	}
	seed := o.seed("choice")
	var ps []float64
	var ranks []bool
	var least float64
	if !p.Approximate {
		ps, ranks, least = p.pValues(tables, o, seed)
	}
	for i, e := range out {
		e.Idle = p.Repeats() < leastChosen
		if p.Approximate {
			e.Approximate, e.P, e.Least = true, 1, 1
			continue
		}
		e.P, e.Least = ps[i], least
		if ranks[i] && !e.Ranks {
			e.Ranks, e.Ratio = true, nil
		}
	}
	p.widen(tables, out, level, seed)
	return out
}

// widen makes each interval, which is that of the difference at what was chosen, the hull of
// it and of the percentiles of the differences of repeats drawn again that choose anew. The
// first is too short where the choice is a near tie, as another one would give another
// difference; the other where it is clear, for few repeats. Neither is exact, and nor is
// the hull.
func (p *Pool) widen(tables [][]float64, estimates []*Estimate, o Settings, seed uint64) {
	var wide []*Estimate
	var values [][]float64
	for i, e := range estimates {
		if e.Ratio != nil {
			wide, values = append(wide, e), append(values, tables[i])
		}
	}
	if len(wide) == 0 {
		return
	}
	b := Bootstrap{Alpha: o.Alpha, Resamples: o.Resamples}
	for i, d := range p.drawnAgain(values, b.Draws(), rand.New(rand.NewPCG(o.Seed, seed))) {
		lo, hi := b.Percentiles(d)
		ratio := wide[i].Ratio
		wide[i].Ratio = &Interval{Value: ratio.Value, Lo: min(lo, ratio.Lo), Hi: max(hi, ratio.Hi)}
	}
}

// estimate tests values of at least two repeats a side.
//
// Where every value is finite, the statistic is the mean of the log ratios of the
// pairs, and the test flips their signs, or the difference of the means of the
// logarithms, and the test permutes the labels. Where a run has no value, being
// worse than any, ranks take the place of the values: signed ranks of the log
// ratios, infinite ones being the largest and those of two such runs 0
// (Wilcoxon's signed rank test), or the ranks of all values, the worst ones tied
// (Wilcoxon's rank sum test), both by the same permutations.
func estimate(base, cand []float64, paired bool, o Settings, name string) Estimate {
	rng := rand.New(rand.NewPCG(o.Seed, o.seed(name)))
	bootstrap := Bootstrap{Alpha: o.Alpha, Resamples: o.Resamples, Rand: rng}
	e := Estimate{Ranks: ranked(base, cand)}
	if paired {
		d := differences(base, cand)
		e.Least = leastP(true, len(base), len(cand))
		if e.Ranks {
			e.Centre, e.P = Median(d), signFlip(signedRanks(d), rng)
			return e
		}
		e.P = signFlip(d, rng)
		iv := bootstrap.Mean(d)
		e.Centre, e.Ratio = iv.Value, &iv
		return e
	}
	e.Least = leastP(false, len(base), len(cand))
	if e.Ranks {
		ranks := midRanks(slices.Concat(base, cand))
		e.P = permuteLabels(ranks[:len(base)], ranks[len(base):], rng)
		var d []float64
		for _, b := range base {
			for _, c := range cand {
				d = append(d, less(c, b))
			}
		}
		e.Centre = Median(d)
		return e
	}
	e.P = permuteLabels(base, cand, rng)
	iv := bootstrap.Difference(base, cand)
	e.Centre, e.Ratio = iv.Value, &iv
	return e
}

// Exactly compares one run a side into which no randomness enters: the ratio is what any
// other such run would give. It has no test, and no part in the family.
func Exactly(base, cand float64) *Estimate {
	e := &Estimate{Centre: less(cand, base), Least: 1, Exact: true}
	if !Worst(base) && !Worst(cand) {
		e.Ratio = &Interval{Value: e.Centre, Lo: e.Centre, Hi: e.Centre}
	}
	return e
}

// OverHalvings estimates values of halvings, which are no repeats: see MeanOfHalvings. It
// returns nil if a halving has no value.
func OverHalvings(base, cand []float64, alpha float64) *Estimate {
	if ranked(base, cand) || len(base) < 2 {
		return nil
	}
	d := differences(base, cand)
	in := MeanOfHalvings(d, 1-alpha)
	e := &Estimate{Centre: in.Value, P: 1, Ratio: &in}
	if sd := stat.StdDev(d, nil); sd > 0 {
		e.P = 2 * Student(float64(len(d)-1)).Survival(math.Abs(in.Value)/sd)
	}
	return e
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

// Decide decides at a level with a margin, the difference of logarithms that does not matter.
func (e *Estimate) Decide(alpha, margin float64) Decision {
	// A difference of exactly the margin is within it, whatever the rounding.
	margin += rounding
	significant := e.Exact || e.Adjusted != nil && *e.Adjusted <= alpha
	if e.Approximate && !e.Idle && e.Ratio != nil {
		significant = e.Ratio.Lo > 0 || e.Ratio.Hi < 0
	}
	// A few differences may be the same by chance, as those of errors on few rows.
	within := e.Ratio != nil && -margin <= e.Ratio.Lo && e.Ratio.Hi <= margin &&
		(e.Ratio.Lo < e.Ratio.Hi || e.Least <= alpha || e.Exact)
	switch {
	case significant && e.Centre > margin:
		return Above
	case significant && e.Centre < -margin:
		return Below
	case within && !e.Idle:
		return Equivalent
	}
	return Undecided
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

// leastP is the smallest two-sided p-value of n pairs, or of two samples of n and m.
func leastP(paired bool, n, m int) float64 {
	values, p := n, math.Exp2(float64(1-n))
	if !paired {
		values, p = n+m, math.Exp(-combin.LogGeneralizedBinomial(float64(n+m), float64(n)))
		if n == m {
			p *= 2
		}
	}
	if values > exactUpTo {
		return max(p, 1.0/(flips+1))
	}
	return p
}

// LeastRepeats returns the least number of repeats with which a test can reject
// at all, if there are so many in the family.
func LeastRepeats(paired bool, alpha float64, tests int) int {
	n := 2
	for n < exactUpTo && leastP(paired, n, n) > alpha/float64(max(tests, 1)) {
		n++
	}
	return n
}
