package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// chooseAxes sets the curves that are compared in a cell; reason says why no curves can be. By
// default they are the ones that the experiments show, or else those of the figures of their task.
func (c *cell) chooseAxes(o Options) (reason string) {
	runs := slices.DeleteFunc(c.all(), func(r *record.Run) bool { return !finished(r) })
	all := func(has func(*record.Run) bool) bool {
		return !slices.ContainsFunc(runs, func(r *record.Run) bool { return !has(r) })
	}
	moreIsBetter := func(metric string) bool {
		return len(runs) > 0 && observe.MetricOf(runs[0].Task, metric).MoreIsBetter
	}
	shown := c.sides[0]
	if shown.Metric == "" {
		shown = c.sides[1]
	}
	choices := [][]string{{shown.Metric}, {record.MetricSuboptimality, record.MetricError}}
	if o.Metric != "" {
		choices = [][]string{{o.Metric}}
	}
	splits := append([]string{shown.Split, record.SplitTest, record.SplitPopulation}, observe.AllSplits()...)
	if o.Split != "" {
		splits = []string{o.Split}
	}
	metric, split := "", ""
	for _, metrics := range choices {
		for _, s := range splits {
			if metric != "" {
				break
			}
			i := slices.IndexFunc(metrics, func(m string) bool {
				usable := m != "" && s != "" && (m == o.Metric || !moreIsBetter(m))
				return usable && all(func(r *record.Run) bool { return r.Records(s, m) })
			})
			if i >= 0 {
				metric, split = metrics[i], s
			}
		}
	}
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
		return fmt.Sprintf("a larger %s is better, but comparisons need a metric where less is better: compare suboptimality", metric)
	case !counted(cost):
		return fmt.Sprintf("not all runs count %s", cost)
	}
	c.Metric, c.Split, c.Cost = metric, split, cost
	return ""
}
