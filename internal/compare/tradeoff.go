package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
)

// TradeoffCost is what the trade-offs of selection by halvings are compared along: the
// number of support vectors.
const TradeoffCost = record.CostSupportSize

// What trade-offs are curves of.
const (
	tradeoffMetric = record.MetricError
	tradeoffSplit  = record.SplitTest
)

// bySize reports whether the cells of a side are to be compared by their trade-offs:
// not if other curves are asked for.
func (w *work) bySize(s Side) bool {
	or := func(asked, is string) bool { return asked == "" || asked == is }
	return s.Choice.BySize() && or(w.o.Metric, tradeoffMetric) && or(w.o.Split, tradeoffSplit) && or(w.o.Cost, TradeoffCost)
}

// tradeoffOf returns the trade-off of a group, or nil.
func tradeoffOf(s Side, g *group) *selection.Series {
	for i := range s.Choice.Series {
		c := &s.Choice.Series[i]
		if c.Dataset == g.dataset && c.Setting.Series == g.series && c.Params.String() == g.fixed.String() {
			return c
		}
	}
	return nil
}

// tradeoffCurves is runCurves for a cell that is compared by its trade-off.
func (c *comparison) tradeoffCurves(o Options) (*curveSet, error) {
	b, k := c.baseSeries, c.candSeries
	c.Metric, c.Split, c.Cost = tradeoffMetric, tradeoffSplit, TradeoffCost
	c.Changed = changes(c.base, c.cand)
	c.Base, c.Cand = slices.Collect(each(c.base.runs)), slices.Collect(each(c.cand.runs))
	c.Baseline, c.Candidate = len(b.Repeats), len(k.Repeats)
	c.Notes = slices.Concat(c.Notes, dropped(c.Base, "baseline"), dropped(c.Cand, "candidate"))
	if c.lacksRuns() || c.otherProblem() {
		return nil, nil
	}
	switch {
	case c.identical():
		c.settle(Identical, "")
		return nil, nil
	case len(b.Sizes) == 0:
		c.settle(Incomparable, "no run of the baseline has a classifier with support vectors")
		return nil, nil
	case len(k.Sizes) == 0:
		c.settle(Worse, "no run of the candidate has a classifier with support vectors")
		c.Notes = append(c.Notes, c.Reason)
		return nil, nil
	}
	base, cand, same := c.tradeoffs()
	if same {
		c.settle(Equivalent, "the same trade-off under other keys")
		return nil, nil
	}
	s := &curveSet{
		pool:  plainPool(len(base), len(cand), c.Pairs > 0),
		axes:  axes{tradeoffMetric, tradeoffSplit, TradeoffCost},
		floor: cmp.Or(o.Floor, 0.5/float64(b.Reported())),
	}
	curves := slices.Concat(base, cand)
	reason, err := s.take(o, func(place int) (observe.Curve, resolution, error) { return curves[place], resolution{}, nil })
	if err != nil {
		return nil, err
	}
	if reason != "" {
		c.settle(Incomparable, reason)
		return nil, nil
	}
	c.Notes = append(c.Notes, s.notes...)
	if reason := s.cover(); reason != "" {
		c.settle(Incomparable, reason)
		return nil, nil
	}
	return s, nil
}

// tradeoffs returns the curves of a cell: a curve each halving, if the sides have one
// repeat each and the same halvings, else one each repeat. same reports whether they
// are the same on both sides.
func (c *comparison) tradeoffs() (base, cand []observe.Curve, same bool) {
	b, k := c.baseSeries, c.candSeries
	paired := b.Seed == k.Seed
	curveOf := func(h *selection.Series, y func(size int) float64) observe.Curve {
		out := observe.Curve{Finished: true, Stays: true}
		for i, size := range h.Sizes {
			out.X, out.Y = append(out.X, float64(size)), append(out.Y, y(i))
		}
		out.End = out.X[len(out.X)-1]
		return out
	}
	same = slices.Equal(b.Sizes, k.Sizes) && slices.Equal(b.Repeats, k.Repeats)
	add := func(yb, yk func(size int) float64) {
		u, v := curveOf(b, yb), curveOf(k, yk)
		same = same && slices.Equal(u.Y, v.Y)
		base, cand = append(base, u), append(cand, v)
	}
	if len(b.ByHalving) > 0 && len(k.ByHalving) > 0 && paired && len(b.ByHalving[0]) == len(k.ByHalving[0]) {
		c.Halvings, c.Pairs = len(b.ByHalving[0]), 1
		for h := range c.Halvings {
			add(func(i int) float64 { return b.ByHalving[i][h] }, func(i int) float64 { return k.ByHalving[i][h] })
		}
		return base, cand, same
	}
	for i, repeat := range b.Repeats {
		if j := slices.Index(k.Repeats, repeat); paired && j >= 0 {
			add(func(size int) float64 { return b.ByRepeat[i][size] }, func(size int) float64 { return k.ByRepeat[j][size] })
		}
	}
	if c.Pairs = len(base); c.Pairs > 0 {
		if n := max(len(b.Repeats), len(k.Repeats)); c.Pairs < n {
			c.Notes = append(c.Notes, fmt.Sprintf("compared over the %s that both sides have; one side has %d", words.Count(c.Pairs, "repeat"), n))
		}
		return base, cand, same
	}
	for i := range b.Repeats {
		base = append(base, curveOf(b, func(size int) float64 { return b.ByRepeat[i][size] }))
	}
	for j := range k.Repeats {
		cand = append(cand, curveOf(k, func(size int) float64 { return k.ByRepeat[j][size] }))
	}
	drawn := "halvings"
	if b.ByValidation() {
		drawn = "splits"
	}
	c.Notes = append(c.Notes, fmt.Sprintf("the sides have different seeds or repeats (seeds %d / %d), and so different %s: compared as independent samples", b.Seed, k.Seed, drawn))
	return base, cand, false
}

// overHalvings estimates a sample of halvings, which are no repeats: their standard
// deviation is the standard error of what all test rows say, for a half of n rows
// scatters around them with the variance of n rows (2/n, less the half that is always
// the same). ok is false if a halving has no value.
func (s sample) overHalvings(alpha float64) (e estimate, ok bool) {
	if s.ranked() || len(s.base) < 2 {
		return estimate{}, false
	}
	mean, sd := stat.MeanStdDev(differences(s.base, s.cand), nil)
	t := stats.Student(float64(len(s.base) - 1))
	half := sd * t.Quantile(1-alpha/2)
	e = estimate{centre: mean, halvings: true, p: 1, ratio: &stats.Interval{Value: mean, Lo: mean - half, Hi: mean + half}}
	if sd > 0 {
		e.p = 2 * t.Survival(math.Abs(mean)/sd)
	}
	return e, true
}

// dropped notes the runs of a side that are no candidates of a trade-off.
func dropped(runs []*record.Run, side string) []string {
	of := func(r *record.Run) bool { return r.Points() == 0 }
	return byStatus(runs, of, func(n int, status, reason string) string {
		return fmt.Sprintf("%d of %d runs of the %s are no candidates: %s (%s)", n, len(runs), side, status, reason)
	})
}
