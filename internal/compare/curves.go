package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// chooseCurves sets the metric, split and cost of the compared curves: those of the options, of the figures of the
// baseline, or the usual ones of the task. It returns the reason if no curves can be compared.
func (c *cell) chooseCurves(o Options) (reason string) {
	runs := slices.DeleteFunc(slices.Concat(c.Base, c.Cand), func(r *record.Run) bool { return !finished(r) })
	counted := func(cost string) bool {
		return allSatisfy(runs, func(r *record.Run) bool { return r.Counts(cost) })
	}
	metric, split := c.findMetric(runs, o)
	cost := cmp.Or(o.Cost, c.sides[0].Cost, record.CostIterations)
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
	case moreIsBetter(runs, metric):
		return fmt.Sprintf("a larger %s is better, but comparisons need a metric to minimise: compare suboptimality", metric)
	case !counted(cost):
		return "not all runs count " + cost
	}
	c.Metric, c.Split, c.Cost = metric, split, cost
	return ""
}

// findMetric returns the first metric and split that all finished runs record, or "". It tries the metric of the
// figures on all splits, then suboptimality and error on each split. It omits metrics to maximise, except that of the
// options.
func (c *cell) findMetric(runs []*record.Run, o Options) (metric, split string) {
	shown := c.sides[0]
	choices := [][]string{{shown.Metric}, {record.MetricSuboptimality, record.MetricError}}
	if o.Metric != "" {
		choices = [][]string{{o.Metric}}
	}
	splits := append([]string{shown.Split}, observe.AllSplits...)
	if o.Split != "" {
		splits = []string{o.Split}
	}
	for _, metrics := range choices {
		for _, split := range splits {
			for _, metric := range metrics {
				if metric == "" || split == "" || metric != o.Metric && moreIsBetter(runs, metric) {
					continue
				}
				if allSatisfy(runs, func(r *record.Run) bool { return r.Records(split, metric) }) {
					return metric, split
				}
			}
		}
	}
	return "", ""
}

// moreIsBetter reports whether a metric is to maximise in the task of the runs.
func moreIsBetter(runs []*record.Run, metric string) bool {
	return len(runs) > 0 && observe.MetricOf(runs[0].Task, metric).MoreIsBetter
}

func allSatisfy(runs []*record.Run, condition func(*record.Run) bool) bool {
	return !slices.ContainsFunc(runs, func(r *record.Run) bool { return !condition(r) })
}
