package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// chooseAxes sets the curves that are compared in a cell; reason says why there are none.
func (c *cell) chooseAxes(o Options) (reason string) {
	base, cand := c.sides[0], c.sides[1]
	var counted columnCounts
	task := ""
	for _, r := range c.all() {
		if r.Status == record.StatusFinished {
			task = cmp.Or(task, r.Task)
			counted.add(r.Columns())
		}
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
			counted.metrics[l.split][l.metric] == counted.runs
	})
	if i < 0 {
		return fmt.Sprintf("not all runs record %s; they record %s", o.wanted(), counted.recorded())
	}
	if moreIsBetter(wanted[i].metric) {
		return fmt.Sprintf("a larger %s is better, but comparisons need a metric where less is better: compare suboptimality", wanted[i].metric)
	}
	counts := func(cost string) bool { return counted.costs[cost] == counted.runs }
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

// columnCounts counts runs by what they record.
type columnCounts struct {
	runs int
	// metrics counts the runs with values of a metric, by split and name, and costs those that a
	// cost applies to. What a run names without values counts 0.
	metrics map[string]map[string]int
	costs   map[string]int
}

func (t *columnCounts) add(c *record.Columns) {
	if t.runs++; t.runs == 1 {
		t.metrics, t.costs = map[string]map[string]int{}, map[string]int{}
	}
	count := func(counts map[string]int, names map[string]bool) {
		for name, has := range names {
			counts[name] += map[bool]int{true: 1}[has]
		}
	}
	count(t.costs, c.Costs)
	for split, metrics := range c.Metrics {
		if t.metrics[split] == nil {
			t.metrics[split] = map[string]int{}
		}
		count(t.metrics[split], metrics)
	}
}

// recorded lists the metrics by split.
func (t *columnCounts) recorded() string {
	var parts []string
	for _, split := range slices.Sorted(maps.Keys(t.metrics)) {
		parts = append(parts, fmt.Sprintf("on %s %s", split, strings.Join(slices.Sorted(maps.Keys(t.metrics[split])), ", ")))
	}
	return cmp.Or(strings.Join(parts, "; "), "nothing")
}
