package compare

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/record"
	"stochopt/results/analysis"
	"stochopt/results/words"
)

// axes says which curve of a run is looked at.
type axes struct{ metric, split, cost string }

// axesFor returns the curves to compare in a cell, whose runs on both sides are
// given; reason says why there is none.
func axesFor(o Options, base, cand Side, runs ...[]record.Run) (l axes, reason string) {
	// Of very many runs there are few that do not record the same.
	var columns []*record.Columns
	task, finished := "", 0
	for r := range each(runs...) {
		if r.Status != record.StatusFinished {
			continue
		}
		if finished++; finished == 1 {
			task = r.Task
		}
		columns = withColumns(columns, r)
	}
	moreIsBetter := func(metric string) bool { return analysis.MetricOf(task, metric).MoreIsBetter }
	var wanted []axes
	add := func(metric string, splits ...string) {
		for _, s := range splits {
			wanted = append(wanted, axes{metric: metric, split: s})
		}
	}
	// What the experiments show, what figures of a task show, and what is asked for.
	if shown := cmp.Or(base.Metric, cand.Metric); shown != "" {
		add(shown, slices.Concat([]string{cmp.Or(base.Split, cand.Split)}, analysis.AllSplits())...)
	}
	for _, s := range []string{record.SplitTest, record.SplitPopulation} {
		add(record.MetricSuboptimality, s)
		add(record.MetricError, s)
	}
	for _, m := range []string{o.Metric, record.MetricSuboptimality, record.MetricError} {
		add(m, append(analysis.AllSplits(), o.Split)...)
	}
	i := slices.IndexFunc(wanted, func(l axes) bool {
		asked := l.metric == o.Metric || o.Metric == "" && !moreIsBetter(l.metric)
		return asked && l.metric != "" && l.split != "" && (o.Split == "" || l.split == o.Split) && all(columns, l.recordedBy)
	})
	if i < 0 {
		return axes{}, fmt.Sprintf("not all runs record %s; they record %s", l.wantedText(o), recorded(columns))
	}
	l = wanted[i]
	if moreIsBetter(l.metric) {
		return axes{}, fmt.Sprintf("a larger %s is better, but comparisons need a metric where less is better: compare suboptimality", l.metric)
	}
	counts := func(cost string) bool {
		return all(columns, func(c *record.Columns) bool { return c.Counts(cost) })
	}
	l.cost = cmp.Or(o.Cost, record.CostIterations)
	if shown := cmp.Or(base.Cost, cand.Cost); o.Cost == "" && shown != "" && counts(shown) {
		l.cost = shown
	}
	if !counts(l.cost) {
		return axes{}, fmt.Sprintf("not all runs count %s", l.cost)
	}
	return l, ""
}

func (l axes) wantedText(o Options) string {
	text := "suboptimality or error"
	if o.Metric != "" {
		text = o.Metric
	}
	if o.Split != "" {
		text += " on " + o.Split
	}
	return text
}

func (l axes) recordedBy(c *record.Columns) bool { return c.Records(l.split, l.metric) }

func all(columns []*record.Columns, of func(*record.Columns) bool) bool {
	return !slices.ContainsFunc(columns, func(c *record.Columns) bool { return !of(c) })
}

// each yields the runs of some lists, where they are.
func each(lists ...[]record.Run) iter.Seq[*record.Run] {
	return func(yield func(*record.Run) bool) {
		for _, runs := range lists {
			for i := range runs {
				if !yield(&runs[i]) {
					return
				}
			}
		}
	}
}

// withColumns adds what a run records to what others do, if it is something else.
func withColumns(columns []*record.Columns, r *record.Run) []*record.Columns {
	return words.AddOnce(columns, r.Columns())
}

// recorded lists the metrics that any runs have which record these, by split.
func recorded(columns []*record.Columns) string {
	metrics := map[string][]string{}
	for _, c := range columns {
		for split, cols := range c.Metrics {
			for name := range cols {
				metrics[split] = append(metrics[split], name)
			}
		}
	}
	var parts []string
	for _, split := range slices.Sorted(maps.Keys(metrics)) {
		parts = append(parts, fmt.Sprintf("on %s %s", split, strings.Join(unique(metrics[split]), ", ")))
	}
	return cmp.Or(strings.Join(parts, "; "), "nothing")
}

// checkNames reports a metric, split or cost of the options that is not in any of the columns.
func checkNames(o Options, columns []*record.Columns) error {
	has := func(of func(*record.Columns) bool) bool { return slices.ContainsFunc(columns, of) }
	if o.Metric != "" || o.Split != "" {
		ok := has(func(c *record.Columns) bool {
			for split, cols := range c.Metrics {
				if _, recorded := cols[o.Metric]; (o.Split == "" || split == o.Split) && (o.Metric == "" || recorded) {
					return true
				}
			}
			return false
		})
		if !ok {
			what := fmt.Sprintf("metric %q", o.Metric)
			switch {
			case o.Metric == "":
				what = fmt.Sprintf("split %q", o.Split)
			case o.Split != "":
				what += fmt.Sprintf(" on split %q", o.Split)
			}
			return fmt.Errorf("compare: no run records the %s; recorded are %s", what, recorded(columns))
		}
	}
	if o.Cost != "" && !has(func(c *record.Columns) bool { _, ok := c.Costs[o.Cost]; return ok }) {
		var known []string
		for _, c := range columns {
			known = slices.AppendSeq(known, maps.Keys(c.Costs))
		}
		return fmt.Errorf("compare: no run counts the cost %q; counted are %s", o.Cost, strings.Join(unique(known), ", "))
	}
	return nil
}
