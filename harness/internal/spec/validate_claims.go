package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/selection"
	"stochopt/internal/words"
	"stochopt/plots"
)

// claim checks a claim, whose names are checked already: first its filter, then that it can be judged.
func (c *validator) claim(l *claims.Claim, p path) {
	c.where(l.Where, p.in("where"))
	if !c.clean(p, at("algorithms"), at("datasets")) {
		return
	}
	c.restrictions(l, p)
	c.together(l, p)
	c.boundFits(l, p)
	for _, m := range l.Mentions() {
		c.mention(l, m, p.in(anys(m.Path)...))
	}
	if e := l.Check.Exponent; e != nil {
		t := find(c.spec.Tables, e.Table, func(t plots.Table) string { return t.ID })
		known := names(t.Exponents, observe.Exponent.Column)
		c.known(e.Column, "exponent of the table "+t.ID, known, p.in("check", "exponent", "column"))
	}
	if c.clean(p) {
		c.fits(l, p.in("where"))
	}
	if err := l.Validate(); err != nil && c.clean(p) {
		c.fail(p.in(anys(err.Path)...), "%s", err.Text)
	}
}

// restrictions reports what where cannot restrict: what none of the series of the claim has as a
// parameter, which would leave it without effect.
func (c *validator) restrictions(l *claims.Claim, p path) {
	series := l.Series()
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		has := func(a AlgorithmEntry) bool {
			return findParam(c.spec.algorithm(&a).Params, name) != nil && slices.Contains(series, a.Series())
		}
		if !slices.ContainsFunc(c.spec.Algorithms, has) {
			c.failKey(p.in("where", name), "no series of the claim (%s) has the parameter %q, so this has no effect: "+
				"remove it, or name data sets under datasets", strings.Join(series, ", "), name)
		}
	}
}

// about returns the datasets that a claim is about, as far as it names datasets.
func (c *validator) about(l *claims.Claim) (list []*DatasetEntry) {
	for _, d := range each(c.spec.Datasets) {
		if len(l.Datasets) == 0 || slices.Contains(l.Datasets, d.ID) {
			list = append(list, d)
		}
	}
	return list
}

// together reports a claim about series that no dataset has all of: there is
// nothing that it could be judged by.
func (c *validator) together(l *claims.Claim, p path) {
	series := l.Series()
	for _, d := range c.about(l) {
		if !slices.ContainsFunc(series, func(name string) bool { return c.spec.entryOn(name, d.ID) == nil }) {
			return
		}
	}
	where := "no dataset"
	if len(l.Datasets) > 0 {
		where = "none of its datasets"
	}
	c.fail(p, "%s has runs of %s, so the claim cannot be judged", where, strings.Join(series, " and "))
}

// boundFits reports a bound that is not about the algorithm of the series.
func (c *validator) boundFits(l *claims.Claim, p path) {
	b := l.Check.Bound
	for _, a := range each(c.spec.Algorithms) {
		if b == nil || a.Series() != b.Series {
			continue
		}
		if of, ok := claims.BoundFits(b.Name, c.spec.Task, a.ID); !ok {
			c.fail(p.in("check", "bound", "name"), "the bound %s is about %s, but series %s runs %s in the task %s: "+
				"name another bound or series", b.Name, of, b.Series, a.ID, c.spec.Task)
			return
		}
	}
}

// lossTask is the task whose data sets stand for nothing that is learned from.
const lossTask = "loss"

// mention reports what a claim uses that the runs on its datasets do not have: trade-offs; a split of
// data without labels, which are held out if they have splits, and else the population; passes
// over data without rows.
func (c *validator) mention(l *claims.Claim, m claims.Mention, p path) {
	var splits []string
	for _, d := range c.about(l) {
		source := c.spec.catalog.source(d.Source)
		switch {
		case m.Key == "passes" && source != nil && source.Distribution:
			c.fail(p, "%s is a distribution without passes: give from and to, or after and until", d.ID)
			return
		case d.Split == nil:
			splits = words.AddOnce(splits, "population")
			continue
		}
		for i, name := range SplitNames[1:] {
			if d.Split.Fractions()[i+1] > 0 {
				splits = words.AddOnce(splits, name)
			}
		}
	}
	switch {
	case m.Key == "cost" && m.Name == observe.CostSupport && c.spec.Select.By != selection.ByHalvings:
		c.fail(p, "the cost %q is for trade-offs: set select: {by: %s, …}", m.Name, selection.ByHalvings)
	case m.Key == "split" && !c.spec.task.Supervised && c.spec.Task != lossTask && !slices.Contains(splits, m.Name):
		c.fail(p, "the claim's datasets have no split %q: name %s", m.Name, strings.Join(splits, " or "))
	}
}

// fits reports a value in where that no run of a series has. A claim for a profile above the one in
// question is to fit that one.
func (c *validator) fits(l *claims.Claim, p path) {
	below := !l.JudgedAt(c.options.Profile)
	if c.options.Profile == "" { // a specification by itself, whose claim may name a profile
		below = slices.Contains(c.profiles, l.From)
	}
	if c.options.Recorded || below {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		for _, series := range l.Series() {
			var values []any
			for _, d := range c.about(l) {
				if a := c.spec.entryOn(series, d.ID); a != nil {
					values = append(values, c.spec.gridsOf(d, a)[name]...)
				}
			}
			allowed := func(v any) bool { return observe.Where(l.Where).Allows(name, v) }
			if len(values) > 0 && !slices.ContainsFunc(values, allowed) {
				var texts []string
				for _, v := range values {
					texts = words.AddOnce(texts, fmt.Sprint(v))
				}
				c.fail(p.in(name), "no run of %s has this value: it has %s", series, words.List(texts, 10))
				break
			}
		}
	}
}

// entryOn returns the entry of a series that runs on a dataset, or nil.
func (s *Spec) entryOn(series, dataset string) *AlgorithmEntry {
	for _, a := range each(s.Algorithms) {
		if a.Series() == series && a.RunsOn(dataset) {
			return a
		}
	}
	return nil
}
