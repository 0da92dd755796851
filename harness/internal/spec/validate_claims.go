package spec

import (
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/plots"
)

// claim checks a claim except for the names in it, which namesIn checks.
func (c *validator) claim(l *claims.Claim, p path) {
	c.where(l.Where, p.in("where"))
	if !c.clean(p, at("algorithms"), at("datasets")) {
		return
	}
	c.restrictions(l, p)
	c.boundFits(l, p)
	if e := l.Check.Exponent; e != nil {
		t := find(c.spec.Tables, e.Table, func(t plots.Table) string { return t.ID })
		known := names(t.Exponents, observe.Exponent.Column)
		c.known(e.Column, "exponent of the table "+t.ID, known, p.in("check", "exponent", "column"))
	}
	if err := l.Validate(); err != nil && c.clean(p) {
		c.fail(p.in(anys(err.Path)...), "%s", err.Text)
	}
}

// restrictions reports conditions in where that have no effect because no series of the claim has the parameter.
func (c *validator) restrictions(l *claims.Claim, p path) {
	series := l.Series()
	for _, name := range slices.Sorted(maps.Keys(l.Where)) {
		has := func(a AlgorithmEntry) bool {
			return findParam(c.spec.algorithm(&a).Params, name) != nil && slices.Contains(series, a.Series())
		}
		if !slices.ContainsFunc(c.spec.Algorithms, has) {
			c.failKey(p.in("where", name), "no series of the claim (%s) has the parameter %q, so this has no effect: "+
				"remove it, or list datasets in datasets", strings.Join(series, ", "), name)
		}
	}
}

// boundFits reports a bound that does not apply to the algorithm of the series.
func (c *validator) boundFits(l *claims.Claim, p path) {
	b := l.Check.Bound
	for _, a := range each(c.spec.Algorithms) {
		if b == nil || a.Series() != b.Series {
			continue
		}
		if of, ok := claims.BoundFits(b.Name, c.spec.Task, a.ID); !ok {
			c.fail(p.in("check", "bound", "name"), "the bound %s applies to %s, but series %s is %s in the task %s: "+
				"name another bound or series", b.Name, of, b.Series, a.ID, c.spec.Task)
			return
		}
	}
}
