package claims

import (
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// fewInGroup is the number of values below which the share of a group is hardly known.
const fewInGroup = 10

// spread remarks on values whose mean says little about them: those in two groups, one more than twice
// the other, and those whose arithmetic mean a few large ones carry.
func (p *judging) spread(q *observe.Quantity) []observe.Remark {
	if p.Halvings || len(q.Values) == 0 || q.Statistic != observe.Mean && q.Statistic != observe.GeometricMean {
		return nil
	}
	scaled, _ := scale(q)
	var numbers, values []float64
	for _, v := range q.Values {
		numbers, values = append(numbers, v.Number), append(values, scaled(v.Number))
	}
	slices.Sort(numbers)
	slices.Sort(values)
	n := len(values)
	if k := stats.Groups(values); k > 0 && numbers[k]-numbers[k-1] > math.Abs(numbers[k-1]) {
		remark := note("the repeats are in two groups, %d up to %s and %d from %s on, and their mean is that of neither",
			k, words.Rounded(numbers[k-1]), n-k, words.Rounded(numbers[k]))
		if min(k, n-k) < fewInGroup {
			remark.Kind = observe.Doubt
		}
		return []observe.Remark{remark}
	}
	if q.Statistic == observe.Mean && stats.Skewed(numbers) {
		return []observe.Remark{doubt("few repeats carry the mean: the largest is %s, the median %s, so the interval may be too short",
			words.Rounded(numbers[n-1]), words.Rounded(stats.Median(numbers)))}
	}
	return nil
}
