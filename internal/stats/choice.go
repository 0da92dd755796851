package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Ineligible is the loss of an unfinished run. Sums and means that contain it are NaN too, so a
// candidate with such a repeat is not eligible.
var Ineligible = math.NaN()

// tieTolerance is the relative difference of losses up to which they are tied.
const tieTolerance = 1e-12

// Best returns the first candidate whose loss is tied with the least, or -1 if no candidate is eligible.
// A loss is a mean, or a sum over the same repeats.
func Best(losses []float64) int {
	best := math.Inf(1)
	for _, l := range losses {
		if l < best {
			best = l
		}
	}
	limit := best + tieTolerance*math.Abs(best)
	return slices.IndexFunc(losses, func(l float64) bool { return l <= limit })
}

// Choices holds the choices of several series in bootstrap resamples of their repeats. Each resample
// draws the same repeats, with replacement, for all series. In each series it chooses the eligible
// candidate with the least mean loss. A joint choice is one candidate of each series.
//
// The percentile interval of a mean over the resamples is too short if one candidate is clearly best
// and there are few repeats; Student's interval is too short near ties. From 3 repeats on, the coverage
// of their hull is 89 to 98 %; TestCoverageOfChoices checks 6 repeats.
type Choices struct {
	// Joint lists the distinct joint choices in order of first appearance.
	Joint [][]int

	draws  [][]int // indices of the repeats of each resample
	chosen []int   // index into Joint of the choice of each resample
}

// choiceSeed seeds the resamples, so that intervals are reproducible.
const choiceSeed = 20130719

// Choose resamples tables of losses, one table for each series. Rows are repeats, the same in all
// tables; columns are candidates.
func Choose(tables [][][]float64) *Choices {
	c := &Choices{}
	rng := rand.New(rand.NewPCG(choiceSeed, 0))
	repeats := len(tables[0])
	for range resamples(0.05) {
		draw := make([]int, repeats)
		for i := range draw {
			draw[i] = rng.IntN(repeats)
		}
		choice := make([]int, len(tables))
		for i, losses := range tables {
			choice[i] = bestOf(len(losses[0]), draw, func(row int) []float64 { return losses[row] })
		}
		k := slices.IndexFunc(c.Joint, func(known []int) bool { return slices.Equal(known, choice) })
		if k < 0 {
			k = len(c.Joint)
			c.Joint = append(c.Joint, choice)
		}
		c.draws, c.chosen = append(c.draws, draw), append(c.chosen, k)
	}
	return c
}

// bestOf returns the candidate with the least sum of losses over rows. It returns -1 if there are no
// rows or no candidate is eligible.
func bestOf(candidates int, rows []int, losses func(row int) []float64) int {
	if len(rows) == 0 {
		return -1
	}
	sums := make([]float64, candidates)
	for _, row := range rows {
		for j, l := range losses(row) {
			sums[j] += l
		}
	}
	return Best(sums)
}

// Covered reports whether an interval of a level can be computed although the values of some joint
// choices are unknown. At least one must be known, and the fraction of resamples with unknown values
// must not exceed one tail of the interval. unknown is in the order of Joint.
func (c *Choices) Covered(unknown []bool, level float64) bool {
	missed := 0
	for _, k := range c.chosen {
		if unknown[k] {
			missed++
		}
	}
	return slices.Contains(unknown, false) && float64(missed) <= (1-level)/2*float64(len(c.chosen))
}

// Interval returns the percentile interval of the mean over the resamples. For several quantities it
// is that of the largest mean. The values of each quantity are in the order of Joint: the values of the
// repeats, NaN if missing, or nil for a joint choice without values. Interval omits resamples in which
// a quantity has no value; at least one must remain.
func (c *Choices) Interval(level float64, several ...[][]float64) (lo, hi float64) {
	means := make([]float64, 0, len(c.draws))
	for i, draw := range c.draws {
		largest := math.Inf(-1)
		for _, values := range several {
			m := math.NaN()
			if v := values[c.chosen[i]]; v != nil {
				m = meanOfDrawn(v, draw)
			}
			largest = math.Max(largest, m) // NaN if either is
		}
		if !math.IsNaN(largest) {
			means = append(means, largest)
		}
	}
	return percentiles(means, 1-level)
}

// meanOfDrawn returns the mean of the drawn values except NaN, or NaN without such values.
func meanOfDrawn(v []float64, draw []int) float64 {
	sum, n := 0.0, 0
	least, most := math.Inf(1), math.Inf(-1)
	for _, i := range draw {
		if x := v[i]; !math.IsNaN(x) {
			sum, least, most = sum+x, min(least, x), max(most, x)
			n++
		}
	}
	if n > 0 && least == most { // avoids the rounding of the mean
		return least
	}
	return sum / float64(n)
}

// resamples returns the number of resamples for intervals of level 1 - alpha.
func resamples(alpha float64) int { return int(min(max(2000, 200/alpha), 200_000)) }

// percentiles returns the percentile interval of level 1 - alpha of resampled estimates, which it sorts.
func percentiles(resampled []float64, alpha float64) (lo, hi float64) {
	k := int(alpha / 2 * float64(len(resampled)))
	slices.Sort(resampled)
	return resampled[k], resampled[len(resampled)-1-k]
}
