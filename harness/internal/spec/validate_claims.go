package spec

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

func (c *validator) claims() {
	c.unique("claim", "claims", names(c.spec.Claims, func(l claims.Claim) string { return l.ID }))
	for i, l := range each(c.spec.Claims) {
		at := rawPath("claims", strconv.Itoa(i))
		found := len(c.rep.errs)
		fine := func() bool { return len(c.rep.errs) == found }
		c.where(l.Where, at+sep+"where")
		var table *plots.Table
		for _, m := range l.Mentions() {
			at := at + sep + rawPath(m.Path...)
			switch {
			case m.Path[0] == "where": // checked already, with its values
			case m.Key == "column":
				c.claimedColumn(m.Name, table, at)
			default:
				c.mention(m, at)
			}
			if m.Key == "table" {
				table = c.exponentTable(m.Name)
			}
		}
		if fine() {
			c.restrictions(l, at+sep+"where")
			c.together(l, at)
			c.boundFits(l, at)
			c.splits(l, at)
			c.passes(l, at)
		}
		if fine() {
			c.fits(l, at)
		}
		if err := l.Validate(); err != nil && fine() {
			c.fail(strings.Join(append([]string{at}, err.Path...), sep), "%s", err.Text)
		}
	}
}

// exponentTable returns the table of exponents of this id, nil if there is none.
func (c *validator) exponentTable(id string) *plots.Table {
	for _, t := range each(c.spec.Tables) {
		if t.ID == id && t.Kind == plots.KindExponents {
			return t
		}
	}
	return nil
}

// mention checks a name that a claim uses.
func (c *validator) mention(m claims.Mention, at string) {
	what, known := m.Key, []string(nil)
	switch m.Key {
	default:
		return
	case "series", "below", "than":
		what, known = "series", c.spec.seriesNames()
	case "datasets":
		what, known = "dataset", c.spec.datasetIDs()
	case "metric":
		known = c.task.Metrics
	case "split":
		known = panelSplits
	case "cost":
		known = append(slices.Clone(c.task.Costs), record.CostCPUSeconds)
		if c.spec.Select.By == selection.ByHalvings {
			known = append(known, observe.CostSupport)
		} else if m.Name == observe.CostSupport {
			c.fail(at, "the cost %q is for trade-offs, which need parameters selected at each support size: set select: {by: %s, …}", m.Name, selection.ByHalvings)
			return
		}
	case "fact", "per":
		what, known = "fact or parameter", slices.Concat(c.task.Facts, paramNames(c.allParams()))
	case "shown":
		what, known = "figure or table", c.spec.productIDs()
	case "name":
		what, known = "bound", claims.Bounds()
		if !slices.Contains(known, m.Name) && Hint(m.Name, known) == "" {
			c.fail(at, "unknown bound %q (known: %s)", m.Name, strings.Join(known, ", "))
			return
		}
	case "table":
		what = "table of exponents"
		for _, t := range each(c.spec.Tables) {
			if c.exponentTable(t.ID) != nil {
				known = append(known, t.ID)
			}
		}
	}
	c.choice(m.Name, what, known, at)
}

// claimedColumn checks the name of an exponent of a table, nil if the table has been reported.
func (c *validator) claimedColumn(name string, table *plots.Table, at string) {
	if table == nil {
		return
	}
	known := names(table.Exponents, observe.Exponent.Column)
	c.choice(name, "exponent of the table "+table.ID, known, at)
}

// restrictions reports what where cannot restrict: what none of the series of the claim has as a
// parameter, which would leave it without effect.
func (c *validator) restrictions(l *claims.Claim, at string) {
	series := l.Series()
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		has := func(a AlgorithmEntry) bool {
			_, ok := findParam(c.params(&a), name)
			return ok && slices.Contains(series, a.Series())
		}
		if !slices.ContainsFunc(c.spec.Algorithms, has) {
			c.failKey(at+sep+name, "no series of the claim (%s) has the parameter %q, so this has no effect: remove it, or name data sets under datasets", strings.Join(series, ", "), name)
		}
	}
}

// together reports a claim about series that no dataset has all of: there is
// nothing that it could be judged by.
func (c *validator) together(l *claims.Claim, at string) {
	series := l.Series()
	for i := range c.spec.Datasets {
		id := c.spec.Datasets[i].ID
		if len(l.Datasets) > 0 && !slices.Contains(l.Datasets, id) {
			continue
		}
		if !slices.ContainsFunc(series, func(name string) bool { return c.spec.entryOn(name, id) == nil }) {
			return
		}
	}
	where := "no dataset"
	if len(l.Datasets) > 0 {
		where = "none of its datasets"
	}
	c.fail(at, "%s has runs of %s, so the claim cannot be judged", where, strings.Join(series, " and "))
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

// productIDs returns the ids of the figures and tables.
func (s *Spec) productIDs() []string {
	return append(names(s.Figures, func(f plots.Figure) string { return f.ID }), names(s.Tables, func(t plots.Table) string { return t.ID })...)
}
