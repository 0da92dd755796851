package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/words"
)

// boundFits reports a bound that is not about the algorithm of the series.
func (c *validator) boundFits(l *claims.Claim, at string) {
	b := l.Check.Bound
	if b == nil {
		return
	}
	for _, a := range each(c.spec.Algorithms) {
		if a.Series() != b.Series {
			continue
		}
		if of, ok := claims.BoundFits(b.Name, c.spec.Task, a.ID); !ok {
			c.fail(at+sep+rawPath("check", "bound", "name"), "the bound %s is about %s, but series %s runs %s in the task %s: name another bound or series",
				b.Name, of, b.Series, a.ID, c.spec.Task)
			return
		}
	}
}

// lossTask is the task whose data sets stand for nothing that is learned from.
const lossTask = "loss"

// splits reports a split that none of the claim's datasets is measured on: without a
// split of its own, data without labels are what is sampled from, the population, and
// with one they are held out.
func (c *validator) splits(l *claims.Claim, at string) {
	if c.task.Supervised || c.spec.Task == lossTask {
		return
	}
	var have []string
	for _, d := range each(c.spec.Datasets) {
		if c.about(l, d) {
			for _, s := range measured(d) {
				have = words.AddOnce(have, s)
			}
		}
	}
	for _, m := range l.Mentions() {
		if m.Key == "split" && !slices.Contains(have, m.Name) {
			c.fail(at+sep+rawPath(m.Path...), "the claim's datasets have no split %q: name %s", m.Name, strings.Join(have, " or "))
		}
	}
}

// passes reports a range in passes over data that have no rows.
func (c *validator) passes(l *claims.Claim, at string) {
	for _, m := range l.Mentions() {
		if m.Key != "passes" {
			continue
		}
		for _, d := range each(c.spec.Datasets) {
			if source := c.cat.source(d.Source); c.about(l, d) && source != nil && source.Distribution {
				c.fail(at+sep+rawPath(m.Path...), "%s is a distribution, which has no passes: give the range with from and to, or with after and until", d.ID)
				return
			}
		}
	}
}

// measured lists the splits of data without labels that metrics are of.
func measured(d *DatasetEntry) []string {
	if d.Split == nil {
		return []string{"population"}
	}
	var list []string
	if d.Split.Validation > 0 {
		list = append(list, "validation")
	}
	if d.Split.Test > 0 {
		list = append(list, "test")
	}
	return list
}

// about reports whether a claim is about runs on a dataset, as far as it names datasets.
func (c *validator) about(l *claims.Claim, d *DatasetEntry) bool {
	return len(l.Datasets) == 0 || slices.Contains(l.Datasets, d.ID)
}

// fits reports a restriction that leaves nothing of a series: values that its runs do
// not have. A claim for a profile above the one in question is to fit that one.
func (c *validator) fits(l *claims.Claim, at string) {
	below := !l.JudgedAt(c.profile)
	if c.profile == "" { // a specification by itself, whose claim may name a profile
		below = slices.Contains(c.profiles, l.From)
	}
	if len(l.Where) == 0 || c.recorded || below {
		return
	}
	for _, series := range l.Series() {
		if !c.fitsSeries(l, series, at) {
			return
		}
	}
}

// fitsSeries reports whether there are runs of the series, and says why not.
func (c *validator) fitsSeries(l *claims.Claim, series, at string) bool {
	values := make(map[string][]any)
	for _, d := range each(c.spec.Datasets) {
		for _, a := range each(c.spec.Algorithms) {
			if a.Series() != series || !a.RunsOn(d.ID) || !c.about(l, d) {
				continue
			}
			grids, fit := c.spec.gridsOf(d, a), true
			for _, name := range slices.Sorted(maps.Keys(l.Where)) {
				grid, ok := grids[name]
				if !ok {
					continue // which does not restrict it
				}
				values[name] = append(values[name], grid...)
				fit = fit && slices.ContainsFunc(grid, func(v any) bool { return observe.Where(l.Where).Allows(name, v) })
			}
			if fit {
				return true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		if of, ok := values[name]; ok && !slices.ContainsFunc(of, func(v any) bool { return observe.Where(l.Where).Allows(name, v) }) {
			c.fail(at+sep+rawPath("where", name), "no run of %s has this value: it has %s", series, listed(of))
			return false
		}
	}
	c.fail(at+sep+"where", "no run of %s has all of these values, so the claim cannot be judged", series)
	return false
}

// listed writes values, each once, up to ten.
func listed(values []any) string {
	var texts []string
	for _, v := range values {
		texts = words.AddOnce(texts, fmt.Sprint(v))
	}
	return words.List(texts, 10)
}
