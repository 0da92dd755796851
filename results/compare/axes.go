package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// axes says which curve of a run is looked at.
type axes struct{ metric, split, cost string }

// axesFor returns the curves to compare in a cell, whose runs on both sides are
// given; reason says why there is none.
func axesFor(o Options, base, cand Side, runs []record.Run) (l axes, reason string) {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Status != record.StatusFinished })
	task := ""
	if len(runs) > 0 {
		task = runs[0].Task
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
		return asked && l.metric != "" && l.split != "" && (o.Split == "" || l.split == o.Split) && all(runs, l.recordedBy)
	})
	if i < 0 {
		return axes{}, fmt.Sprintf("not all runs record %s; they record %s", l.wantedText(o), recorded(runs))
	}
	l = wanted[i]
	if moreIsBetter(l.metric) {
		return axes{}, fmt.Sprintf("a larger %s is better, but comparisons need a metric where less is better: compare suboptimality", l.metric)
	}
	counts := func(cost string) bool {
		return all(runs, func(r record.Run) bool { return r.Measured().Counts(cost) })
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

func (l axes) recordedBy(r record.Run) bool { return len(r.Measured().Metrics[l.split][l.metric]) > 0 }

func all(runs []record.Run, of func(record.Run) bool) bool {
	return !slices.ContainsFunc(runs, func(r record.Run) bool { return !of(r) })
}

// recorded lists the metrics that any of the runs have, by split.
func recorded(runs []record.Run) string {
	metrics := map[string][]string{}
	for _, r := range runs {
		for split, cols := range r.Measured().Metrics {
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

// checkNames reports a metric, split or cost of the options that no run has.
func checkNames(o Options, runs []record.Run) error {
	has := func(of func(record.Run) bool) bool { return slices.ContainsFunc(runs, of) }
	if o.Metric != "" || o.Split != "" {
		ok := has(func(r record.Run) bool {
			for split, cols := range r.Measured().Metrics {
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
			return fmt.Errorf("compare: no run records the %s; recorded are %s", what, recorded(runs))
		}
	}
	if o.Cost != "" && !has(func(r record.Run) bool { _, ok := r.Measured().Cost[o.Cost]; return ok }) {
		var known []string
		for _, r := range runs {
			known = slices.AppendSeq(known, maps.Keys(r.Measured().Cost))
		}
		return fmt.Errorf("compare: no run counts the cost %q; counted are %s", o.Cost, strings.Join(unique(known), ", "))
	}
	return nil
}
