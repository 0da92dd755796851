package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// tradeoffs reports whether the cells of a side are compared by their trade-offs between support size and error.
func (o Options) tradeoffs(s Side) bool {
	allows := func(option, value string) bool { return option == "" || option == value }
	return s.Choice.BySize() && allows(o.Metric, record.MetricError) && allows(o.Split, record.SplitTest) &&
		allows(o.Cost, record.CostSupportSize)
}

// observeTradeoffs implements observe for a cell that is compared by its trade-offs.
func (c *cell) observeTradeoffs(o Options) {
	b, k := c.groups[0].tradeoff, c.groups[1].tradeoff
	c.Metric, c.Split, c.Cost = record.MetricError, record.SplitTest, record.CostSupportSize
	c.Changed = changes(c.groups[0], c.groups[1])
	byKey := func(a, b *record.Run) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent)) }
	c.Base = slices.SortedFunc(slices.Values(c.groups[0].runs), byKey)
	c.Cand = slices.SortedFunc(slices.Values(c.groups[1].runs), byKey)
	c.Baseline, c.Candidate = len(b.Repeats), len(k.Repeats)
	for side, runs := range [][]*record.Run{c.Base, c.Cand} {
		c.noteUnfinished(side, runs, "are not candidates", func(r *record.Run) bool { return r.Points() == 0 })
	}
	if o.Time {
		c.cpuTime = &quantity{unavailable: "a trade-off consists of many runs"}
		c.cpuTime.Kind = CPUSeconds
	}
	if c.decideWithoutRuns() || c.decideOtherProblem() {
		return
	}
	switch {
	case c.identical():
		c.setVerdict(Identical, "")
		return
	case len(b.Sizes) == 0:
		c.setVerdict(Incomparable, "no run of the baseline has a classifier with support vectors")
		return
	case len(k.Sizes) == 0:
		c.setVerdict(Worse, "no run of the candidate has a classifier with support vectors")
		return
	}
	base, cand := c.tradeoffCurves()
	same := func(x, y observe.Curve) bool { return slices.Equal(x.X, y.X) && slices.Equal(x.Y, y.Y) }
	if c.Pairs > 0 && slices.Equal(b.Repeats, k.Repeats) && slices.EqualFunc(base, cand, same) {
		c.setVerdict(Equivalent, "the same trade-off under other keys")
		return
	}
	c.pool = stats.PlainPool(len(base), len(cand), c.Pairs > 0)
	c.curves = func(do func(place int, curve observe.Curve)) {
		for place, curve := range slices.Concat(base, cand) {
			curve.Floor = 0.5 / float64(b.Reported())
			do(place, curve)
		}
	}
	c.measure(o)
}

// tradeoffCurves returns the curves of the compared repeats, and sets Pairs.
func (c *cell) tradeoffCurves() (base, cand []observe.Curve) {
	b, k := c.groups[0].tradeoff, c.groups[1].tradeoff
	both := slices.DeleteFunc(slices.Clone(b.Repeats), func(repeat int) bool {
		return b.Seed != k.Seed || !slices.Contains(k.Repeats, repeat)
	})
	c.Pairs = len(both)
	switch most := max(len(b.Repeats), len(k.Repeats)); {
	case c.Pairs == 0:
		c.note(fmt.Sprintf("the sides have different seeds or repeats (seeds %d / %d): compared as independent samples",
			b.Seed, k.Seed))
		return sizeCurves(b, b.ByRepeat), sizeCurves(k, k.ByRepeat)
	case c.Pairs < most:
		c.Details = append(c.Details, fmt.Sprintf("compared over the %s of both sides; one side has %d",
			words.Count(c.Pairs, "repeat"), most))
	}
	var errorsB, errorsK [][]float64
	for _, repeat := range both {
		errorsB = append(errorsB, b.ByRepeat[slices.Index(b.Repeats, repeat)])
		errorsK = append(errorsK, k.ByRepeat[slices.Index(k.Repeats, repeat)])
	}
	return sizeCurves(b, errorsB), sizeCurves(k, errorsK)
}

// sizeCurves returns curves of errors over the support sizes of a series, one for each row of errors.
func sizeCurves(s *selection.Series, errors [][]float64) (curves []observe.Curve) {
	var x []float64
	for _, size := range s.Sizes {
		x = append(x, float64(size))
	}
	for _, y := range errors {
		curves = append(curves, observe.Curve{Finished: true, Stays: true, X: x, Y: y, End: x[len(x)-1]})
	}
	return curves
}
