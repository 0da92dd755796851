package spec

import (
	"errors"
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
		c.where(l.Where, at+sep+"where")
		table := -1
		for _, m := range l.Mentions() {
			if m.Path[0] == "where" {
				continue // seen to, with its values
			}
			at := at + sep + rawPath(m.Path...)
			if m.Kind == claims.KindColumn {
				c.claimedColumn(m.Name, table, at)
				continue
			}
			c.mention(m, at)
			if m.Kind == claims.KindTable {
				table = slices.IndexFunc(c.spec.Tables, func(t plots.Table) bool { return t.ID == m.Name && t.Kind == plots.KindExponents })
			}
		}
		if len(c.rep.errs) == found {
			c.restrictions(l, at+sep+"where")
			c.together(l, at)
			c.boundFits(l, at)
			c.splits(l, at)
			c.passes(l, at)
		}
		if len(c.rep.errs) == found {
			c.fits(l, at)
		}
		if err := l.Validate(); err != nil && len(c.rep.errs) == found {
			var shape *claims.ShapeError
			if errors.As(err, &shape) && len(shape.Path) > 0 {
				c.fail(at+sep+rawPath(shape.Path...), "%s", shape.Text)
			} else {
				c.fail(at, "%s", err)
			}
		}
	}
}

// mention checks a name that a claim uses.
func (c *validator) mention(m claims.Mention, at string) {
	what, known := m.Kind, []string(nil)
	switch m.Kind {
	case claims.KindPasses:
		return
	case claims.KindSeries:
		known = c.spec.seriesNames()
	case claims.KindDataset:
		known = c.spec.datasetIDs()
	case claims.KindMetric:
		known = c.task.Metrics
	case claims.KindSplit:
		known = panelSplits
	case claims.KindCost:
		known = append(slices.Clone(c.task.Costs), record.CostSeconds, record.CostCPUSeconds)
		if c.spec.Select.By == selection.ByHalvings {
			known = append(known, observe.CostSupport)
		} else if m.Name == observe.CostSupport {
			c.fail(at, "the cost %q is for trade-offs, which need parameters selected at each support size: set select: {by: %s, …}", m.Name, selection.ByHalvings)
			return
		}
	case claims.KindParameter:
		known = paramNames(c.allParams())
	case claims.KindFact:
		what, known = "fact or parameter", slices.Concat(c.task.Facts, paramNames(c.allParams()))
	case claims.KindShown:
		what, known = "figure or table", c.spec.productIDs()
	case claims.KindBound:
		known = claims.Bounds()
		if !slices.Contains(known, m.Name) && Hint(m.Name, known) == "" {
			c.fail(at, "unknown bound %q (known: %s)", m.Name, strings.Join(known, ", "))
			return
		}
	case claims.KindTable:
		what = "table of exponents"
		for _, t := range each(c.spec.Tables) {
			if t.Kind == plots.KindExponents {
				known = append(known, t.ID)
			}
		}
	}
	c.choice(m.Name, what, known, at)
}

// claimedColumn checks the name of an exponent of the table of that index, -1 if
// the table has been reported.
func (c *validator) claimedColumn(name string, table int, at string) {
	if table < 0 {
		return
	}
	var known []string
	for _, e := range c.spec.Tables[table].Exponents {
		known = append(known, e.Column())
	}
	c.choice(name, "exponent of the table "+c.spec.Tables[table].ID, known, at)
}

// restrictions reports what where cannot restrict: a parameter that none of the series
// of the claim has, which would leave it without effect, and the series themselves.
func (c *validator) restrictions(l *claims.Claim, at string) {
	series := l.Series()
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		switch name {
		case "dataset", "group":
			continue
		case "series", "algorithm":
			c.failKey(at+sep+name, "%q has no effect, because the check names the series of a claim: remove it", name)
			continue
		}
		has := func(a AlgorithmEntry) bool {
			_, ok := findParam(c.params(&a), name)
			return ok && slices.Contains(series, a.Series())
		}
		if !slices.ContainsFunc(c.spec.Algorithms, has) {
			c.failKey(at+sep+name, "no series of the claim (%s) has the parameter %q, so this has no effect: remove it", strings.Join(series, ", "), name)
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
