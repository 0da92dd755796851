package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// chooseAxes sets the curves that are compared in a cell; reason says why there are none.
func (c *cell) chooseAxes(o Options) (reason string) {
	base, cand := c.sides[0], c.sides[1]
	runs := slices.DeleteFunc(c.all(), func(r *record.Run) bool { return r.Status != record.StatusFinished })
	task := ""
	if len(runs) > 0 {
		task = runs[0].Task
	}
	all := func(has func(*record.Run) bool) bool {
		return !slices.ContainsFunc(runs, func(r *record.Run) bool { return !has(r) })
	}
	moreIsBetter := func(metric string) bool { return observe.MetricOf(task, metric).MoreIsBetter }
	type curve struct{ metric, split string }
	var wanted []curve
	add := func(metric string, splits ...string) {
		for _, s := range splits {
			wanted = append(wanted, curve{metric, s})
		}
	}
	// What the experiments show, what figures of a task show, and what is asked for.
	if shown := cmp.Or(base.Metric, cand.Metric); shown != "" {
		add(shown, slices.Concat([]string{cmp.Or(base.Split, cand.Split)}, observe.AllSplits())...)
	}
	for _, s := range []string{record.SplitTest, record.SplitPopulation} {
		add(record.MetricSuboptimality, s)
		add(record.MetricError, s)
	}
	for _, m := range []string{o.Metric, record.MetricSuboptimality, record.MetricError} {
		add(m, append(observe.AllSplits(), o.Split)...)
	}
	i := slices.IndexFunc(wanted, func(l curve) bool {
		asked := l.metric == o.Metric || o.Metric == "" && !moreIsBetter(l.metric)
		return asked && l.metric != "" && l.split != "" && (o.Split == "" || l.split == o.Split) &&
			all(func(r *record.Run) bool { return r.Records(l.split, l.metric) })
	})
	if i < 0 {
		return fmt.Sprintf("not all runs record %s; they record %s", o.wanted(), recorded(runs))
	}
	if moreIsBetter(wanted[i].metric) {
		return fmt.Sprintf("a larger %s is better, but comparisons need a metric where less is better: compare suboptimality", wanted[i].metric)
	}
	counts := func(cost string) bool { return all(func(r *record.Run) bool { return r.Counts(cost) }) }
	cost := cmp.Or(o.Cost, record.CostIterations)
	if shown := cmp.Or(base.Cost, cand.Cost); o.Cost == "" && shown != "" && counts(shown) {
		cost = shown
	}
	if !counts(cost) {
		return fmt.Sprintf("not all runs count %s", cost)
	}
	c.Metric, c.Split, c.Cost = wanted[i].metric, wanted[i].split, cost
	return ""
}

// wanted names the metric that is asked for.
func (o Options) wanted() string {
	text := cmp.Or(o.Metric, "suboptimality or error")
	if o.Split != "" {
		text += " on " + o.Split
	}
	return text
}

// recorded lists the metrics of runs by split.
func recorded(runs []*record.Run) string {
	metrics := map[string][]string{}
	for _, r := range runs {
		for split, columns := range r.Measured().Metrics {
			for name := range columns {
				metrics[split] = words.AddOnce(metrics[split], name)
			}
		}
	}
	var parts []string
	for _, split := range slices.Sorted(maps.Keys(metrics)) {
		parts = append(parts, fmt.Sprintf("on %s %s", split, strings.Join(unique(metrics[split]), ", ")))
	}
	return cmp.Or(strings.Join(parts, "; "), "nothing")
}
