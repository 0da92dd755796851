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

// TradeoffCost is what the trade-offs of selection by halvings are compared along: the
// number of support vectors.
const TradeoffCost = record.CostSupportSize

// What trade-offs are curves of.
const (
	tradeoffMetric = record.MetricError
	tradeoffSplit  = record.SplitTest
)

// tradeoffs reports whether the cells of a side are to be compared by their trade-offs:
// not if other curves are asked for.
func (o Options) tradeoffs(s Side) bool {
	or := func(asked, is string) bool { return asked == "" || asked == is }
	return s.Choice.BySize() && or(o.Metric, tradeoffMetric) && or(o.Split, tradeoffSplit) && or(o.Cost, TradeoffCost)
}

// tradeoffOf returns the trade-off of a group, or nil.
func tradeoffOf(s Side, g *group) *selection.Series {
	for i := range s.Choice.Series {
		c := &s.Choice.Series[i]
		if c.Dataset == g.dataset && c.Name == g.series && c.Params.String() == g.fixed.String() {
			return c
		}
	}
	return nil
}

// observeTradeoffs is observe for a cell that is compared by its trade-offs.
func (c *cell) observeTradeoffs(o Options) error {
	b, k := c.tradeoffs[0], c.tradeoffs[1]
	c.Metric, c.Split, c.Cost = tradeoffMetric, tradeoffSplit, TradeoffCost
	c.Changed = changes(c.groups[0], c.groups[1])
	c.Base, c.Cand = c.groups[0].runs, c.groups[1].runs
	c.Baseline, c.Candidate = len(b.Repeats), len(k.Repeats)
	c.Notes = slices.Concat(c.Notes, dropped(c.Base, sideNames[0]), dropped(c.Cand, sideNames[1]))
	if c.lacksRuns() || c.otherProblem() {
		return nil
	}
	switch {
	case c.identical():
		c.settle(Identical, "")
		return nil
	case len(b.Sizes) == 0:
		c.settle(Incomparable, "no run of the baseline has a classifier with support vectors")
		return nil
	case len(k.Sizes) == 0:
		c.settle(Worse, "no run of the candidate has a classifier with support vectors")
		c.Notes = append(c.Notes, c.Reason)
		return nil
	}
	base, cand, same := c.tradeoffCurves()
	if same {
		c.settle(Equivalent, "the same trade-off under other keys")
		return nil
	}
	c.pool = stats.PlainPool(len(base), len(cand), c.Pairs > 0)
	c.floor = cmp.Or(o.Floor, 0.5/float64(b.Reported()))
	curves := slices.Concat(base, cand)
	c.read = func(place int) (observe.Curve, error) { return curves[place], nil }
	_, reason, err := c.look()
	if err != nil || reason != "" {
		c.settle(Incomparable, reason)
		return err
	}
	raised, err := c.ask(o)
	c.Notes = append(c.Notes, raised...)
	return err
}

// tradeoffCurves returns the curves of a cell: a curve each halving, if the sides have one
// repeat each and the same halvings, else one each repeat. same reports whether they
// are the same on both sides.
func (c *cell) tradeoffCurves() (base, cand []observe.Curve, same bool) {
	b, k := c.tradeoffs[0], c.tradeoffs[1]
	paired := b.Seed == k.Seed
	curveOf := func(h *selection.Series, y []float64) observe.Curve {
		out := observe.Curve{Finished: true, Stays: true, Y: y}
		for _, size := range h.Sizes {
			out.X = append(out.X, float64(size))
		}
		out.End = out.X[len(out.X)-1]
		return out
	}
	same = slices.Equal(b.Sizes, k.Sizes) && slices.Equal(b.Repeats, k.Repeats)
	add := func(yb, yk []float64) {
		same = same && slices.Equal(yb, yk)
		base, cand = append(base, curveOf(b, yb)), append(cand, curveOf(k, yk))
	}
	if len(b.ByHalving) > 0 && len(k.ByHalving) > 0 && paired && len(b.ByHalving[0]) == len(k.ByHalving[0]) {
		c.Halvings, c.Pairs = len(b.ByHalving[0]), 1
		bySize := func(errors [][]float64, halving int) (y []float64) {
			for _, e := range errors {
				y = append(y, e[halving])
			}
			return y
		}
		for h := range c.Halvings {
			add(bySize(b.ByHalving, h), bySize(k.ByHalving, h))
		}
		return base, cand, same
	}
	for i, repeat := range b.Repeats {
		if j := slices.Index(k.Repeats, repeat); paired && j >= 0 {
			add(b.ByRepeat[i], k.ByRepeat[j])
		}
	}
	if c.Pairs = len(base); c.Pairs > 0 {
		if n := max(len(b.Repeats), len(k.Repeats)); c.Pairs < n {
			c.Notes = append(c.Notes, fmt.Sprintf("compared over the %s that both sides have; one side has %d", words.Count(c.Pairs, "repeat"), n))
		}
		return base, cand, same
	}
	for i := range b.Repeats {
		base = append(base, curveOf(b, b.ByRepeat[i]))
	}
	for j := range k.Repeats {
		cand = append(cand, curveOf(k, k.ByRepeat[j]))
	}
	drawn := "halvings"
	if b.ByValidation() {
		drawn = "splits"
	}
	c.Notes = append(c.Notes, fmt.Sprintf("the sides have different seeds or repeats (seeds %d / %d), and so different %s: compared as independent samples", b.Seed, k.Seed, drawn))
	return base, cand, false
}

// dropped notes the runs of a side that are no candidates of a trade-off.
func dropped(runs []*record.Run, side string) []string {
	of := func(r *record.Run) bool { return r.Points() == 0 }
	return byStatus(runs, of, func(n int, status, reason string) string {
		return fmt.Sprintf("%d of %d runs of the %s are no candidates: %s (%s)", n, len(runs), side, status, reason)
	})
}
