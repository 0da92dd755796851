package claims

import (
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// spread remarks on values whose mean says little about them: those in two groups, one more than twice
// the other, which is doubtful if one is of less than ten; and those, none negative, whose arithmetic
// mean a few large ones carry, the largest being more than ten times the median. It names the
// quantity if there are several.
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
	n, largest, median := len(values), slices.Max(numbers), stats.Median(numbers)
	k, name := stats.Groups(values), ""
	if len(p.Quantities) > 1 {
		name = q.Name + ": "
	}
	switch {
	case k > 0 && numbers[k]-numbers[k-1] > math.Abs(numbers[k-1]):
		remark := note("%sthe repeats are in two groups, %d up to %s and %d from %s on, and their mean is that of neither",
			name, k, words.Rounded(numbers[k-1]), n-k, words.Rounded(numbers[k]))
		if min(k, n-k) < 10 {
			remark.Kind = observe.Doubt
		}
		return []observe.Remark{remark}
	case q.Statistic == observe.Mean && numbers[0] >= 0 && largest > 10*median:
		return []observe.Remark{doubt(
			"%sfew repeats carry the mean: the largest is %s, the median %s, so the interval may be too short",
			name, words.Rounded(largest), words.Rounded(median))}
	}
	return nil
}
