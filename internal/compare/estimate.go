package compare

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"stochopt/internal/stats"
)

// estimate is what a sample says about the logarithm of candidate / baseline.
type estimate struct {
	// centre is the mean, or, if ranks decide, the median, which may be infinite.
	centre float64
	// ratio is the interval of the mean of the logarithms, if ranks do not decide.
	ratio *stats.Interval
	// p is the p-value, least the smallest that as many repeats can have.
	p, least float64
	ranks    bool
	// halvings says that the sample is one of halvings, idle that no equivalence can be
	// shown, exact that there is nothing to estimate, approximate that there is no
	// test and the interval decides.
	halvings, idle, exact, approximate bool
}

// repeats is the number of repeats of the smaller side.
func (s sample) repeats() int { return min(len(s.base), len(s.cand)) }

// estimate tests a sample of at least two repeats.
//
// Where every value is finite, the statistic is the mean of the log ratios of the
// pairs, and the test flips their signs, or the difference of the means of the
// logarithms, and the test permutes the labels. Where a run has no value, being
// worse than any, ranks take the place of the values: signed ranks of the log
// ratios, infinite ones being the largest and those of two such runs 0
// (Wilcoxon's signed rank test), or the ranks of all values, the worst ones tied
// (Wilcoxon's rank sum test), both by the same permutations.
func (s sample) estimate(o Options) estimate {
	h := fnv.New64a()
	h.Write([]byte(s.seed))
	rng := rand.New(rand.NewPCG(o.Seed, h.Sum64()))
	bootstrap := stats.Bootstrap{Alpha: o.Alpha, Resamples: o.resamples, Rand: rng}
	e := estimate{ranks: s.ranked()}
	if s.paired {
		d := differences(s.base, s.cand)
		e.least = leastSignFlip(len(d))
		if e.ranks {
			e.centre, e.p = stats.Median(d), signFlip(signedRanks(d), rng)
			return e
		}
		e.p = signFlip(d, rng)
		iv := bootstrap.Mean(d)
		e.centre, e.ratio = iv.Value, &iv
		return e
	}
	e.least = leastPermutation(len(s.base), len(s.cand))
	if e.ranks {
		ranks := midRanks(slices.Concat(s.base, s.cand))
		e.p = permuteLabels(ranks[:len(s.base)], ranks[len(s.base):], rng)
		var d []float64
		for _, b := range s.base {
			for _, c := range s.cand {
				d = append(d, less(c, b))
			}
		}
		e.centre = stats.Median(d)
		return e
	}
	e.p = permuteLabels(s.base, s.cand, rng)
	iv := bootstrap.Difference(s.base, s.cand)
	e.centre, e.ratio = iv.Value, &iv
	return e
}

// exactly compares one run a side into which no randomness enters: the ratio is what any
// other such run would give. It has no test, and no part in the family.
func (s sample) exactly() estimate {
	e := estimate{centre: less(s.cand[0], s.base[0]), least: 1, exact: true}
	if !s.ranked() {
		e.ratio = &stats.Interval{Value: e.centre, Lo: e.centre, Hi: e.centre}
	}
	return e
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

// leastSignFlip is the smallest two-sided p-value of n pairs, leastPermutation
// that of two samples.
func leastSignFlip(n int) float64 {
	p := math.Exp2(float64(1 - n))
	if n > exactUpTo {
		return max(p, 1.0/(flips+1))
	}
	return p
}

func leastPermutation(n, m int) float64 {
	p := 2 * math.Exp(-combin.LogGeneralizedBinomial(float64(n+m), float64(n)))
	if n != m {
		p /= 2
	}
	if n+m > exactUpTo {
		return max(p, 1.0/(flips+1))
	}
	return p
}

// leastRepeats returns the least number of repeats with which a test can reject
// at all, if there are so many in the family.
func leastRepeats(paired bool, alpha float64, tests int) int {
	alpha /= float64(max(tests, 1))
	for n := 2; n < exactUpTo; n++ {
		p := leastSignFlip(n)
		if !paired {
			p = leastPermutation(n, n)
		}
		if p <= alpha {
			return n
		}
	}
	return exactUpTo
}
