package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// chooseCurves sets the metric, split and cost of the compared curves: those of the options, of the figures of
// the experiment, or the usual ones of the task. It returns the reason if no curves can be compared.
func (c *cell) chooseCurves(o Options) (reason string) {
	runs := slices.DeleteFunc(c.all(), func(r *record.Run) bool { return !finished(r) })
	all := func(has func(*record.Run) bool) bool {
		return !slices.ContainsFunc(runs, func(r *record.Run) bool { return !has(r) })
	}
	moreIsBetter := func(metric string) bool {
		return len(runs) > 0 && observe.MetricOf(runs[0].Task, metric).MoreIsBetter
	}
	shown := c.sides[0]
	choices := [][]string{{shown.Metric}, {record.MetricSuboptimality, record.MetricError}}
	if o.Metric != "" {
		choices = [][]string{{o.Metric}}
	}
	splits := append([]string{shown.Split, record.SplitTest, record.SplitPopulation}, observe.AllSplits()...)
	if o.Split != "" {
		splits = []string{o.Split}
	}
	find := func() (metric, split string) {
		for _, metrics := range choices {
			for _, split := range splits {
				for _, metric := range metrics {
					usable := metric != "" && split != "" && (metric == o.Metric || !moreIsBetter(metric))
					if usable && all(func(r *record.Run) bool { return r.Records(split, metric) }) {
						return metric, split
					}
				}
			}
		}
		return "", ""
	}
	metric, split := find()
	counted := func(cost string) bool { return all(func(r *record.Run) bool { return r.Counts(cost) }) }
	cost := cmp.Or(o.Cost, shown.Cost, record.CostIterations)
	if o.Cost == "" && !counted(cost) {
		cost = record.CostIterations
	}
	switch {
	case metric == "":
		what := cmp.Or(o.Metric, "suboptimality or error")
		if o.Split != "" {
			what += " on " + o.Split
		}
		return "not all runs record " + what
	case moreIsBetter(metric):
		return fmt.Sprintf("a larger %s is better, but comparisons need a metric to minimise: compare suboptimality", metric)
	case !counted(cost):
		return fmt.Sprintf("not all runs count %s", cost)
	}
	c.Metric, c.Split, c.Cost = metric, split, cost
	return ""
}
