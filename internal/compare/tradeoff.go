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

// prepareTradeoffs is prepare for a cell that is compared by its trade-offs.
func (c *cell) prepareTradeoffs(o Options) {
	base, cand := c.groups[0].tradeoff, c.groups[1].tradeoff
	c.Metric, c.Split, c.Cost = record.MetricError, record.SplitTest, record.CostSupportSize
	c.Changed = changes(c.groups[0], c.groups[1])
	byKey := func(a, b *record.Run) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent)) }
	c.Base = slices.SortedFunc(slices.Values(c.groups[0].runs), byKey)
	c.Cand = slices.SortedFunc(slices.Values(c.groups[1].runs), byKey)
	c.Baseline, c.Candidate = len(base.Repeats), len(cand.Repeats)
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
	case len(base.Sizes) == 0:
		c.setVerdict(Incomparable, "no run of the baseline has a classifier with support vectors")
		return
	case len(cand.Sizes) == 0:
		c.setVerdict(Worse, "no run of the candidate has a classifier with support vectors")
		return
	}
	curvesB, curvesC := c.tradeoffCurves(base, cand)
	same := func(x, y observe.Curve) bool { return slices.Equal(x.X, y.X) && slices.Equal(x.Y, y.Y) }
	if c.Pairs > 0 && slices.Equal(base.Repeats, cand.Repeats) && slices.EqualFunc(curvesB, curvesC, same) {
		c.setVerdict(Equivalent, "the same trade-off under other keys")
		return
	}
	c.pool = stats.PlainPool(len(curvesB), len(curvesC), c.Pairs > 0)
	c.eachCurve = func(do func(place int, curve observe.Curve)) {
		for place, curve := range slices.Concat(curvesB, curvesC) {
			curve.Floor = 0.5 / float64(base.Reported())
			do(place, curve)
		}
	}
	c.measure(o)
}

// tradeoffCurves returns the curves of the compared repeats, and sets Pairs.
func (c *cell) tradeoffCurves(base, cand *selection.Series) (curvesB, curvesC []observe.Curve) {
	both := slices.DeleteFunc(slices.Clone(base.Repeats), func(repeat int) bool {
		return base.Seed != cand.Seed || !slices.Contains(cand.Repeats, repeat)
	})
	c.Pairs = len(both)
	switch most := max(len(base.Repeats), len(cand.Repeats)); {
	case c.Pairs == 0:
		c.note(fmt.Sprintf("the sides have different seeds or repeats (seeds %d / %d): compared as independent samples",
			base.Seed, cand.Seed))
		return sizeCurves(base, base.Repeats), sizeCurves(cand, cand.Repeats)
	case c.Pairs < most:
		c.detail(fmt.Sprintf("compared over the %s of both sides; one side has %d",
			words.Count(c.Pairs, "repeat"), most))
	}
	return sizeCurves(base, both), sizeCurves(cand, both)
}

// sizeCurves returns the curves of errors over the support sizes of a series, for the given repeats.
func sizeCurves(s *selection.Series, repeats []int) (curves []observe.Curve) {
	var x []float64
	for _, size := range s.Sizes {
		x = append(x, float64(size))
	}
	for _, repeat := range repeats {
		y := s.ByRepeat[slices.Index(s.Repeats, repeat)]
		curves = append(curves, observe.Curve{Finished: true, Stays: true, X: x, Y: y, End: x[len(x)-1]})
	}
	return curves
}
